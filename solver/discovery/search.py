"""All strategies of a subject: candidates from dependence, believed only after execution.

pass       digits of operands that match a digit of a result, cut together   passes.py
created    digits of results that no operand has                             passes.py
reduction  digits of operands that no result has; results combine            reductions.py
window     dimensions whose dependence is a band: neighbours' elements       windows.py
"""

from __future__ import annotations

from dataclasses import dataclass, field

from distc.solver.discovery.bands import Band
from distc.solver.discovery.candidates import Pairs, index_dims, reachable
from distc.solver.discovery.dependence import Dependence, matches, probe
from distc.solver.discovery.passes import created, made_alone, passes
from distc.solver.discovery.reductions import reductions
from distc.solver.discovery.trial import Strategy
from distc.solver.discovery.trials import Trials
from distc.solver.discovery.windows import windows


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search found, at the sizes it used.

    Attributes:
        strategies: factors that shards compute without neighbours.
        bands: dimensions that need a window.
        dependence: what was seen to depend on what.
        notes: what was left out, and why.
    """

    strategies: list[Strategy] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    dependence: Dependence = field(default_factory=Dependence)
    notes: tuple[str, ...] = ()


def search(trials: Trials) -> Outcome:
    """Find everything that holds at the sizes of `trials`."""
    if trials.is_empty:
        return Outcome(notes=("no elements: nothing to cut",))
    if not trials.subject.operands:
        return Outcome(made_alone(trials))
    dependence = look(trials)
    found = passes(trials, _matching(dependence))
    found += created(trials, dependence, found)
    found = reachable(found + reductions(trials, found))
    return Outcome(found, windows(trials, dependence, found), dependence)


def look(trials: Trials) -> Dependence:
    """Choose what data to use and see what depends on what; needed before any trial."""
    if not trials.subject.operands:
        return Dependence()
    trials.choose_regimes()
    rounds = 2 if trials.has_indices else 1
    dependence = probe(trials.bench, trials.sampler, trials.all * rounds)
    trials.bench.index_dims = index_dims(_matching(dependence))
    return dependence


def _matching(dependence: Dependence) -> Pairs:
    """Per dimension of an operand and of a result, the digits that run along each other."""
    found = {
        (source, target): matches(matrix, dependence.probed[source], (source[1], target[1]))
        for (source, target), matrix in dependence.matrices.items()
    }
    return {key: pairs for key, pairs in found.items() if pairs}
