"""The search's problem: pick one label per variable, at least total cost, within memory.

    minimise    Σ_i u_i(x_i) + Σ_(i,j) m_ij(x_i, x_j)
    subject to  Σ_i r_pi(x_i) ≤ limit          for every memory point p

A variable is an op (with what follows it), a label one of its strategies, u its seconds of work,
m the seconds of converting a value between what i makes and j wants, r_p the bytes that are alive
at a point p of the schedule. Costs are integers: sums are exact, equal on any machine, and a
message between equal layers is exactly the one before plus a number.

Source: pairwise cost function networks (weighted constraint satisfaction), Cooper et al. 2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

TICKS_PER_SECOND = 10**12
"""Costs are counted in picoseconds."""

FORBIDDEN = 1 << 52
"""Cost of what may not be: over an hour; a sum of two thousand of it does not overflow."""

Costs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Edge:
    """Cost [labels of `first`, labels of `second`] of a pair of variables, `first` < `second`."""

    first: int
    second: int
    costs: Costs


@dataclass(frozen=True)
class CostNetwork:
    """A problem.

    Attributes:
        unary: per variable, cost of each label.
        edges: costs of pairs; at most one edge per pair.
        memory: per memory point, variable → bytes of each label; absent variables take none.
        blocks: per variable, the layer it is in, or -1: only a hint for the order of elimination.
        places: per variable, its place within its layer, equal in equal layers.
    """

    unary: tuple[Costs, ...]
    edges: tuple[Edge, ...]
    memory: tuple[Mapping[int, Costs], ...] = ()
    blocks: tuple[int, ...] = ()
    places: tuple[str, ...] = field(default=())

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.unary)

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Per variable, the edges it is in."""
        found: list[list[int]] = [[] for _ in self.unary]
        for index, edge in enumerate(self.edges):
            found[edge.first].append(index)
            found[edge.second].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def dearest(self) -> int:
        """Ticks that no legal assignment is above."""
        tables = (*self.unary, *(e.costs for e in self.edges))
        return sum(int(t[t < FORBIDDEN].max(initial=0)) for t in tables)

    def most_bytes(self, point: int) -> int:
        """Bytes that no assignment is above at a memory point."""
        return sum(int(b.max(initial=0)) for b in self.memory[point].values())

    def cost(self, labels: Sequence[int]) -> int:
        """Total cost of an assignment in ticks, `FORBIDDEN` or more where it is not legal."""
        total = sum(int(u[x]) for u, x in zip(self.unary, labels, strict=True))
        return total + sum(int(e.costs[labels[e.first], labels[e.second]]) for e in self.edges)

    def bytes_at(self, labels: Sequence[int]) -> list[int]:
        """Bytes alive at every memory point under an assignment."""
        return [sum(int(b[labels[i]]) for i, b in point.items()) for point in self.memory]

    def peak_bytes(self, labels: Sequence[int]) -> int:
        """Most bytes alive at a memory point, 0 without one."""
        return max(self.bytes_at(labels), default=0)


def make_network(
    unary: Sequence[Costs],
    pairs: Sequence[tuple[int, int, Costs]],
    memory: Sequence[Mapping[int, Costs]] = (),
    blocks: Sequence[int] = (),
    places: Sequence[str] = (),
) -> CostNetwork:
    """Build a network: parallel edges are added, edges turned to point upwards, loops folded in.

    Args:
        unary: per variable, cost of each label in ticks.
        pairs: (i, j, cost [labels of i, labels of j]).
        memory, blocks, places: as in `CostNetwork`.
    """
    alone = [np.minimum(np.asarray(u, np.int64), FORBIDDEN) for u in unary]
    together: dict[tuple[int, int], Costs] = {}
    for i, j, costs in pairs:
        table = np.minimum(np.asarray(costs, np.int64), FORBIDDEN)
        if i == j:
            alone[i] = np.minimum(alone[i] + np.diag(table), FORBIDDEN)
            continue
        key, value = ((i, j), table) if i < j else ((j, i), table.T)
        known = together.get(key)
        together[key] = value if known is None else np.minimum(known + value, FORBIDDEN)
    edges = tuple(Edge(i, j, np.ascontiguousarray(t)) for (i, j), t in together.items())
    return CostNetwork(tuple(alone), edges, tuple(memory), tuple(blocks), tuple(places))


def ticks(seconds: float) -> int:
    """Return seconds as whole ticks, `FORBIDDEN` for infinity."""
    return (
        FORBIDDEN if seconds == float("inf") else min(round(seconds * TICKS_PER_SECOND), FORBIDDEN)
    )


def seconds(ticks_: int) -> float:
    """Return ticks as seconds."""
    return ticks_ / TICKS_PER_SECOND
