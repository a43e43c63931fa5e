"""Rules of reductions, cumulative ops and sorts."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.numbers import is_neutral
from distc.dialect.rules.registry import is_degenerate, sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


@sharding_rule("stablehlo.reduce")
def _reduce(op: ir.Operation) -> ShardingRule:
    """Kept dimensions pass; a reduced one leaves a partial value of the reducer's kind.

    That needs a known reducer, the same for all operands, and its neutral element to start from:
    any other start value would be counted on every rank. Operands that are reduced by each other
    (argmax: values and positions) are combined across ranks inside the op when they start from an
    extreme value.
    """
    count = len(op.results)
    shape = stablehlo.shape(op.operands[0])
    reduced = stablehlo.reduce_dims(op)
    kind = separate_reduction(op)
    cut = FactorKind.REPLICATE
    if kind is not None:
        cut = FactorKind.REDUCTION
    elif count > 1 and starts_from_extreme(op) and not is_degenerate(op):
        cut = FactorKind.COMBINE
    builder = RuleBuilder([len(shape)] * count + [0] * count, [len(shape) - len(reduced)] * count)
    position = 0
    for dim, size in enumerate(shape):
        operands = {i: dim for i in range(count)}
        if dim not in reduced:
            builder.factor(size, operands, {i: position for i in range(count)})
            position += 1
        else:
            builder.factor(size, operands, kind=cut, reduction=kind)
    if kind is None:
        return builder.build()
    return builder.passes(*range(count), kinds=frozenset({kind})).build()


def separate_reduction(op: ir.Operation) -> Reduction | None:
    """The reduction that each operand goes through by itself from its neutral element, if so."""
    kind = stablehlo.reducer(op)
    starts = list(op.operands)[len(op.results) :]
    return kind if kind is not None and all(is_neutral(s, kind) for s in starts) else None


def starts_from_extreme(op: ir.Operation) -> bool:
    """True when the first operand of a reduction starts from a value that loses to every other."""
    start = op.operands[len(op.results)]
    return any(is_neutral(start, kind) for kind in (Reduction.MAX, Reduction.MIN))


@sharding_rule("stablehlo.sort")
def _sort(op: ir.Operation) -> ShardingRule:
    """Every dimension passes; ranks exchange along the sorted one.

    Where only the first elements are wanted, every rank combines the first of all ranks.
    """
    along = stablehlo.sort(op).dim
    first = stablehlo.first_of_sort(op)
    shape = stablehlo.shape(op.operands[0])
    count = len(op.operands)
    builder = RuleBuilder([len(shape)] * count, [len(shape)] * count)
    for dim, size in enumerate(shape):
        everywhere = {i: dim for i in range(count)}
        if dim != along:
            builder.factor(size, everywhere, everywhere)
        elif first is None:
            builder.factor(size, everywhere, everywhere, kind=FactorKind.PERMUTATION)
        else:
            builder.factor(size, everywhere, kind=FactorKind.COMBINE)
            builder.factor(size, results=everywhere, kind=FactorKind.REPLICATE)
    return builder.build()
