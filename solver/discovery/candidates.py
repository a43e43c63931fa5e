"""Candidates: which digits of operands and results may be cut together, from what matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

from distc.dialect.sharding import Reduction
from distc.runtime.program import ValueType
from distc.solver.discovery.dependence import Place
from distc.solver.discovery.sample import INDEX_DTYPES
from distc.solver.discovery.trial import Bench, Digit, Shift, Strategy

Pairs = dict[tuple[Place, Place], list[tuple[Digit, Digit]]]
"""Per dimension of an operand and dimension of a result, digits that run along each other."""
_MAX_CANDIDATES = 2000
_MAX_COMPONENTS = 8


def index_dims(pairs: Pairs) -> dict[tuple[int, int], int]:
    """Operand dimensions that run along a dimension of the first result, whole against whole."""
    return {
        source: target[1]
        for (source, target), found in pairs.items()
        if target[0] == 0 and any(a.pre == b.pre == 1 and a.size == b.size for a, b in found)
    }


def segments(found: Iterable[list[tuple[Digit, Digit]]]) -> list[Digit]:
    """The finest digits of a result dimension that all matches can be written in."""
    digits = [target for pairs in found for _, target in pairs]
    if not digits:
        return []
    borders = sorted({b for d in digits for b in (d.pre, d.pre * d.size)})
    covered = []
    for low, high in pairwise(borders):
        if high % low == 0 and any(d.pre <= low and high <= d.pre * d.size for d in digits):
            covered.append(Digit(digits[0].dim, low, high // low))
    return covered


def refined(found: list[tuple[Digit, Digit]], segment: Digit) -> Digit | None:
    """The part of an operand's digit that lies against `segment` of the result's."""
    for source, target in found:
        inside = target.pre <= segment.pre and (
            segment.pre * segment.size <= target.pre * target.size
        )
        if inside and segment.pre % target.pre == 0:
            return Digit(source.dim, source.pre * (segment.pre // target.pre), segment.size)
    return None


def one_per_operand(
    key: tuple[tuple[int, Digit], ...],
) -> Iterator[tuple[tuple[int, Digit], ...]]:
    """Where two dimensions of an operand run along one result dimension, either may be cut."""
    choices: dict[int, list[tuple[int, Digit]]] = {}
    for operand, digit in key:
        choices.setdefault(operand, []).append((operand, digit))
    yield from product(*choices.values())


def left_over(shape: tuple[int, ...], taken: Sequence[Digit | None]) -> list[Digit]:
    """Digits of a tensor that no strategy cuts."""
    found = []
    for dim, size in enumerate(shape):
        mine = sorted((d for d in taken if d is not None and d.dim == dim), key=lambda d: d.pre)
        at = 1
        for digit in mine:
            if digit.pre > at and digit.pre % at == 0:
                found.append(Digit(dim, at, digit.pre // at))
            at = max(at, digit.pre * digit.size)
        if at < size and size % at == 0:
            found.append(Digit(dim, at, size // at))
    return found


def limited(candidates: Iterable[tuple[Digit | None, ...]]) -> Iterator[tuple[Digit | None, ...]]:
    """The first candidates; an op with very many operands has too many to run."""
    for number, candidate in enumerate(candidates):
        if number >= _MAX_CANDIDATES:
            return
        yield candidate


def changed(
    strategy: Strategy,
    kind: Reduction | None = None,
    seeds: frozenset[int] = frozenset(),
    shift: Shift | None = None,
    groups: bool = False,
) -> Strategy:
    """The same cut, computed or combined in another way."""
    return Strategy(strategy.operands, strategy.results, kind, seeds, shift, groups)


def shifts(
    candidate: Strategy, operands: Sequence[ValueType], bench: Bench, masked: bool
) -> Iterator[Shift]:
    """Ways to move an integer operand that stays whole into the shard of the one cut operand.

    Args:
        candidate: what is cut.
        operands: types of the operands.
        bench: knows which dimensions of an index run along results.
        masked: whether what a shard does not hold becomes neutral in the results.
    """
    if sum(d is not None for d in candidate.operands) != 1:
        return
    for i, (kind, shape) in enumerate(zip(operands, bench.operands, strict=True)):
        if candidate.operands[i] is not None or kind.dtype not in INDEX_DTYPES:
            continue
        free = [d for d in range(len(shape)) if (i, d) not in bench.index_dims]
        if not free or not masked:
            yield Shift(i, None, 0, masked)
        for axis in free:
            components = range(min(shape[axis], _MAX_COMPONENTS))
            yield from (Shift(i, axis, j, masked) for j in components)


def united(failed: list[Strategy], candidates: list[Strategy]) -> Iterator[Strategy]:
    """Candidates of several results as one: an op of many results is often cut all together.

    First where results are cut along the same dimension (a sort), then along any (the statistics
    of a normalisation).
    """
    seen = set()
    for alike in (True, False):
        for first in failed:
            union = first
            for other in candidates:
                if other.size == first.size and other is not first:
                    union = _union(union, other, alike) or union
            if union is not first and union not in seen:
                seen.add(union)
                yield union


def _union(one: Strategy, other: Strategy, alike: bool) -> Strategy | None:
    """Both cuts together where no tensor is cut twice in different ways."""
    if any(
        a is not None and b is not None for a, b in zip(one.results, other.results, strict=True)
    ):
        return None
    operands = list(zip(one.operands, other.operands, strict=True))
    if any(a is not None and b is not None and a != b for a, b in operands):
        return None
    dims = {d for d in (*one.results, *other.results) if d is not None}
    if alike and len({(d.dim, d.pre) for d in dims}) > 1:
        return None
    return Strategy(
        tuple(a if a is not None else b for a, b in operands),
        tuple(a if a is not None else b for a, b in zip(one.results, other.results, strict=True)),
    )


def reachable(strategies: list[Strategy]) -> list[Strategy]:
    """Leave out minor digits that can never be cut: something before them in a dimension is not.

    Joining three tensors of 4 x 8 rows runs along an inner digit of each; no axis can cut it.
    """
    kept = strategies
    while True:
        covered: dict[tuple[str, int, int], list[Digit]] = {}
        for s in kept:
            for side, digits in (("operand", s.operands), ("result", s.results)):
                for i, d in enumerate(digits):
                    if d is not None:
                        covered.setdefault((side, i, d.dim), []).append(d)
        left = [
            s
            for s in kept
            if all(
                d is None or _prefix_covered(d, covered[side, i, d.dim])
                for side, digits in (("operand", s.operands), ("result", s.results))
                for i, d in enumerate(digits)
            )
        ]
        if len(left) == len(kept):
            return kept
        kept = left


def _prefix_covered(digit: Digit, all_digits: list[Digit]) -> bool:
    at = 1
    for other in sorted(all_digits, key=lambda d: d.pre):
        if other.pre == at and at < digit.pre:
            at *= other.size
    return at >= digit.pre
