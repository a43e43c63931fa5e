"""What a reshape does to dimensions: the factors of each result dimension, major to minor.

A reshape keeps the row-major order, so it is known by its *cuts*: the products of leading
dimensions. A cut of the source inside a result dimension splits that dimension into factors:

    [2, 8, 3, 4] -> [16, 12] has factors (2, 8), (3, 4)        two dimensions are merged, twice
    [2, 12] -> [2, 3, 4]     has factors (2), (3), (4)         nothing is merged
    [6, 4] -> [4, 6]         has factors (4), (6)              nothing can be said

Pure integer arithmetic, no MLIR.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import TypeAlias

Ints: TypeAlias = tuple[int, ...]
Factors: TypeAlias = tuple[Ints, ...]
"""Per dimension, its factors."""


def plain(dims: Sequence[int]) -> Factors:
    """Every dimension is its own only factor."""
    return tuple((n,) for n in dims)


def flatten(factors: Factors) -> Ints:
    """All factors in a row: the shape before the merge."""
    return tuple(n for dim in factors for n in dim)


def positions(factors: Factors) -> tuple[tuple[int, ...], ...]:
    """Per dimension, where its factors stand in `flatten(factors)`."""
    ends = list(accumulate((len(dim) for dim in factors), initial=0))
    return tuple(tuple(range(a, b)) for a, b in pairwise(ends))


def is_plain(factors: Factors) -> bool:
    """True when no dimension has more than one factor."""
    return all(len(dim) == 1 for dim in factors)


def merge_factors(source: Sequence[int], target: Sequence[int]) -> Factors:
    """Factors of each dimension of `target` in a reshape of `source` to it.

    Sizes of one are no factors, except alone. Empty tensors are never taken apart.
    """
    if 0 in source or 0 in target:
        return plain(target)
    cuts = sorted(set(accumulate(source, mul)))
    factors, low = [], 1
    for size in target:
        high = low * size
        inner = [c for c in cuts if low < c < high and c % low == 0 and high % c == 0]
        factors.append(tuple(b // a for a, b in pairwise((low, *inner, high))))
        low = high
    return tuple(factors)


def _cuts(factors: Ints) -> Ints:
    return tuple(accumulate(factors, mul))[:-1]


def _from_cuts(cuts: Sequence[int], size: int) -> Ints:
    return tuple(b // a for a, b in pairwise((1, *cuts, size)))


def common(one: Ints, other: Ints) -> Ints:
    """Factors of a dimension that both ways to split it know.

    (2, 3, 4) and (6, 4) have (6, 4) in common; (2, 3) and (3, 2) only (6,).
    """
    shared = sorted(set(_cuts(one)) & set(_cuts(other)))
    return _from_cuts(shared, prod(one))


def refine(one: Ints, other: Ints) -> Ints:
    """Factors fine enough for both ways, `one` where they contradict each other.

    (2, 12) and (6, 4) give (2, 3, 4); (2, 3) and (3, 2) give (2, 3).
    """
    size = prod(one)
    joined = sorted(set(_cuts(one)) | set(_cuts(other)))
    if all(b % a == 0 for a, b in pairwise((1, *joined, size))):
        return _from_cuts(joined, size)
    return one


def refine_all(one: Factors, other: Factors) -> Factors:
    """`refine`, dimension by dimension."""
    return tuple(refine(a, b) for a, b in zip(one, other, strict=True))
