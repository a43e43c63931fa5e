"""The table of states: every legal point at every group size, cheapest first.

    t_comp = s · seconds of a micro-step
    T_max  = max(t_comp, t_comm)           all communication is hidden that can be
    T_sum  = t_comp + t_comm               none is
    T      = T_sum - overlap · min(t_comp, t_comm)      T_max ≤ T ≤ T_sum, overlap in 0 … 1
    throughput indicator 1/T, and its logarithm

Points that need more memory than there is come last, with what they need. Source: PaRO (arXiv
2310.06003, section 3.3), which takes T = T_max.
    -> implemented in `StateRow`, `state_table`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from distc.runtime.errors import UsageError
from distc.solver.states.communication import StateCommunication, state_communication
from distc.solver.states.job import Job
from distc.solver.states.levels import POINTS, Level, StateLevels
from distc.solver.states.links import Links
from distc.solver.states.memory import StateMemory, state_memory

_TICKS = 1e12


@dataclass(frozen=True, slots=True)
class StateRow:
    """One point at one group size.

    Attributes:
        levels: the point.
        group: m, None where no level is I.
        memory: of the fullest rank.
        communication: of a step.
        compute_seconds: of a step.
        overlap: share of the shorter of both that is hidden, 0 to 1.
        limit_bytes: memory of a rank.
    """

    levels: StateLevels
    group: int | None
    memory: StateMemory
    communication: StateCommunication
    compute_seconds: float
    overlap: float
    limit_bytes: int

    @property
    def is_feasible(self) -> bool:
        """Whether a rank has the memory."""
        return self.memory.total <= self.limit_bytes

    @property
    def max_seconds(self) -> float:
        """A step, all communication hidden that can be."""
        return max(self.compute_seconds, self.communication.total)

    @property
    def sum_seconds(self) -> float:
        """A step, no communication hidden."""
        return self.compute_seconds + self.communication.total

    @property
    def seconds(self) -> float:
        """A step."""
        return self.sum_seconds - self.overlap * (self.sum_seconds - self.max_seconds)

    @property
    def _order(self) -> tuple[bool, int, int, str, int]:
        """Fitting first, then by whole picoseconds, bytes, name: the same on every machine."""
        ticks = round(self.seconds * _TICKS)
        return (not self.is_feasible, ticks, self.memory.total, str(self.levels), self.group or 0)


def state_table(
    job: Job,
    groups: Sequence[int],
    links: Callable[[int], Links],
    *,
    limit_bytes: int,
    overlap: float = 0.0,
    default_group: int = 1,
) -> tuple[StateRow, ...]:
    """Return all points at all group sizes, those that fit first, cheapest first.

    Args:
        job: what is trained.
        groups: sizes m to look at, each a divisor of the ranks and neither 1 nor all of them;
            without any, only points without I.
        links: prices the collectives of groups of a size.
        limit_bytes: memory of a rank.
        overlap: share of the shorter of computation and communication that is hidden.
        default_group: group size that prices points without I: two-level collectives have groups.
    """
    rows = []
    for levels in POINTS:
        uses_groups = Level.INTRA in (levels.parameter, levels.gradient, levels.optimizer)
        for group in groups if uses_groups else (default_group,):
            row = StateRow(
                levels,
                group if uses_groups else None,
                state_memory(levels, job, group),
                state_communication(levels, job, group, links(group)),
                job.microbatches * job.compute_seconds,
                overlap,
                limit_bytes,
            )
            rows.append(row)
    return tuple(sorted(rows, key=lambda row: row._order))


def group_sizes(ranks: int, devices_per_node: int) -> tuple[int, ...]:
    """Return the sizes of groups that tile both the ranks and the nodes: m between 1 and n."""
    return tuple(
        m for m in range(2, ranks) if ranks % m == 0 and _tiles_nodes(m, ranks, devices_per_node)
    )


def check_group(group: int, ranks: int, devices_per_node: int) -> None:
    """Refuse a group size that makes no groups or groups of unlike links.

    Raises:
        UsageError: it does not divide the ranks, is 1 or all of them, or straddles nodes.
    """
    allowed = group_sizes(ranks, devices_per_node)
    if group in allowed:
        return
    if group < 1 or ranks % group:
        reason = f"groups of {group} do not divide {ranks} ranks"
    elif group in (1, ranks):
        same = "N" if group == 1 else "G"
        reason = f"groups of {group} on {ranks} ranks: level I would be {same}"
    else:
        reason = f"groups of {group} straddle nodes of {devices_per_node} devices"
    sizes = ", ".join(map(str, allowed))
    raise UsageError(reason, help=f"use one of {sizes}" if sizes else "leave the group size out")


def _tiles_nodes(group: int, ranks: int, devices_per_node: int) -> bool:
    if ranks <= devices_per_node:
        return True
    return devices_per_node % group == 0 or group % devices_per_node == 0
