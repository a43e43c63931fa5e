"""Shardings for every value of a function, from pins on its signature: three sweeps.

    forward    each op takes its assignment from what its operands (and wishes) claim
    backward   a value all of whose uses want one sharding gets that wish, where it is free to
               follow: nothing cuts it yet, or only weights and constants made it
    forward    again, with the wishes heard

Claims are heard in this order: operands on the data path, larger ones first; wishes for the
results; operands made of weights alone. So a weight stored in shards over an axis that already
cuts the batch is gathered before use (FSDP), and one over a free axis splits the work (Megatron).
-> implemented in `Planner.assignment`
"""

from __future__ import annotations

from distc.dialect.assignment import Assignment, Claim, assign, pass_partial
from distc.dialect.attrs import is_dist_op
from distc.dialect.rules.rule import FactorKind
from distc.dialect.sharding import Sharding
from distc.transforms.dataflow import CREATORS, FunctionGraph, Node


class Planner:
    """Plans one function; `shardings[value]` and `assignments[node]` are the outcome."""

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.mesh = graph.mesh
        self.wishes: dict[int, Sharding] = {}
        self.shardings: list[Sharding] = [
            graph.pinned.get(i, Sharding.replicated(graph.mesh, len(v.shape)))
            for i, v in enumerate(graph.values)
        ]
        self.assignments: list[Assignment] = []

    def run(self) -> None:
        """Do the three sweeps."""
        self._forward()
        self._backward()
        for value in self.graph.arguments:
            if value in self.wishes and value not in self.graph.pinned:
                self.shardings[value] = self.wishes[value]
        self._forward()

    def _forward(self) -> None:
        self.assignments = []
        for node in self.graph.nodes:
            assignment = self.assignment(node)
            self.assignments.append(assignment)
            for position, value in enumerate(node.results):
                if value not in self.graph.pinned:
                    shape = self.graph.values[value].shape
                    self.shardings[value] = assignment.result(position, shape)

    def _backward(self) -> None:
        returns: dict[int, list[Sharding | None]] = {}
        for value, pin in zip(self.graph.returned, self.graph.result_pins, strict=True):
            returns.setdefault(value, []).append(pin)
        needs: dict[int, Assignment] = {}
        for index in reversed(range(len(self.graph.nodes))):
            node = self.graph.nodes[index]
            for value in node.results:
                self._wish(value, needs, returns.get(value, []))
            needs[index] = self.assignment(node)
        for value in self.graph.arguments:
            self._wish(value, needs, returns.get(value, []))

    def _wish(
        self, value: int, needs: dict[int, Assignment], returns: list[Sharding | None]
    ) -> None:
        """Record what all uses of `value` want, if they agree and the value may follow."""
        graph = self.graph
        if value in graph.pinned:
            return
        made_of_weights = graph.weights[value] and value not in graph.arguments
        if not made_of_weights and not self.shardings[value].is_replicated:
            return
        shape = graph.values[value].shape
        wanted = {needs[node].operand(position, shape) for node, position in graph.uses[value]}
        wanted |= {pin for pin in returns if pin is not None}
        if len(wanted) != 1:
            return
        wish = wanted.pop()
        if not wish.partial and (made_of_weights or not wish.is_replicated):
            self.wishes[value] = wish

    def assignment(self, node: Node) -> Assignment:
        """Return what `node` runs under, given the shardings and wishes so far."""
        if node.fixed is not None:
            return node.fixed
        graph = self.graph
        made_of_weights = all(graph.weights[v] for v in node.operands)
        wishes = [
            Claim(dims, self.wishes.get(value) or graph.pinned[value])
            for dims, value in zip(node.rule.results, node.results, strict=True)
            if value in self.wishes or value in graph.pinned
        ]
        if wishes and made_of_weights and not is_dist_op(node.op):
            return assign(node.rule, self.mesh, wishes)
        data, weights = self._operand_claims(node)
        shared = {
            f
            for dims, value in zip(node.rule.operands, node.operands, strict=True)
            if not graph.weights[value]
            for d in dims
            for f in d
            if node.rule.factors[f].kind is FactorKind.OPEN
        }
        assignment = assign(node.rule, self.mesh, data + wishes, weights, frozenset(shared))
        current = [self.shardings[v] for v in node.operands]
        return pass_partial(assignment, current, [self._pays(node, v) for v in node.operands])

    def _pays(self, node: Node, value: int) -> bool:
        """True when finishing a partial value later moves no more bytes than finishing it now."""
        if self.graph.use_count(value) != 1:
            return False
        values = self.graph.values
        later = max((values[r].bytes_ for r in node.results), default=0)
        return later <= values[value].bytes_ or self._joins_sum(node)

    def _joins_sum(self, node: Node) -> bool:
        """True for the widening of a part that is added, scaled or not, to a sum of parts.

        That sum is finished anyway: an accumulator of gradients in a wider type.
        """
        graph = self.graph
        while node.op.name in ("stablehlo.convert", "stablehlo.multiply"):
            result = node.results[0]
            if graph.use_count(result) != 1 or not graph.uses[result]:
                return False
            user, position = graph.uses[result][0]
            node = graph.nodes[user]
            if node.op.name == "stablehlo.add":
                return bool(self.shardings[node.operands[1 - position]].partial)
        return False

    def _operand_claims(self, node: Node) -> tuple[list[Claim], list[Claim]]:
        graph = self.graph
        data: list[tuple[int, int, Claim]] = []
        weights: list[Claim] = []
        for position, value in enumerate(node.operands):
            claim = Claim(node.rule.operands[position], self.shardings[value])
            if graph.weights[value]:
                weights.append(claim)
            else:
                data.append((-graph.values[value].bytes_, position, claim))
        return [claim for *_, claim in sorted(data, key=lambda d: d[:2])], weights


def communicates(planner: Planner) -> bool:
    """True when carrying out the plan moves data between ranks or leaves partial values."""
    graph = planner.graph
    for node, assignment in zip(graph.nodes, planner.assignments, strict=True):
        if assignment.exchanges:
            return True
        for position, value in enumerate(node.operands):
            needed = assignment.operand(position, graph.values[value].shape)
            if not is_local(planner.shardings[value], needed):
                return True
    return any(
        pin is not None and not is_local(planner.shardings[value], pin)
        for value, pin in zip(graph.returned, graph.result_pins, strict=True)
    )


def is_local(source: Sharding, target: Sharding) -> bool:
    """True when ranks can turn `source` into `target` alone: further axes on whole dimensions."""
    if source == target:
        return True
    if source.partial or target.partial:
        return False
    return all(
        s.axes == t.axes[: len(s.axes)] and (not s.axes or s.block == t.block)
        for s, t in zip(source.dims, target.dims, strict=True)
    )


def is_creator(node: Node) -> bool:
    """True for ops a rank can run again for any part of their result at no cost."""
    return node.op.name in CREATORS
