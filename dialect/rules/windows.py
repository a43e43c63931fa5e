"""Rules of windowed ops: dimensions that a window of one element walks step by step pass."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule


def _trivial_dims(op: ir.Operation) -> list[bool]:
    window = stablehlo.window(op)
    return [
        (size, stride, base, tuple(pad)) == (1, 1, 1, (0, 0))
        for size, stride, base, pad in zip(
            window.sizes, window.strides, window.base_dilations, window.padding, strict=True
        )
    ]


@sharding_rule("stablehlo.reduce_window")
def _reduce_window(op: ir.Operation) -> ShardingRule:
    """Dimensions without a window pass."""
    count = len(op.results)
    shape, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(shape)] * count + [0] * count, [len(shape)] * count)
    everything = range(count)
    for dim, trivial in enumerate(_trivial_dims(op)):
        at = {i: dim for i in everything}
        if trivial:
            builder.factor(shape[dim], at, at)
            continue
        builder.factor(shape[dim], at, kind=FactorKind.REPLICATE)
        builder.factor(result[dim], results=at, kind=FactorKind.REPLICATE)
    return builder.build()


@sharding_rule("stablehlo.select_and_scatter")
def _select_and_scatter(op: ir.Operation) -> ShardingRule:
    """Dimensions without a window pass on operand, source and result."""
    shape, source = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    builder = RuleBuilder([len(shape), len(source), 0], [len(shape)])
    for dim, trivial in enumerate(_trivial_dims(op)):
        if trivial:
            builder.factor(shape[dim], {0: dim, 1: dim}, {0: dim})
            continue
        builder.factor(shape[dim], {0: dim}, {0: dim}, kind=FactorKind.REPLICATE)
        builder.factor(source[dim], {1: dim}, kind=FactorKind.REPLICATE)
    return builder.build()
