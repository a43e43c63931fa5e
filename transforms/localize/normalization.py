"""Batch normalisation whose batch or image is cut: statistics of all ranks, as on one device.

With N elements per feature over all ranks, d = √(variance + ε), c = x − mean, and sums over all
dimensions but the feature:

    training  mean = Σx / N     variance = Σc² / N     y = c / d · scale + offset
    gradient  dx = scale / d / N · (N dy − Σdy − c Σ(dy c) / d²)
              dscale = Σ(dy c) / d     doffset = Σdy

Source: StableHLO specification, batch_norm_training and batch_norm_grad.
"""

from __future__ import annotations

from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.batch_norm_training")
def _training(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    features = _Features(ctx, local)
    if not features.axes:
        return local.copied()
    x, scale, offset = local.operands
    mean = features.mean(features.masked(0))
    centered = build.binary("subtract", x, features.spread(mean))
    variance = features.mean(features.without_padding(build.binary("multiply", centered, centered)))
    inverse = features.inverse_deviation(variance)
    factor = build.binary("multiply", inverse, scale)
    scaled = build.binary("multiply", centered, features.spread(factor))
    return build.binary("add", scaled, features.spread(offset)), mean, variance


@localizer("stablehlo.batch_norm_grad")
def _gradient(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    features = _Features(ctx, local)
    if not features.axes:
        return local.copied()
    x, scale, mean, variance, _ = local.operands
    given = features.masked(4)
    centered = features.without_padding(build.binary("subtract", x, features.spread(mean)))
    inverse = features.inverse_deviation(variance)
    total = features.total(given)
    along = features.total(build.binary("multiply", given, centered))
    square = build.binary("multiply", inverse, inverse)
    back = features.spread(build.binary("multiply", along, square))
    inner = build.binary("multiply", given, features.number(features.count, stablehlo.shape(x)))
    inner = build.binary("subtract", inner, features.spread(total))
    inner = build.binary("subtract", inner, build.binary("multiply", centered, back))
    factor = build.binary("multiply", scale, inverse)
    count = features.number(features.count, stablehlo.shape(factor))
    factor = build.binary("divide", factor, count)
    moved = build.binary("multiply", features.spread(factor), inner)
    return moved, build.binary("multiply", along, inverse), total


class _Features:
    """Sums per feature over all ranks that share the features of this one."""

    def __init__(self, ctx: LocalContext, local: LocalOp) -> None:
        self.ctx, self.local = ctx, local
        self.feature = stablehlo.integer(local.op, "feature_index")
        shape = local.operand_shape(0)
        self.others = [d for d in range(len(shape)) if d != self.feature]
        self.count = prod(shape[d] for d in self.others)
        dims = local.operand_shardings[0].dims
        self.axes = tuple(a for d in self.others for a in dims[d].axes)
        self.element = stablehlo.element_type(local.operands[0])
        self.here = stablehlo.shape(local.operands[0])

    def masked(self, index: int) -> ir.Value:
        """Operand `index` with zeros in its padding."""
        return self.local.masked(self.ctx, index, self.others, 0)

    def without_padding(self, x: ir.Value) -> ir.Value:
        """A value that lies as the data, with zeros in its padding."""
        sharding, shape = self.local.operand_shardings[0], self.local.operand_shape(0)
        return self.ctx.masked(x, sharding, shape, self.others, 0)

    def total(self, x: ir.Value) -> ir.Value:
        """Sum per feature over all ranks."""
        zero = build.splat(0, (), self.element)
        here = build.reduce(x, self.others, Reduction.SUM, zero)
        groups = self.ctx.mesh.groups(self.axes)
        return build.all_reduce(here, Reduction.SUM, groups, self.ctx.channel())

    def mean(self, x: ir.Value) -> ir.Value:
        """Mean per feature over all ranks."""
        total = self.total(x)
        return build.binary("divide", total, self.number(self.count, stablehlo.shape(total)))

    def inverse_deviation(self, variance: ir.Value) -> ir.Value:
        """1 / √(variance + ε) per feature."""
        epsilon = float(ir.FloatAttr(self.local.op.attributes["epsilon"]).value)
        padded = build.binary("add", variance, self.number(epsilon, stablehlo.shape(variance)))
        return build.unary("rsqrt", padded)

    def spread(self, x: ir.Value) -> ir.Value:
        """A value per feature, for every element."""
        return build.broadcast_in_dim(x, self.here, (self.feature,))

    def number(self, value: float, shape: tuple[int, ...]) -> ir.Value:
        """A number in every place."""
        return build.splat(value, shape, self.element)
