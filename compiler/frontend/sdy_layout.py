"""Shardy's layout of uneven dimensions, for those who exchange shards with it.

Shardy cuts a dimension once, into as many pieces as its axes have together, where ours cut axis
after axis: ten over 2 × 2 is 3, 3, 3, 1 there and 3, 2, 3, 2 here. Local sizes are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distc.compiler.frontend.sdy_grammar import SdySharding
from distc.compiler.frontend.sdy_mesh import CommonMesh
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout, ceil_div


def flat_layout(
    common: CommonMesh, sharding: SdySharding | None, shape: tuple[int, ...]
) -> TensorLayout:
    """Which box of `shape` each rank holds in Shardy's flat layout."""
    ours = None if sharding is None else common.sharding(sharding, shape)
    if ours is None:
        return TensorLayout(shape, tuple(DimLayout(n) for n in shape))
    dims = []
    for size, dim in zip(shape, ours.dims, strict=True):
        splits = [common.mesh.split(a) for a in dim.axes]
        dims.append(_FlatDim(size, tuple(splits)))
    return TensorLayout(shape, tuple(dims))


@dataclass(frozen=True, slots=True)
class _FlatDim(DimLayout):
    """A dimension cut once into as many pieces as its axes have together."""

    def level_sizes(self) -> tuple[int, ...]:
        """Size before and after the cut."""
        return (self.size, ceil_div(self.size, self.shards))

    def level_extents(self, rank: int) -> tuple[tuple[int, int], ...]:
        """(offset, length) before and after the cut."""
        piece = self.level_sizes()[-1]
        place = _place(self.splits, rank)
        offset = min(place * piece, self.size)
        return ((0, self.size), (offset, min(piece, self.size - offset)))


def _place(splits: Sequence[AxisSplit], rank: int) -> int:
    place = 0
    for split in splits:
        place = place * split.size + split.coordinate(rank)
    return place
