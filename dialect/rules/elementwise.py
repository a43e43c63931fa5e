"""Rules of ops that work element by element: every dimension is one pass-through factor."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import ANY_KIND, FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


def pointwise(op: ir.Operation) -> RuleBuilder:
    """One factor per dimension, on all operands and results of that rank; scalars have none."""
    operands = [stablehlo.shape(v) for v in op.operands]
    results = [stablehlo.shape(v) for v in op.results]
    builder = RuleBuilder([len(s) for s in operands], [len(s) for s in results])
    shape = results[0]
    for dim, size in enumerate(shape):
        builder.factor(
            size,
            {i: dim for i, s in enumerate(operands) if s == shape},
            {i: dim for i, s in enumerate(results) if s == shape},
        )
    return builder


@sharding_rule("stablehlo.add", "stablehlo.subtract")
def _additive(op: ir.Operation) -> ShardingRule:
    """Sums of partial sums are partial sums; one partial side alone would be added n times.

    Not for booleans, where add is `or`.
    """
    builder = pointwise(op)
    if stablehlo.dtype(op.results[0]) == "i1":
        return builder.build()
    return builder.passes(0, 1).build()


@sharding_rule("stablehlo.multiply", "stablehlo.divide")
def _scaling(op: ir.Operation) -> ShardingRule:
    """A floating-point partial sum may be scaled by a finished factor or divided by one.

    Integer division does not distribute over a sum; integer products do, wrap included.
    """
    builder = pointwise(op)
    dtype = stablehlo.dtype(op.results[0])
    is_float = "f" in dtype
    if op.name == "stablehlo.multiply" and dtype != "i1":
        builder.passes(0).passes(1)
    elif op.name == "stablehlo.divide" and is_float:
        builder.passes(0)
    return builder.build()


@sharding_rule("stablehlo.negate")
def _negate(op: ir.Operation) -> ShardingRule:
    """The negation of a sum is the sum of negations."""
    return pointwise(op).passes(0).build()


@sharding_rule("stablehlo.maximum", "stablehlo.minimum")
def _extremum(op: ir.Operation) -> ShardingRule:
    """The maximum of partial maxima is a partial maximum; one side alone is too (idempotent)."""
    kind = Reduction.MAX if op.name == "stablehlo.maximum" else Reduction.MIN
    kinds = frozenset({kind})
    builder = pointwise(op)
    return builder.passes(0, 1, kinds=kinds).passes(0, kinds=kinds).passes(1, kinds=kinds).build()


@sharding_rule("stablehlo.bitcast_convert")
def _bitcast_convert(op: ir.Operation) -> ShardingRule:
    """Leading dimensions pass; one that appears or disappears holds the bits of one element."""
    operand, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    common = min(len(operand), len(result))
    builder = RuleBuilder([len(operand)], [len(result)])
    for dim in range(common):
        builder.factor(operand[dim], {0: dim}, {0: dim})
    for dim in range(common, len(operand)):
        builder.factor(operand[dim], {0: dim}, kind=FactorKind.REPLICATE)
    for dim in range(common, len(result)):
        builder.factor(result[dim], results={0: dim}, kind=FactorKind.REPLICATE)
    return builder.build()


@sharding_rule("stablehlo.optimization_barrier")
def _barrier(op: ir.Operation) -> ShardingRule:
    """Each operand passes through to its own result."""
    shapes = [stablehlo.shape(v) for v in op.operands]
    builder = RuleBuilder([len(s) for s in shapes], [len(s) for s in shapes])
    for i, shape in enumerate(shapes):
        for dim, size in enumerate(shape):
            builder.factor(size, {i: dim}, {i: dim})
    if len(shapes) == 1:
        builder.passes(0, kinds=ANY_KIND)
    return builder.build()


@sharding_rule(
    "stablehlo.abs",
    "stablehlo.and",
    "stablehlo.atan2",
    "stablehlo.cbrt",
    "stablehlo.ceil",
    "stablehlo.clamp",
    "stablehlo.compare",
    "stablehlo.complex",
    "stablehlo.convert",
    "stablehlo.cosine",
    "stablehlo.count_leading_zeros",
    "stablehlo.exponential",
    "stablehlo.exponential_minus_one",
    "stablehlo.floor",
    "stablehlo.imag",
    "stablehlo.is_finite",
    "stablehlo.log",
    "stablehlo.log_plus_one",
    "stablehlo.logistic",
    "stablehlo.not",
    "stablehlo.or",
    "stablehlo.popcnt",
    "stablehlo.power",
    "stablehlo.real",
    "stablehlo.reduce_precision",
    "stablehlo.remainder",
    "stablehlo.round_nearest_afz",
    "stablehlo.round_nearest_even",
    "stablehlo.rsqrt",
    "stablehlo.select",
    "stablehlo.shift_left",
    "stablehlo.shift_right_arithmetic",
    "stablehlo.shift_right_logical",
    "stablehlo.sign",
    "stablehlo.sine",
    "stablehlo.sqrt",
    "stablehlo.tan",
    "stablehlo.tanh",
    "stablehlo.xor",
)
def _pointwise(op: ir.Operation) -> ShardingRule:
    return pointwise(op).build()
