"""Windows of which ranks hold unequal parts: every result of the window becomes an image.

A tap of padding is zero, and what it sees is data: zero times infinity would be NaN. Data cannot be
masked where windows overlap, for other taps see the same elements. So what each result sees is
written out and masked by itself, one image per result; one convolution without steps does the rest:

    x  [batch, …, seen]          seen = (results - 1) * stride + (taps - 1) * spacing + 1
       [batch * results, …, taps]
    y  [batch * results, …, 1]
       [batch, …, results]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext


@dataclass(frozen=True, slots=True)
class Folded:
    """A result dimension that stands in the batch, and its size."""

    dim: int
    count: int


def fold(
    ctx: LocalContext,
    x: ir.Value,
    batch: int,
    dim: int,
    taps: DimLayout,
    count: int,
    stride: int,
    spacing: int,
) -> ir.Value:
    """Write out along `dim` what each of `count` results sees, as the minor part of `batch`."""
    shape = list(stablehlo.shape(x))
    length = (taps.local_size - 1) * spacing + 1
    steps = [spacing if d == dim else 1 for d in range(len(shape))]
    images = []
    for result in range(count):
        start = [result * stride if d == dim else 0 for d in range(len(shape))]
        limit = [result * stride + length if d == dim else n for d, n in enumerate(shape)]
        seen = build.slice_(x, start, limit, steps)
        images.append(build.reshape(seen, _with_minor(stablehlo.shape(seen), batch, 1)))
    stacked = build.concatenate(images, batch + 1)
    sizes = list(stablehlo.shape(stacked))
    folded = build.reshape(stacked, [*sizes[:batch], sizes[batch] * count, *sizes[batch + 2 :]])
    here = stablehlo.shape(folded)
    mask = build.broadcast_in_dim(ctx.valid(taps), here, (dim,))
    return build.select(mask, folded, build.splat(0, here, stablehlo.element_type(x)))


def folded_type(kind: ir.Type, batch: int, folded: Sequence[Folded]) -> ir.Type:
    """The type of a result whose `folded` dimensions stand in the batch."""
    if not folded:
        return kind
    ranked = ir.RankedTensorType(kind)
    shape = list(ranked.shape)
    shape[batch] *= prod(f.count for f in folded)
    for f in folded:
        shape[f.dim] = 1
    return build.tensor_type(shape, ranked.element_type)


def unfold(y: ir.Value, batch: int, folded: Sequence[Folded]) -> ir.Value:
    """Put the results that stand in the batch where they belong, the last folded first."""
    for f in reversed(folded):
        shape = stablehlo.shape(y)
        split = [n // f.count if d == batch else n for d, n in enumerate(shape)]
        y = build.reshape(y, _with_minor(split, batch, f.count))
        old = [d + (d > batch) for d in range(len(shape))]
        order = [batch + 1 if d == f.dim else at for d, at in enumerate(old)]
        y = build.transpose(y, [*order, old[f.dim]])
        y = build.reshape(y, stablehlo.shape(y)[:-1])
    return y


def _with_minor(shape: Sequence[int], dim: int, size: int) -> list[int]:
    return [*shape[: dim + 1], size, *shape[dim + 1 :]]
