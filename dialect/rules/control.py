"""Rules of control flow, read from its regions: what passes through every op inside passes.

A dimension of a carried, captured or returned value may be cut where all ops of all regions that it
reaches let it pass. Then ranks run the regions on their shards, without a collective inside, and
the condition, which no cut dimension reaches, is the same on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.regions import CONTROL_FLOW, captured, inputs
from distc.dialect.rules.elementwise import pointwise
from distc.dialect.rules.registry import rule_for, sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule

Spot = tuple[ir.Value, int]
"""A dimension of a value inside: of a block argument, a result, or a captured value."""


@dataclass(slots=True)
class Flow:
    """Dimensions inside control flow, joined where they must be cut alike; some stay whole."""

    _above: dict[Spot, Spot] = field(default_factory=dict)
    _whole: set[Spot] = field(default_factory=set)
    _free: set[Spot] = field(default_factory=set)

    @classmethod
    def read(cls, op: ir.Operation) -> Flow:
        """Follow all dimensions through the regions of `op`."""
        flow = cls()
        for value in (*op.results, *captured(op)):
            flow._add(value)
        for region in op.regions:
            flow._block(op, region.blocks[0])
        flow._settle()
        return flow

    def free(self, value: ir.Value, dim: int) -> Spot | None:
        """Return what stands for all dimensions cut alike with this one; None if it stays whole."""
        root = self._root((value, dim))
        return root if root in self._free else None

    def _block(self, op: ir.Operation, block: ir.Block) -> None:
        for argument in block.arguments:
            self._add(argument)
        if op.name == "stablehlo.while":
            # A loop that never runs returns what it was given.
            self._join_all(block.arguments, op.results)
        for view in block.operations:
            inner = view.operation
            if inner.name != "stablehlo.return":
                self._op(inner)
            elif len(inner.operands) == len(op.results) and not _is_condition(op, block):
                self._join_all(inner.operands, op.results)

    def _op(self, op: ir.Operation) -> None:
        for value in op.results:
            self._add(value)
        values = (*inputs(op), *op.results)
        rule = rule_for(op) if _is_transparent(op) else None
        if rule is None:
            self._keep_whole(values)
            return
        if op.name not in CONTROL_FLOW:
            self._keep_whole(captured(op))
        spots: list[list[Spot]] = [[] for _ in rule.factors]
        closed = {i for i, f in enumerate(rule.factors) if f.kind is not FactorKind.PASS}
        for value, dims in zip(values, (*rule.operands, *rule.results), strict=True):
            for dim, factors in enumerate(dims):
                if len(factors) != 1:
                    self._whole.add((value, dim))
                    closed.update(factors)
                for factor in factors:
                    spots[factor].append((value, dim))
        for factor, together in enumerate(spots):
            if factor in closed:
                self._whole.update(together)
                continue
            for spot in together[1:]:
                self._join(together[0], spot)

    def _settle(self) -> None:
        """Find the classes that may be cut: one size, and no value with two dimensions in one."""
        classes: dict[Spot, list[Spot]] = {}
        for spot in self._above:
            classes.setdefault(self._root(spot), []).append(spot)
        whole = {self._root(spot) for spot in self._whole}
        for root, members in classes.items():
            sizes = {stablehlo.shape(value)[dim] for value, dim in members}
            once = len({value for value, _ in members}) == len(members)
            if root not in whole and len(sizes) == 1 and once:
                self._free.add(root)

    def _add(self, value: ir.Value) -> None:
        for spot in _spots(value):
            self._above.setdefault(spot, spot)

    def _keep_whole(self, values: Sequence[ir.Value]) -> None:
        self._whole.update(spot for value in values for spot in _spots(value))

    def _join_all(self, left: Sequence[ir.Value], right: Sequence[ir.Value]) -> None:
        for a, b in zip(left, right, strict=True):
            for one, other in zip(_spots(a), _spots(b), strict=True):
                self._join(one, other)

    def _join(self, a: Spot, b: Spot) -> None:
        self._above[self._root(a)] = self._root(b)

    def _root(self, spot: Spot) -> Spot:
        while self._above[spot] != spot:
            self._above[spot] = self._above[self._above[spot]]
            spot = self._above[spot]
        return spot


def entry_values(op: ir.Operation) -> tuple[ir.Value, ...]:
    """Per input of control flow, the value that stands for it inside.

    One operand may be carried twice, and lie differently: block arguments stand for operands.
    """
    if op.name == "stablehlo.while":
        return (*op.regions[1].blocks[0].arguments, *captured(op))
    return inputs(op)


@sharding_rule(*CONTROL_FLOW)
def _control_flow(op: ir.Operation) -> ShardingRule | None:
    """Dimensions pass that pass through every op inside; all others stay whole.

    Control flow of which nothing passes has no rule, and is reported as running on whole values.
    """
    flow = Flow.read(op)
    entries = entry_values(op)
    builder = RuleBuilder(
        [len(stablehlo.shape(v)) for v in entries], [len(stablehlo.shape(v)) for v in op.results]
    )
    together: dict[Spot, tuple[dict[int, int], dict[int, int]]] = {}
    for side, values in enumerate((entries, tuple(op.results))):
        for tensor, value in enumerate(values):
            for spot in _spots(value):
                places = together.setdefault(flow.free(*spot) or spot, ({}, {}))
                places[side][tensor] = spot[1]
    passing = 0
    for (value, dim), (operands, results) in together.items():
        # What only goes in is cut by nobody: no rank's result would show it.
        passes = bool(results) and flow.free(value, dim) is not None
        kind = FactorKind.PASS if passes else FactorKind.REPLICATE
        builder.factor(stablehlo.shape(value)[dim], operands, results, kind=kind)
        passing += passes
    return builder.build() if passing else None


@sharding_rule("stablehlo.map")
def _map(op: ir.Operation) -> ShardingRule | None:
    """A scalar computation per element; whole where padding could make an integer division trap."""
    trapping = ("stablehlo.divide", "stablehlo.remainder")
    for inner in stablehlo.walk(op):
        if inner.name in trapping and not stablehlo.dtype(inner.results[0]).startswith(("f", "bf")):
            return None
    return pointwise(op).build()


def _is_transparent(op: ir.Operation) -> bool:
    """False for ops that planning does not carry out inside regions."""
    return op.name != "stablehlo.composite" and not op.name.startswith("dist.")


def _is_condition(op: ir.Operation, block: ir.Block) -> bool:
    return bool(op.name == "stablehlo.while" and block == op.regions[0].blocks[0])


def _spots(value: ir.Value) -> Iterator[Spot]:
    if stablehlo.is_tensor(value):
        yield from ((value, dim) for dim in range(len(stablehlo.shape(value))))
