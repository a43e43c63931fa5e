"""All strategies of a subject: candidates from dependence, believed only after execution.

    pass       digits of operands that match a digit of a result, cut together
    created    digits of results that no operand has
    reduction  digits of operands that no result has, cut together; results combine
    window     dimensions whose dependence is a band: shards need neighbours' elements

Each pass candidate that fails as it is runs again with an index moved into the shard; each
reduction candidate also with operands that count once, and with moved and masked look-ups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.solver.discovery.agreement import (
    COMBINE,
    NEEDED_BITS,
    equal,
    evidence,
    kinds_of,
    neutral,
)
from distc.solver.discovery.bands import Band, band_shape, merged_bands
from distc.solver.discovery.candidates import (
    changed,
    index_dims,
    left_over,
    limited,
    one_per_operand,
    reachable,
    refined,
    segments,
    united,
)
from distc.solver.discovery.dependence import Dependence, Place, matches, places, probe, spans
from distc.solver.discovery.sample import ALL, DEFINITE, FINITE, Regime, Sampler
from distc.solver.discovery.sizes import SEARCH, Sizes, chosen
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Bench, Digit, Rejected, Shift, Strategy, bounds

SHARDS = (2, 3)
MAX_TRIALS = 64
MIN_TRIALS = 3


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
        found.strategies = reachable(found.strategies)
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
        self.bench.index_dims = index_dims(pairs)
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

    def _matches(
        self, dependence: Dependence
    ) -> dict[tuple[Place, Place], list[tuple[Digit, Digit]]]:
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
            for digit in segments(related.values()):
                key = tuple(
                    (source[0], part)
                    for source, found in sorted(related.items())
                    for part in [refined(found, digit)]
                    if part is not None
                )
                if key:
                    by_key.setdefault(key, {}).setdefault(target[0], digit)
        for key, results in by_key.items():
            for chosen_ in one_per_operand(key):
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
        for candidate in united(failed, candidates):
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
        yield changed(candidate, groups=True)
        if None in candidate.results:
            for kind in self._kinds():
                yield changed(candidate, kind=kind)
        for shift in self._shifts(candidate, masked=False):
            yield changed(candidate, shift=shift)

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
            if candidate.operands[i] is not None or kind.dtype not in (
                "i32",
                "i64",
                "ui32",
                "ui64",
            ):
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
            [None, *left_over(shape, [s.operands[i] for s in accepted])]
            for i, shape in enumerate(self.sizes[0])
        ]
        found: list[Strategy] = []
        candidates = sorted(
            (c for c in limited(product(*free)) if any(d is not None for d in c)),
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
            plain = changed(base, kind=kind)
            if self.verified(plain):
                return plain
        for seeds in self._seeds(base):
            for kind in self._kinds():
                seeded = changed(base, kind=kind, seeds=seeds)
                if self.verified(seeded):
                    return seeded
        kinds = [k for k in (Reduction.SUM, Reduction.OR) if k in self._kinds()]
        for shift in self._shifts(base, masked=True):
            for kind in kinds:
                moved = changed(base, kind=kind, shift=shift)
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
        return merged_bands(bands)

    def _band(self, dependence: Dependence, r: int, d: int) -> Band | None:
        operands: list[int | None] = [None] * len(self.sizes[0])
        low = high = 0
        flipped: set[bool] = set()
        for (source, target), matrix in dependence.matrices.items():
            partly = len(dependence.probed[source]) < matrix.shape[0]
            if target != (r, d) or partly or matrix.shape[0] < 2:
                continue
            shape = band_shape(spans(matrix), matrix.shape[0])
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
