"""What two boxes have in common where they are cut in different views of one tensor.

Two views of a tensor agree on some boundaries (products of their leading sizes). Between two
common boundaries each box is a set of positions, written as runs; a tensor's common part is the
product of the common runs of all stretches. For equal views that is the intersection of boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from distc.runtime.checkpoint.index import Box

Ints = Sequence[int]
Run = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The common part of a source and a target box, on dimensions that both can be reshaped to.

    `shape_of_source` and `shape_of_target` are those of the two boxes; each block is a
    (source offset, target offset, length) per dimension.
    """

    shape_of_source: tuple[int, ...]
    shape_of_target: tuple[int, ...]
    runs: tuple[tuple[tuple[int, int, int], ...], ...]

    @property
    def elements(self) -> int:
        """Elements of the common part."""
        return prod(sum(n for *_, n in runs) for runs in self.runs)

    def blocks(self) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
        """Yield (slices of the source, slices of the target) that hold the same elements."""
        for block in product(*self.runs):
            yield (
                tuple(slice(s, s + n) for s, _, n in block),
                tuple(slice(t, t + n) for _, t, n in block),
            )


def overlap(source_view: Ints, source: Box, target_view: Ints, target: Box) -> Overlap:
    """Return what two boxes have in common; both views have the same number of elements."""
    runs, source_shape, target_shape = [], [], []
    for dims, other in _stretches(source_view, target_view):
        ours = _runs([source_view[d] for d in dims], [source[d] for d in dims])
        theirs = _runs([target_view[d] for d in other], [target[d] for d in other])
        runs.append(tuple(_common(ours, theirs)))
        source_shape.append(sum(n for _, n in ours))
        target_shape.append(sum(n for _, n in theirs))
    return Overlap(tuple(source_shape), tuple(target_shape), tuple(runs))


def _stretches(a: Ints, b: Ints) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the dimensions of two views between their common boundaries."""
    i = j = 0
    while i < len(a) or j < len(b):
        mine: list[int] = []
        theirs: list[int] = []
        size, other = 1, 1
        while True:
            if i < len(a) and (size <= other or j == len(b)):
                size *= a[i]
                mine.append(i)
                i += 1
            elif j < len(b):
                other *= b[j]
                theirs.append(j)
                j += 1
            if size == other and mine and theirs:
                break
            if i == len(a) and j == len(b):
                break
        yield mine, theirs


def _runs(sizes: Ints, box: Sequence[Run]) -> list[Run]:
    """Return the positions of a box in the row of its dimensions, as (offset, length)."""
    current, inner = [(0, 1)], 1
    for size, (offset, length) in zip(reversed(sizes), reversed(box), strict=True):
        if current == [(0, inner)]:
            current = [(offset * inner, length * inner)] if length else []
        else:
            rows = range(offset, offset + length)
            current = [(row * inner + start, n) for row in rows for start, n in current]
        inner *= size
    return current


def _common(ours: Sequence[Run], theirs: Sequence[Run]) -> Iterator[tuple[int, int, int]]:
    """Yield (position in ours, position in theirs, length), counted along the runs of each."""
    i = j = at = other_at = 0
    while i < len(ours) and j < len(theirs):
        (start, n), (other, m) = ours[i], theirs[j]
        low, high = max(start, other), min(start + n, other + m)
        if low < high:
            yield at + low - start, other_at + low - other, high - low
        if start + n <= other + m:
            i, at = i + 1, at + n
        else:
            j, other_at = j + 1, other_at + m
