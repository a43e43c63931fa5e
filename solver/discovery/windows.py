"""Windows: result dimensions of which a shard needs a band of the operand, found and executed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from torch import Tensor

from distc.solver.discovery.agreement import equal
from distc.solver.discovery.bands import Band, band_shape, merged_bands
from distc.solver.discovery.dependence import Dependence, places, spans
from distc.solver.discovery.sample import Regime
from distc.solver.discovery.trial import Strategy, bounds
from distc.solver.discovery.trials import MIN_TRIALS, Trials


def windows(trials: Trials, dependence: Dependence, accepted: Sequence[Strategy]) -> list[Band]:
    """Bands of the result dimensions that `accepted` does not cut, believed after execution."""
    held = {
        (r, d.dim): d.size
        for s in accepted
        for r, d in enumerate(s.results)
        if d is not None and any(s.operands)
    }
    found = []
    for r, d in places(trials.sizes[1]):
        size = trials.sizes[1][r][d]
        if size < 2 or held.get((r, d)) == size:
            continue
        band = _seen(trials, dependence, r, d)
        if band is not None and is_enough(trials, band):
            found.append(band)
    return merged_bands(found)


def _seen(trials: Trials, dependence: Dependence, r: int, d: int) -> Band | None:
    """The band in which dimension `d` of result `r` was seen to depend on operands."""
    operands: list[int | None] = [None] * len(trials.sizes[0])
    low = high = 0
    flipped: set[bool] = set()
    for (source, target), matrix in dependence.matrices.items():
        partly = len(dependence.probed[source]) < matrix.shape[0]
        if target != (r, d) or partly or matrix.shape[0] < 2:
            continue
        shape = band_shape(spans(matrix), matrix.shape[0])
        if shape is None:
            continue
        if operands[source[0]] is not None:
            return None
        operands[source[0]] = source[1]
        low, high = max(low, shape[0]), max(high, shape[1])
        flipped.add(shape[2])
    if not any(o is not None for o in operands) or len(flipped) > 1:
        return None
    results = tuple(d if i == r else None for i in range(len(trials.sizes[1])))
    return Band(tuple(operands), results, low, high, flipped.pop())


def is_enough(trials: Trials, band: Band) -> bool:
    """True when shards of the results do not change with what lies outside their window."""
    for r, dim in enumerate(band.results):
        if dim is None:
            continue
        for shards in trials.shards:
            for inputs, wanted in islice(trials.trials(trials.finite), MIN_TRIALS):
                for span in bounds(trials.sizes[1][r][dim], shards):
                    if not _unchanged(trials, band, r, dim, inputs, wanted[r], span):
                        return False
                trials.passed += 1
    return True


def _unchanged(
    trials: Trials,
    band: Band,
    r: int,
    dim: int,
    inputs: list[Tensor],
    wanted: Tensor,
    span: tuple[int, int],
) -> bool:
    found = trials.whole(_outside_replaced(trials, band, inputs, trials.sizes[1][r][dim], span))
    part = (dim + 1, span[0], span[1] - span[0])
    return found is not None and equal(found[r].narrow(*part), wanted.narrow(*part))


def _outside_replaced(
    trials: Trials, band: Band, inputs: list[Tensor], total: int, span: tuple[int, int]
) -> list[Tensor]:
    fresh = trials.fresh(Regime.SIGNED)
    mixed = list(inputs)
    for i, dim in enumerate(band.operands):
        if dim is None:
            continue
        begin, end = band.window(trials.sizes[0][i][dim], total, *span)
        x = fresh[i].clone()
        part = (dim + 1, begin, end - begin)
        x.narrow(*part).copy_(inputs[i].narrow(*part))
        mixed[i] = x
    return mixed
