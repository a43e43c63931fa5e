"""A search that has been made before, again after a small change.

A plan that was the cheapest is a start, and its bound holds where only pins were added. Where the
start, improved, meets that bound nothing is searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from distc.solver.search.improve import improve
from distc.solver.search.memory import solve_within
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.solution import Solution, Status, Stop, never

Labels = tuple[int, ...]


def solve_again(
    network: CostNetwork,
    limit: int,
    near: Sequence[Labels] = (),
    *,
    bound: int = 0,
    stop: Stop = never,
) -> Solution:
    """Return the cheapest assignment that is found, and a bound on all.

    Args:
        network: the problem.
        limit: bytes per rank.
        near: assignments to start from; those that are not legal are passed over.
        bound: ticks that are known to be below every assignment; of a network that allowed more,
            the bound that was proved there.
        stop: asked between tries; the first is always made.
    """
    started = [improve(network, limit, labels) for labels in near]
    best = min((s for s in started if _legal(network, limit, s)), key=network.cost, default=())
    if best and network.cost(best) <= bound:
        cost = network.cost(best)
        return Solution(Status.OPTIMAL, best, cost, cost)
    found = solve_within(network, limit, branches=0, stop=stop)
    if not best or (found.labels and found.cost <= network.cost(best)):
        return found
    cost, proved = network.cost(best), max(bound, found.lower_bound)
    status = Status.OPTIMAL if proved >= cost else Status.BOUNDED
    return replace(found, status=status, labels=best, cost=cost, lower_bound=min(proved, cost))


def _legal(network: CostNetwork, limit: int, labels: Labels) -> bool:
    return network.cost(labels) < FORBIDDEN and network.peak_bytes(labels) <= limit
