"""Dimensions as products of pieces that remember where they come from.

A dimension of a value is written, major to minor, as pieces. A piece may belong to a *root*: a
dimension of a function argument, n = outer x size x inner, of which it is the middle part. A
linear layer's output [batch, 576] is one piece of the weight's first dimension; reshaped to
[batch, 9, 64] it is the pieces (outer 1, size 9) and (outer 9, size 64) of the same root.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

NO_ROOT = -1


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a dimension: its size, the root it belongs to, and what is major to it there."""

    size: int
    root: int = NO_ROOT
    outer: int = 1

    @property
    def has_root(self) -> bool:
        """False for a part that no argument's dimension gave."""
        return self.root != NO_ROOT

    def split(self, head: int) -> tuple[Piece, Piece]:
        """Cut into the major `head` positions and the rest; `head` must divide the size."""
        tail = self.size // head
        return replace(self, size=head), replace(self, size=tail, outer=self.outer * head)


Dim = tuple[Piece, ...]


def extent(pieces: Iterable[Piece]) -> int:
    """Number of elements along the pieces."""
    return prod(p.size for p in pieces)


def merged(pieces: Iterable[Piece]) -> Dim:
    """Join neighbours that are neighbours in their root; drop pieces of size one."""
    result: list[Piece] = []
    for piece in pieces:
        if piece.size == 1:
            continue
        last = result[-1] if result else None
        if (
            last is not None
            and last.root == piece.root
            and (not piece.has_root or last.outer * last.size == piece.outer)
        ):
            result[-1] = replace(last, size=last.size * piece.size)
            continue
        result.append(piece)
    return tuple(result)


def distributed(pieces: Sequence[Piece], sizes: Sequence[int]) -> list[Dim] | None:
    """Deal pieces out to dimensions of `sizes`, splitting them where they divide.

    None where a border falls inside a piece at a place that does not divide it.
    """
    queue = list(pieces)
    result: list[Dim] = []
    for size in sizes:
        taken: list[Piece] = []
        left = size
        while left > 1:
            if not queue:
                return None
            piece = queue.pop(0)
            if piece.size == 0:
                return None
            if left % piece.size == 0:
                taken.append(piece)
                left //= piece.size
            elif piece.size % left == 0:
                head, tail = piece.split(left)
                taken.append(head)
                queue.insert(0, tail)
                left = 1
            else:
                return None
        result.append(tuple(taken))
    return result if extent(queue) == 1 else None


def aligned(left: Sequence[Piece], right: Sequence[Piece]) -> list[tuple[Piece, Piece]] | None:
    """Common refinement of two ways to write the same dimension, None where there is none."""
    first, second = list(left), list(right)
    pairs: list[tuple[Piece, Piece]] = []
    while first and second:
        a, b = first.pop(0), second.pop(0)
        if 0 in (a.size, b.size):
            return None
        if a.size > b.size and a.size % b.size == 0:
            a, rest = a.split(b.size)
            first.insert(0, rest)
        elif b.size > a.size and b.size % a.size == 0:
            b, rest = b.split(a.size)
            second.insert(0, rest)
        elif a.size != b.size:
            return None
        pairs.append((a, b))
    return None if first or second else pairs


def reshape_groups(
    source: Sequence[int], target: Sequence[int]
) -> list[tuple[range, range]] | None:
    """Smallest runs of dimensions of both shapes with equally many elements, in order.

    None where a dimension is empty.
    """
    if prod(source) != prod(target) or not prod(source):
        return None
    groups: list[tuple[range, range]] = []
    i = j = 0
    while i < len(source) or j < len(target):
        first, second = i, j
        left = right = 1
        while True:
            if left <= right and i < len(source):
                left *= source[i]
                i += 1
            elif j < len(target):
                right *= target[j]
                j += 1
            elif i < len(source):
                left *= source[i]
                i += 1
            if left == right:
                break
        groups.append((range(first, i), range(second, j)))
    return groups
