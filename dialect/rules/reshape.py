"""Common factors of two shapes with equally many elements."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True, slots=True)
class ReshapeFactor:
    """A factor of a reshape: of both shapes, or of one where the borders do not line up."""

    size: int
    source: int | None
    target: int | None


def reshape_factors(source: tuple[int, ...], target: tuple[int, ...]) -> list[ReshapeFactor]:
    """Write both shapes as products of factors, major to minor.

    Walking both from the left, the greatest common divisor of what is left of the two current
    dimensions is a factor of both. Where it is one, the borders do not line up (6 x 4 as 4 x 6
    after the common 2): what is left up to the next common border belongs to each shape alone.
    Dimensions of size one have no factor. Sizes must not be zero.
    """
    left, right = list(source), list(target)
    factors: list[ReshapeFactor] = []
    i = j = 0
    while True:
        i = _next(left, i)
        j = _next(right, j)
        if i == len(left) or j == len(right):
            break
        common = gcd(left[i], right[j])
        if common == 1:
            i, j = _past_border(left, right, i, j)
            continue
        factors.append(ReshapeFactor(common, i, j))
        left[i] //= common
        right[j] //= common
    factors += [ReshapeFactor(n, d, None) for d, n in enumerate(left) if n > 1]
    factors += [ReshapeFactor(n, None, d) for d, n in enumerate(right) if n > 1]
    return factors


def _past_border(left: list[int], right: list[int], i: int, j: int) -> tuple[int, int]:
    """Where both shapes go on after the next position at which a dimension of each ends."""
    a, b = left[i], right[j]
    while a != b:
        if a < b:
            i += 1
            a *= left[i]
        else:
            j += 1
            b *= right[j]
    return i + 1, j + 1


def _next(sizes: list[int], start: int) -> int:
    while start < len(sizes) and sizes[start] == 1:
        start += 1
    return start
