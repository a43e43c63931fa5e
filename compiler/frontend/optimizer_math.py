"""Arithmetic of optimizers: in the type of a parameter, scalars in f64 until they meet it."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction


class Math:
    """Arithmetic in the type of a parameter; scalars are f64 until they meet it."""

    def __init__(self, like: ir.Value, rate: ir.Value, step: ir.Value) -> None:
        self.shape, self.element = stablehlo.shape(like), stablehlo.element_type(like)
        self.rate, self.step = rate, step
        self.double = ir.F64Type.get(like.context)

    def number(self, value: float) -> ir.Value:
        return build.splat(value, self.shape, self.element)

    def scalar(self, value: float) -> ir.Value:
        return build.splat(value, (), self.double)

    def spread(self, scalar: ir.Value) -> ir.Value:
        """An f64 scalar in every place of the parameter."""
        narrow = build.convert(scalar, self.element)
        return build.broadcast_in_dim(narrow, self.shape, ()) if self.shape else narrow

    def times(self, x: ir.Value, factor: float) -> ir.Value:
        return x if factor == 1 else build.binary("multiply", x, self.number(factor))

    def add(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return build.binary("add", a, b)

    def sub(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return build.binary("subtract", a, b)

    def mul(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return build.binary("multiply", a, b)

    def root(self, scalar: ir.Value) -> ir.Value:
        return build.unary("sqrt", scalar)

    def decayed(self, weight_decay: float) -> ir.Value:
        """1 − η w."""
        return self.sub(self.scalar(1), self.mul(self.rate, self.scalar(weight_decay)))

    def correction(self, beta: float) -> ir.Value:
        """1 − βᵗ."""
        exponent = build.convert(self.step, self.double)
        return self.sub(self.scalar(1), build.binary("power", self.scalar(beta), exponent))

    @property
    def is_first(self) -> ir.Value:
        one = build.splat(1, (), stablehlo.element_type(self.step))
        first = build.compare(self.step, one, "EQ")
        return build.broadcast_in_dim(first, self.shape, ()) if self.shape else first

    def norm(self, x: ir.Value) -> ir.Value:
        """The root of the sum of squares of all elements, f64 scalar."""
        dims = range(len(stablehlo.shape(x)))
        total = build.reduce(self.mul(x, x), dims, Reduction.SUM)
        return build.convert(self.root(total), self.double)
