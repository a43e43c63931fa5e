"""Strategies whose results are cut: digits that run along each other, and digits made anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from distc.solver.discovery.candidates import (
    Pairs,
    changed,
    one_per_operand,
    refined,
    segments,
    shifts,
    united,
)
from distc.solver.discovery.dependence import Dependence, places
from distc.solver.discovery.trial import Digit, Strategy
from distc.solver.discovery.trials import Trials


def strategy_of(trials: Trials, operands: dict[int, Digit], results: dict[int, Digit]) -> Strategy:
    """A strategy that cuts these operands and results and nothing else."""
    return Strategy(
        tuple(operands.get(i) for i in range(len(trials.sizes[0]))),
        tuple(results.get(i) for i in range(len(trials.sizes[1]))),
    )


def passes(trials: Trials, pairs: Pairs) -> list[Strategy]:
    """Accept candidates one by one; those the op does not verify with are tried together."""
    candidates = list(_candidates(trials, pairs))
    tried = [(c, accepted(trials, c)) for c in candidates]
    found = [f for _, f in tried if f is not None]
    for candidate in united([c for c, f in tried if f is None], candidates):
        taken = {(r, d) for s in found for r, d in enumerate(s.results) if d is not None}
        if any((r, d) in taken for r, d in enumerate(candidate.results)):
            continue
        together = accepted(trials, candidate)
        found += [together] if together is not None else []
    return found


def _candidates(trials: Trials, pairs: Pairs) -> Iterator[Strategy]:
    """Per digit of a result: the operand digits that run along it."""
    by_key: dict[tuple[tuple[int, Digit], ...], dict[int, Digit]] = {}
    for target in places(trials.sizes[1]):
        related = {s: p for (s, t), p in pairs.items() if t == target}
        for digit in segments(related.values()):
            parts = [(s[0], refined(found, digit)) for s, found in sorted(related.items())]
            key = tuple((i, part) for i, part in parts if part is not None)
            if key:
                by_key.setdefault(key, {}).setdefault(target[0], digit)
    for key, results in by_key.items():
        for chosen in one_per_operand(key):
            yield strategy_of(trials, dict(chosen), results)


def accepted(trials: Trials, candidate: Strategy) -> Strategy | None:
    """Return the first form of a pass candidate that holds, None where none does."""
    return next((v for v in _variants(trials, candidate) if trials.verified(v)), None)


def _variants(trials: Trials, candidate: Strategy) -> Iterator[Strategy]:
    """As it is; with group counts divided; other results combined; an index moved along."""
    yield candidate
    yield changed(candidate, groups=True)
    if None in candidate.results:
        yield from (changed(candidate, kind=kind) for kind in trials.kinds())
    moved = shifts(candidate, trials.subject.operands, trials.bench, masked=False)
    yield from (changed(candidate, shift=shift) for shift in moved)


def made_alone(trials: Trials) -> list[Strategy]:
    """Strategies of a subject without operands: every rank makes its part of the results."""
    return [
        strategy_of(trials, {}, {r: Digit(d, 1, trials.sizes[1][r][d])})
        for r, d in places(trials.sizes[1])
        if trials.sizes[1][r][d] > 1
    ]


def created(
    trials: Trials, dependence: Dependence, accepted_: Sequence[Strategy]
) -> list[Strategy]:
    """Result dimensions of which a shard comes out of whole operands (a broadcast).

    Where the op does not verify so, with a dimension of equal size that it does not depend on.
    """
    held = {(r, d.dim) for s in accepted_ for r, d in enumerate(s.results) if d is not None}
    found: list[Strategy] = []
    for r, d in places(trials.sizes[1]):
        size = trials.sizes[1][r][d]
        if size < 2 or (r, d) in held:
            continue
        taken = {(i, x) for s in found for i, x in enumerate(s.operands) if x is not None}
        for operands in ({}, *_unread(trials, dependence, r, size)):
            candidate = strategy_of(trials, operands, {r: Digit(d, 1, size)})
            if not taken & set(operands.items()) and trials.verified(candidate):
                found.append(candidate)
                break
    return found


def _unread(
    trials: Trials, dependence: Dependence, result: int, size: int
) -> Iterable[dict[int, Digit]]:
    """Operand dimensions of `size` that the result was not seen to depend on."""
    for operand, dim in places(trials.sizes[0]):
        if trials.sizes[0][operand][dim] == size and not dependence.depends(operand, result):
            yield {operand: Digit(dim, 1, size)}
