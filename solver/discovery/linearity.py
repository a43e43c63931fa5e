"""Partial operands: f(combine(parts), rest) = combine(f(part, rest)) for which operands and kinds.

The parts are unequal, signed and fractional, so that neither rounding nor a zero part hides what
is not linear. An operand that stays whole must be the same on every rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.solver.discovery.agreement import NEEDED_BITS, equal, evidence, kinds_of
from distc.solver.discovery.sample import DEFINITE, Regime
from distc.solver.discovery.trials import Trials, combined

_REGIMES = (Regime.SIGNED, Regime.FRACTIONAL, Regime.NEGATIVE, Regime.SIGNED)
_FULL_RANGE = 3
"""Number of the regime in which integers take their full range, where sums wrap."""
_TRIALS = 48
_MAX_PAIRED = 8
Partial = tuple[tuple[int, ...], Reduction]
"""Operands that may be partial together, and how their parts combine."""


def partial_operands(trials: Trials, read: frozenset[int]) -> list[Partial]:
    """Return all sets of operands that may be partial together, with their kinds.

    Args:
        trials: of the op.
        read: operands that results were seen to depend on; the others are never partial.
    """
    if trials.is_empty:
        return []
    return [
        (operands, kind)
        for operands in _subsets(read)
        for kind in _kinds(trials, operands)
        if commutes(trials, operands, kind)
    ]


def _subsets(read: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Single operands, pairs unless there are many, and all."""
    operands, count = sorted(read), len(read)
    for size in range(1, count + 1):
        if (size < 3 and count <= _MAX_PAIRED) or size in (1, count):
            yield from combinations(operands, size)


def _kinds(trials: Trials, operands: Sequence[int]) -> list[Reduction]:
    """Reductions that the operands' and the results' element types know."""
    trial = trials.trial(trials.finite[0], 0)
    if trial is None:
        return []
    values = [trial[0][i] for i in operands] + trial[1]
    sets = [set(kinds_of(v.dtype)) for v in values]
    return [k for k in Reduction if all(k in s for s in sets)]


def commutes(trials: Trials, operands: Sequence[int], kind: Reduction, count: int = 2) -> bool:
    """True when the op commutes with combining `count` parts, on enough independent inputs."""
    regimes = _regimes(trials)
    bits = [0] * len(trials.sizes[1])
    for number in range(_TRIALS):
        place = number % len(regimes)
        parts = [trials.fresh(regimes[place]) for _ in range(count)]
        if place == _FULL_RANGE:
            parts = [_full_range(trials, p, operands) for p in parts]
        worth = _agree(trials, parts, operands, kind)
        if worth is None:
            return False
        trials.passed += 1
        bits = [a + b for a, b in zip(bits, worth, strict=True)]
        if number + 1 >= len(regimes) and min(bits, default=0) >= NEEDED_BITS:
            return True
    return False


def _regimes(trials: Trials) -> tuple[Regime, ...]:
    if trials.finite == DEFINITE:
        return DEFINITE
    return (*_REGIMES, Regime.NAN) if Regime.NAN in trials.finite else _REGIMES


def _agree(
    trials: Trials, parts: list[list[Tensor]], operands: Sequence[int], kind: Reduction
) -> list[int] | None:
    """Evidence per result that combining before and after the op is the same; None if not."""
    whole = [
        combined(kind, [p[i] for p in parts]) if i in operands else x
        for i, x in enumerate(parts[0])
    ]
    local = [[p[i] if i in operands else x for i, x in enumerate(parts[0])] for p in parts]
    wanted = trials.whole(whole)
    outs = [trials.whole(inputs) for inputs in local]
    ran = [o for o in outs if o is not None]
    if wanted is None or len(ran) != len(outs):
        return None
    worth = []
    for r, want in enumerate(wanted):
        results = [o[r] for o in ran]
        if not equal(combined(kind, results), want):
            return None
        worth.append(min(trials.worth(), evidence(kind, results, want)))
    return worth


def _full_range(trials: Trials, parts: list[Tensor], operands: Sequence[int]) -> list[Tensor]:
    """The partial integers over their full range."""
    full = trials.fresh(Regime.EXTREME)
    return [
        full[i] if i in operands and not _is_inexact(p) and p.dtype is not torch.bool else p
        for i, p in enumerate(parts)
    ]


def _is_inexact(x: Tensor) -> bool:
    return x.dtype.is_floating_point or x.dtype.is_complex
