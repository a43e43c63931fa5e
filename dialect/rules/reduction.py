"""Rules of reductions, cumulative ops and sorts."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.numbers import is_neutral
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule


@sharding_rule("stablehlo.reduce")
def _reduce(op: ir.Operation) -> ShardingRule:
    """Kept dimensions pass; a reduced one leaves a partial value of the reducer's kind.

    Only where one operand is reduced by a known reducer from its neutral element: any other start
    value would be counted on every rank.
    """
    count = len(op.results)
    shape = stablehlo.shape(op.operands[0])
    reduced = stablehlo.reduce_dims(op)
    kind = stablehlo.reducer(op) if count == 1 else None
    if kind is not None and not is_neutral(op.operands[1], kind):
        kind = None
    builder = RuleBuilder([len(shape)] * count + [0] * count, [len(shape) - len(reduced)] * count)
    position = 0
    for dim, size in enumerate(shape):
        operands = {i: dim for i in range(count)}
        if dim not in reduced:
            builder.factor(size, operands, {i: position for i in range(count)})
            position += 1
        elif kind is None:
            builder.factor(size, operands, kind=FactorKind.REPLICATE)
        else:
            builder.factor(size, operands, kind=FactorKind.REDUCTION, reduction=kind)
    return builder.passes(0, kinds=frozenset({kind})).build() if kind else builder.build()


@sharding_rule("stablehlo.sort")
def _sort(op: ir.Operation) -> ShardingRule:
    """Every dimension passes but the sorted one."""
    along = stablehlo.sort(op).dim
    shape = stablehlo.shape(op.operands[0])
    count = len(op.operands)
    builder = RuleBuilder([len(shape)] * count, [len(shape)] * count)
    for dim, size in enumerate(shape):
        everywhere = {i: dim for i in range(count)}
        kind = FactorKind.REPLICATE if dim == along else FactorKind.PASS
        builder.factor(size, everywhere, everywhere, kind=kind)
    return builder.build()
