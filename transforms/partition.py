"""From one program with shardings to the program every rank runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.attrs import (
    AGAIN,
    SHARDING,
    arg_sharding,
    is_dist_op,
    module_mesh,
    op_shardings,
    result_sharding,
    update_arg_attrs,
    update_result_attrs,
)
from distc.dialect.locations import where
from distc.dialect.mesh import Mesh
from distc.dialect.regions import captures, inputs
from distc.dialect.sharding import Sharding
from distc.runtime.errors import InputError
from distc.solver.conversion import StepKind, direct_step
from distc.transforms.base import Pass, run_upstream
from distc.transforms.dataflow import itemsize
from distc.transforms.localize import localize_op
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp
from distc.transforms.localize.steps import apply_step

GLOBAL_SHAPE = "dist.global_shape"


@dataclass(frozen=True)
class Partition(Pass):
    """Give every value its local type and every collective its groups.

    Needs the shardings of `propagate` and collectives instead of reshards. Leaves plain StableHLO
    with local types (SPMD, `partition_id`), and on arguments and results `dist.sharding` with
    `dist.global_shape`. Fails when a value has no sharding or a `dist` op is not one collective.

    Example:
        ```mlir
        func.func @main(%x: tensor<8x4xf32> {dist.sharding = [S(t), R]}) -> tensor<4xf32> {
          %0 = stablehlo.reduce(%x) add across [0] {dist.sharding = [[R] P(sum: t)]}
          %1 = dist.all_reduce %0 {sharding = [R]}
        ```
        becomes
        ```mlir
        func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
          %0 = stablehlo.reduce(%x) add across [0]
          %1 = stablehlo.all_reduce %0 {replica_groups = [[0, 1]]}
        ```

    Uneven shards are padded at the end to one static size. Padding holds anything; where elements
    meet along such a dimension it is masked with the neutral element first (transforms/localize).
    """

    name: ClassVar[str] = "partition"

    def run(self, module: ir.Module) -> None:
        """Partition every annotated function."""
        mesh = module_mesh(module)
        if mesh is None:
            return
        with module.context, ir.Location.unknown():
            channels = count(1)
            for func in stablehlo.functions(module):
                if arg_sharding_given(func):
                    _Partitioner(func, mesh, channels).run()
        run_upstream(module, "cse,symbol-dce")
        with module.context:
            for func in stablehlo.functions(module):
                _unmark(func)


def _unmark(func: ir.Operation) -> None:
    """Take the marks off that kept equal ops apart."""
    for op in stablehlo.walk(func):
        if AGAIN in op.attributes:
            del op.attributes[AGAIN]


def arg_sharding_given(func: ir.Operation) -> bool:
    """True when the signature of `func` says how its values lie."""
    return any(
        which in func.attributes and any(SHARDING in entry for entry in func.attributes[which])
        for which in ("arg_attrs", "res_attrs")
    )


class _Partitioner:
    def __init__(self, func: ir.Operation, mesh: Mesh, channels: Iterator[int]) -> None:
        self.func, self.mesh = func, mesh
        self.ctx = LocalContext(mesh, func.context, channels)
        self.locals: dict[ir.Value, ir.Value] = {}
        self.shardings: dict[ir.Value, Sharding] = {}

    def run(self) -> None:
        old = self.func.regions[0].blocks[0]
        arguments = list(old.arguments)
        for i, argument in enumerate(arguments):
            found = arg_sharding(self.func, i, self.mesh)
            rank = len(stablehlo.shape(argument))
            self.shardings[argument] = found or Sharding.replicated(self.mesh, rank)
        types = [self._local_type(a) for a in arguments]
        copy = ir.Operation.create(
            "func.func",
            attributes={k: self.func.attributes[k] for k in _names(self.func)},
            regions=1,
            loc=self.func.location,
            ip=ir.InsertionPoint(self.func),
        )
        block = copy.regions[0].blocks.append(*types, arg_locs=[a.location for a in arguments])
        self.locals.update(zip(arguments, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            returned = self._body(old)
        self._localize_captured(block)
        signature = ir.FunctionType.get(types, [v.type for v in returned])
        copy.attributes["function_type"] = ir.TypeAttr.get(signature)
        self._record_shapes(copy, arguments)
        self.func.erase()

    def _localize_captured(self, block: ir.Block) -> None:
        """Regions were copied as they are: let them read the local values."""
        for view in block.operations:
            for inner, position in captures(view.operation):
                value = inner.operands[position]
                inner.operands[position] = self.locals.get(value, value)

    def _local_type(self, value: ir.Value) -> ir.Type:
        local = self.shardings[value].local_shape(stablehlo.shape(value))
        return build.tensor_type(local, stablehlo.element_type(value))

    def _record_shapes(self, copy: ir.Operation, arguments: Sequence[ir.Value]) -> None:
        context = self.func.context

        def shape_of(value: ir.Value) -> dict[str, ir.Attribute | None]:
            return {GLOBAL_SHAPE: build.i64_array(stablehlo.shape(value), context)}

        old = self.func.regions[0].blocks[0].operations
        results = list(old[len(old) - 1].operation.operands)
        update_arg_attrs(copy, {i: shape_of(a) for i, a in enumerate(arguments)})
        update_result_attrs(copy, {i: shape_of(r) for i, r in enumerate(results)})

    def _body(self, block: ir.Block) -> list[ir.Value]:
        for view in block.operations:
            op = view.operation
            with op.location:
                if op.name == "func.return":
                    return self._return(op)
                results = self._collective(op) if is_dist_op(op) else self._op(op)
            if AGAIN in op.attributes:
                _mark(results)
            self.locals.update(zip(op.results, results, strict=True))
        raise InputError(
            f"function @{stablehlo.symbol(self.func)} does not return",
            where=where(self.func),
            help="end it with a return",
        )

    def _return(self, op: ir.Operation) -> list[ir.Value]:
        for i, value in enumerate(op.operands):
            pin = result_sharding(self.func, i, self.mesh)
            if pin is not None and pin != self.shardings[value]:
                raise InputError(
                    f"result {i} is pinned as {pin}, the value is {self.shardings[value]}",
                    where=where(op),
                    help="run insert-reshards and reshard-to-collectives before partition",
                )
        values = [self.locals[v] for v in op.operands]
        ir.Operation.create("func.return", operands=values)
        return values

    def _op(self, op: ir.Operation) -> tuple[ir.Value, ...]:
        shardings = op_shardings(op, self.mesh)
        if shardings is None and len(op.results):
            raise InputError(
                f"{op.name} has no dist.sharding", where=where(op), help="run propagate first"
            )
        for result, sharding in zip(op.results, shardings or (), strict=True):
            self.shardings[result] = sharding
        local = LocalOp(
            op,
            tuple(self.locals[v] for v in inputs(op)),
            tuple(self.shardings[v] for v in inputs(op)),
            shardings or (),
        )
        return localize_op(self.ctx, local)

    def _collective(self, op: ir.Operation) -> tuple[ir.Value, ...]:
        value, result = op.operands[0], op.results[0]
        before = self.shardings[value]
        (after,) = op_shardings(op, self.mesh) or (before,)
        self.shardings[result] = after
        name = op.name.removeprefix("dist.")
        shape = stablehlo.shape(value)
        step = (
            direct_step(StepKind(name), before, after, shape, itemsize(value))
            if name in StepKind.__members__.values()
            else None
        )
        if step is None:
            raise InputError(
                f"{op.name} does not lead from {before} to {after} for {list(shape)}",
                where=where(op),
                help="use dist.reshard and reshard-to-collectives, which find the path",
            )
        return (apply_step(self.ctx, self.locals[value], step, before, shape),)


def _mark(results: Sequence[ir.Value]) -> None:
    """Keep what runs again apart from its first run until equal ops have been shared."""
    for value in results:
        op = stablehlo.defining_op(value)
        if op is not None:
            op.attributes[AGAIN] = ir.UnitAttr.get(op.context)


def _names(op: ir.Operation) -> list[str]:
    return [key if isinstance(key, str) else key.name for key in op.attributes]
