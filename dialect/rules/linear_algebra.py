"""Rules of plain products, factorisations and transforms of matrices."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


@sharding_rule("stablehlo.cholesky")
def _cholesky(op: ir.Operation) -> ShardingRule:
    """Matrices of a batch are factorised one by one."""
    return _batched(op, 2).build()


@sharding_rule("stablehlo.dot")
def _dot(op: ir.Operation) -> ShardingRule:
    """Free dimensions pass; the contracted one leaves a partial sum; linear per side."""
    lhs, rhs = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    builder = RuleBuilder([len(lhs), len(rhs)], [len(stablehlo.shape(op.results[0]))])
    boolean = stablehlo.dtype(op.results[0]) == "i1"
    if len(lhs) == 2:
        builder.factor(lhs[0], {0: 0}, {0: 0})
    if len(rhs) == 2:
        builder.factor(rhs[1], {1: 1}, {0: len(lhs) - 1})
    kind = FactorKind.REPLICATE if boolean else FactorKind.REDUCTION
    contracted = {0: len(lhs) - 1, 1: 0}
    builder.factor(lhs[-1], contracted, kind=kind, reduction=None if boolean else Reduction.SUM)
    return builder.build() if boolean else builder.passes(0).passes(1).build()


@sharding_rule("stablehlo.fft")
def _fft(op: ir.Operation) -> ShardingRule:
    """Dimensions that are not transformed pass; the transform is linear."""
    return _batched(op, len(stablehlo.integers(op, "fft_length"))).passes(0).build()


@sharding_rule("stablehlo.triangular_solve")
def _triangular_solve(op: ir.Operation) -> ShardingRule:
    """Systems of a batch pass, and so do right-hand sides: each is solved by itself."""
    a, b = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    rank = len(b)
    builder = RuleBuilder([rank, rank], [rank])
    for dim in range(rank - 2):
        builder.factor(a[dim], {0: dim, 1: dim}, {0: dim})
    sides = rank - 1 if stablehlo.flag(op, "left_side") else rank - 2
    unknowns = 2 * rank - 3 - sides
    builder.factor(b[sides], {1: sides}, {0: sides})
    builder.factor(b[unknowns], {1: unknowns}, {0: unknowns}, kind=FactorKind.REPLICATE)
    for dim in (rank - 2, rank - 1):
        builder.factor(a[dim], {0: dim}, kind=FactorKind.REPLICATE)
    return builder.build()


def _batched(op: ir.Operation, trailing: int) -> RuleBuilder:
    """All dimensions of one operand pass but the `trailing` last ones."""
    operand, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    rank = len(operand)
    builder = RuleBuilder([rank], [rank])
    for dim in range(rank):
        if dim < rank - trailing:
            builder.factor(operand[dim], {0: dim}, {0: dim})
            continue
        builder.factor(operand[dim], {0: dim}, kind=FactorKind.REPLICATE)
        builder.factor(result[dim], results={0: dim}, kind=FactorKind.REPLICATE)
    return builder
