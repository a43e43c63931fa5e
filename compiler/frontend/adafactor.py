"""Adafactor as torch.optim has it: a second moment of rows and columns, a length from the weights.

With parameter p of n elements, gradient g, learning rate η, step t from 1:

    w = tᵝ (β ≤ 0)    ρ = min(η, 1/√t)    α = max(ε₂, ‖p‖/√n) · ρ    p *= 1 − η decay
    r += w (mean of g² along columns − r)    c += w (mean of g² along rows − c)
    v = r c / max(mean of r along rows, ε₁)          one dimension: v += w (g² − v), kept whole
    u = g / √max(v, ε₁²)    p −= α / max(1, ‖u‖/(√n d)) · u

Source: Shazeer and Stern, Adafactor, 2018, and torch.optim.Adafactor. The sums cross ranks where a
parameter is cut: the composite is opened there and planned as any program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod, sqrt

import numpy as np
from torch_mlir import ir

from distc.compiler.frontend.optimizer_math import Math
from distc.dialect import build, stablehlo
from distc.dialect.sharding import Reduction

_EPSILON = {"f64": float(np.finfo(np.float64).eps), "f32": float(np.finfo(np.float32).eps),
            "f16": float(np.finfo(np.float16).eps), "bf16": 2.0**-7}  # fmt: skip


def adafactor_state(shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return what is kept of a parameter of a shape: shapes by slot."""
    if len(shape) < 2:
        return {"variance": shape}
    *outer, rows, columns = shape
    return {"row_var": (*outer, rows, 1), "col_var": (*outer, 1, columns)}


def adafactor(
    settings: Mapping[str, float],
    m: Math,
    p: ir.Value,
    g: ir.Value,
    kept: Sequence[ir.Value],
) -> tuple[ir.Value, ...]:
    """Emit one update; return the new parameter and what is kept.

    Args:
        settings: beta2_decay, eps1, eps2, d, weight_decay.
        m: the parameter's arithmetic, with rate and step.
        p, g: parameter and gradient.
        kept: in the order of `adafactor_state`.
    """
    size = max(prod(m.shape), 1)
    first = settings["eps1"]
    eps = _EPSILON[stablehlo.dtype(p)] if first < 0 else first
    step = build.convert(m.step, m.double)
    weight = build.binary("power", step, m.scalar(settings["beta2_decay"]))
    rho = build.binary("minimum", m.rate, build.binary("divide", m.scalar(1), m.root(step)))
    length = build.binary("divide", m.norm(p), m.scalar(sqrt(size)))
    length = build.binary("maximum", m.scalar(settings["eps2"]), length)
    alpha = m.mul(length, rho)
    if settings["weight_decay"]:
        p = m.mul(p, m.spread(m.decayed(settings["weight_decay"])))
    new: tuple[ir.Value, ...]
    if len(m.shape) < 2:
        new = (_moved(kept[0], m.mul(g, g), weight),)
        estimate = new[0]
    else:
        *_, rows, columns = range(len(m.shape))
        squares = m.mul(g, g)
        row = _moved(kept[0], _mean(squares, columns), weight)
        column = _moved(kept[1], _mean(squares, rows), weight)
        new = (row, column)
        mean = _at_least(_mean(row, rows), eps)
        product = m.mul(_wide(row, m.shape), _wide(column, m.shape))
        estimate = build.binary("divide", product, _wide(mean, m.shape))
    update = m.mul(build.unary("rsqrt", _at_least(estimate, eps * eps)), g)
    norm = build.binary("divide", m.norm(update), m.scalar(sqrt(size) * settings["d"]))
    denominator = build.binary("maximum", m.scalar(1), norm)
    factor = build.binary("divide", alpha, denominator)
    return m.sub(p, m.mul(m.spread(factor), update)), *new


def _moved(old: ir.Value, new: ir.Value, weight: ir.Value) -> ir.Value:
    """`old` moved to `new` by a share, an f64 scalar."""
    shape, element = stablehlo.shape(old), stablehlo.element_type(old)
    share = build.convert(weight, element)
    share = build.broadcast_in_dim(share, shape, ()) if shape else share
    change = build.binary("multiply", share, build.binary("subtract", new, old))
    return build.binary("add", old, change)


def _mean(x: ir.Value, dim: int) -> ir.Value:
    """The mean along a dimension, which keeps the size one."""
    shape, element = stablehlo.shape(x), stablehlo.element_type(x)
    total = build.reduce(x, (dim,), Reduction.SUM)
    kept = tuple(1 if i == dim else n for i, n in enumerate(shape))
    total = build.reshape(total, kept)
    return build.binary("divide", total, build.splat(shape[dim], kept, element))


def _wide(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Repeat dimensions of size one."""
    return build.broadcast_in_dim(x, tuple(shape), tuple(range(len(shape))))


def _at_least(x: ir.Value, low: float) -> ir.Value:
    least = build.splat(low, stablehlo.shape(x), stablehlo.element_type(x))
    return build.binary("maximum", x, least)
