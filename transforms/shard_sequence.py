"""Sequence parallelism beside tensor parallelism: what lies between blocks is cut, not copied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh, to_attr
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.runtime.errors import ConfigError
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.open_composites import inline
from distc.transforms.planning import Planner
from distc.transforms.sequence import Region, sequence_dims, sequence_region


@dataclass(frozen=True)
class ShardSequence(Pass):
    """Cut activations between tensor-parallel blocks along the sequence.

    Needs a `dist.mesh` with the axis and pins that cut blocks over it; runs before `propagate`.
    Leaves a `dist.constraint` where a sum over the axis becomes a part of the sequence, and one
    where the next block needs all of it. Composites that must communicate are opened. Fails when
    the mesh has no such axis or no sum over it has a sequence: there is nothing to cut.

    Example:
        ```mlir
        %1 = stablehlo.dot_general %0, %w   // [b, s, h], P(sum: tensor) once it is planned
        %2 = stablehlo.add %x, %1
        %3 = stablehlo.dot_general %2, %v   // cut over the columns of %v
        ```
        becomes
        ```mlir
        %1 = stablehlo.dot_general %0, %w
        %2 = dist.constraint %1 {sharding = [R, S(tensor), R]}
        %3 = stablehlo.add %x, %2
        %4 = dist.constraint %3 {sharding = [R, R, R]}
        %5 = stablehlo.dot_general %4, %v
        ```

    Each all-reduce becomes a reduce-scatter and an all-gather, which together move as much; norms
    and residual connections are computed once, not on every rank, and hold a part of the memory.
    Ref: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022).
    """

    name: ClassVar[str] = "shard-sequence"
    axis: str = "tensor"

    def run(self, module: ir.Module) -> None:
        """Constrain every public function."""
        mesh = module_mesh(module)
        if mesh is None or self.axis not in {a.name for a in mesh.axes}:
            raise ConfigError(
                f"the sequence cannot be cut over axis {self.axis!r}, the mesh is {mesh or 'none'}",
                help="name an axis of the mesh, or leave the sequence whole",
            )
        entries = [f for f in stablehlo.functions(module) if stablehlo.is_public(f)]
        with module.context:
            found = [_constrain(module, func, mesh, AxisRef(self.axis)) for func in entries]
        if not any(found) and mesh.axis_size(self.axis) > 1:
            raise ConfigError(
                f"no sum over axis {self.axis!r} has a sequence, so there is nothing to cut along "
                "it",
                help="use it with megatron, on a model that takes tokens [batch, sequence] of "
                "two or more positions",
            )


def _constrain(module: ir.Module, func: ir.Operation, mesh: Mesh, axis: AxisRef) -> bool:
    planner = _planned(module, func, mesh)
    dims = sequence_dims(planner.graph)
    region = sequence_region(planner, dims, axis)
    constrained = _Constrained(planner, region, axis)
    for value in sorted(region.entering):
        constrained.enter(value, dims[value])
    for value in sorted(region.inside):
        constrained.leave(value, planner.graph.values[value].handle)
    return bool(region.entering)


def _planned(module: ir.Module, func: ir.Operation, mesh: Mesh) -> Planner:
    """Plan a function, its composites opened where cutting them takes that."""
    while True:
        planner = Planner(FunctionGraph.read(func, mesh))
        planner.run()
        refused = [
            node.op
            for node, assignment in zip(planner.graph.nodes, planner.assignments, strict=True)
            if assignment.refused and node.op.name == "stablehlo.composite"
        ]
        if not refused:
            return planner
        for op in refused:
            inline(module, op)


class _Constrained:
    """Writes constraints into a function; the graph's handles stay valid."""

    def __init__(self, planner: Planner, region: Region, axis: AxisRef) -> None:
        self.planner, self.region, self.axis = planner, region, axis
        self.graph = planner.graph

    def enter(self, value: int, dim: int) -> None:
        """Finish a partial value in parts of the sequence; whoever needs all of it gathers."""
        handle, whole = self.graph.values[value].handle, self._whole(value)
        axes = (*whole.dims[dim].axes, self.axis)
        cut = whole.with_dim(dim, DimSharding(axes, whole.dims[dim].block))
        users = self._finishing(value)
        first = self.graph.nodes[min(n for n, _ in users)].op
        part = _constraint(handle, cut, first)
        self._use(part, [u for u in users if u[0] in self.region.nodes])
        self._gather(part, whole, [u for u in users if u[0] not in self.region.nodes])

    def leave(self, value: int, handle: ir.Value) -> None:
        """Gather what ops outside of the region read."""
        outside = [u for u in self.graph.uses[value] if u[0] not in self.region.nodes]
        self._gather(handle, self._whole(value), outside)

    def _whole(self, value: int) -> Sharding:
        return self.planner.shardings[value].without_partial()

    def _finishing(self, value: int) -> list[tuple[int, int]]:
        """Uses that do not let the value through as it is, partial."""
        return [
            (number, position)
            for number, position in self.graph.uses[value]
            if position not in self.planner.assignments[number].through
        ]

    def _gather(self, handle: ir.Value, whole: Sharding, users: list[tuple[int, int]]) -> None:
        if not users:
            return
        first = self.graph.nodes[min(n for n, _ in users)].op
        self._use(_constraint(handle, whole, first), users)

    def _use(self, handle: ir.Value, users: Iterable[tuple[int, int]]) -> None:
        for number, position in users:
            self.graph.nodes[number].op.operands[position] = handle


def _constraint(value: ir.Value, sharding: Sharding, before: ir.Operation) -> ir.Value:
    source = stablehlo.defining_op(value)
    op = ir.Operation.create(
        "dist.constraint",
        results=[value.type],
        operands=[value],
        attributes={"sharding": to_attr(sharding, before.context)},
        loc=before.location if source is None else source.location,
        ip=ir.InsertionPoint(before),
    )
    made: ir.Value = op.results[0]
    return made
