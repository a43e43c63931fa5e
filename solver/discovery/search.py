"""All strategies of a subject: candidates from dependence, believed only after execution.

    pass       digits of operands that match a digit of a result, cut together
    created    digits of results that no operand has
    reduction  digits of operands that no result has, cut together; results combine
    window     dimensions whose dependence is a band: shards need neighbours' elements

Each pass candidate that fails as it is runs again with an index moved into the shard; each
reduction candidate also with operands that count once, and with moved and masked look-ups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.solver.discovery.dependence import Dependence, Place, matches, places, probe, spans
from distc.solver.discovery.sample import ALL, DEFINITE, FINITE, Regime, Sampler
from distc.solver.discovery.sizes import SEARCH, Sizes, chosen
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import (
    COMBINE,
    NEEDED_BITS,
    Bench,
    Digit,
    Rejected,
    Shift,
    Strategy,
    bounds,
    equal,
    evidence,
    kinds_of,
    neutral,
)

SHARDS = (2, 3)
MAX_TRIALS = 64
MIN_TRIALS = 3
_MAX_CANDIDATES = 2000


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


@dataclass
class Outcome:
    """What a search found, at the sizes it used."""

    strategies: list[Strategy] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    dependence: Dependence = field(default_factory=Dependence)
    notes: list[str] = field(default_factory=list)


class Search:
    """One search at fixed sizes."""

    def __init__(self, subject: Subject, sizes: Sizes | None = None, seed: int = 0) -> None:
        """Prepare a search at `sizes`, small ones where not given.

        Raises:
            Rejected: the op does not verify at these sizes.
        """
        self.subject = subject
        self.sizes = sizes or chosen(subject, SEARCH, keep=True)
        self.bench = Bench(subject, *self.sizes)
        largest = max((n for s in self.sizes[0] for n in s), default=2)
        self.sampler = Sampler(subject.operands, max(2, largest), seed)
        self._trials: dict[Regime, list[tuple[list[Tensor], list[Tensor]]]] = {}
        self._dead: set[Regime] = set()
        self.shards: tuple[int, ...] = SHARDS
        self.finite: tuple[Regime, ...] = FINITE
        self.all: tuple[Regime, ...] = ALL

    def run(self) -> Outcome:
        """Find everything."""
        found = Outcome()
        if any(0 in s for s in (*self.sizes[0], *self.sizes[1])):
            found.notes.append("no elements: nothing to cut")
            return found
        if not self.subject.operands:
            found.strategies = self._created_only()
            return found
        pairs = self.prepare(found)
        found.strategies = self._passes(list(self._pass_candidates(pairs)))
        found.strategies += self._created(found)
        found.strategies += self._reductions(found.strategies)
        found.strategies = _reachable(found.strategies)
        found.bands = self._bands(found)
        return found

    def prepare(
        self, outcome: Outcome | None = None
    ) -> dict[tuple[Place, Place], list[tuple[Digit, Digit]]]:
        """Choose what data to use and look at dependence; return the matching digits."""
        if not self.subject.operands:
            return {}
        self._regimes()
        dependence = probe(self.bench, self.sampler, self.all * (2 if self._mixed() else 1))
        pairs = self._matches(dependence)
        self.bench.index_dims = _index_dims(pairs)
        if outcome is not None:
            outcome.dependence = dependence
        return pairs

    def _regimes(self) -> None:
        """Use positive definite matrices where other values give nothing but NaN."""
        self.finite, self.all = FINITE, ALL
        trial = self.trial(Regime.SIGNED, 0)
        outs = trial[1] if trial is not None else []
        if outs and all(o.dtype.is_floating_point and bool(o.isnan().all()) for o in outs):
            self.finite = self.all = DEFINITE

    def _mixed(self) -> bool:
        """Whether integers may be indices into other operands."""
        kinds = {t.dtype in ("i32", "i64", "ui32", "ui64") for t in self.subject.operands}
        return len(kinds) > 1

    # Trials

    def trial(self, regime: Regime, number: int) -> tuple[list[Tensor], list[Tensor]] | None:
        """Inputs and whole results of trial `number` of a regime, None where the op refuses."""
        if regime in self._dead:
            return None
        made = self._trials.setdefault(regime, [])
        while len(made) <= number:
            inputs = self.sampler.inputs(self.bench.operands, regime, self.subject.ranks)
            try:
                made.append((inputs, self.bench.whole(inputs)))
            except Rejected:
                self._dead.add(regime)
                return None
        return made[number]

    def trials(self, regimes: Sequence[Regime]) -> Iterator[tuple[list[Tensor], list[Tensor]]]:
        """Trials of all regimes by turns."""
        for number in range(MAX_TRIALS):
            alive = False
            for regime in regimes:
                trial = self.trial(regime, number)
                if trial is not None:
                    alive = True
                    yield trial
            if not alive:
                return

    def holds(self, strategy: Strategy, shards: int) -> bool:
        """True when a strategy recombines exactly on enough independent inputs."""
        if self.bench.instances(strategy, shards) is None:
            return False
        open_results = [d is None for d in strategy.results]
        regimes = self.finite if strategy.kind is not None else self.all
        bits = [0] * len(open_results)
        count = 0
        for inputs, wanted in self.trials(regimes):
            try:
                outs = list(self.bench.shards(strategy, shards, inputs))
            except Rejected:
                return False
            spans_ = bounds(strategy.size, shards)
            for r, digit in enumerate(strategy.results):
                parts = [o[r] for o in outs]
                if not _recombines(digit, strategy.kind, parts, spans_, wanted[r]):
                    return False
                kind = None if digit is not None else strategy.kind
                bits[r] += min(self._worth(strategy), evidence(kind, parts, wanted[r]))
            count += 1
            if count >= MIN_TRIALS and min(bits, default=0) >= NEEDED_BITS:
                return True
        return False

    # Claims about data, whatever the implementation

    def local(self, strategy: Strategy) -> bool:
        """True when shards of the results depend on the operands' shards alone.

        What lies outside the shards of the cut operands is replaced; whole operands stay.
        """
        for shards in (n for n in self.shards if n <= strategy.size):
            for number, (inputs, wanted) in enumerate(self.trials(self.finite)):
                if number == 2 * MIN_TRIALS:
                    break
                for span in bounds(strategy.size, shards):
                    outs = self._whole_or_none(self._outside_replaced(strategy, inputs, span))
                    if outs is None or not all(
                        d is None or equal(d.part(o, *span), d.part(w, *span))
                        for d, o, w in zip(strategy.results, outs, wanted, strict=True)
                    ):
                        return False
        return True

    def embedded(self, strategy: Strategy) -> bool:
        """True when results of shards in neutral surroundings combine to the whole, by any kind."""
        return any(self._embedded(strategy, kind) for kind in self._kinds())

    def _embedded(self, strategy: Strategy, kind: Reduction) -> bool:
        spans_ = bounds(strategy.size, min(2, strategy.size))
        for number, (inputs, wanted) in enumerate(self.trials(self.finite)):
            if number == 2 * MIN_TRIALS:
                return True
            outs = []
            for span in spans_:
                local = self._surrounded(strategy, inputs, span, kind)
                found = self._whole_or_none(local)
                if found is None:
                    return False
                outs.append(found)
            if not all(
                _recombines(None, kind, [o[r] for o in outs], spans_, w)
                for r, w in enumerate(wanted)
            ):
                return False
        return True

    def _whole_or_none(self, inputs: list[Tensor]) -> list[Tensor] | None:
        try:
            return self.bench.whole(inputs)
        except Rejected:
            return None

    def _outside_replaced(
        self, strategy: Strategy, inputs: list[Tensor], span: tuple[int, int]
    ) -> list[Tensor]:
        fresh = self.sampler.inputs(self.bench.operands, self.finite[0], self.subject.ranks)
        return [
            x if d is None else d.put(f, x, *span)
            for d, x, f in zip(strategy.operands, inputs, fresh, strict=True)
        ]

    def _surrounded(
        self, strategy: Strategy, inputs: list[Tensor], span: tuple[int, int], kind: Reduction
    ) -> list[Tensor]:
        return [
            x if d is None else d.put(torch.full_like(x, neutral(kind, x.dtype)), x, *span)
            for d, x in zip(strategy.operands, inputs, strict=True)
        ]

    def _worth(self, strategy: Strategy) -> int:
        """Bits that one trial may count for: one index decides about all elements at once."""
        return 2 if strategy.shift is not None else self.worth()

    def worth(self) -> int:
        """Bits that one trial of anything may count for."""
        if self._has_few_elements():
            return 2
        return 4 if self._mixed() else 12

    def _has_few_elements(self) -> bool:
        """Whether some operand decides about everything: a scalar, one predicate."""
        return any(1 <= prod(s) < 4 for s in self.sizes[0])

    def verified(self, strategy: Strategy) -> bool:
        """True when it holds for every shard count its factor allows."""
        counts = [n for n in self.shards if n <= strategy.size]
        return bool(counts) and all(self.holds(strategy, n) for n in counts)

    # Candidates

    def _matches(self, dependence: Dependence) -> dict[tuple[Place, Place], list[tuple[Digit, Digit]]]:
        found = {}
        for (source, target), matrix in dependence.matrices.items():
            probed = dependence.probed[source]
            pairs = matches(matrix, probed, (source[1], target[1]))
            if pairs:
                found[source, target] = pairs
        return found

    def _pass_candidates(
        self, pairs: dict[tuple[Place, Place], list[tuple[Digit, Digit]]]
    ) -> Iterator[Strategy]:
        """Per digit of a result: the operand digits that run along it."""
        by_key: dict[tuple[tuple[int, Digit], ...], dict[int, Digit]] = {}
        for target in places(self.sizes[1]):
            related = {s: p for (s, t), p in pairs.items() if t == target}
            for digit in _segments(related.values()):
                key = tuple(
                    (source[0], part)
                    for source, found in sorted(related.items())
                    for part in [_refined(found, digit)]
                    if part is not None
                )
                if key:
                    by_key.setdefault(key, {}).setdefault(target[0], digit)
        for key, results in by_key.items():
            for chosen_ in _one_per_operand(key):
                yield self._strategy(dict(chosen_), results)

    def _strategy(self, operands: dict[int, Digit], results: dict[int, Digit]) -> Strategy:
        return Strategy(
            tuple(operands.get(i) for i in range(len(self.sizes[0]))),
            tuple(results.get(i) for i in range(len(self.sizes[1]))),
        )

    def _passes(self, candidates: list[Strategy]) -> list[Strategy]:
        """Accept candidates; those the op does not verify with are tried together."""
        accepted: list[Strategy] = []
        failed: list[Strategy] = []
        for candidate in candidates:
            found = self.accepted(candidate)
            if found is None:
                failed.append(candidate)
            else:
                accepted.append(found)
        for candidate in _united(failed, candidates):
            taken = {(r, d) for s in accepted for r, d in enumerate(s.results) if d is not None}
            if any((r, d) in taken for r, d in enumerate(candidate.results)):
                continue
            found = self.accepted(candidate)
            if found is not None:
                accepted.append(found)
        return accepted

    def accepted(self, candidate: Strategy) -> Strategy | None:
        """Return the first form of a pass candidate that holds, None where none does."""
        for variant in self._pass_variants(candidate):
            if self.verified(variant):
                return variant
        return None

    def _pass_variants(self, candidate: Strategy) -> Iterator[Strategy]:
        yield candidate
        yield _changed(candidate, groups=True)
        if None in candidate.results:
            for kind in self._kinds():
                yield _changed(candidate, kind=kind)
        for shift in self._shifts(candidate, masked=False):
            yield _changed(candidate, shift=shift)

    def _kinds(self) -> list[Reduction]:
        """Reductions that every result knows."""
        _, wanted = next(iter(self.trials(self.finite)), ([], []))
        sets = [set(kinds_of(w.dtype)) for w in wanted]
        return [k for k in Reduction if sets and all(k in s for s in sets)]

    def _shifts(self, candidate: Strategy, masked: bool) -> Iterator[Shift]:
        """Ways to move an integer operand that stays whole into the shard."""
        if sum(d is not None for d in candidate.operands) != 1:
            return
        for i, (kind, shape) in enumerate(zip(self.subject.operands, self.sizes[0], strict=True)):
            if candidate.operands[i] is not None or kind.dtype not in ("i32", "i64", "ui32", "ui64"):
                continue
            free = [d for d in range(len(shape)) if (i, d) not in self.bench.index_dims]
            if not free or not masked:
                yield Shift(i, None, 0, masked)
            for axis in free:
                yield from (Shift(i, axis, j, masked) for j in range(min(shape[axis], 8)))

    def _created_only(self) -> list[Strategy]:
        return [
            self._strategy({}, {r: Digit(d, 1, self.sizes[1][r][d])})
            for r, d in places(self.sizes[1])
            if self.sizes[1][r][d] > 1
        ]

    def _created(self, outcome: Outcome) -> list[Strategy]:
        """Result dimensions of which a shard comes out of whole operands (a broadcast).

        Where the op does not verify so, with a dimension of equal size that it does not depend on.
        """
        held = {
            (r, d.dim) for s in outcome.strategies for r, d in enumerate(s.results) if d is not None
        }
        found: list[Strategy] = []
        for r, d in places(self.sizes[1]):
            size = self.sizes[1][r][d]
            if size < 2 or (r, d) in held:
                continue
            unread = [
                {i: Digit(dim, 1, size)}
                for i, dim in places(self.sizes[0])
                if self.sizes[0][i][dim] == size and not outcome.dependence.depends(i, r)
            ]
            candidates = [self._strategy(o, {r: Digit(d, 1, size)}) for o in ({}, *unread)]
            taken = {(i, x) for s in found for i, x in enumerate(s.operands) if x is not None}
            free = [c for c in candidates if not any(x in taken for x in enumerate(c.operands))]
            found += [c for c in free if self.verified(c)][:1]
        return found

    def _reductions(self, accepted: Sequence[Strategy]) -> list[Strategy]:
        free = [
            [None, *_left_over(shape, [s.operands[i] for s in accepted])]
            for i, shape in enumerate(self.sizes[0])
        ]
        found: list[Strategy] = []
        candidates = sorted(
            (c for c in _limited(product(*free)) if any(d is not None for d in c)),
            key=lambda c: sum(d is not None for d in c),
        )
        for digits in candidates:
            sizes = {d.size for d in digits if d is not None}
            taken = {(i, d) for s in found for i, d in enumerate(s.operands) if d is not None}
            if len(sizes) > 1 or any((i, d) in taken for i, d in enumerate(digits)):
                continue
            operands = {i: d for i, d in enumerate(digits) if d is not None}
            strategy = self.reduction(self._strategy(operands, {}))
            if strategy is not None:
                found.append(strategy)
        return found

    def reduction(self, base: Strategy) -> Strategy | None:
        """Return how shards of `base`, which cuts operands only, combine; None if they do not."""
        if self.bench.instances(base, SHARDS[0]) is None:
            return None
        for kind in self._kinds():
            plain = _changed(base, kind=kind)
            if self.verified(plain):
                return plain
        for seeds in self._seeds(base):
            for kind in self._kinds():
                seeded = _changed(base, kind=kind, seeds=seeds)
                if self.verified(seeded):
                    return seeded
        kinds = [k for k in (Reduction.SUM, Reduction.OR) if k in self._kinds()]
        for shift in self._shifts(base, masked=True):
            for kind in kinds:
                moved = _changed(base, kind=kind, shift=shift)
                if self.verified(moved):
                    return moved
        return None

    def _seeds(self, base: Strategy) -> Iterator[frozenset[int]]:
        """Operands that may count once: of a result's element type, left whole."""
        types = {t.dtype for t in self.subject.results}
        free = [
            i
            for i, t in enumerate(self.subject.operands)
            if base.operands[i] is None and t.dtype in types
        ]
        for count in range(1, len(free) + 1):
            if count < 3 or count == len(free):
                yield from map(frozenset, combinations(free, count))

    # Bands

    def _bands(self, found: Outcome) -> list[Band]:
        held = {
            (r, d.dim): d.size
            for s in found.strategies
            for r, d in enumerate(s.results)
            if d is not None and any(s.operands)
        }
        bands = []
        for r, d in places(self.sizes[1]):
            size = self.sizes[1][r][d]
            if size < 2 or held.get((r, d)) == size:
                continue
            band = self._band(found.dependence, r, d)
            if band is not None and self._determined(band, r):
                bands.append(band)
        return _merged(bands)

    def _band(self, dependence: Dependence, r: int, d: int) -> Band | None:
        operands: list[int | None] = [None] * len(self.sizes[0])
        low = high = 0
        flipped: set[bool] = set()
        for (source, target), matrix in dependence.matrices.items():
            partly = len(dependence.probed[source]) < matrix.shape[0]
            if target != (r, d) or partly or matrix.shape[0] < 2:
                continue
            shape = _band_shape(spans(matrix), matrix.shape[0])
            if shape is None:
                continue
            before, after, backwards = shape
            if operands[source[0]] is not None:
                return None
            operands[source[0]] = source[1]
            low, high = max(low, before), max(high, after)
            flipped.add(backwards)
        if not any(o is not None for o in operands) or len(flipped) > 1:
            return None
        results = tuple(d if i == r else None for i in range(len(self.sizes[1])))
        return Band(tuple(operands), results, low, high, flipped.pop())

    def _determined(self, band: Band, r: int) -> bool:
        """True when shards of the result do not change with what lies outside their window."""
        dim = band.results[r]
        assert dim is not None
        for shards in SHARDS:
            count = 0
            for inputs, wanted in self.trials(self.finite):
                for low, high in bounds(self.sizes[1][r][dim], shards):
                    other = self._outside_changed(band, inputs, r, low, high)
                    try:
                        found = self.bench.whole(other)[r]
                    except Rejected:
                        return False
                    part = (dim + 1, low, high - low)
                    if not equal(found.narrow(*part), wanted[r].narrow(*part)):
                        return False
                count += 1
                if count == MIN_TRIALS:
                    break
        return True

    def _outside_changed(
        self, band: Band, inputs: list[Tensor], r: int, low: int, high: int
    ) -> list[Tensor]:
        total = self.sizes[1][r][band.results[r] or 0]
        fresh = self.sampler.inputs(self.bench.operands, Regime.SIGNED, self.subject.ranks)
        changed = list(inputs)
        for i, dim in enumerate(band.operands):
            if dim is None:
                continue
            size = self.sizes[0][i][dim]
            first, last = (total - high, total - low) if band.reversed else (low, high)
            begin = max(0, first * size // total - band.low)
            end = min(size, -(-last * size // total) + band.high)
            mixed = fresh[i].clone()
            part = (dim + 1, begin, max(0, end - begin))
            mixed.narrow(*part).copy_(inputs[i].narrow(*part))
            changed[i] = mixed
        return changed


def _index_dims(
    pairs: dict[tuple[Place, Place], list[tuple[Digit, Digit]]],
) -> dict[tuple[int, int], int]:
    """Operand dimensions that run along a dimension of the first result, whole against whole."""
    return {
        source: target[1]
        for (source, target), found in pairs.items()
        if target[0] == 0 and any(a.pre == b.pre == 1 and a.size == b.size for a, b in found)
    }


def _recombines(
    digit: Digit | None,
    kind: Reduction | None,
    parts: list[Tensor],
    spans_: list[tuple[int, int]],
    wanted: Tensor,
) -> bool:
    if digit is not None:
        return equal(digit.join(parts, spans_), wanted)
    if kind is None:
        return all(equal(p, wanted) for p in parts)
    total = parts[0]
    for part in parts[1:]:
        total = COMBINE[kind](total, part)
    return equal(total, wanted)


def _segments(found: Iterable[list[tuple[Digit, Digit]]]) -> list[Digit]:
    """The finest digits of a result dimension that all matches can be written in."""
    digits = [target for pairs in found for _, target in pairs]
    if not digits:
        return []
    borders = sorted({b for d in digits for b in (d.pre, d.pre * d.size)})
    covered = []
    for low, high in zip(borders, borders[1:], strict=False):
        if high % low == 0 and any(d.pre <= low and high <= d.pre * d.size for d in digits):
            covered.append(Digit(digits[0].dim, low, high // low))
    return covered


def _refined(found: list[tuple[Digit, Digit]], segment: Digit) -> Digit | None:
    """The part of an operand's digit that lies against `segment` of the result's."""
    for source, target in found:
        inside = target.pre <= segment.pre and (
            segment.pre * segment.size <= target.pre * target.size
        )
        if inside and segment.pre % target.pre == 0:
            return Digit(source.dim, source.pre * (segment.pre // target.pre), segment.size)
    return None


def _one_per_operand(
    key: tuple[tuple[int, Digit], ...],
) -> Iterator[tuple[tuple[int, Digit], ...]]:
    """Where two dimensions of an operand run along one result dimension, either may be cut."""
    choices: dict[int, list[tuple[int, Digit]]] = {}
    for operand, digit in key:
        choices.setdefault(operand, []).append((operand, digit))
    yield from product(*choices.values())


def _left_over(shape: tuple[int, ...], taken: Sequence[Digit | None]) -> list[Digit]:
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


def _limited(candidates: Iterable[tuple[Digit | None, ...]]) -> Iterator[tuple[Digit | None, ...]]:
    for number, candidate in enumerate(candidates):
        if number >= _MAX_CANDIDATES:
            return
        yield candidate


def _changed(
    strategy: Strategy,
    kind: Reduction | None = None,
    seeds: frozenset[int] = frozenset(),
    shift: Shift | None = None,
    groups: bool = False,
) -> Strategy:
    return Strategy(strategy.operands, strategy.results, kind, seeds, shift, groups)


def _band_shape(
    found: list[tuple[int, int] | None], size: int
) -> tuple[int, int, bool] | None:
    """Halo before and after, and direction, of a band; None where it is none."""
    known = [(l, s) for l, s in enumerate(found) if s is not None]
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
    for l, (a, b) in known:
        at = l if forward else total - 1 - l
        low = max(low, at * size // total - a)
        high = max(high, b - (-(-(at + 1) * size // total) - 1))
    return low, high, not forward


def _is_monotone(intervals: list[tuple[int, int]]) -> bool:
    return all(
        a[0] <= b[0] and a[1] <= b[1] for a, b in zip(intervals, intervals[1:], strict=False)
    )


def _merged(bands: list[Band]) -> list[Band]:
    """Bands of several results over operand dimensions that do not disagree are one."""
    merged: list[Band] = []
    for band in bands:
        same = next((m for m in merged if _goes_with(m, band)), None)
        if same is None:
            merged.append(band)
            continue
        merged[merged.index(same)] = Band(
            tuple(
                a if a is not None else b
                for a, b in zip(same.operands, band.operands, strict=True)
            ),
            tuple(a if a is not None else b for a, b in zip(same.results, band.results, strict=True)),
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


def _united(failed: list[Strategy], candidates: list[Strategy]) -> Iterator[Strategy]:
    """Candidates of several results as one: an op of many results is often cut all together."""
    seen = set()
    for first in failed:
        union = first
        for other in candidates:
            if other.size == first.size and other is not first:
                both = _union(union, other)
                union = both if both is not None else union
        if union is not first and union not in seen:
            seen.add(union)
            yield union


def _union(one: Strategy, other: Strategy) -> Strategy | None:
    """Both cuts together where no tensor is cut twice in different ways."""
    if any(a is not None and b is not None for a, b in zip(one.results, other.results, strict=True)):
        return None
    operands = list(zip(one.operands, other.operands, strict=True))
    if any(a is not None and b is not None and a != b for a, b in operands):
        return None
    dims = {d for d in (*one.results, *other.results) if d is not None}
    if len({(d.dim, d.pre) for d in dims}) > 1:
        return None
    return Strategy(
        tuple(a if a is not None else b for a, b in operands),
        tuple(
            a if a is not None else b for a, b in zip(one.results, other.results, strict=True)
        ),
    )


def _reachable(strategies: list[Strategy]) -> list[Strategy]:
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
