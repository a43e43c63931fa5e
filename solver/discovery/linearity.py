"""Partial operands: f(combine(parts), rest) = combine(f(part, rest)) for which operands and kinds.

The parts are unequal, signed and fractional, so that neither rounding nor a zero part hides what
is not linear. An operand that stays whole must be the same on every rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from distc.dialect.rules.rule import PartialRule
from distc.dialect.sharding import Reduction
from distc.solver.discovery.agreement import COMBINE, equal, evidence, kinds_of
from distc.solver.discovery.sample import FINITE, Regime
from distc.solver.discovery.search import Search
from distc.solver.discovery.trial import Rejected

_REGIMES = (Regime.SIGNED, Regime.FRACTIONAL, Regime.NEGATIVE, Regime.SIGNED)
_BITS = 48
_TRIALS = 48
_MAX_PAIRED = 8


def partial_rules(search: Search, read: frozenset[int]) -> tuple[PartialRule, ...]:
    """Return all sets of operands that may be partial together, with their kinds.

    Args:
        search: the search, at its sizes.
        read: operands that results were seen to depend on; the others are never partial.
    """
    found: list[PartialRule] = []
    for operands in _subsets(search, read):
        kinds = frozenset(k for k in _kinds(search, operands) if _commutes(search, operands, k))
        if kinds:
            found.append(PartialRule(frozenset(operands), kinds))
    return tuple(found)


def _subsets(search: Search, read: frozenset[int]) -> Iterator[tuple[int, ...]]:
    if any(0 in s for s in (*search.sizes[0], *search.sizes[1])):
        return
    operands, count = sorted(read), len(read)
    for size in range(1, count + 1):
        if (size < 3 and count <= _MAX_PAIRED) or size in (1, count):
            yield from combinations(operands, size)


def _kinds(search: Search, operands: Sequence[int]) -> list[Reduction]:
    trial = search.trial(search.finite[0], 0)
    if trial is None:
        return []
    values = [trial[0][i] for i in operands] + trial[1]
    sets = [set(kinds_of(v.dtype)) for v in values]
    return [k for k in Reduction if all(k in s for s in sets)]


def _commutes(search: Search, operands: Sequence[int], kind: Reduction) -> bool:
    bits = [0] * len(search.sizes[1])
    for number in range(_TRIALS):
        regimes = _REGIMES if search.finite == FINITE else search.finite
        regime = regimes[number % len(regimes)]
        parts = [_inputs(search, regime) for _ in range(2)]
        if number % 4 == 3:
            parts = [_extreme(search, p, operands) for p in parts]
        whole = list(parts[0])
        for i in range(len(whole)):
            if i in operands:
                whole[i] = COMBINE[kind](parts[0][i], parts[1][i])
            else:
                parts[1][i] = parts[0][i]
        try:
            wanted = search.bench.whole(whole)
            outs = [search.bench.whole(p) for p in parts]
        except Rejected:
            return False
        for r, want in enumerate(wanted):
            both = [o[r] for o in outs]
            if not equal(COMBINE[kind](*both), want):
                return False
            bits[r] += min(search.worth(), evidence(kind, both, want))
        if number + 1 >= len(_REGIMES) and min(bits, default=0) >= _BITS:
            return True
    return False


def _inputs(search: Search, regime: Regime) -> list[Tensor]:
    return search.sampler.inputs(search.bench.operands, regime, search.subject.ranks)


def _extreme(search: Search, parts: list[Tensor], operands: Sequence[int]) -> list[Tensor]:
    """Integers over their full range, where sums wrap."""
    full = _inputs(search, Regime.EXTREME)
    return [
        full[i] if i in operands and not _is_inexact(p) and p.dtype is not torch.bool else p
        for i, p in enumerate(parts)
    ]


def _is_inexact(x: Tensor) -> bool:
    return x.dtype.is_floating_point or x.dtype.is_complex
