"""What every search returns: labels, their cost, the bound that was proved, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How far a search came."""

    OPTIMAL = "optimal"
    """Proved: no assignment is cheaper."""

    BOUNDED = "bounded"
    """Legal, with a proved lower bound below its cost."""

    INFEASIBLE = "infeasible"
    """Proved: no assignment fits."""

    UNKNOWN = "unknown"
    """The budget was spent before a legal assignment was found; nothing is claimed."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of a search.

    Attributes:
        status: what is claimed.
        labels: the assignment, empty where none was found.
        cost: ticks of `labels`, 0 where there are none.
        lower_bound: ticks that no legal assignment is below.
        least_bytes: for `INFEASIBLE`, the least any assignment takes at its fullest point.
        rounds: relaxations that were solved.
        order: the order in which variables were eliminated; another search may start from it.
    """

    status: Status
    labels: tuple[int, ...] = ()
    cost: int = 0
    lower_bound: int = 0
    least_bytes: int = 0
    rounds: int = 0
    order: tuple[int, ...] = ()

    @property
    def gap(self) -> float:
        """(cost − lower bound) / cost, 0 where it is proved."""
        return 0.0 if self.cost <= 0 else max(0, self.cost - self.lower_bound) / self.cost


Stop = Callable[[], bool]
"""Asked between steps; True ends a search with what it has."""


def never() -> bool:
    """Do not stop."""
    return False
