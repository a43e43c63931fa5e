"""Factor rules: how an op may be distributed, stated once for one mesh axis.

A rule gives names (factors) to the dimensions of operands and results. Equal factors are cut
alike. A dimension made of several factors, major to minor, is written `ij` (a reshape). What
cutting a factor means:

    pass         every result that has it is cut the same way
    reduction    no result has it: results become partial, completed by its reduction
    permutation  every result that has it is cut the same way; ranks exchange what lies next to
                 their shard (a window over it, a shift along it)
    sliding      no result has it: each rank takes its part of a window over the data, and the data
                 that part sees from its neighbours; results become partial
    combine      no result has it: ranks combine small results among each other inside the op
    replicate    it may not be cut (a sort along it, a window over it)
    open         a composite may be cut here only when it is opened first

Everything else is generic over the rule: propagation, resharding, partitioning, docs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from distc.dialect.sharding import Reduction

Dims = tuple[tuple[int, ...], ...]


class FactorKind(StrEnum):
    """What cutting a factor means for the results."""

    PASS = "pass"
    REDUCTION = "reduction"
    PERMUTATION = "permutation"
    SLIDING = "sliding"
    COMBINE = "combine"
    REPLICATE = "replicate"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: its size, its kind, and the reduction that completes a partial result."""

    size: int
    kind: FactorKind = FactorKind.PASS
    reduction: Reduction | None = None


@dataclass(frozen=True, slots=True)
class PartialRule:
    """Operands that may be partial together, over kinds that the op commutes with.

    All of `operands` are partial on an axis, the others are not; then every result is partial on
    it with the same kind.
    """

    operands: frozenset[int]
    kinds: frozenset[Reduction]


EXCHANGING = frozenset({FactorKind.PERMUTATION, FactorKind.SLIDING, FactorKind.COMBINE})
SHIFTED = frozenset({FactorKind.PERMUTATION, FactorKind.SLIDING})
"""Kinds whose dimensions differ in size, so that blocks of one mean nothing to the other."""
REDUCING = frozenset({FactorKind.REDUCTION, FactorKind.SLIDING})
"""Kinds that leave results partial."""
LINEAR = frozenset({Reduction.SUM})
ANY_KIND = frozenset(Reduction)


@dataclass(frozen=True, slots=True)
class ShardingRule:
    """The rule of one op: factors, and which of them make up each dimension.

    Attributes:
        factors: all factors; dimensions refer to them by position.
        operands: per operand, per dimension, its factors from major to minor.
        results: likewise for results.
        partial: which partial operands pass through.
    """

    factors: tuple[Factor, ...]
    operands: tuple[Dims, ...]
    results: tuple[Dims, ...]
    partial: tuple[PartialRule, ...] = ()

    def __str__(self) -> str:
        """Print as Shardy does: `([i, k], [k, j])->([i, j]) {i=2, k=4, j=8} reduction={k}`."""
        names = [factor_name(i) for i in range(len(self.factors))]
        sides = [
            ", ".join(_print_tensor(t, names) for t in side)
            for side in (self.operands, self.results)
        ]
        sizes = ", ".join(f"{n}={f.size}" for n, f in zip(names, self.factors, strict=True))
        text = f"({sides[0]})->({sides[1]}) {{{sizes}}}"
        for kind, label in _LABELS.items():
            members = [n for n, f in zip(names, self.factors, strict=True) if f.kind is kind]
            text += f" {label}={{{', '.join(members)}}}" if members else ""
        return text


_LABELS = {
    FactorKind.REDUCTION: "reduction",
    FactorKind.REPLICATE: "need_replication",
    FactorKind.PERMUTATION: "permutation",
    FactorKind.SLIDING: "sliding",
    FactorKind.COMBINE: "combine",
    FactorKind.OPEN: "open",
}


def factor_name(index: int) -> str:
    """Letter of a factor in the printed form of its rule."""
    letters = "ijklmnopqrstuvwxyz"
    return letters[index] if index < len(letters) else f"z_{index - len(letters) + 1}"


def _print_tensor(dims: Dims, names: list[str]) -> str:
    return "[" + ", ".join("".join(names[f] for f in d) or "_" for d in dims) + "]"


class RuleBuilder:
    """Collects factors while a rule is written down, dimension by dimension."""

    def __init__(self, operand_ranks: list[int], result_ranks: list[int]) -> None:
        self._factors: list[Factor] = []
        self._operands: list[list[tuple[int, ...]]] = [[()] * r for r in operand_ranks]
        self._results: list[list[tuple[int, ...]]] = [[()] * r for r in result_ranks]
        self._partial: list[PartialRule] = []

    def factor(
        self,
        size: int,
        operands: dict[int, int] | None = None,
        results: dict[int, int] | None = None,
        *,
        kind: FactorKind = FactorKind.PASS,
        reduction: Reduction | None = None,
    ) -> int:
        """Add a factor standing at {tensor: dimension} of operands and results; return its id.

        On a dimension that already has factors it becomes the next minor one.
        """
        self._factors.append(Factor(size, kind, reduction))
        index = len(self._factors) - 1
        for tensor, dim in (operands or {}).items():
            self._operands[tensor][dim] += (index,)
        for tensor, dim in (results or {}).items():
            self._results[tensor][dim] += (index,)
        return index

    def passes(self, *operands: int, kinds: frozenset[Reduction] = LINEAR) -> RuleBuilder:
        """Say that these operands may be partial together."""
        self._partial.append(PartialRule(frozenset(operands), kinds))
        return self

    def build(self) -> ShardingRule:
        """Return the finished rule."""
        return ShardingRule(
            tuple(self._factors),
            tuple(tuple(t) for t in self._operands),
            tuple(tuple(t) for t in self._results),
            tuple(self._partial),
        )
