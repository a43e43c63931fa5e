"""Sharding: how one value lies on a mesh. Pure values, no MLIR.

Per tensor dimension an ordered list of axes (outermost first) and a block; per axis over which
the value is partial, the reduction that completes it. An axis that appears nowhere is
replicated. On one axis this is the vocabulary of DistPar and DTensor: S(i), R, P.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from distc.dialect.mesh import AxisRef, Mesh
from distc.runtime.errors import IllegalSharding
from distc.runtime.layout import DimLayout, TensorLayout


class Reduction(StrEnum):
    """How the parts of a partial value combine."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AND = "and"
    OR = "or"


@dataclass(frozen=True, slots=True)
class DimSharding:
    """The axes that cut one dimension, outermost first, in whole blocks of `block` elements."""

    axes: tuple[AxisRef, ...] = ()
    block: int = 1


@dataclass(frozen=True, slots=True)
class Sharding:
    """How a value lies on `mesh`.

    **Invariants:** every axis exists; no axis or part of one is used twice; blocks are positive.
    """

    mesh: Mesh
    dims: tuple[DimSharding, ...]
    partial: tuple[tuple[AxisRef, Reduction], ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Planning looks millions of them up in tables.
        object.__setattr__(self, "_hash", hash((self.mesh, self.dims, self.partial)))
        used: list[AxisRef] = []
        for ref in self.used_axes:
            self.mesh.split(ref)
            clash = next((u for u in used if self.mesh.overlap(u, ref)), None)
            if clash is not None:
                raise IllegalSharding(
                    f"axis {ref} is used twice in {self}",
                    help="an axis shards one dimension or is partial, not both",
                )
            used.append(ref)
        if any(d.block < 1 for d in self.dims):
            raise IllegalSharding(f"a block in {self} is below 1", help="use a positive block")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Sharding], tuple[object, ...]]:
        # Hashes of strings differ from process to process.
        return Sharding, (self.mesh, self.dims, self.partial)

    @classmethod
    def replicated(cls, mesh: Mesh, rank: int) -> Sharding:
        """Every rank holds the whole value."""
        return cls(mesh, (DimSharding(),) * rank)

    @property
    def rank(self) -> int:
        """Number of tensor dimensions."""
        return len(self.dims)

    @property
    def used_axes(self) -> tuple[AxisRef, ...]:
        """All axes that shard a dimension or are partial."""
        return tuple(a for d in self.dims for a in d.axes) + tuple(a for a, _ in self.partial)

    @property
    def is_replicated(self) -> bool:
        """True when every rank holds the whole, finished value."""
        return not self.used_axes

    def shards(self, dim: int) -> int:
        """Number of pieces dimension `dim` is cut into."""
        count = 1
        for ref in self.dims[dim].axes:
            count *= self.mesh.ref_size(ref)
        return count

    def normalize(self, shape: tuple[int, ...]) -> Sharding:
        """Return the one structural form of this sharding for `shape`.

        Sub-axes of even dimensions are merged, axes of size one dropped, partial axes put in mesh
        order, and a block is dropped where shards are even or the dimension is not cut.

        Raises:
            IllegalSharding: the rank differs or a block does not divide its dimension.
        """
        if len(shape) != self.rank:
            raise IllegalSharding(
                f"sharding {self} has {self.rank} dimensions, "
                f"the value {list(shape)} has {len(shape)}",
                help="write one entry per dimension",
            )
        dims = tuple(
            self._normalize_dim(d, n, i)
            for i, (d, n) in enumerate(zip(self.dims, shape, strict=True))
        )
        return Sharding(self.mesh, dims, self._normalize_partial())

    def _normalize_dim(self, dim: DimSharding, size: int, index: int) -> DimSharding:
        if size % dim.block:
            raise IllegalSharding(
                f"block {dim.block} does not divide dimension {index} of size {size} in {self}",
                help=f"use a divisor of {size}",
            )
        shards = 1
        for ref in dim.axes:
            shards *= self.mesh.ref_size(ref)
        even = (size // dim.block) % shards == 0
        # Ten over 2 x 2 is 3, 2, 3, 2 and over 4 is 3, 3, 3, 1: parts merge only where even.
        axes = self.mesh.canonical(dim.axes) if even else self.mesh.spelled(dim.axes)
        plain = not axes or even
        return DimSharding(axes, 1 if plain else dim.block)

    def _normalize_partial(self) -> tuple[tuple[AxisRef, Reduction], ...]:
        order = {a.name: i for i, a in enumerate(self.mesh.axes)}
        kinds: list[tuple[AxisRef, Reduction]] = []
        ranked = sorted(self.partial, key=lambda p: (order[p[0].name], p[0].pre))
        for kind in dict.fromkeys(k for _, k in ranked):
            refs = self.mesh.canonical(tuple(a for a, k in ranked if k is kind))
            kinds += [(ref, kind) for ref in refs]
        return tuple(sorted(kinds, key=lambda p: (order[p[0].name], p[0].pre)))

    def with_dim(self, dim: int, sharding: DimSharding) -> Sharding:
        """Return a copy with dimension `dim` replaced."""
        dims = (*self.dims[:dim], sharding, *self.dims[dim + 1 :])
        return replace(self, dims=dims)

    def without_partial(self) -> Sharding:
        """Return a copy in which every partial axis is replicated."""
        return replace(self, partial=())

    def layout(
        self, shape: tuple[int, ...], original: tuple[int, ...] | None = None
    ) -> TensorLayout:
        """Return which box of `shape` each rank holds.

        `original` is the shape users see where `shape` is a view of it.
        """
        normal = self.normalize(shape)
        dims = tuple(
            DimLayout(n, tuple(self.mesh.split(a) for a in d.axes), d.block)
            for n, d in zip(shape, normal.dims, strict=True)
        )
        return TensorLayout(original if original is not None else shape, dims)

    def local_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Static shape every rank holds, padding included."""
        return self.layout(shape).local_shape

    def is_even(self, shape: tuple[int, ...]) -> bool:
        """True when no rank holds padding."""
        return all(d.is_even for d in self.layout(shape).dims)

    def __str__(self) -> str:
        from distc.dialect.text import print_sharding

        return print_sharding(self)
