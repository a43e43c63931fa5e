"""All ways to run one op on a mesh: its labels in the search.

On every mesh axis an op does one of these:

    nothing              the axis appears nowhere: work is repeated
    cuts a factor        pass, reduction, permutation, combine (dialect/rules/rule.py)
    passes partial sums  the operands of a partial rule stay partial, and so do the results

A strategy chooses for all axes at once, so the number is a product over axes. Axes that cut the
same factor do so in mesh order. What cannot be written down (a minor factor cut below an uncut
major one), cuts into more parts than there are elements, and doubles are left out.
    -> implemented in `strategies`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from distc.dialect.assignment import Assignment
from distc.dialect.factors import UNCUT, FactorSharding, compose
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.rules.rule import REDUCING, Dims, FactorKind, PartialRule, ShardingRule
from distc.dialect.sharding import DimSharding, Reduction, Sharding

_CUTTABLE = (
    FactorKind.PASS,
    FactorKind.REDUCTION,
    FactorKind.PERMUTATION,
    FactorKind.SLIDING,
    FactorKind.COMBINE,
)

Shapes = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to run an op: its assignment, what it needs of operands, how it leaves results."""

    assignment: Assignment
    operands: tuple[Sharding, ...]
    results: tuple[Sharding, ...]

    @property
    def shares(self) -> int:
        """Into how many parts the work is cut."""
        mesh = self.assignment.mesh
        return prod(mesh.ref_size(a) for f in self.assignment.factors for a in f.axes)


@dataclass(frozen=True, slots=True)
class _Cut:
    """An axis cuts a factor."""

    factor: int


@dataclass(frozen=True, slots=True)
class _Through:
    """An axis over which operands stay partial, by a partial rule of the op."""

    rule: int
    kind: Reduction


_Choice = _Cut | _Through | None


def strategies(
    rule: ShardingRule, mesh: Mesh, operands: Shapes, results: Shapes
) -> tuple[Strategy, ...]:
    """Return all strategies of an op, the one that repeats everything first.

    Args:
        rule: the op's rule.
        mesh: the ranks.
        operands, results: global shapes.
    """
    return tuple(_Enumeration(rule, mesh, operands, results).run())


class _Enumeration:
    def __init__(self, rule: ShardingRule, mesh: Mesh, operands: Shapes, results: Shapes) -> None:
        self.rule, self.mesh = rule, mesh
        self.shapes = (*operands, *results)
        self.tensors: tuple[Dims, ...] = rule.operands + rule.results
        self.axes = [a for a in mesh.axes if a.size > 1]
        self._dims: dict[
            tuple[tuple[int, ...], tuple[FactorSharding, ...]], DimSharding | None
        ] = {}
        self._shardings: dict[tuple[object, ...], Sharding] = {}

    def run(self) -> Iterator[Strategy]:
        seen: set[tuple[tuple[Sharding, ...], tuple[Sharding, ...]]] = set()
        options = [self._choices(a.size) for a in self.axes]
        for choices in product(*options):
            found = self._strategy(choices)
            if found is None or (found.operands, found.results) in seen:
                continue
            seen.add((found.operands, found.results))
            yield found

    def _choices(self, ranks: int) -> list[_Choice]:
        cuts: list[_Choice] = [
            _Cut(i)
            for i, f in enumerate(self.rule.factors)
            if f.kind in _CUTTABLE and f.size >= ranks
            if f.kind not in REDUCING or f.reduction is not None
        ]
        through: list[_Choice] = [
            _Through(i, _main_kind(p)) for i, p in enumerate(self.rule.partial)
        ]
        return [None, *cuts, *through]

    def _strategy(self, choices: Sequence[_Choice]) -> Strategy | None:
        factors = [UNCUT] * len(self.rule.factors)
        through: set[_Through] = set()
        partial: list[tuple[AxisRef, Reduction]] = []
        for axis, choice in zip(self.axes, choices, strict=True):
            ref = AxisRef(axis.name)
            match choice:
                case _Cut(factor=i):
                    factors[i] = FactorSharding((*factors[i].axes, ref))
                case _Through(kind=kind):
                    through.add(choice)
                    partial.append((ref, kind))
        # The operands that stay partial are one set for the whole op.
        if len(through) > 1 or not self._fits(factors):
            return None
        passing = next((self.rule.partial[t.rule].operands for t in through), frozenset())
        assignment = Assignment(
            self.rule, self.mesh, tuple(factors), tuple(partial), frozenset(passing)
        )
        return self._with_shardings(assignment)

    def _fits(self, factors: Sequence[FactorSharding]) -> bool:
        cut = [(f, s) for f, s in zip(self.rule.factors, factors, strict=True) if s.axes]
        return all(prod(self.mesh.ref_size(a) for a in s.axes) <= f.size for f, s in cut)

    def _with_shardings(self, assignment: Assignment) -> Strategy | None:
        found: list[Sharding] = []
        count = len(self.rule.operands)
        for index, (tensor, shape) in enumerate(zip(self.tensors, self.shapes, strict=True)):
            dims = [self._dim(d, assignment.factors) for d in tensor]
            if any(d is None for d in dims):
                return None
            is_operand = index < count
            partial = assignment.partial if not is_operand or index in assignment.through else ()
            if not is_operand:
                partial += self._reduced(tensor, assignment.factors)
            found.append(self._sharding(tuple(dims), partial, shape))  # type: ignore[arg-type]
        return Strategy(assignment, tuple(found[:count]), tuple(found[count:]))

    def _dim(self, dim: tuple[int, ...], factors: Sequence[FactorSharding]) -> DimSharding | None:
        held = tuple(factors[f] for f in dim)
        key = (dim, held)
        if key not in self._dims:
            sizes = [self.rule.factors[f].size for f in dim]
            self._dims[key] = compose(self.mesh, sizes, held)
        return self._dims[key]

    def _reduced(
        self, tensor: Dims, factors: Sequence[FactorSharding]
    ) -> tuple[tuple[AxisRef, Reduction], ...]:
        present = {f for d in tensor for f in d}
        return tuple(
            (axis, factor.reduction)
            for i, factor in enumerate(self.rule.factors)
            if factor.kind in REDUCING and factor.reduction and i not in present
            for axis in factors[i].axes
        )

    def _sharding(
        self,
        dims: tuple[DimSharding, ...],
        partial: tuple[tuple[AxisRef, Reduction], ...],
        shape: tuple[int, ...],
    ) -> Sharding:
        key = (dims, partial, shape)
        if key not in self._shardings:
            self._shardings[key] = Sharding(self.mesh, dims, partial).normalize(shape)
        return self._shardings[key]


def _main_kind(rule: PartialRule) -> Reduction:
    """Sums where the op commutes with them, else the first kind it commutes with."""
    return Reduction.SUM if Reduction.SUM in rule.kinds else sorted(rule.kinds)[0]
