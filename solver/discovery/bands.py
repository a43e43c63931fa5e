"""Bands: dimensions of which a result's shard needs a window of the operand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Band:
    """Dimensions of operands and results whose dependence is a band.

    Attributes:
        operands: per operand its dimension, None where it stays whole.
        results: per result its dimension.
        low: elements needed before the rank's own, at most.
        high: elements needed after the rank's own, at most.
        reversed: whether shards come in opposite order.
    """

    operands: tuple[int | None, ...]
    results: tuple[int | None, ...]
    low: int
    high: int
    reversed: bool

    def window(self, size: int, total: int, low: int, high: int) -> tuple[int, int]:
        """Elements of an operand dimension that positions low … high-1 of a result need.

        Args:
            size: of the operand's dimension.
            total: size of the result's dimension.
            low: first position of the shard.
            high: one after its last position.
        """
        first, last = (total - high, total - low) if self.reversed else (low, high)
        begin = max(0, first * size // total - self.low)
        end = min(size, -(-last * size // total) + self.high)
        return begin, max(begin, end)


def band_shape(found: list[tuple[int, int] | None], size: int) -> tuple[int, int, bool] | None:
    """Halo before and after, and direction, of a band; None where it is none."""
    known = [(place, s) for place, s in enumerate(found) if s is not None]
    if len(known) > 1 and len({s for _, s in known}) == 1:
        return None
    if not known or max(b - a + 1 for _, (a, b) in known) > max(1, size // 2):
        return None
    forward = _is_monotone([s for _, s in known])
    backward = _is_monotone([s for _, s in reversed(known)])
    if not forward and not backward:
        return None
    total = len(found)
    low = high = 0
    for place, (a, b) in known:
        at = place if forward else total - 1 - place
        low = max(low, at * size // total - a)
        high = max(high, b - (-(-(at + 1) * size // total) - 1))
    return low, high, not forward


def _is_monotone(intervals: list[tuple[int, int]]) -> bool:
    return all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(intervals))


def merged_bands(bands: list[Band]) -> list[Band]:
    """Bands of several results over operand dimensions that do not disagree are one."""
    merged: list[Band] = []
    for band in bands:
        same = next((m for m in merged if _goes_with(m, band)), None)
        if same is None:
            merged.append(band)
            continue
        merged[merged.index(same)] = Band(
            tuple(
                a if a is not None else b for a, b in zip(same.operands, band.operands, strict=True)
            ),
            tuple(
                a if a is not None else b for a, b in zip(same.results, band.results, strict=True)
            ),
            max(same.low, band.low),
            max(same.high, band.high),
            band.reversed,
        )
    return merged


def _goes_with(one: Band, other: Band) -> bool:
    def agree(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> bool:
        return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))

    dims = {d for d in (*one.results, *other.results) if d is not None}
    apart = all(a is None or b is None for a, b in zip(one.results, other.results, strict=True))
    return (
        len(dims) == 1
        and apart
        and agree(one.operands, other.operands)
        and one.reversed == other.reversed
    )
