"""What every localizer needs: the rank's coordinates and extents as scalars, masks, slices.

A rank's facts (offset, true length, coordinate, chunk) are known at compile time for every rank:
they are tables indexed by `partition_id`; a fact equal on all ranks is a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.layout import DimLayout

Number = bool | int | float


class LocalContext:
    """Builds local IR in one block; emits at the ambient insertion point and location."""

    def __init__(self, mesh: Mesh, context: ir.Context, channels: Iterator[int]) -> None:
        self.mesh = mesh
        self.context = context
        self.i64 = ir.IntegerType.get_signless(64, context)
        self._rank: ir.Value | None = None
        self._tables: dict[tuple[int, ...], ir.Value] = {}
        self._masks: dict[tuple[int, tuple[int, ...]], ir.Value] = {}
        self._channels = channels
        self._sent: dict[tuple[object, ...], ir.Value] = {}
        self._facts: ir.InsertionPoint | None = None

    def channel(self) -> int:
        """Return a fresh channel id: every collective has its own."""
        return next(self._channels)

    def sent_once(self, what: tuple[object, ...], send: Callable[[], ir.Value]) -> ir.Value:
        """Return what `send` received; the same `what` is sent once in a block."""
        key = (ir.InsertionPoint.current.block, *what)
        if key not in self._sent:
            self._sent[key] = send()
        return self._sent[key]

    def per_rank(self, fact: Callable[[int], int]) -> ir.Value:
        """Return the i64 scalar `fact(rank)` of the executing rank."""
        table = tuple(fact(rank) for rank in range(self.mesh.size))
        if table not in self._tables:
            with self._at_facts():
                self._tables[table] = self._lookup(table)
        return self._tables[table]

    @contextmanager
    def region_of(self, op: ir.Operation) -> Iterator[None]:
        """While regions of `op` are written, emit a rank's facts before it: once, for all to see.

        Of nested control flow the outermost counts.
        """
        outer = self._facts
        self._facts = outer or ir.InsertionPoint(op)
        try:
            yield
        finally:
            self._facts = outer

    def _at_facts(self) -> AbstractContextManager[object]:
        return self._facts if self._facts is not None else nullcontext()

    def _lookup(self, table: tuple[int, ...]) -> ir.Value:
        if len(set(table)) == 1:
            return build.splat(table[0], (), self.i64)
        if self._rank is None:
            self._rank = build.convert(build.partition_id(self.context), self.i64)
        if table == tuple(range(len(table))):
            return self._rank
        values = build.constant(np.array(table, dtype=np.int64), self.i64)
        entry = build.dynamic_slice(values, [self._rank], [1])
        return build.reshape(entry, ())

    def spread_scalar(self, scalar: ir.Value, dims: Sequence[int]) -> ir.Value:
        """Broadcast a scalar to shape `dims`."""
        return build.broadcast_in_dim(scalar, dims, ()) if dims else scalar

    def valid(self, layout: DimLayout) -> ir.Value:
        """Return i1 `[local size]`: which positions of a dimension hold true elements."""
        size = layout.local_size
        lengths = tuple(layout.extent(rank)[1] for rank in range(self.mesh.size))
        key = (size, lengths)
        if key not in self._masks:
            with self._at_facts():
                positions = build.iota(0, (size,), self.i64)
                length = self.spread_scalar(self.per_rank(lambda r: lengths[r]), (size,))
                self._masks[key] = build.compare(positions, length, "LT")
        return self._masks[key]

    def masked(
        self,
        x: ir.Value,
        sharding: Sharding,
        shape: tuple[int, ...],
        dims: Sequence[int],
        filler: Number,
    ) -> ir.Value:
        """Put the number `filler` where `x` holds padding in `dims`; `shape` is global."""
        mask = self._true_elements(x, sharding, shape, dims)
        if mask is None:
            return x
        local = stablehlo.shape(x)
        return build.select(mask, x, build.splat(filler, local, stablehlo.element_type(x)))

    def filled(
        self,
        x: ir.Value,
        sharding: Sharding,
        shape: tuple[int, ...],
        dims: Sequence[int],
        filler: ir.Value,
    ) -> ir.Value:
        """Put the scalar `filler` where `x` holds padding in `dims`; `shape` is global."""
        mask = self._true_elements(x, sharding, shape, dims)
        if mask is None:
            return x
        return build.select(mask, x, self.spread_scalar(filler, stablehlo.shape(x)))

    def _true_elements(
        self, x: ir.Value, sharding: Sharding, shape: tuple[int, ...], dims: Sequence[int]
    ) -> ir.Value | None:
        """Return i1 of the shape of `x`, None where no rank holds padding in `dims`."""
        layout = sharding.layout(shape)
        mask: ir.Value | None = None
        for dim in dims:
            if layout.dims[dim].is_even:
                continue
            valid = self.valid(layout.dims[dim])
            along = build.broadcast_in_dim(valid, stablehlo.shape(x), (dim,))
            mask = along if mask is None else build.binary("and", mask, along)
        return mask

    def shard(self, x: ir.Value, sharding: Sharding) -> ir.Value:
        """Cut the rank's box, padded with zeros, out of a whole value."""
        shape = stablehlo.shape(x)
        layout = sharding.layout(shape)
        ranks = range(self.mesh.size)
        high = [
            max(d.extent(r)[0] + d.local_size for r in ranks) - n
            for d, n in zip(layout.dims, shape, strict=True)
        ]
        x = self.padded(x, [max(0, h) for h in high])
        starts = [self.per_rank(lambda r, d=d: d.extent(r)[0]) for d in layout.dims]  # type: ignore[misc]
        return build.dynamic_slice(x, starts, layout.local_shape)

    def padded(self, x: ir.Value, high: Sequence[int]) -> ir.Value:
        """Add zeros above, `high` per dimension."""
        if not any(high):
            return x
        zero = build.splat(0, (), stablehlo.element_type(x))
        return build.pad(x, zero, [0] * len(high), list(high))

    def take(self, x: ir.Value, dim: int, indices: ir.Value) -> ir.Value:
        """Pick positions `indices` (i64 `[k]`, clamped) along `dim`."""
        shape = stablehlo.shape(x)
        others = [d for d in range(len(shape)) if d != dim]
        numbers = stablehlo.GatherDims(tuple(others), (dim,), (), (), (dim,), 1)
        sizes = [1 if d == dim else n for d, n in enumerate(shape)]
        return build.gather(x, indices, numbers, sizes)
