"""Rules of ops that work element by element: every dimension is one pass-through factor."""

from __future__ import annotations

from math import isfinite

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
    """A pending sum of integers may be multiplied, wrap included; not divided, which rounds.

    A floating-point one may be scaled by a number alone: times an infinity, or divided by a zero,
    the parts (of both signs, or zero) give NaN where the whole gives an infinity.
    """
    builder = pointwise(op)
    product = op.name == "stablehlo.multiply"
    if is_exact(op):
        return builder.passes(0).passes(1).build() if product else builder.build()
    if stablehlo.dtype(op.results[0]) == "i1":
        return builder.build()
    if _is_plain_number(op.operands[1]):
        builder.passes(0)
    if product and _is_plain_number(op.operands[0]):
        builder.passes(1)
    return builder.build()


def is_exact(op: ir.Operation) -> bool:
    """True for results of integers, whose products distribute over sums without exception.

    Booleans have no sums, floats infinities and NaN.
    """
    dtype = stablehlo.dtype(op.results[0])
    return dtype != "i1" and dtype.startswith(("i", "ui"))


def _is_plain_number(value: ir.Value) -> bool:
    """True for a constant of one finite number other than zero, broadcast or not."""
    op = stablehlo.defining_op(value)
    while op is not None and op.name in ("stablehlo.broadcast_in_dim", "stablehlo.reshape"):
        op = stablehlo.defining_op(op.operands[0])
    number = stablehlo.splat_value(op) if op is not None else None
    return isinstance(number, int | float) and isfinite(number) and number != 0


@sharding_rule("stablehlo.negate")
def _negate(op: ir.Operation) -> ShardingRule:
    """The negation of a sum is the sum of negations."""
    return pointwise(op).passes(0).build()


@sharding_rule("stablehlo.convert")
def _convert(op: ir.Operation) -> ShardingRule:
    """Parts of a sum may be widened to a floating-point type that has all their values."""
    builder = pointwise(op)
    source, target = stablehlo.dtype(op.operands[0]), stablehlo.dtype(op.results[0])
    return builder.passes(0).build() if target in _WIDER.get(source, ()) else builder.build()


_WIDER = {"bf16": ("f32", "f64"), "f16": ("f32", "f64"), "f32": ("f64",)}
"""Floating-point types, and those that have all of their values."""


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
