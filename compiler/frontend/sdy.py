"""Programs annotated by Shardy (JAX writes them) as programs of ours.

    sdy.mesh                             dist.mesh, one for all of them (sdy_mesh.py)
    sdy.sharding on arguments, results   dist.sharding there
    sdy.sharding on an operation         dist.constraint on its results
    sharding_constraint, reshard         dist.constraint
    all_gather, all_slice, all_reduce …  dist.constraint: they change where a value lies, not what
                                         it is, and our conversions choose the collectives
    manual_computation                   a manual computation (dialect/manual.py), where allowed
    named_computation                    its body, its shardings as constraints
    sharding_group, barriers, edges      nothing, said in a notice

Dimensions cut unevenly by several axes are laid out nested here and flat in Shardy (ten over 2 × 2:
3, 2, 3, 2 and 3, 3, 3, 1). Inside a program nobody sees it; sdy_layout.py gives Shardy's layout to
those who exchange shards with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torch_mlir import ir

from distc.compiler.frontend.sdy_grammar import (
    SdyMesh,
    SdySharding,
    parse_mesh,
    parse_per_value,
    parse_sharding,
)
from distc.compiler.frontend.sdy_manual import ManualImporter
from distc.compiler.frontend.sdy_mesh import CommonMesh
from distc.compiler.frontend.sdy_ranks import (
    RANK_IDS,
    SINGLE_DEVICE,
    constraint_op,
    rank_dependent,
)
from distc.compiler.frontend.sdy_text import to_generic
from distc.dialect import stablehlo
from distc.dialect.attrs import set_module_mesh, to_attr, update_arg_attrs, update_result_attrs
from distc.dialect.context import parse_module
from distc.dialect.locations import where
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import InputError
from distc.transforms.base import replace_op
from distc.transforms.inline_calls import InlineCalls

SHARDING = "sdy.sharding"
_SILENT = ("sdy.data_flow_edge", "sdy.propagation_barrier", "sdy.sharding_group")


@dataclass(slots=True)
class ShardyProgram:
    """An imported program.

    Attributes:
        module: with `dist.mesh`, `dist.sharding` and `dist.constraint`.
        mesh: the mesh, None where the program declares none.
        device_ids: the device at each rank; empty where rank r is device r.
        notices: what was left out.
        arguments: per entry, Shardy's sharding of each argument, None where it has none.
        results: likewise of each result.
        common: reads Shardy's shardings.
    """

    module: ir.Module
    mesh: Mesh | None
    device_ids: tuple[int, ...]
    common: CommonMesh
    notices: list[str] = field(default_factory=list)
    arguments: dict[str, list[SdySharding | None]] = field(default_factory=dict)
    results: dict[str, list[SdySharding | None]] = field(default_factory=dict)


def import_shardy(
    text: str,
    context: ir.Context,
    filename: str = "-",
    *,
    entry: str | None = None,
    manual: bool = False,
) -> ShardyProgram:
    """Read a program with Shardy's annotations.

    Args:
        text: StableHLO with the `sdy` dialect, as text.
        context: where the module is to live.
        filename: for messages.
        entry: the one function to keep (with what it calls), by default all.
        manual: whether manual computations and rank ids are let through.

    Raises:
        InputError: the text does not parse, or its annotations contradict each other.
    """
    generic = to_generic(text, filename)
    context.allow_unregistered_dialects = True
    try:
        module = parse_module(generic, context, filename)
        with context, ir.Location.unknown():
            program = _Importer(module, filename, entry, manual).run()
    finally:
        context.allow_unregistered_dialects = False
    InlineCalls().run(module)
    return program


class _Importer:
    def __init__(self, module: ir.Module, filename: str, entry: str | None, manual: bool) -> None:
        self.module, self.filename, self.manual = module, filename, manual
        self.meshes = self._take_meshes()
        if entry is not None:
            self._keep(entry)
        self.functions = stablehlo.functions(module)
        common = CommonMesh(self._used_meshes(), self._mesh_name(), filename)
        self.common = common
        self.program = ShardyProgram(
            module, common.mesh if self.meshes else None, common.device_ids, common
        )

    def run(self) -> ShardyProgram:
        for func in self.functions:
            self._signature(func)
            for op in list(stablehlo.walk(func)):
                self._annotation(op)
        dependent = rank_dependent(self.functions, self.common.mesh)
        manual = ManualImporter(self.module, self.common, self.manual)
        for func in self.functions:
            for op in _inside_out(func):
                self._operation(op, manual)
        for op, device in dependent:
            manual.take_from(op, device)
        for func in self.functions:
            for op in list(stablehlo.walk(func)):
                if op.name in RANK_IDS:
                    manual.name_device(op)
        if self.program.mesh is not None:
            set_module_mesh(self.module, self.program.mesh)
        if self.program.device_ids:
            order = ", ".join(map(str, self.program.device_ids))
            self.program.notices.append(f"rank r stands for device r of the order {order}")
        return self.program

    # Meshes

    def _take_meshes(self) -> dict[str, SdyMesh]:
        meshes: dict[str, SdyMesh] = {}
        for view in list(self.module.body.operations):
            op = view.operation
            if op.name != "sdy.mesh":
                continue
            name = ir.StringAttr(op.attributes["sym_name"]).value
            meshes[name] = parse_mesh(str(op.attributes["mesh"]), where(op))
            op.erase()
        return meshes

    def _keep(self, entry: str) -> None:
        """Erase what function `entry` does not call, directly or through others."""
        functions = {stablehlo.symbol(f): f for f in stablehlo.functions(self.module)}
        if entry not in functions:
            raise InputError(
                f"no function is called {entry!r}",
                where=self.filename,
                help=f"there are {', '.join(functions)}",
            )
        kept, waiting = {entry}, [entry]
        while waiting:
            for op in stablehlo.walk(functions[waiting.pop()]):
                if op.name != "func.call":
                    continue
                callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
                if callee in functions and callee not in kept:
                    kept.add(callee)
                    waiting.append(callee)
        for name, func in functions.items():
            if name not in kept:
                func.erase()
            elif name != entry:
                func.attributes["sym_visibility"] = ir.StringAttr.get("private")

    def _used_meshes(self) -> dict[str, SdyMesh]:
        """Meshes that some sharding names; with them the first of several devices if none is.

        Raises:
            InputError: a sharding names a mesh that is not declared.
        """
        used: dict[str, SdyMesh] = {}
        for func in self.functions:
            for sharding in self._all_shardings(func):
                if isinstance(sharding.mesh, SdyMesh):
                    used[f"inlined_{len(used)}"] = sharding.mesh
                elif sharding.mesh in self.meshes:
                    used[sharding.mesh] = self.meshes[sharding.mesh]
                else:
                    raise InputError(
                        f"a sharding names the mesh @{sharding.mesh}, which is not declared",
                        where=where(func),
                        help=f"declare sdy.mesh @{sharding.mesh}",
                    )
        if all(m.size == 1 for m in used.values()):
            used |= dict([i for i in self.meshes.items() if i[1].size > 1][:1])
        return used

    def _mesh_name(self) -> str:
        wide = [n for n, m in self._used_meshes().items() if m.size > 1]
        return wide[0] if len(wide) == 1 and not wide[0].startswith("inlined_") else "mesh"

    def _all_shardings(self, func: ir.Operation) -> list[SdySharding]:
        found = [
            parse_sharding(str(entry[SHARDING]), where(func))
            for which in ("arg_attrs", "res_attrs")
            if which in func.attributes
            for entry in func.attributes[which]
            if SHARDING in entry
        ]
        for op in stablehlo.walk(func):
            for name in ("sharding", SHARDING, "in_shardings", "out_shardings"):
                if name in op.attributes:
                    found += _shardings(op, name)
        return found

    # Functions

    def _signature(self, func: ir.Operation) -> None:
        signature = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
        name = stablehlo.symbol(func)
        self.program.arguments[name] = self._boundary(func, "arg_attrs", list(signature.inputs))
        self.program.results[name] = self._boundary(func, "res_attrs", list(signature.results))
        if stablehlo.is_public(func):
            return
        # What a called function says of its boundary holds where its body is put.
        block = func.regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(block):
            for argument, wish in zip(
                block.arguments, self.program.arguments.pop(name), strict=True
            ):
                self._constrain(argument, wish, func)
        terminator = block.operations[len(block.operations) - 1].operation
        with ir.InsertionPoint(terminator):
            for index, wish in enumerate(self.program.results.pop(name)):
                value = terminator.operands[index]
                made = self._constraint(value, wish, terminator)
                if made is not None:
                    terminator.operands[index] = made

    def _boundary(
        self, func: ir.Operation, which: str, types: list[ir.Type]
    ) -> list[SdySharding | None]:
        found: list[SdySharding | None] = [None] * len(types)
        if which not in func.attributes:
            return found
        public = stablehlo.is_public(func)
        update = update_arg_attrs if which == "arg_attrs" else update_result_attrs
        changes: dict[int, dict[str, ir.Attribute | None]] = {}
        for index, entry in enumerate(func.attributes[which]):
            changes[index] = {a.name: None for a in entry if a.name.startswith("sdy.")}
            if SHARDING not in entry:
                continue
            sharding = parse_sharding(str(entry[SHARDING]), where(func))
            found[index] = sharding
            self._note_priorities(sharding)
            shape = tuple(ir.RankedTensorType(types[index]).shape)
            ours = self._read(sharding, shape, func)
            if ours is not None and public:
                changes[index]["dist.sharding"] = to_attr(ours, func.context)
        update(func, changes)
        return found

    # Operations

    def _annotation(self, op: ir.Operation) -> None:
        """Turn an operation's own `sdy.sharding` into constraints on its results."""
        names = [a if isinstance(a, str) else a.name for a in op.attributes]
        shardings = _shardings(op, SHARDING) if SHARDING in names else []
        if shardings and len(shardings) != len(op.results):
            raise InputError(
                f"{op.name} has {len(op.results)} results and {len(shardings)} shardings",
                where=where(op),
                help="write one sharding per result",
            )
        device = next(
            (d for s in shardings if (d := self.common.resolve(s).single_device) is not None), None
        )
        for name in names:
            if name.startswith("sdy."):
                del op.attributes[name]
        if device is not None:
            op.attributes[SINGLE_DEVICE] = ir.IntegerAttr.get(
                ir.IntegerType.get_signless(64), device
            )
            return
        if not _in_function_body(op):
            return
        with ir.InsertionPoint.after(op), op.location:
            for result, sharding in zip(op.results, shardings, strict=False):
                self._constrain(result, sharding, op)

    def _operation(self, op: ir.Operation, manual: ManualImporter) -> None:
        if op.name == "sdy.manual_computation":
            manual.replace(op)
            return
        if op.name == "sdy.named_computation":
            self._open_named(op)
            return
        if op.name in _SILENT:
            self.program.notices.append(f"{op.name} is left out, {where(op)}")
        value = op.operands[0]
        shardings = _shardings(op, "sharding") if "sharding" in op.attributes else []
        with ir.InsertionPoint(op), op.location:
            made = None
            if shardings and _in_function_body(op):
                self._note_priorities(shardings[0])
                made = self._constraint(value, shardings[0], op)
        if len(op.results):
            replace_op(op, [made if made is not None else value])
        else:
            op.erase()

    def _open_named(self, op: ir.Operation) -> None:
        """Put the body of a named computation in its place, its shardings as constraints."""
        block = op.regions[0].blocks[0]
        wishes = _shardings(op, "in_shardings") if "in_shardings" in op.attributes else []
        gives = _shardings(op, "out_shardings") if "out_shardings" in op.attributes else []
        with ir.InsertionPoint(op), op.location:
            operands = [
                self._constraint(v, wishes[i] if i < len(wishes) else None, op) or v
                for i, v in enumerate(op.operands)
            ]
        for argument, value in zip(block.arguments, operands, strict=True):
            argument.replace_all_uses_with(value)
        returned: list[ir.Value] = []
        for inner in [o.operation for o in block.operations]:
            if inner.name == "sdy.return":
                returned = list(inner.operands)
                inner.erase()
            else:
                inner.move_before(op)
        with ir.InsertionPoint(op), op.location:
            results = [
                self._constraint(v, gives[i] if i < len(gives) else None, op) or v
                for i, v in enumerate(returned)
            ]
        replace_op(op, results)

    def _constrain(
        self, value: ir.Value, sharding: SdySharding | None, place: ir.Operation
    ) -> None:
        """Constrain `value` here and let all its uses read the constrained one."""
        made = self._constraint(value, sharding, place)
        maker = None if made is None else stablehlo.defining_op(made)
        if made is not None and maker is not None:
            value.replace_all_uses_except(made, maker)

    def _constraint(
        self, value: ir.Value, sharding: SdySharding | None, place: ir.Operation
    ) -> ir.Value | None:
        if sharding is None or not stablehlo.is_tensor(value):
            return None
        ours = self._read(sharding, stablehlo.shape(value), place)
        return None if ours is None else constraint_op(value, ours)

    def _read(
        self, sharding: SdySharding, shape: tuple[int, ...], place: ir.Operation
    ) -> Sharding | None:
        try:
            return self.common.sharding(sharding, shape)
        except InputError as error:
            raise InputError(error.message, where=where(place), help=error.help) from None

    def _note_priorities(self, sharding: SdySharding) -> None:
        notice = "priorities of dimensions are left out: claims are heard in their order"
        if notice not in self.program.notices and any(d.priority for d in sharding.dims):
            self.program.notices.append(notice)


def _inside_out(op: ir.Operation) -> list[ir.Operation]:
    """Shardy's operations, those of a region before the one that holds it; no returns.

    A region is clean when its operation is looked at, and no handle outlives its operation.
    """
    found: list[ir.Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for view in block.operations:
                found += _inside_out(view.operation)
                if view.operation.name.startswith("sdy.") and view.operation.name != "sdy.return":
                    found.append(view.operation)
    return found


def _shardings(op: ir.Operation, name: str) -> list[SdySharding]:
    text = str(op.attributes[name])
    if text.startswith("#sdy.sharding_per_value"):
        return list(parse_per_value(text, where(op)))
    return [parse_sharding(text, where(op))]


def _in_function_body(op: ir.Operation) -> bool:
    """True outside loops and branches, whose bodies run on whole values."""
    parent = op.parent
    return parent is not None and parent.operation.name in ("func.func", "sdy.named_computation")
