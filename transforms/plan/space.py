"""The variables of a function's plan: its arguments, its ops and copies, with all their labels.

An argument's labels are the ways it may lie at rest (its pin, where it has one); an op's labels are
its strategies; a copy's labels are the ways a value may be held for several readers. Constants and
iotas are no variables: a rank makes again whatever part it needs. Equal ops have equal labels: they
are enumerated once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod

import numpy as np

from distc.dialect.assignment import FixedAssignment
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.solver.compute_cost import CostModel, Work, op_seconds
from distc.solver.hardware import Hardware
from distc.solver.search.network import Costs, ticks
from distc.solver.strategy import Strategy, strategies
from distc.transforms.dataflow import CREATORS, FunctionGraph, Node
from distc.transforms.plan.copies import CopyVariable, Parts, Source, Use, ways_to_hold
from distc.transforms.plan.repeatable import repeatable
from distc.transforms.plan.work import GlobalWork, global_work
from distc.transforms.state import updating_results


@dataclass(frozen=True, slots=True)
class Pricing:
    """What prices the search.

    Attributes:
        hardware: the machine.
        model: how computation is counted.
        computation_weight: factor on computation (DistPar's beta).
    """

    hardware: Hardware
    model: CostModel = CostModel.ROOFLINE
    computation_weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ArgumentVariable:
    """An argument: its value number and the ways it may lie."""

    value: int
    labels: tuple[Sharding, ...]


@dataclass(frozen=True, slots=True)
class OpVariable:
    """An op: its strategies and their seconds of work in ticks."""

    node: int
    labels: tuple[Strategy, ...]
    costs: Costs


@dataclass(frozen=True, slots=True)
class AgainVariable:
    """An op of the forward pass, run once more in the backward pass; None: it is not."""

    node: int
    labels: tuple[Strategy | None, ...]
    costs: Costs

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """The labels but the first, which is None."""
        return tuple(s for s in self.labels if s is not None)


Variable = ArgumentVariable | OpVariable | CopyVariable | AgainVariable

SMALL = 1 << 16
"""Bytes of an argument that lies whole, where it is not updated: cutting it saves nothing."""


@dataclass
class Space:
    """All variables of a function, and who makes which value; with `recompute` ops run again."""

    graph: FunctionGraph
    pricing: Pricing
    recompute: bool = False
    variables: list[Variable] = field(default_factory=list)
    maker: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Value → (variable, position among its results); constants have none."""
    supplier: dict[Use, int] = field(default_factory=dict)
    """Reader → the copy it reads, where it does not read from the maker."""
    number_of_node: dict[int, int] = field(default_factory=dict)
    again: dict[int, int] = field(default_factory=dict)
    """Node → the variable of its second run."""
    saver: dict[int, int] = field(default_factory=dict)
    """Value → the copy that says how it lies until the backward pass."""
    updated: frozenset[int] = frozenset()
    """Arguments that a result is the new value of."""
    parts: Parts = field(init=False)
    _ops: dict[tuple[object, ...], tuple[tuple[Strategy, ...], Costs]] = field(default_factory=dict)
    _states: dict[tuple[int, ...], tuple[Sharding, ...]] = field(default_factory=dict)
    _local: dict[tuple[Sharding, tuple[int, ...]], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = repeatable(self.graph, self.pricing.hardware) if self.recompute else frozenset()
        self.parts = Parts(self.graph, found)

    @classmethod
    def of(cls, graph: FunctionGraph, pricing: Pricing, *, recompute: bool = False) -> Space:
        """Enumerate the labels of everything in a function."""
        updated = frozenset(graph.arguments[a] for a in updating_results(graph.func).values())
        space = cls(graph, pricing, recompute, updated=updated)
        for value in graph.arguments:
            space._add_argument(value)
            space._add_copies(value)
        for index, node in enumerate(graph.nodes):
            space._add_node(index, node)
            for value in node.results:
                space._add_copies(value)
        return space

    def made(self, variable: int, position: int) -> list[Sharding]:
        """How each label of a variable leaves its result `position`."""
        match self.variables[variable]:
            case ArgumentVariable(labels=ways):
                return list(ways)
            case OpVariable(labels=ops):
                return [s.results[position] for s in ops]
            case CopyVariable(labels=held):
                return [h.sharding for h in held]
            case AgainVariable() as again:
                return [s.results[position] for s in again.strategies]

    def needed(self, variable: int, position: int) -> list[Sharding]:
        """How each label of an op wants its operand `position`."""
        found = self.variables[variable]
        assert isinstance(found, OpVariable | AgainVariable)
        return [s.operands[position] for s in found.labels if s is not None]

    def lies_whole(self, value: int) -> bool:
        """True of an argument that is not worth a decision: small, not updated, not pinned."""
        is_free = value not in self.graph.pinned and value not in self.updated
        return is_free and self.graph.values[value].bytes_ <= SMALL

    def local_elements(self, sharding: Sharding, shape: tuple[int, ...]) -> int:
        """Elements of a value on one rank, padding included."""
        key = (sharding, shape)
        if key not in self._local:
            self._local[key] = prod(sharding.local_shape(shape))
        return self._local[key]

    def _add_argument(self, value: int) -> None:
        pin = self.graph.pinned.get(value)
        shape = self.graph.values[value].shape
        labels = (pin,) if pin is not None else self._ways_to_lie(shape)
        if self.lies_whole(value):
            labels = (Sharding.replicated(self.graph.mesh, len(shape)),)
        self.maker[value] = (len(self.variables), 0)
        self.variables.append(ArgumentVariable(value, labels))

    def _add_copies(self, value: int) -> None:
        """Add what readers of a value may share, where something makes it."""
        if value not in self.maker:
            return
        made = self.made(*self.maker[value])
        kept: list[Sharding] = []
        for group in self.parts.groups(value):
            needed = [s for use in group.uses for s in self._wanted(use)]
            labels = ways_to_hold(group, made, needed, kept)
            kept = [h.sharding for h in labels if h.source is Source.COPY]
            for use in group.uses:
                self.supplier[use] = len(self.variables)
            if group.saves:
                self.saver[value] = len(self.variables)
            self.variables.append(CopyVariable(group, labels))

    def _wanted(self, use: Use) -> Iterator[Sharding]:
        """How the labels of a reader want its operand."""
        labels, _ = self._labels(self.graph.nodes[use.node])
        return (s.operands[use.position] for s in labels)

    def _ways_to_lie(self, shape: tuple[int, ...]) -> tuple[Sharding, ...]:
        if shape not in self._states:
            self._states[shape] = tuple(dict.fromkeys(_finished(self.graph.mesh, shape)))
        return self._states[shape]

    def _add_node(self, index: int, node: Node) -> None:
        if node.op.name in CREATORS:
            return
        labels, costs = self._labels(node)
        self.number_of_node[index] = len(self.variables)
        for position, value in enumerate(node.results):
            self.maker[value] = (len(self.variables), position)
        self.variables.append(OpVariable(index, labels, costs))
        if index in self.parts.runs_at:
            self.again[index] = len(self.variables)
            free = np.concatenate([np.zeros(1, np.int64), costs])
            self.variables.append(AgainVariable(index, (None, *labels), free))

    def _labels(self, node: Node) -> tuple[tuple[Strategy, ...], Costs]:
        values = self.graph.values
        shapes = [values[v].shape for v in (*node.operands, *node.results)]
        sizes = tuple(values[v].itemsize for v in (*node.operands, *node.results))
        pins = tuple(self.graph.pinned.get(v) for v in node.results)
        work = global_work(node, values)
        key = (node.op.name, node.rule, tuple(shapes), sizes, pins, work, id(node.fixed))
        if key not in self._ops:
            labels = self._enumerate(node, shapes)
            costs = [self._seconds(s, work, shapes, sizes) for s in labels]
            self._ops[key] = (labels, np.array([ticks(c) for c in costs], np.int64))
        return self._ops[key]

    def _enumerate(self, node: Node, shapes: Sequence[tuple[int, ...]]) -> tuple[Strategy, ...]:
        count = len(node.operands)
        if isinstance(node.fixed, FixedAssignment):
            fixed = node.fixed
            operands = tuple(fixed.operand(i, shapes[i]) for i in range(count))
            results = tuple(fixed.result(i, s) for i, s in enumerate(shapes[count:]))
            return (Strategy(fixed, operands, results),)
        found = strategies(node.rule, self.graph.mesh, shapes[:count], shapes[count:])
        pins = [self.graph.pinned.get(v) for v in node.results]
        if any(p is not None for p in pins):
            wanted = tuple(
                s
                for s in found
                if all(p in (None, r) for p, r in zip(pins, s.results, strict=True))
            )
            found = wanted or found
        return found

    def _seconds(
        self,
        strategy: Strategy,
        whole: GlobalWork,
        shapes: Sequence[tuple[int, ...]],
        sizes: Sequence[int],
    ) -> float:
        shardings = (*strategy.operands, *strategy.results)
        elements = [self.local_elements(s, n) for s, n in zip(shardings, shapes, strict=True)]
        bytes_ = sum(e * size for e, size in zip(elements, sizes, strict=True))
        flops = whole.flops / strategy.shares
        work = Work(whole.op_class, flops, bytes_, sum(elements), whole.dtype)
        pricing = self.pricing
        seconds = op_seconds(work, pricing.hardware, pricing.model, pricing.computation_weight)
        if strategy.assignment.exchanges:
            # What ranks exchange inside an op (a halo, small partial results) is a few hops.
            link = pricing.hardware.device
            seconds += link.base_seconds + link.hop_seconds
        return seconds


def _finished(mesh: Mesh, shape: tuple[int, ...]) -> Iterator[Sharding]:
    """Every way to put axes on dimensions, in every order; none partial, none with empty ranks."""
    axes = [a for a in mesh.axes if a.size > 1]
    for places in product(range(-1, len(shape)), repeat=len(axes)):
        on = [[a for a, p in zip(axes, places, strict=True) if p == d] for d in range(len(shape))]
        if any(prod(a.size for a in cut) > n for cut, n in zip(on, shape, strict=True) if cut):
            continue
        for dims in product(*(permutations(cut) for cut in on)):
            cuts = (DimSharding(tuple(AxisRef(a.name) for a in cut)) for cut in dims)
            yield Sharding(mesh, tuple(cuts)).normalize(shape)
