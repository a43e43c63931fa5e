"""Does a problem that was read hold together? Everything else relies on it."""

from __future__ import annotations

from collections.abc import Sequence

from distc.solver.problem import Link, Problem


def check(problem: Problem) -> None:
    """Refuse what does not hold together.

    Raises:
        ValueError: sizes, numbers or the recorded cost do not fit.
    """
    sizes = [len(v.labels) for v in problem.variables]
    for variable in problem.variables:
        if variable.work.shape != (len(variable.labels),) or not variable.labels:
            raise ValueError(f"{variable.name} has labels and work of different number")
    if len({v.name for v in problem.variables}) != len(sizes):
        raise ValueError("two variables have one name")
    for link in problem.links:
        _check_link(problem, link, sizes)
    for point in problem.memory:
        if any(rows.shape != (sizes[v],) for v, rows in point.items()):
            raise ValueError("bytes of a memory point do not fit their variable")
    labels = problem.solution.labels
    if len(labels) != len(sizes) or any(not 0 <= x < n for x, n in zip(labels, sizes, strict=True)):
        raise ValueError("the plan does not choose one label of each variable")
    if not 0 <= problem.solution.lower_bound <= problem.solution.cost:
        raise ValueError("the lower bound is above the cost")
    if problem.network.cost(labels) != problem.solution.cost:
        raise ValueError(
            f"the plan costs {problem.network.cost(labels)} ticks, {problem.solution.cost} are "
            "recorded"
        )


def _check_link(problem: Problem, link: Link, sizes: Sequence[int]) -> None:
    count = len(sizes)
    if not (0 <= link.maker < count and -1 <= link.user < count):
        raise ValueError(f"a link joins {link.maker} and {link.user} of {count} variables")
    if link.costs.shape != (sizes[link.maker], 1 if link.user < 0 else sizes[link.user]):
        raise ValueError(
            f"the table of a link of {problem.variables[link.maker].name} does not fit"
        )
    made = problem.variables[link.maker].labels
    if any(not 0 <= link.result < len(x.results) for x in made):
        raise ValueError(f"{problem.variables[link.maker].name} has no result {link.result}")
    if link.user < 0:
        return
    user = problem.variables[link.user]
    if any(not -1 <= link.operand < len(x.operands) for x in user.labels):
        raise ValueError(f"{user.name} has no operand {link.operand}")
