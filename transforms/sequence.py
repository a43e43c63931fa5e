"""Where the sequence of a language model runs through a function, and what may be cut along it.

A dimension of a value is the sequence when factors of rules lead from it to dimension 1 of an
input: of token ids [batch, sequence] or of features [batch, sequence, width].
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr, is_dist_op
from distc.dialect.mesh import AxisRef
from distc.dialect.regions import CONTROL_FLOW
from distc.dialect.rules.rule import FactorKind
from distc.transforms.dataflow import FunctionGraph, Node
from distc.transforms.planning import Planner, is_creator

Place = tuple[int, int]
"""(value, dimension)."""

_FOLLOWED = (FactorKind.PASS, FactorKind.REDUCTION)


def sequence_dims(graph: FunctionGraph) -> dict[int, int]:
    """Return value → its dimension that is the sequence; none where several are (scores)."""
    classes = _Classes()
    for node in graph.nodes:
        for factor, rule in enumerate(node.rule.factors):
            if rule.kind in _FOLLOWED:
                classes.join(_places(node, factor))
    sequences = {classes.find(place) for place in _inputs(graph)}
    found: dict[int, list[int]] = {}
    for value, described in enumerate(graph.values):
        for dim in range(len(described.shape)):
            if classes.find((value, dim)) in sequences:
                found.setdefault(value, []).append(dim)
    return {value: dims[0] for value, dims in found.items() if len(dims) == 1}


def _inputs(graph: FunctionGraph) -> list[Place]:
    """Dimension 1 of the inputs that lead with a batch and have a sequence after it."""
    places = []
    for index, value in enumerate(graph.arguments):
        kind, described = arg_attr(graph.func, index, "dist.kind"), graph.values[value]
        if (kind is not None and kind.value != "input") or len(described.shape) not in (2, 3):
            continue
        is_integer = isinstance(stablehlo.element_type(described.handle), ir.IntegerType)
        if len(described.shape) == (2 if is_integer else 3) and described.shape[1] > 1:
            places.append((value, 1))
    return places


def _places(node: Node, factor: int) -> list[Place]:
    """Dimensions of a node's values that are this factor and nothing else."""
    sides = ((node.operands, node.rule.operands), (node.results, node.rule.results))
    return [
        (value, dim)
        for values, tensors in sides
        for value, dims in zip(values, tensors, strict=True)
        for dim, factors in enumerate(dims)
        if factors == (factor,)
    ]


class _Classes:
    """Places that are cut alike, as a forest."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}

    def find(self, place: Place) -> Place:
        root = place
        while (up := self._parent.get(root, root)) != root:
            root = up
        while self._parent.get(place, place) != root:
            self._parent[place], place = root, self._parent[place]
        return root

    def join(self, places: list[Place]) -> None:
        for place in places[1:]:
            self._parent[self.find(place)] = self.find(places[0])


@dataclass(frozen=True, slots=True)
class Region:
    """What runs on a part of the sequence.

    Attributes:
        nodes: numbers of the ops.
        entering: values that are partial over the axis and are finished in shards.
        inside: values that ops of the region make, cut along the sequence.
    """

    nodes: frozenset[int]
    entering: frozenset[int]
    inside: frozenset[int]


def sequence_region(planner: Planner, dims: dict[int, int], axis: AxisRef) -> Region:
    """Return the ops that take over from partial sums over `axis` without using it themselves.

    Starting at values that a plan leaves partial over the axis: every op on them, or on what such
    ops make, that does the same on a part of the sequence, needs nothing else of the others, and
    does not cut anything over the axis under the plan.
    """
    graph = planner.graph
    partial = {
        value for value in dims if _is_partial(planner, value, axis) and value not in graph.captured
    }
    nodes: set[int] = set()
    entering: set[int] = set()
    inside: set[int] = set()
    for number, node in enumerate(graph.nodes):
        ready = [v for v in node.operands if v in inside or v in partial]
        if not ready or not _is_free(planner, number, axis):
            continue
        if not _runs_on_part(node, {v: dims[v] for v in ready}):
            continue
        nodes.add(number)
        entering |= partial & set(ready)
        inside |= {v for v in node.results if v in dims and v not in graph.captured}
    return Region(frozenset(nodes), frozenset(entering), frozenset(inside))


def _is_partial(planner: Planner, value: int, axis: AxisRef) -> bool:
    mesh = planner.mesh
    return any(mesh.overlap(axis, a) for a, _ in planner.shardings[value].partial)


def _is_free(planner: Planner, number: int, axis: AxisRef) -> bool:
    """True for an op with a rule that has nothing to do with the axis under the plan."""
    node, assignment = planner.graph.nodes[number], planner.assignments[number]
    if not node.has_rule or node.fixed is not None or is_creator(node):
        return False
    if is_dist_op(node.op) or node.op.name in CONTROL_FLOW or assignment.refused:
        return False
    used = [a for f in assignment.factors for a in f.axes] + [a for a, _ in assignment.partial]
    return not any(planner.mesh.overlap(axis, a) for a in used)


def _runs_on_part(node: Node, ready: dict[int, int]) -> bool:
    """True when one factor is the sequence of all values that are ready, and may be cut."""
    factors = {
        node.rule.operands[position][ready[value]]
        for position, value in enumerate(node.operands)
        if value in ready
    }
    if len(factors) != 1:
        return False
    (places,) = factors
    if len(places) != 1 or node.rule.factors[places[0]].kind not in _FOLLOWED:
        return False
    tensors = (*node.rule.operands, *node.rule.results)
    return not any(places[0] in dim and len(dim) > 1 for dims in tensors for dim in dims)
