"""A search that has been made before, again in a fraction of a second after a small change.

The order of elimination is known, and so is a plan that was the cheapest. Tables grow from small
ones until cost and bound meet or the time is spent; both are reported, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from distc.solver.search.dominance import Dominance
from distc.solver.search.elimination import Eliminator
from distc.solver.search.improve import improve
from distc.solver.search.memory import solve_within
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.order import find_order
from distc.solver.search.solution import Solution, Status, Stop, never

_TABLES = (1 << 18, 1 << 20, 1 << 22)
"""Cells of the largest table, one try after another."""

_ALL = 1 << 62
"""Bytes that no assignment takes."""

Labels = tuple[int, ...]


def solve_again(
    network: CostNetwork,
    limit: int,
    order: Sequence[int],
    near: Sequence[Labels] = (),
    *,
    bound: int = 0,
    stop: Stop = never,
) -> Solution:
    """Return the cheapest assignment that is found, and a bound on all.

    Args:
        network: the problem.
        limit: bytes per rank.
        order: of elimination, as found before; searched for where it is empty.
        near: assignments to start from; those that are not legal are passed over.
        bound: ticks that are known to be below every assignment; of a network that allowed more,
            the bound that was proved there.
        stop: asked between tries; the first is always made.
    """
    started = [improve(network, limit, labels) for labels in near]
    best = min((s for s in started if _legal(network, limit, s)), key=network.cost, default=())
    if best and network.cost(best) <= bound:
        cost = network.cost(best)
        return Solution(Status.OPTIMAL, best, cost, cost, order=tuple(order))
    found = _unlimited(network, order, started, bound, stop)
    if not found.labels or network.peak_bytes(found.labels) <= limit:
        return found
    within = solve_within(network, limit, stop=stop)
    if not best or (within.labels and within.cost <= network.cost(best)):
        return within
    proved = max(within.lower_bound, found.lower_bound)
    return Solution(Status.BOUNDED, best, network.cost(best), proved, order=found.order)


def _unlimited(
    network: CostNetwork,
    order: Sequence[int],
    started: Sequence[Labels],
    bound: int,
    stop: Stop,
) -> Solution:
    """The cheapest assignment without regard to memory."""
    reduced, kept = Dominance().reduce(network, memory=False)
    known = tuple(order) or find_order(reduced)
    eliminator, tried, rounds = Eliminator(), list(started), 0
    for cells in _TABLES:
        found = eliminator.approximate(reduced, known, cells)
        labels = tuple(k[x] for k, x in zip(kept, found.labels, strict=True))
        tried.append(improve(network, _ALL, labels))
        bound, rounds = max(bound, found.bound), rounds + 1
        if bound >= min(map(network.cost, tried)) or stop():
            break
    best = min(tried, key=network.cost)
    cost = network.cost(best)
    if bound >= FORBIDDEN:
        return Solution(Status.INFEASIBLE, rounds=rounds)
    if cost >= FORBIDDEN:
        return Solution(Status.UNKNOWN, lower_bound=bound, rounds=rounds)
    status = Status.OPTIMAL if bound >= cost else Status.BOUNDED
    return Solution(status, best, cost, min(bound, cost), rounds=rounds, order=known)


def _legal(network: CostNetwork, limit: int, labels: Labels) -> bool:
    return network.cost(labels) < FORBIDDEN and network.peak_bytes(labels) <= limit
