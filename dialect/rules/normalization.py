"""Rules of the batch normalisation ops."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import RuleBuilder, ShardingRule


@sharding_rule("stablehlo.batch_norm_inference")
def _batch_norm_inference(op: ir.Operation) -> ShardingRule:
    """With given statistics every element is by itself; a feature has its scale and statistics."""
    shape = stablehlo.shape(op.operands[0])
    feature = stablehlo.integer(op, "feature_index")
    builder = RuleBuilder([len(shape), 1, 1, 1, 1], [len(shape)])
    for dim, size in enumerate(shape):
        statistics = {i: 0 for i in range(1, 5)} if dim == feature else {}
        builder.factor(size, {0: dim} | statistics, {0: dim})
    return builder.build()
