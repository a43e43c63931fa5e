"""The methods of search behind one function: same problem, same kind of answer.

`exact` is what plans are made with. The others share nothing with it but the problem and the
dropping of dominated labels (beam not even that): they check it, and it is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable

from distc.runtime.errors import Unavailable
from distc.solver.search.deadline import Deadline
from distc.solver.search.memory import BRANCHES, solve_within
from distc.solver.search.method import Method
from distc.solver.search.network import CostNetwork
from distc.solver.search.shift import shift
from distc.solver.search.solution import Solution, Status


def solve(
    network: CostNetwork,
    limit: int,
    method: Method = Method.EXACT,
    *,
    deadline: Deadline | None = None,
    gap: float = 0.0,
    branches: int = BRANCHES,
) -> Solution:
    """Return the cheapest assignment within `limit` bytes at every memory point.

    Args:
        network: the problem.
        limit: bytes per rank.
        method: how it is searched.
        deadline: when to stop, with the best legal assignment so far; `UNKNOWN` without one. It is
            looked at between steps, so a step that runs is finished.
        gap: stop within this share of the optimum (`exact` and `ilp`).
        branches: subproblems to look at under a memory limit (`exact`).

    Raises:
        Unavailable: the method needs a package that is not installed.
        KeyboardInterrupt: at Ctrl-C.
    """
    until = deadline or Deadline()
    if until.spent():
        return Solution(Status.UNKNOWN, lower_bound=shift(network).constant)
    match method:
        case Method.EXACT:
            return solve_within(network, limit, gap=gap, branches=branches, stop=until.spent)
        case Method.Z3:
            from distc.solver.search.z3_search import search_z3

            return search_z3(network, limit, until)
        case Method.ILP:
            return _load_ilp()(network, limit, until, gap)
        case Method.BEAM:
            from distc.solver.search.beam import search_beam

            return search_beam(network, limit, until)


def _load_ilp() -> Callable[[CostNetwork, int, Deadline, float], Solution]:
    try:
        from distc.solver.search.ilp import search_ilp
    except ModuleNotFoundError as error:
        if error.name != "highspy":
            raise
        raise Unavailable(
            "--solver ilp needs highspy, which is not installed",
            help="pip install 'distc[ilp]', or write --solver exact",
        ) from None
    return search_ilp
