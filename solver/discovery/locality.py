"""Claims about data, whatever the implementation: what a shard of the results can depend on.

They decide whether *any* implementation could cut an op in a way that the op itself, run on
shards, cannot: the judge of rules written by hand and of published ones.
"""

from __future__ import annotations

from itertools import islice

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.solver.discovery.agreement import equal, neutral
from distc.solver.discovery.trial import Strategy, bounds
from distc.solver.discovery.trials import MIN_TRIALS, Trials, recombines

_TRIALS = 2 * MIN_TRIALS


def is_local(trials: Trials, strategy: Strategy) -> bool:
    """True when shards of the results depend on the operands' shards alone.

    What lies outside the shards of the cut operands is replaced; whole operands stay.
    """
    return all(
        _unchanged(trials, strategy, inputs, wanted, span)
        for shards in trials.shards
        if shards <= strategy.size
        for inputs, wanted in islice(trials.trials(trials.finite), _TRIALS)
        for span in bounds(strategy.size, shards)
    )


def _unchanged(
    trials: Trials,
    strategy: Strategy,
    inputs: list[Tensor],
    wanted: list[Tensor],
    span: tuple[int, int],
) -> bool:
    fresh = trials.fresh(trials.finite[0])
    outs = trials.whole(
        [
            x if d is None else d.put(f, x, *span)
            for d, x, f in zip(strategy.operands, inputs, fresh, strict=True)
        ]
    )
    return outs is not None and all(
        d is None or equal(d.part(o, *span), d.part(w, *span))
        for d, o, w in zip(strategy.results, outs, wanted, strict=True)
    )


def is_embedded(trials: Trials, strategy: Strategy) -> bool:
    """True when results of shards in neutral surroundings combine to the whole, by any kind."""
    return any(_combine_embedded(trials, strategy, kind) for kind in trials.kinds())


def _combine_embedded(trials: Trials, strategy: Strategy, kind: Reduction) -> bool:
    spans = bounds(strategy.size, min(2, strategy.size))
    for inputs, wanted in islice(trials.trials(trials.finite), _TRIALS):
        outs = []
        for span in spans:
            found = trials.whole(_surrounded(strategy, inputs, span, kind))
            if found is None:
                return False
            outs.append(found)
        parts = [[o[r] for o in outs] for r in range(len(wanted))]
        if not all(recombines(None, kind, p, spans, w) for p, w in zip(parts, wanted, strict=True)):
            return False
    return True


def _surrounded(
    strategy: Strategy, inputs: list[Tensor], span: tuple[int, int], kind: Reduction
) -> list[Tensor]:
    return [
        x if d is None else d.put(torch.full_like(x, neutral(kind, x.dtype)), x, *span)
        for d, x in zip(strategy.operands, inputs, strict=True)
    ]
