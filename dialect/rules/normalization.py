"""Rules of the batch normalisation ops."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule


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


@sharding_rule("stablehlo.batch_norm_training", "stablehlo.batch_norm_grad")
def _batch_norm(op: ir.Operation) -> ShardingRule:
    """Features pass with their statistics; ranks combine the statistics of all other dimensions."""
    tensors = [stablehlo.shape(v) for v in (*op.operands, *op.results)]
    count, rank = len(op.operands), len(tensors[0])
    feature = stablehlo.integer(op, "feature_index")
    builder = RuleBuilder([len(t) for t in tensors[:count]], [len(t) for t in tensors[count:]])
    for dim, size in enumerate(tensors[0]):
        at = {i: dim for i, t in enumerate(tensors) if len(t) == rank}
        if dim == feature:
            # Of one dimension, data and statistics look alike: both have their features in it.
            at = {i: dim if len(t) == rank else 0 for i, t in enumerate(tensors)}
        operands = {i: d for i, d in at.items() if i < count}
        results = {i - count: d for i, d in at.items() if i >= count}
        kind = FactorKind.PASS if dim == feature else FactorKind.PERMUTATION
        builder.factor(size, operands, results, kind=kind)
    return builder.build()
