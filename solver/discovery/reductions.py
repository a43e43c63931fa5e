"""Strategies that cut operands only: shards of the results are combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from distc.dialect.sharding import Reduction
from distc.solver.discovery.candidates import changed, left_over, limited, shifts
from distc.solver.discovery.passes import strategy_of
from distc.solver.discovery.trial import Digit, Strategy
from distc.solver.discovery.trials import SHARDS, Trials


def reductions(trials: Trials, accepted: Sequence[Strategy]) -> list[Strategy]:
    """Cut what `accepted` leaves of the operands, fewest operands first."""
    found: list[Strategy] = []
    for digits in _candidates(trials, accepted):
        operands = {i: d for i, d in enumerate(digits) if d is not None}
        taken = {(i, d) for s in found for i, d in enumerate(s.operands) if d is not None}
        if taken & set(operands.items()):
            continue
        strategy = reduction(trials, strategy_of(trials, operands, {}))
        found += [strategy] if strategy is not None else []
    return found


def _candidates(trials: Trials, accepted: Sequence[Strategy]) -> list[tuple[Digit | None, ...]]:
    """Digits of equal size, at most one per operand."""
    free = [
        [None, *left_over(shape, [s.operands[i] for s in accepted])]
        for i, shape in enumerate(trials.sizes[0])
    ]
    alike = [c for c in limited(product(*free)) if len({d.size for d in c if d is not None}) == 1]
    return sorted(alike, key=lambda c: sum(d is not None for d in c))


def reduction(trials: Trials, base: Strategy) -> Strategy | None:
    """Return how shards of `base`, which cuts operands only, combine; None if they do not."""
    if trials.bench.instances(base, SHARDS[0]) is None:
        return None
    return next((v for v in _variants(trials, base) if trials.verified(v)), None)


def _variants(trials: Trials, base: Strategy) -> Iterator[Strategy]:
    """As it is; with operands that count once; with a look-up that is moved and masked."""
    kinds = trials.kinds()
    yield from (changed(base, kind=kind) for kind in kinds)
    for seeds in _seeds(trials, base):
        yield from (changed(base, kind=kind, seeds=seeds) for kind in kinds)
    masks = [k for k in (Reduction.SUM, Reduction.OR) if k in kinds]
    for shift in shifts(base, trials.subject.operands, trials.bench, masked=True):
        yield from (changed(base, kind=kind, shift=shift) for kind in masks)


def _seeds(trials: Trials, base: Strategy) -> Iterator[frozenset[int]]:
    """Operands that may count once: of a result's element type, left whole."""
    types = {t.dtype for t in trials.subject.results}
    free = [
        i
        for i, t in enumerate(trials.subject.operands)
        if base.operands[i] is None and t.dtype in types
    ]
    for count in range(1, len(free) + 1):
        if count < 3 or count == len(free):
            yield from map(frozenset, combinations(free, count))
