"""Fetch the stretch of a cut dimension that a rank needs: neighbour traffic instead of a gather.

Rank r wants elements [start_r, start_r + size) of a dimension of n elements that is cut by
`layout`; what lies outside [0, n) is the filler. Who has to send to whom is known at compile time:

    1. for every pair (owner s, rank r): the overlap of s's box with what r wants
    2. pairs are dealt into rounds in which a rank sends at most once and receives at most once;
       a round is one collective_permute of the largest overlap in it
    3. own elements and what arrived stand in a row; per rank and round a shift maps the wanted
       position to its place in the row
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.literals import splat_value
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext

Fact = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class _Transfer:
    """What `receiver` needs of `sender`: global elements [low, high)."""

    sender: int
    receiver: int
    low: int
    high: int


def fetch(
    ctx: LocalContext,
    x: ir.Value,
    dim: int,
    layout: DimLayout,
    start: Fact,
    size: int,
    filler: ir.Value,
) -> ir.Value:
    """Return `size` elements of `dim` from the global position `start(rank)` on every rank.

    Args:
        ctx: the rank's context.
        x: the local shard.
        dim: the dimension that `layout` cuts.
        layout: how it is cut.
        start: first global position wanted, may be negative; known per rank.
        size: number of positions, the same on every rank.
        filler: scalar for positions outside the dimension.
    """
    rounds = [] if _is_splat(x) else _rounds(ctx, layout, start, size)
    row, width = [x], layout.local_size
    moves: list[tuple[Fact, Fact, Fact]] = [_own(layout)]
    for transfers in rounds:
        count = max(t.high - t.low for t in transfers)
        piece, move = _exchange(ctx, x, dim, layout, transfers, count, width)
        row.append(piece)
        moves.append(move)
        width += count
    whole = build.concatenate(row, dim) if len(row) > 1 else x
    wanted = build.binary(
        "add",
        build.iota(0, (size,), ctx.i64),
        ctx.spread_scalar(ctx.per_rank(start), (size,)),
    )
    places = _places(ctx, wanted, moves, size)
    found = ctx.take(whole, dim, places)
    return _fill_outside(ctx, found, dim, wanted, layout.size, filler)


def _is_splat(x: ir.Value) -> bool:
    """True for a constant that is one number: what others hold of it is what the rank holds."""
    op = stablehlo.defining_op(x)
    return op is not None and op.name == "stablehlo.constant" and splat_value(op) is not None


def _own(layout: DimLayout) -> tuple[Fact, Fact, Fact]:
    """(low, high, shift) of the rank's own elements in the row."""
    return (
        lambda r: layout.extent(r)[0],
        lambda r: sum(layout.extent(r)),
        lambda r: -layout.extent(r)[0],
    )


def _rounds(ctx: LocalContext, layout: DimLayout, start: Fact, size: int) -> list[list[_Transfer]]:
    """Deal all transfers into rounds: nearest owners first, one send and one receive per rank."""
    transfers: list[_Transfer] = []
    for group in _groups(ctx, layout):
        for receiver in group:
            low, high = max(0, start(receiver)), min(layout.size, start(receiver) + size)
            for sender in group:
                offset, length = layout.extent(sender)
                a, b = max(low, offset), min(high, offset + length)
                if sender != receiver and a < b:
                    transfers.append(_Transfer(sender, receiver, a, b))
    rounds: list[list[_Transfer]] = []
    for transfer in sorted(transfers, key=lambda t: (t.sender - t.receiver, t.receiver)):
        for members in rounds:
            taken = any(
                m.sender == transfer.sender or m.receiver == transfer.receiver for m in members
            )
            if not taken:
                members.append(transfer)
                break
        else:
            rounds.append([transfer])
    return rounds


def _groups(ctx: LocalContext, layout: DimLayout) -> list[list[int]]:
    """Ranks that hold the parts of one copy of the dimension."""
    groups: dict[int, list[int]] = {}
    for rank in range(ctx.mesh.size):
        base = rank - sum(s.coordinate(rank) * s.stride for s in layout.splits)
        groups.setdefault(base, []).append(rank)
    return list(groups.values())


def _exchange(
    ctx: LocalContext,
    x: ir.Value,
    dim: int,
    layout: DimLayout,
    transfers: list[_Transfer],
    count: int,
    width: int,
) -> tuple[ir.Value, tuple[Fact, Fact, Fact]]:
    """Move `count` elements in one round; return the piece and where it lies in the row."""
    sends = {t.sender: t for t in transfers}
    receives = {t.receiver: t for t in transfers}

    def first_sent(sender: int) -> int:
        if sender not in sends:
            return 0
        inside = sends[sender].low - layout.extent(sender)[0]
        return min(inside, layout.local_size - count)

    shape = list(stablehlo.shape(x))
    shape[dim] = count
    starts = [ctx.per_rank(lambda _: 0)] * len(shape)
    starts[dim] = ctx.per_rank(first_sent)
    pairs = tuple(sorted((t.sender, t.receiver) for t in transfers))

    def send() -> ir.Value:
        return build.collective_permute(build.dynamic_slice(x, starts, shape), pairs, ctx.channel())

    # Forward and backward of a window often want the same neighbours.
    piece = ctx.sent_once((x, dim, count, starts[dim], pairs), send)

    def shift(rank: int) -> int:
        if rank not in receives:
            return 0
        sender = receives[rank].sender
        return width - first_sent(sender) - layout.extent(sender)[0]

    def low(rank: int) -> int:
        return receives[rank].low if rank in receives else 0

    def high(rank: int) -> int:
        return receives[rank].high if rank in receives else 0

    return piece, (low, high, shift)


def _places(
    ctx: LocalContext, wanted: ir.Value, moves: list[tuple[Fact, Fact, Fact]], size: int
) -> ir.Value:
    """Map wanted global positions to places in the row."""
    places = build.splat(0, (size,), ctx.i64)
    for low, high, shift in moves:
        moved = build.binary("add", wanted, ctx.spread_scalar(ctx.per_rank(shift), (size,)))
        places = build.select(_between(ctx, wanted, low, high, size), moved, places)
    return places


def _between(ctx: LocalContext, x: ir.Value, low: Fact, high: Fact, size: int) -> ir.Value:
    above = build.compare(x, ctx.spread_scalar(ctx.per_rank(low), (size,)), "GE")
    below = build.compare(x, ctx.spread_scalar(ctx.per_rank(high), (size,)), "LT")
    return build.binary("and", above, below)


def _fill_outside(
    ctx: LocalContext, x: ir.Value, dim: int, wanted: ir.Value, size: int, filler: ir.Value
) -> ir.Value:
    shape = stablehlo.shape(x)
    inside = _between(ctx, wanted, lambda _: 0, lambda _: size, shape[dim])
    mask = build.broadcast_in_dim(inside, shape, (dim,))
    return build.select(mask, x, ctx.spread_scalar(filler, shape))
