"""Rules of contractions."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.elementwise import is_exact
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


@sharding_rule("stablehlo.dot_general")
def _dot_general(op: ir.Operation) -> ShardingRule | None:
    """Batch and free dimensions pass, a contracted one leaves a partial sum.

    Linear per side, but for floats only where the other side is finite: a pending sum is finished.
    """
    dims = stablehlo.dot_dims(op)
    lhs, rhs = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    boolean = stablehlo.dtype(op.results[0]) == "i1"
    builder = RuleBuilder([len(lhs), len(rhs)], [len(stablehlo.shape(op.results[0]))])
    position = 0
    for left, right in zip(dims.lhs_batching, dims.rhs_batching, strict=True):
        builder.factor(lhs[left], {0: left, 1: right}, {0: position})
        position += 1
    for left in dims.lhs_free(len(lhs)):
        builder.factor(lhs[left], {0: left}, {0: position})
        position += 1
    for right in dims.rhs_free(len(rhs)):
        builder.factor(rhs[right], {1: right}, {0: position})
        position += 1
    for left, right in zip(dims.lhs_contracting, dims.rhs_contracting, strict=True):
        kind = FactorKind.REPLICATE if boolean else FactorKind.REDUCTION
        builder.factor(lhs[left], {0: left, 1: right}, kind=kind, reduction=Reduction.SUM)
    if not is_exact(op):
        return builder.build()
    return builder.passes(0).passes(1).build()
