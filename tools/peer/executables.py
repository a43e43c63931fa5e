"""Shardy's executable tests: `//--- part1.mlir` annotated, `//--- part2.mlir` runs and checks it.

Part 2 is evaluated by our executor up to each `interpreter.run_parallel`; the program it names is
imported from part 1, partitioned by us and run on all ranks in `sim`; the checks decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor
from torch_mlir import ir

from distc.compiler.frontend.sdy import import_shardy
from distc.compiler.frontend.sdy_grammar import SdySharding
from distc.compiler.frontend.sdy_layout import flat_layout
from distc.dialect import stablehlo as hlo
from distc.dialect.attrs import arg_sharding, module_mesh, result_sharding, set_module_mesh
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.runtime import sim
from distc.runtime.layout import TensorLayout
from distc.transforms import make_pass
from distc.transforms.lower import lower
from peer.compare import difference
from peer.programs import call_target, is_check, parse, rewrite_checks, set_results
from peer.sharded import PASSES, assembled, main_function, poisoned_piece

_PART = re.compile(r"^//--- (\S+)\s*$", re.MULTILINE)
_RENAME = re.compile(r"sed 's/(\w+)/(\w+)/g'")
_FUNCTION = re.compile(r"func\.func\s+(?:public\s+|private\s+)?@([\w$.-]+)")
_SEQUENTIAL = re.compile(r"(?:call\s+|callee\s*=\s*)@([\w$.-]+)")
# Under its own name the operation is verified against functions that part 2 lacks.
_PARALLEL = "peer.run_parallel"


class NotUnderstood(Exception):
    """The file does not have the form of these tests."""


@dataclass(frozen=True, slots=True)
class ExecutableFile:
    """The parts of a test: the annotated program, what runs it, names the RUN lines give."""

    program: str
    driver: str
    renamed: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> ExecutableFile:
        """Split a file.

        Raises:
            NotUnderstood: it has not two parts.
        """
        text = path.read_text(encoding="utf-8")
        pieces = _PART.split(text)
        if len(pieces) != 5:
            raise NotUnderstood(f"{len(pieces) // 2} parts, two are expected")
        return cls(pieces[2], pieces[4], {new: old for old, new in _RENAME.findall(pieces[0])})

    def entry(self, name: str) -> str:
        """The function of part 1 that part 2 calls `name`.

        Raises:
            NotUnderstood: nothing in part 1 fits.
        """
        defined = _FUNCTION.findall(self.program)
        twin = name.replace("sequential", "parallel", 1)
        for candidate in (name, self.renamed.get(name, ""), twin):
            if candidate in defined:
                return candidate
        if len(defined) == 1:
            return str(defined[0])
        raise NotUnderstood(f"part 1 has no function for @{name}: {', '.join(defined)}")


def check_executable(path: Path) -> str:
    """Run one test file; return what differs, "" where every check holds."""
    test = ExecutableFile.read(path)
    driver = _Driver(test)
    return driver.run()


class _Driver:
    """Evaluates part 2: our executor between the parallel runs, `sim` for these."""

    def __init__(self, test: ExecutableFile) -> None:
        self.test = test
        text = test.driver.replace("interpreter.run_parallel", _PARALLEL) + self._sequential()
        self.module = parse(rewrite_checks(text))
        for func in hlo.functions(self.module):
            if hlo.symbol(func) != "main":
                func.attributes["sym_visibility"] = ir.StringAttr.get(
                    "private", self.module.context
                )
        self.main = main_function(self.module)
        self.partitioned: dict[str, PartitionedProgram] = {}

    def _sequential(self) -> str:
        """What part 2 calls without running it in parallel, as plain functions."""
        defined = set(_FUNCTION.findall(self.test.driver))
        texts: list[str] = []
        for name in dict.fromkeys(_SEQUENTIAL.findall(self.test.driver)):
            if name in defined:
                continue
            entry = self.test.entry(name)
            program = import_shardy(self.test.program, make_context(), entry=entry, manual=True)
            texts.append(plain_text(program.module, entry, name))
        return "\n".join(texts)

    def run(self) -> str:
        found: list[Tensor] = []
        runs = 0
        while (op := self._next_parallel()) is not None:
            runs += 1
            rows = [[str(n).lstrip("@") for n in row] for row in op.attributes["programs"]]
            names = [name for row in rows for name in row]
            given = self._evaluate(op, list(op.operands), found)
            shapes = [hlo.shape(r) for r in op.results]
            results = self._parallel(
                names, given, shapes[: len(shapes) // len(names)], len(rows) > 1
            )
            self._results_to_arguments(op)
            found += results
        if not runs:
            raise NotUnderstood("part 2 runs nothing in parallel")
        return self._check(found)

    def _next_parallel(self) -> ir.Operation | None:
        return next((o for o in hlo.walk(self.main) if o.name == _PARALLEL), None)

    def _results_to_arguments(self, op: ir.Operation) -> None:
        """Let what comes after a parallel run read arguments of @main."""
        block = self.main.regions[0].blocks[0]
        for result in op.results:
            argument = block.add_argument(result.type, ir.Location.unknown(op.context))
            result.replace_all_uses_with(argument)
        op.erase()
        set_results(self.main, [])

    def _evaluate(
        self, until: ir.Operation | None, values: list[ir.Value], found: list[Tensor]
    ) -> list[Tensor]:
        """Values of @main before the operation `until`, given the parallel results so far."""
        module, returned = _copy_until(self.module, until, values)
        set_results(main_function(module), returned)
        make_pass("inline-calls").run(module)
        return sim.run_single(lower(module, "main"), found)

    def _parallel(
        self,
        names: Sequence[str],
        given: Sequence[Tensor],
        shapes: Sequence[tuple[int, ...]],
        replicas: bool,
    ) -> list[Tensor]:
        """What all devices give, one after another; `shapes` are those of one device."""
        if len(set(names)) != 1:
            raise NotUnderstood(f"different programs in parallel: {', '.join(sorted(set(names)))}")
        entry = self.test.entry(names[0])
        if entry not in self.partitioned:
            text = self.test.program
            if replicas:  # one partition of several replicas: what ranks are to us
                text = text.replace("stablehlo.replica_id", "stablehlo.partition_id")
            self.partitioned[entry] = PartitionedProgram(text, entry, len(names))
        each = len(given) // len(names)
        devices = [given[i * each : (i + 1) * each] for i in range(len(names))]
        return [x for device in self.partitioned[entry].run(devices, shapes) for x in device]

    def _check(self, found: list[Tensor]) -> str:
        checks = [op for op in hlo.walk(self.main) if is_check(op)]
        if not checks:
            raise NotUnderstood("part 2 checks nothing")
        kinds = [call_target(op) for op in checks]
        values = self._evaluate(None, [v for op in checks for v in op.operands], found)
        for index, kind in enumerate(kinds):
            # Shards add in another order than one device: floats agree to their precision.
            exact = not values[2 * index].dtype.is_floating_point and kind
            wrong = difference(
                values[2 * index], values[2 * index + 1], exact or "check.expect_close"
            )
            if wrong:
                return f"check {index}: {wrong}"
        return ""


def _copy_until(
    module: ir.Module, until: ir.Operation | None, values: list[ir.Value]
) -> tuple[ir.Module, list[ir.Value]]:
    """A copy of the module whose @main ends before `until`, and `values` in the copy."""
    original = main_function(module)
    block = original.regions[0].blocks[0]
    places = {r: (i, n) for i, o in enumerate(block.operations) for n, r in enumerate(o.results)}
    wanted = [places[v] if v in places else (-1, ir.BlockArgument(v).arg_number) for v in values]
    end = len(block.operations) - 1
    if until is not None:
        end = next(i for i, o in enumerate(block.operations) if o.operation == until)
    copy = ir.Module.parse(module.operation.get_asm(large_elements_limit=None), module.context)
    copied = main_function(copy).regions[0].blocks[0]
    operations = [o.operation for o in copied.operations]
    returned = [copied.arguments[n] if i < 0 else operations[i].results[n] for i, n in wanted]
    for op in reversed(operations[end:-1]):
        op.erase()
    for op in operations[:end]:
        if is_check(op):
            op.erase()
    return copy, returned


class PartitionedProgram:
    """A program of part 1, partitioned; runs on values per device as Shardy lays them out."""

    def __init__(self, text: str, entry: str, devices: int) -> None:
        program = import_shardy(text, make_context(), entry=entry, manual=True)
        self.program, self.entry = program, entry
        module = program.module
        mesh = module_mesh(module)
        if mesh is None or mesh.size != devices:
            if mesh is not None and mesh.size != 1:
                raise NotUnderstood(f"a mesh of {mesh.size} ranks is run on {devices} devices")
            mesh = Mesh.of(device=devices)
            set_module_mesh(module, mesh)
        self.mesh = mesh
        for name in PASSES:
            make_pass(name).run(module)
            make_pass("verify-shardings").run(module)
        make_pass("verify-partitioned").run(module)
        self.executable = lower(module, entry)
        self.func = next(f for f in hlo.functions(module) if hlo.symbol(f) == entry)

    def run(
        self, devices: Sequence[Sequence[Tensor]], shapes: Sequence[tuple[int, ...]] = ()
    ) -> list[list[Tensor]]:
        """Outputs per device for inputs per device; `shapes` are the local ones of the outputs.

        A signature that says nothing is as Shardy leaves it, which only the local shapes tell:
        whole values, or shards as ours are.
        """
        order = self.program.device_ids or tuple(range(len(devices)))
        ranks = [list(devices[d]) for d in order]
        for index, sharding in enumerate(self.program.arguments[self.entry]):
            shape = self._global_shape("arg_attrs", index)
            ours = arg_sharding(self.func, index, self.mesh)
            if ours is None:
                continue
            target = ours.layout(shape)
            source = self._flat(sharding, shape)
            if sharding is None and tuple(ranks[0][index].shape) == target.local_shape:
                source = target
            column = _relaid([r[index] for r in ranks], source, target, ours.partial != ())
            for rank, piece in zip(ranks, column, strict=True):
                rank[index] = piece
        outputs = sim.run(self.executable, ranks)
        for index, sharding in enumerate(self.program.results[self.entry]):
            shape = self._global_shape("res_attrs", index)
            ours = result_sharding(self.func, index, self.mesh)
            if ours is None:
                continue
            source = ours.layout(shape)
            target = self._flat(sharding, shape)
            if sharding is None and shapes and shapes[index] == source.local_shape:
                target = source
            column = _relaid([r[index] for r in outputs], source, target, ours.partial != ())
            for rank, piece in zip(outputs, column, strict=True):
                rank[index] = piece
        by_device: list[list[Tensor]] = [[] for _ in devices]
        for rank, device in enumerate(order):
            by_device[device] = outputs[rank]
        return by_device

    def _flat(self, sharding: SdySharding | None, shape: tuple[int, ...]) -> TensorLayout:
        return flat_layout(self.program.common, sharding, shape)

    def _global_shape(self, which: str, index: int) -> tuple[int, ...]:
        return tuple(self.func.attributes[which][index]["dist.global_shape"])


def _relaid(
    pieces: list[Tensor], source: TensorLayout, target: TensorLayout, partial: bool
) -> list[Tensor]:
    """Pieces of one layout as pieces of another; as they are where every box is the same.

    What ranks hold may differ where their boxes do not (a manual computation takes it so), which
    no whole value could say.
    """
    ranks = range(len(pieces))
    if partial or all(source.box(r) == target.box(r) for r in ranks):
        return pieces
    whole = assembled(pieces, source)
    return [poisoned_piece(whole, target, rank) for rank in ranks]


def plain_text(module: ir.Module, entry: str, name: str) -> str:
    """One function of a module as text, called `name`, without anything of `dist`."""
    func = next(f for f in hlo.functions(module) if hlo.symbol(f) == entry)
    with module.context:
        func.attributes["sym_name"] = ir.StringAttr.get(name)
        func.attributes["sym_visibility"] = ir.StringAttr.get("private")
        for which in ("arg_attrs", "res_attrs"):
            if which in func.attributes:
                del func.attributes[which]
        for op in list(hlo.walk(func)):
            if op.name == "dist.constraint":
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
    return func.get_asm(large_elements_limit=None)
