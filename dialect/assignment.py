"""From shardings of an op's values to the axes of its factors, and back.

An op runs under one assignment: axes for every factor. Values claim axes through the dimensions
they appear in; claims are heard in order, and a claim is taken when the factor may be cut, the
axes are free, and every dimension with that factor can still be written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distc.dialect.factors import UNCUT, FactorSharding, compose, project
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.rules.rule import (
    EXCHANGING,
    REDUCING,
    SHIFTED,
    Dims,
    FactorKind,
    ShardingRule,
)
from distc.dialect.sharding import DimSharding, Reduction, Sharding

Partial = tuple[tuple[AxisRef, Reduction], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A tensor's wish: its place in the rule and its sharding."""

    dims: Dims
    sharding: Sharding


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an op runs under.

    Attributes:
        factors: per factor, its axes and block.
        partial: axes over which the operands of `through` stay partial, with their kind.
        through: operands that stay partial on `partial`.
        refused: factors that a claim wanted cut and may be cut only in an opened composite.
    """

    rule: ShardingRule
    mesh: Mesh
    factors: tuple[FactorSharding, ...]
    partial: Partial = ()
    through: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()

    @property
    def exchanges(self) -> bool:
        """True when the op itself communicates under this assignment."""
        return any(
            self.factors[i].axes and factor.kind in EXCHANGING
            for i, factor in enumerate(self.rule.factors)
        )

    def operand(self, index: int, shape: tuple[int, ...]) -> Sharding:
        """Sharding the op needs of operand `index`."""
        partial = self.partial if index in self.through else ()
        return self._tensor(self.rule.operands[index], shape, partial)

    def result(self, index: int, shape: tuple[int, ...]) -> Sharding:
        """Sharding in which the op leaves result `index`."""
        present = {f for d in self.rule.results[index] for f in d}
        reduced = tuple(
            (axis, factor.reduction)
            for i, factor in enumerate(self.rule.factors)
            if factor.kind in REDUCING and factor.reduction and i not in present
            for axis in self.factors[i].axes
        )
        return self._tensor(self.rule.results[index], shape, self.partial + reduced)

    def _tensor(self, dims: Dims, shape: tuple[int, ...], partial: Partial) -> Sharding:
        composed = tuple(_compose(self.rule, self.mesh, d, self.factors) for d in dims)
        whole = tuple(d if d is not None else DimSharding() for d in composed)
        return Sharding(self.mesh, whole, partial).normalize(shape)


@dataclass(frozen=True, slots=True)
class FixedAssignment(Assignment):
    """What an op runs under that says itself how operands and results lie.

    Attributes:
        operand_shardings: one per operand.
        result_shardings: one per result.
    """

    operand_shardings: tuple[Sharding, ...] = ()
    result_shardings: tuple[Sharding, ...] = ()

    @property
    def exchanges(self) -> bool:
        """True: nobody knows what happens inside."""
        return True

    def operand(self, index: int, shape: tuple[int, ...]) -> Sharding:
        """Sharding the op wants of operand `index`."""
        return self.operand_shardings[index].normalize(shape)

    def result(self, index: int, shape: tuple[int, ...]) -> Sharding:
        """Sharding in which the op says it leaves result `index`."""
        return self.result_shardings[index].normalize(shape)


def _compose(
    rule: ShardingRule, mesh: Mesh, dim: tuple[int, ...], factors: Sequence[FactorSharding]
) -> DimSharding | None:
    sizes = [rule.factors[f].size for f in dim]
    return compose(mesh, sizes, [factors[f] for f in dim])


def assign(
    rule: ShardingRule,
    mesh: Mesh,
    claims: Sequence[Claim],
    weak: Sequence[Claim] = (),
    shared: frozenset[int] = frozenset(),
) -> Assignment:
    """Hear the claims in order and return the factors' axes (no partial values yet).

    Args:
        rule: the op's rule.
        mesh: the mesh.
        claims: wishes of values, most important first.
        weak: wishes of weights, heard last.
        shared: factors of composites that a weight alone must not open.
    """
    hearing = _Hearing(rule, mesh)
    for claim in claims:
        hearing.hear_all(claim, frozenset())
    for claim in weak:
        hearing.hear_all(claim, shared)
    return Assignment(rule, mesh, tuple(hearing.factors), refused=frozenset(hearing.refused))


class _Hearing:
    def __init__(self, rule: ShardingRule, mesh: Mesh) -> None:
        self.rule, self.mesh = rule, mesh
        self.factors = [UNCUT] * len(rule.factors)
        self.refused: set[int] = set()
        self.compound = [d for t in rule.operands + rule.results for d in t if len(d) > 1]

    def hear_all(self, claim: Claim, closed: frozenset[int]) -> None:
        for factors, dim in zip(claim.dims, claim.sharding.dims, strict=True):
            if dim.axes:
                self._hear(factors, dim, closed)

    def _hear(self, factors: tuple[int, ...], dim: DimSharding, closed: frozenset[int]) -> None:
        sizes = [self.rule.factors[f].size for f in factors]
        for index, wish in zip(factors, project(self.mesh, sizes, dim), strict=True):
            if wish.axes and (index in closed or not self._take(index, wish)):
                return

    def _take(self, index: int, wish: FactorSharding) -> bool:
        kind = self.rule.factors[index].kind
        if kind is FactorKind.OPEN and self._free(index, wish):
            self.refused.add(index)
        if kind in (FactorKind.REPLICATE, FactorKind.OPEN):
            return False
        if kind in SHIFTED and wish.block != 1:
            return False
        for count in range(len(wish.axes), 0, -1):
            if self._try(index, FactorSharding(wish.axes[:count], wish.block)):
                return count == len(wish.axes)
        return False

    def _try(self, index: int, wish: FactorSharding) -> bool:
        """Cut the factor as wished if its axes are free and every dimension can be written."""
        held = self.factors[index]
        if held.axes and (held.block != wish.block or wish.axes[: len(held.axes)] != held.axes):
            return False
        if not self._free(index, wish):
            return False
        self.factors[index] = wish
        if any(
            index in d and _compose(self.rule, self.mesh, d, self.factors) is None
            for d in self.compound
        ):
            self.factors[index] = held
            return False
        return True

    def _free(self, index: int, wish: FactorSharding) -> bool:
        others = [a for i, f in enumerate(self.factors) if i != index for a in f.axes]
        return not any(self.mesh.overlap(a, o) for a in wish.axes for o in others)


def pass_partial(
    assignment: Assignment, operands: Sequence[Sharding], allowed: Sequence[bool]
) -> Assignment:
    """Let partial operands through where the rule says the op commutes with their kind.

    Args:
        assignment: the factors' axes.
        operands: current shardings of the operands.
        allowed: per operand, whether it pays to leave it partial.
    """
    used = [a for f in assignment.factors for a in f.axes]
    for rule in assignment.rule.partial:
        if not all(allowed[i] for i in rule.operands):
            continue
        common = _common_partial(operands, rule.operands)
        kept = tuple(
            (axis, kind)
            for axis, kind in common
            if kind in rule.kinds and not any(assignment.mesh.overlap(axis, u) for u in used)
        )
        if kept:
            return Assignment(
                assignment.rule,
                assignment.mesh,
                assignment.factors,
                kept,
                rule.operands,
                assignment.refused,
            )
    return assignment


def _common_partial(operands: Sequence[Sharding], wanted: frozenset[int]) -> Partial:
    """Axes on which exactly the wanted operands are partial, with one kind."""
    sets = [dict(operands[i].partial) for i in sorted(wanted)]
    others = {a for i, s in enumerate(operands) if i not in wanted for a, _ in s.partial}
    first = sets[0] if sets else {}
    return tuple(
        (axis, kind)
        for axis, kind in first.items()
        if axis not in others and all(s.get(axis) is kind for s in sets)
    )
