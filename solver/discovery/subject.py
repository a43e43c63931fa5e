"""The op under discovery: its operands and results, and the program it is at other sizes.

A subject is one op, or a whole function body (a composite's decomposition). `program` makes the
module with the wanted sizes, lets MLIR verify it and lowers it; sizes that the op does not take
give None. Values that the body makes itself (iota, dense constants) become hidden inputs, so that
a shard sees its part of the global value and not one that starts at zero again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.context import make_context, parse_module
from distc.runtime.errors import DistcError, InputError
from distc.runtime.program import Program, ValueType
from distc.solver.discovery.local_types import local_attributes, own_sizes, resized_values
from distc.solver.discovery.source import ENTRY, captures, is_constant
from distc.transforms.lower import lower

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]
Ratio = tuple[int, int]
_CREATORS = ("stablehlo.constant", "stablehlo.iota")
MAX_RANKS = 8


@dataclass(frozen=True, slots=True)
class Instance:
    """A program at given sizes and the shapes of its hidden inputs, which follow the operands."""

    program: Program
    hidden: Shapes


class Subject:
    """One op or body, parsed from the text of `isolate`.

    Attributes:
        operands: types of what is varied; equal operands of the op are one here.
        results: types of the results.
        is_op: whether it is a single op (its operands may also be constants, which stay).
        name: name of the op, `body` otherwise.
        ranks: how many replicas its collectives name; one without any.
        group_counts: group counts of its convolutions.
    """

    def __init__(self, text: str) -> None:
        """Parse and look at the op.

        Raises:
            InputError: no function @main.
            UnsupportedOp: element types that cannot run.
        """
        self.module = parse_module(text, make_context(), "op.mlir")
        _as_partitions(self.module)
        functions = {stablehlo.symbol(f): f for f in stablehlo.functions(self.module)}
        if ENTRY not in functions:
            raise InputError("the op has no function @main", help="pass what `isolate` returns")
        self.function = functions[ENTRY]
        block = self.function.regions[0].blocks[0]
        ops = [view.operation for view in block.operations][:-1]
        working = [op for op in ops if op.name != "stablehlo.constant"]
        alone = len(working) == 1 and not captures(working[0])
        self.op = working[0] if alone else None
        if not working and len(ops) == 1:
            self.op = ops[0]
        self.is_op = self.op is not None
        self.name = self.op.name if self.op is not None else "body"
        program = lower(self.module)
        types = list(program.inputs)
        for call in program.calls:
            types += call.types
        self.operands = program.inputs
        self.results = tuple(types[o] for o in program.outputs)
        self.ranks = _replicas(self.function)
        self.group_counts = _group_counts(self.function)
        self._instances: dict[tuple[Shapes, Shapes, Ratio], Instance | None] = {}

    @property
    def operand_shapes(self) -> Shapes:
        """Shapes of the operands as written."""
        return tuple(t.shape for t in self.operands)

    @property
    def result_shapes(self) -> Shapes:
        """Shapes of the results as written."""
        return tuple(t.shape for t in self.results)

    def places(self) -> tuple[int | None, ...]:
        """Per operand of the op, its argument; None for a constant."""
        if self.op is None:
            return tuple(range(len(self.operands)))
        arguments = list(self.function.regions[0].blocks[0].arguments)
        return tuple(arguments.index(v) if v in arguments else None for v in self.op.operands)

    def program(self, operands: Shapes, results: Shapes, groups: Ratio = (1, 1)) -> Instance | None:
        """Return the program at these sizes, None where the op does not take them.

        Args:
            operands: shapes of the arguments.
            results: shapes of the results.
            groups: the part (kept, of) of group counts (of a convolution) that is kept.
        """
        key = (operands, results, groups)
        if key not in self._instances:
            self._instances[key] = self._make(operands, results, groups)
        return self._instances[key]

    def _make(self, operands: Shapes, results: Shapes, groups: Ratio) -> Instance | None:
        with self.module.context, ir.Location.unknown():
            try:
                if self.op is not None:
                    module, hidden = self._one(operands, results, groups)
                else:
                    module, hidden = self._body(operands, results)
                if module is None or not module.operation.verify():
                    return None
                return Instance(lower(module), hidden)
            except (ir.MLIRError, DistcError, ValueError, IndexError):
                return None

    def _one(
        self, operands: Shapes, results: Shapes, groups: Ratio
    ) -> tuple[ir.Module | None, Shapes]:
        assert self.op is not None
        if self.name in _CREATORS:
            return self._created(results)
        old = self.function.regions[0].blocks[0]
        kinds = [
            build.tensor_type(s, stablehlo.element_type(a))
            for s, a in zip(operands, old.arguments, strict=True)
        ]
        out = [
            build.tensor_type(s, stablehlo.element_type(r))
            for s, r in zip(results, self.op.results, strict=True)
        ]
        module, block = _new_main(kinds, out)
        with ir.InsertionPoint(block):
            values: dict[ir.Value, ir.Value] = dict(
                zip(old.arguments, block.arguments, strict=True)
            )
            for value in self.op.operands:
                if is_constant(value) and value not in values:
                    constant = stablehlo.defining_op(value)
                    assert constant is not None
                    values[value] = build.clone(constant).results[0]
            inner = [values[v] for v in self.op.operands]
            attributes = local_attributes(self.op, inner, results, groups)
            copy = build.clone(self.op, inner, out, attributes)
            ir.Operation.create("func.return", operands=list(copy.results))
        return module, ()

    def _created(self, results: Shapes) -> tuple[ir.Module | None, Shapes]:
        """A creator has no operands: a rank makes its part; modelled as a hidden input."""
        assert self.op is not None
        kind = build.tensor_type(results[0], stablehlo.element_type(self.op.results[0]))
        module, block = _new_main([kind], [kind])
        with ir.InsertionPoint(block):
            ir.Operation.create("func.return", operands=list(block.arguments))
        return module, (results[0],)

    def _body(self, operands: Shapes, results: Shapes) -> tuple[ir.Module | None, Shapes]:
        written = (operands, results) == (self.operand_shapes, self.result_shapes)
        sizes = (
            own_sizes(self.function)
            if written
            else resized_values(self.function, operands, results)
        )
        if sizes is None:
            return None, ()
        module = ir.Module.create()
        copy = self.function.clone(ip=ir.InsertionPoint(module.body)).operation
        block = copy.regions[0].blocks[0]
        old = self.function.regions[0].blocks[0]
        for before, after in zip(old.arguments, block.arguments, strict=True):
            after.set_type(build.tensor_type(sizes[before], stablehlo.element_type(before)))
        hidden: list[Shape] = []
        pairs = list(zip(list(old.operations), list(block.operations), strict=True))
        for old_view, new_view in pairs:
            before, after = old_view.operation, new_view.operation
            shapes = tuple(sizes[r] for r in before.results)
            if before.name in _CREATORS and not _is_splat(before):
                kind = build.tensor_type(shapes[0], stablehlo.element_type(before.results[0]))
                argument = block.add_argument(kind, ir.Location.unknown())
                after.results[0].replace_all_uses_with(argument)
                after.erase()
                hidden.append(shapes[0])
                continue
            if before.name in _CREATORS:
                value = stablehlo.constant_attribute(before)
                assert value is not None
                with ir.InsertionPoint(after):
                    splat = build.splat_attribute(value.get_splat_value(), shapes[0])
                after.results[0].replace_all_uses_with(splat)
                after.erase()
                continue
            for result, shape in zip(after.results, shapes, strict=True):
                result.set_type(build.tensor_type(shape, stablehlo.element_type(result)))
            inner = list(after.operands)
            for key, attribute in local_attributes(before, inner, shapes, (1, 1)).items():
                after.attributes[key] = attribute
        signature = ir.FunctionType.get(
            [a.type for a in block.arguments],
            [v.type for v in list(block.operations)[-1].operation.operands],
        )
        copy.attributes["function_type"] = ir.TypeAttr.get(signature)
        return module, tuple(hidden)

    def creators(self) -> tuple[Program, ...]:
        """Return programs of the hidden inputs at the written sizes, in order."""
        found = []
        for op in [view.operation for view in self.function.regions[0].blocks[0].operations]:
            if op.name in _CREATORS and (self.name in _CREATORS or not _is_splat(op)):
                if self.is_op and self.name not in _CREATORS:
                    continue
                found.append(self._creator(op))
        return tuple(found)

    def _creator(self, op: ir.Operation) -> Program:
        with self.module.context, ir.Location.unknown():
            module, block = _new_main([], [op.results[0].type])
            with ir.InsertionPoint(block):
                ir.Operation.create("func.return", operands=[build.clone(op).results[0]])
            return lower(module)


def _new_main(kinds: Sequence[ir.Type], out: Sequence[ir.Type]) -> tuple[ir.Module, ir.Block]:
    module = ir.Module.create()
    function = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(ENTRY),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(kinds), list(out))),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )
    places = [ir.Location.unknown()] * len(kinds)
    return module, function.regions[0].blocks.append(*kinds, arg_locs=places)


def _is_splat(op: ir.Operation) -> bool:
    attribute = stablehlo.constant_attribute(op)
    return attribute is not None and attribute.is_splat


def _group_counts(function: ir.Operation) -> frozenset[int]:
    names = ("feature_group_count", "batch_group_count")
    found = {
        stablehlo.integer(op, name, 1)
        for op in stablehlo.walk(function)
        if op.name == "stablehlo.convolution"
        for name in names
    }
    return frozenset(found)


_FLAGGED = ("stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.reduce_scatter")


def _as_partitions(module: ir.Module) -> None:
    """Number collectives by partition, as programs run them; one replica means the same."""
    with module.context:
        handle = ir.Attribute.parse("#stablehlo.channel_handle<handle = 1, type = 1>")
        for op in stablehlo.walk(module.operation):
            named = "replica_groups" in op.attributes or "source_target_pairs" in op.attributes
            if named and stablehlo.channel_id(op) == 0:
                op.attributes["channel_handle"] = handle
                if op.name in _FLAGGED:
                    op.attributes["use_global_device_ids"] = ir.UnitAttr.get()


def _replicas(function: ir.Operation) -> int:
    ranks = 1
    for op in stablehlo.walk(function):
        if "replica_groups" in op.attributes:
            ids = [i for group in stablehlo.replica_groups(op) for i in group]
            ranks = max([ranks, *(i + 1 for i in ids)])
        if "source_target_pairs" in op.attributes:
            ids = [i for pair in stablehlo.source_target_pairs(op) for i in pair]
            ranks = max([ranks, *(i + 1 for i in ids)])
    if ranks > MAX_RANKS:
        raise InputError(
            f"{ranks} replicas in an op, at most {MAX_RANKS} are executed",
            help="shrink its replica groups",
        )
    return ranks


def elements(types: Sequence[ValueType]) -> int:
    """Number of elements in values of these types."""
    return sum(prod(t.shape) for t in types)
