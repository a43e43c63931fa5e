"""Sorts along a cut dimension: shards are sorted, and as little as possible is sent.

    first k wanted    every rank sorts its shard and gives its first k; the p·k are sorted again
    another dimension an all-to-all cuts that instead, a whole sort, an all-to-all back
    nothing else      odd-even merge-split: p rounds in which neighbours sort two shards together,
                      the lower one keeps the lower half; no rank holds more than two shards

All of them are stable where lower shards come first, so ties fall as on one device. Padding must
not take part: it is replaced by the first true element, which any comparator takes, and a passenger
that says what is true is the key of a second, stable sort that brings true elements to the front.

Source: odd-even transposition with merge-split, Knuth, TAOCP 3, section 5.3.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer
from distc.transforms.localize.window import fetch


@dataclass(frozen=True, slots=True)
class _Rows:
    """Values that are sorted together along a dimension; `true` is 1 where they are not padding."""

    values: tuple[ir.Value, ...]
    true: ir.Value | None

    @property
    def all(self) -> tuple[ir.Value, ...]:
        return self.values if self.true is None else (*self.values, self.true)

    def like(self, values: Sequence[ir.Value]) -> _Rows:
        """Rows of other values, in the order of `all`."""
        if self.true is None:
            return _Rows(tuple(values), None)
        return _Rows(tuple(values[:-1]), values[-1])


@localizer("stablehlo.sort")
def _sort(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Sort along a whole dimension as it is, along a cut one by one of the three ways."""
    dim = stablehlo.sort(local.op).dim
    if not local.is_cut(0, dim):
        return local.copied()
    return _Sorter(ctx, local, dim).run()


