"""The cheapest plan whose bytes at every point of the schedule are within a limit.

1. Without a limit. If it fits at every point, it is the cheapest that fits.
2. The fullest points become rows of the problem; it is solved within the limit at those.
3. Where another point of the plan found is above the limit, that becomes a row; where a row itself
   is (what single readers convert is in no row), the limit of the rows is lowered by the excess.
4. Until the plan fits at every point. The bound is the last one proved with the limit as given.

Source: constraint generation, as in cutting-plane methods (Dantzig, Fulkerson, Johnson 1954).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from distc.solver.search.deadline import Deadline
from distc.solver.search.method import Method
from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Solution, Status
from distc.solver.search.solve import solve
from distc.transforms.plan.lifetimes import Lifetimes

_ROUNDS = 12
_GAP = 0.0005
"""Bounds within this share of the cost end the search under a limit."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A plan and what it takes.

    Attributes:
        solution: the plan.
        peak_bytes: the most that a rank holds under it; where nothing fits, under a small plan.
        points: nodes that were rows of the problem.
    """

    solution: Solution
    peak_bytes: int
    points: tuple[int, ...] = ()


def solve_fitting(
    network: CostNetwork,
    lifetimes: Lifetimes,
    limit: int,
    method: Method = Method.EXACT,
    *,
    gap: float = _GAP,
    deadline: Deadline | None = None,
) -> Fitted:
    """Return the cheapest plan that takes at most `limit` bytes on a rank at any point.

    Args:
        network: the problem without memory.
        lifetimes: what is in memory when.
        limit: bytes per rank.
        method: how it is searched.
        gap: how near the bound the cost has to be where the limit binds.
        deadline: when to stop.
    """
    until = deadline or Deadline()
    found = solve(network, limit, method, deadline=until)
    points: list[int] = []
    inner, bound = limit, found.lower_bound
    best: Fitted | None = None
    for _ in range(_ROUNDS):
        if not found.labels:
            break
        usage = lifetimes.usage(found.labels)
        fullest = int(usage.argmax())
        peak = int(usage[fullest])
        if peak <= limit:
            best = Fitted(_claimed(found, bound, lowered=inner < limit), peak, tuple(points))
            break
        if until.spent():
            break
        if fullest in points:
            inner -= peak - limit
        else:
            points.append(fullest)
        within = replace(network, memory=lifetimes.rows(points))
        found = solve(within, inner, method, deadline=until, gap=gap, branches=0)
        if inner == limit and found.status is not Status.UNKNOWN:
            bound = max(bound, found.lower_bound)
    if best is not None:
        return best
    if found.status is Status.INFEASIBLE and inner == limit:
        peak = int(lifetimes.usage(found.smallest).max()) if found.smallest else 0
        return Fitted(found, peak, tuple(points))
    return Fitted(Solution(Status.UNKNOWN, lower_bound=bound), 0, tuple(points))


def _claimed(found: Solution, bound: int, *, lowered: bool) -> Solution:
    """What a plan found within a lower limit says of the limit as given."""
    if not lowered:
        return found
    status = Status.OPTIMAL if bound >= found.cost else Status.BOUNDED
    return replace(found, status=status, lower_bound=min(bound, found.cost))
