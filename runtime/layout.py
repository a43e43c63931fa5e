"""Which elements of a tensor a rank holds: boxes of (offset, length), nested ceil splits.

A dimension of size `n` is cut in whole blocks of `block` elements. Its axes split one after
another, outermost first, each by ceil of what the level above left (as DTensor does), so ten
over 2 x 2 is 3, 2, 3, 2. With `units = n / block`, for each axis of size p at coordinate c:

    chunk = ceil(length / p);  offset += min(c * chunk, length)
    length = clamp(length - c * chunk, 0, chunk)

Every rank has the same static local size, ceil after ceil; true lengths may be smaller.
Standard library only; every layer may import this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


def ceil_div(a: int, b: int) -> int:
    """Return a / b rounded up."""
    return -(-a // b)


@dataclass(frozen=True, slots=True)
class AxisSplit:
    """One mesh axis, or part of one, as ranks see it: coordinate = rank // stride % size."""

    name: str
    size: int
    stride: int

    def coordinate(self, rank: int) -> int:
        """Return where `rank` stands on this axis."""
        return rank // self.stride % self.size


@dataclass(frozen=True, slots=True)
class DimLayout:
    """How one dimension is cut: its global size, the axes outermost first, the block.

    **Invariants:** block divides size (or size is 0).
    """

    size: int
    splits: tuple[AxisSplit, ...] = ()
    block: int = 1

    def __post_init__(self) -> None:
        if self.block < 1 or self.size % self.block:
            raise ValueError(f"block {self.block} does not divide dimension {self.size}")

    @property
    def shards(self) -> int:
        """Number of pieces the dimension is cut into."""
        return prod(s.size for s in self.splits)

    def level_sizes(self) -> tuple[int, ...]:
        """Static (largest) size in elements before the first split and after each one."""
        units = self.size // self.block
        sizes = [units]
        for split in self.splits:
            units = ceil_div(units, split.size)
            sizes.append(units)
        return tuple(u * self.block for u in sizes)

    @property
    def local_size(self) -> int:
        """Static local size, the same on every rank, padding included."""
        return self.level_sizes()[-1]

    def level_extents(self, rank: int) -> tuple[tuple[int, int], ...]:
        """(offset, true length) in elements before the first split and after each one."""
        offset, length = 0, self.size // self.block
        extents = [(0, self.size)]
        for split in self.splits:
            chunk = ceil_div(length, split.size)
            start = min(split.coordinate(rank) * chunk, length)
            offset, length = offset + start, min(chunk, length - start)
            extents.append((offset * self.block, length * self.block))
        return tuple(extents)

    def extent(self, rank: int) -> tuple[int, int]:
        """(global offset, true length) in elements of what `rank` holds."""
        return self.level_extents(rank)[-1]

    @property
    def is_even(self) -> bool:
        """True when every rank holds exactly `local_size` elements."""
        units = self.size // self.block
        return units % self.shards == 0 if self.shards else True


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """How a tensor lies on the ranks.

    `shape` is the shape users see; `dims` cut the `view` of it (equal to `shape` where no view is
    recorded), which has the same number of elements in the same order.
    """

    shape: tuple[int, ...]
    dims: tuple[DimLayout, ...]

    def __post_init__(self) -> None:
        if prod(self.shape) != prod(self.view):
            raise ValueError(f"view {self.view} does not hold the elements of {self.shape}")

    @property
    def view(self) -> tuple[int, ...]:
        """The shape that is cut."""
        return tuple(d.size for d in self.dims)

    @property
    def local_shape(self) -> tuple[int, ...]:
        """Static local shape, padding included."""
        return tuple(d.local_size for d in self.dims)

    def box(self, rank: int) -> tuple[tuple[int, int], ...]:
        """(offset, true length) per dimension of the view."""
        return tuple(d.extent(rank) for d in self.dims)

    def bytes_held(self, rank: int, itemsize: int) -> int:
        """True bytes, padding not counted, that `rank` holds."""
        return prod(length for _, length in self.box(rank)) * itemsize