class _Sorter:
    def __init__(self, ctx: LocalContext, local: LocalOp, dim: int) -> None:
        self.ctx, self.local, self.op, self.dim = ctx, local, local.op, dim
        self.layout = local.operand_dim(0, dim)
        self.axes = local.operand_shardings[0].dims[dim].axes
        self.groups = ctx.mesh.groups(self.axes)
        self.ranks = len(self.groups[0])

    def run(self) -> tuple[ir.Value, ...]:
        rows = _Rows(self.local.operands, self._true(self.local.operands[0]))
        first = stablehlo.first_of_sort(self.op)
        if first is not None:
            return self._first(rows, first)
        other = self._other_dimension(rows)
        return self._merge_split(rows) if other is None else self._elsewhere(rows, other)

    def _true(self, x: ir.Value) -> ir.Value | None:
        if self.layout.is_even:
            return None
        flags = build.convert(self.ctx.valid(self.layout), self._flag)
        return build.broadcast_in_dim(flags, stablehlo.shape(x), (self.dim,))

    @property
    def _flag(self) -> ir.Type:
        return ir.IntegerType.get_signless(32, self.ctx.context)

    def _sorted(self, rows: _Rows) -> _Rows:
        """True elements first, in the order of the comparator, ties in the order they come in."""
        if rows.true is None:
            return rows.like(self._by_comparator(rows.values))
        there = build.compare(
            rows.true, build.splat(0, stablehlo.shape(rows.true), self._flag), "GT"
        )
        values = [build.select(there, v, self._first_element(v)) for v in rows.values]
        return rows.like(self._by_truth(self._by_comparator((*values, rows.true))))

    def _first_element(self, x: ir.Value) -> ir.Value:
        shape = stablehlo.shape(x)
        limit = [1 if d == self.dim else n for d, n in enumerate(shape)]
        head = build.slice_(x, [0] * len(shape), limit)
        return build.broadcast_in_dim(head, shape, tuple(range(len(shape))))

    def _by_comparator(self, operands: Sequence[ir.Value]) -> list[ir.Value]:
        """The op's own sort, stable; operands beyond its own go along."""
        extra = operands[len(self.op.operands) :]
        made = self._empty_sort(operands)
        donor = build.clone(self.op)
        block = donor.regions[0].blocks[0]
        block.append_to(made.regions[0])
        donor.erase()
        for value in extra:
            kind = build.tensor_type((), stablehlo.element_type(value))
            for _ in range(2):
                made.regions[0].blocks[0].add_argument(kind, self.op.location)
        return list(made.results)

    def _by_truth(self, operands: Sequence[ir.Value]) -> list[ir.Value]:
        """What is true first, otherwise as it is."""
        made = self._empty_sort(operands)
        kinds = [
            build.tensor_type((), stablehlo.element_type(v)) for v in operands for _ in range(2)
        ]
        block = made.regions[0].blocks.append(*kinds, arg_locs=[self.op.location] * len(kinds))
        with ir.InsertionPoint(block):
            left, right = list(block.arguments)[-2:]
            build.create("return", [build.compare(left, right, "GT")], [])
        return list(made.results)

    def _empty_sort(self, operands: Sequence[ir.Value]) -> ir.Operation:
        attributes = {
            "dimension": build.i64(self.dim, self.ctx.context),
            "is_stable": ir.BoolAttr.get(True, self.ctx.context),
        }
        types = [v.type for v in operands]
        return build.create("sort", list(operands), types, attributes, regions=1)

    def _cut(self, rows: _Rows, start: int, limit: int) -> _Rows:
        def piece(x: ir.Value) -> ir.Value:
            shape = stablehlo.shape(x)
            low = [start if d == self.dim else 0 for d in range(len(shape))]
            high = [limit if d == self.dim else n for d, n in enumerate(shape)]
            return build.slice_(x, low, high)

        return rows.like([piece(v) for v in rows.all])

    def _first(self, rows: _Rows, count: int) -> tuple[ir.Value, ...]:
        """The first `count` of all shards, and zeros where nobody looks."""
        rows = self._cut(self._sorted(rows), 0, min(count, self.layout.local_size))
        gathered = [
            build.all_gather(v, self.dim, self.groups, self.ctx.channel()) for v in rows.all
        ]
        found = self._cut(self._sorted(rows.like(gathered)), 0, count)
        missing = self.layout.size - stablehlo.shape(found.values[0])[self.dim]
        return tuple(self._lengthened(v, self.dim, missing) for v in found.values)

    def _lengthened(self, x: ir.Value, dim: int, missing: int) -> ir.Value:
        """Zeros behind `x`."""
        if missing == 0:
            return x
        rank = len(stablehlo.shape(x))
        zero = build.splat(0, (), stablehlo.element_type(x))
        high = [missing if d == dim else 0 for d in range(rank)]
        return build.pad(x, zero, [0] * rank, high)

    def _other_dimension(self, rows: _Rows) -> int | None:
        """The dimension to cut instead, None where merging sends less.

        Shards travel there and back, but for the part that stays; a dimension that does not divide
        is padded first. Merging sends a shard in each of its rounds, of which two ranks need one.
        """
        shape = stablehlo.shape(rows.values[0])
        others = [d for d, n in enumerate(shape) if d != self.dim and n > 0]
        sent = {d: self._to_multiple(shape[d]) / shape[d] for d in others}
        best = min(others, key=lambda d: (sent[d], -shape[d]), default=None)
        rounds = self.ranks if self.ranks > 2 else 1
        if best is None or 2 * sent[best] * (self.ranks - 1) / self.ranks > rounds:
            return None
        return best

    def _to_multiple(self, count: int) -> int:
        return -(-count // self.ranks) * self.ranks

    def _elsewhere(self, rows: _Rows, other: int) -> tuple[ir.Value, ...]:
        count = stablehlo.shape(rows.values[0])[other]
        missing = self._to_multiple(count) - count

        def there(index: int, x: ir.Value) -> ir.Value:
            padded = self._lengthened(x, other, missing)
            if self._is_count(index):
                sizes = list(stablehlo.shape(padded))
                sizes[other] //= self.ranks
                sizes[self.dim] *= self.ranks
                return build.iota(self.dim, sizes, stablehlo.element_type(x))
            return build.all_to_all(padded, other, self.dim, self.groups, self.ctx.channel())

        def back(x: ir.Value) -> ir.Value:
            came = build.all_to_all(x, self.dim, other, self.groups, self.ctx.channel())
            shape = stablehlo.shape(came)
            limit = [count if d == other else n for d, n in enumerate(shape)]
            return build.slice_(came, [0] * len(shape), limit) if missing else came

        whole = self._sorted(rows.like([there(i, v) for i, v in enumerate(rows.all)]))
        return tuple(back(self._dealt(v)) for v in whole.values)

    def _is_count(self, index: int) -> bool:
        """True for an operand that counts along the sorted dimension: a rank makes it itself."""
        if index >= len(self.op.operands) or not self._is_packed():
            return False
        made = stablehlo.defining_op(self.op.operands[index])
        while made is not None and made.name in ("dist.all_slice", "dist.all_gather"):
            made = stablehlo.defining_op(made.operands[0])
        if made is not None and made.name == "stablehlo.broadcast_in_dim":
            # A counter of one element would be spread, not counted.
            long = stablehlo.shape(made.operands[0]) == (self.layout.size,)
            counter = stablehlo.defining_op(made.operands[0])
            counts = counter is not None and counter.name == "stablehlo.iota"
            return counts and long and stablehlo.broadcast_dims(made) == (self.dim,)
        if made is None or made.name != "stablehlo.iota":
            return False
        return stablehlo.iota_dim(made) == self.dim

    def _dealt(self, x: ir.Value) -> ir.Value:
        """Sorted elements in pieces as long as shards are: true lengths, padded."""
        if self.layout.is_even:
            return x
        size, shape = self.layout.local_size, stablehlo.shape(x)
        pieces = []
        for rank in self.groups[0]:
            start = min(self.layout.extent(rank)[0], shape[self.dim] - size)
            # A short last piece starts early; what is too much in front of it is rolled behind.
            late = self.layout.extent(rank)[0] - start
            pieces.append(self._range(x, start + late, start + size))
            if late:
                pieces.append(self._range(x, start, start + late))
        return build.concatenate(pieces, self.dim)

    def _range(self, x: ir.Value, start: int, limit: int) -> ir.Value:
        return self._cut(_Rows((x,), None), start, limit).values[0]

    def _merge_split(self, rows: _Rows) -> tuple[ir.Value, ...]:
        rows = self._sorted(rows)
        place = {rank: i for group in self.groups for i, rank in enumerate(group)}
        for number in range(self.ranks):
            rows = self._round(rows, place, number % 2)
        return tuple(self._as_lying(v) for v in rows.values)

    def _round(self, rows: _Rows, place: dict[int, int], parity: int) -> _Rows:
        """Shards i and i + 1, i of one parity, are sorted together."""
        pairs = [
            (group[i], group[i + 1])
            for group in self.groups
            for i in range(parity, self.ranks - 1, 2)
        ]
        if not pairs:
            return rows
        both = [*pairs, *((b, a) for a, b in pairs)]
        lower, upper = {a for a, _ in pairs}, {b for _, b in pairs}
        size = self.layout.local_size
        is_lower, is_upper = (self._is_in(s) for s in (lower, upper))

        def row(x: ir.Value) -> ir.Value:
            came = build.collective_permute(x, both, self.ctx.channel())
            shape = stablehlo.shape(x)
            up = self.ctx.spread_scalar(is_upper, shape)
            return build.concatenate(
                [build.select(up, came, x), build.select(up, x, came)], self.dim
            )

        merged = self._sorted(rows.like([row(v) for v in rows.all]))
        halves = self._cut(merged, 0, size), self._cut(merged, size, 2 * size)

        def kept(old: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
            shape = stablehlo.shape(old)
            new = build.select(self.ctx.spread_scalar(is_lower, shape), low, old)
            return build.select(self.ctx.spread_scalar(is_upper, shape), high, new)

        return rows.like(
            [kept(*three) for three in zip(rows.all, halves[0].all, halves[1].all, strict=True)]
        )

    def _is_in(self, ranks: set[int]) -> ir.Value:
        member = self.ctx.per_rank(lambda r: int(r in ranks))
        return build.compare(member, build.splat(1, (), self.ctx.i64), "EQ")

    def _as_lying(self, x: ir.Value) -> ir.Value:
        """Merging fills shards from the front; where they lie otherwise, fetch what is missing."""
        if self._is_packed():
            return x
        size, packed = self.layout.local_size, self._packed()
        zero = build.splat(0, (), stablehlo.element_type(x))
        return fetch(self.ctx, x, self.dim, packed, lambda r: self.layout.extent(r)[0], size, zero)

    def _packed(self) -> DimLayout:
        return DimLayout(self.layout.local_size * self.ranks, self.layout.splits)

    def _is_packed(self) -> bool:
        """True where every shard that holds anything starts at a multiple of the local size."""
        packed = self._packed()
        extents = [(r, self.layout.extent(r)) for r in range(self.ctx.mesh.size)]
        return all(n == 0 or packed.extent(r)[0] == offset for r, (offset, n) in extents)
