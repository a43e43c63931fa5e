"""Beam search: of all beginnings of an assignment, the `width` cheapest live on.

    beginnings(k + 1) = the width cheapest of  { b + label : b in beginnings(k), label of v_k }
    that are legal so far and have, at every memory point p,
        bytes of b at p + Σ over variables still open of min r_pi  ≤  limit

Variables come in program order; one that reads nothing (an argument) comes before its first reader,
so that a beginning is judged by what its choices cost. The result is legal, not proved: its lower
bound is the constant that `shift` leaves.

Source: the beam search of MetaDist (easydist, alibaba), with its memory made a limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.deadline import Deadline
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs
from distc.solver.search.shift import shift
from distc.solver.search.solution import Solution, Status

WIDTH = 100


def search_beam(
    network: CostNetwork, limit: int, deadline: Deadline, width: int = WIDTH
) -> Solution:
    """Return an assignment within `limit` bytes, `UNKNOWN` where every beginning led nowhere.

    Args:
        network: the problem.
        limit: bytes per rank.
        deadline: when to stop; beginnings are no answer, so nothing is returned then.
        width: beginnings that live on; the more, the cheaper the result and the slower.
    """
    shifted = shift(network)
    if shifted.constant >= FORBIDDEN:
        return Solution(Status.INFEASIBLE)
    beam = _Beam.start(network)
    least = max((int(r) for r in beam.rest), default=0)
    if least > limit:
        return Solution(Status.INFEASIBLE, least_bytes=least)
    for variable in _order(network):
        if deadline.spent() or not len(beam.labels):
            return Solution(Status.UNKNOWN, lower_bound=shifted.constant)
        beam = beam.extend(variable, limit).cheapest(width)
    if not len(beam.labels):
        return Solution(Status.UNKNOWN, lower_bound=shifted.constant)
    labels = tuple(int(x) for x in beam.labels[0])
    cost = network.cost(labels)
    status = Status.OPTIMAL if cost == shifted.constant else Status.BOUNDED
    return Solution(status, labels, cost, shifted.constant)


def _order(network: CostNetwork) -> list[int]:
    """Variables by number, those without a neighbour before them just before the first after."""

    def place(variable: int) -> tuple[int, int]:
        edges = [network.edges[e] for e in network.neighbours[variable]]
        if any(e.second == variable for e in edges):
            return variable, 1
        return min((e.second for e in edges), default=variable), 0

    return sorted(range(network.size), key=lambda v: (*place(v), v))


@dataclass(frozen=True, slots=True)
class _Beam:
    """Beginnings, a row each.

    Attributes:
        network: the problem.
        labels: [beginnings, variables], -1 where still open.
        costs: [beginnings], ticks so far.
        bytes_: [beginnings, memory points], bytes so far.
        rest: [memory points], least bytes of what is still open.
    """

    network: CostNetwork
    labels: NDArray[np.int16]
    costs: Costs
    bytes_: Costs
    rest: Costs

    @classmethod
    def start(cls, network: CostNetwork) -> _Beam:
        """The one beginning with everything open."""
        points = len(network.memory)
        rest = [sum(int(b.min()) for b in p.values()) for p in network.memory]
        return cls(
            network,
            np.full((1, network.size), -1, np.int16),
            np.zeros(1, np.int64),
            np.zeros((1, points), np.int64),
            np.array(rest, np.int64),
        )

    def extend(self, variable: int, limit: int) -> _Beam:
        """Every beginning with every label of a variable that may be and can still fit."""
        added = self._added(variable)
        used, rest = self._used(variable)
        fits = (used + rest <= limit).all(-1)
        row, label = np.nonzero((added < FORBIDDEN) & fits)
        labels = self.labels[row]
        labels[:, variable] = label
        costs = self.costs[row] + added[row, label]
        return _Beam(self.network, labels, costs, used[row, label], rest)

    def cheapest(self, width: int) -> _Beam:
        """The cheapest beginnings; of equal ones those that were first."""
        best = np.argsort(self.costs, kind="stable")[:width]
        return _Beam(
            self.network, self.labels[best], self.costs[best], self.bytes_[best], self.rest
        )

    def _added(self, variable: int) -> Costs:
        """Ticks [beginnings, labels] that a variable adds, `FORBIDDEN` where it may not be."""
        total = np.tile(self.network.unary[variable], (len(self.labels), 1))
        for number in self.network.neighbours[variable]:
            edge = self.network.edges[number]
            upright = edge.second == variable
            other = self.labels[:, edge.first if upright else edge.second]
            if other[0] >= 0:  # all beginnings have the same variables open
                table = edge.costs if upright else edge.costs.T
                total = np.minimum(total + table[other], FORBIDDEN)
        return total

    def _used(self, variable: int) -> tuple[Costs, Costs]:
        """Bytes [beginnings, labels, points] with a variable decided, and of what is open then."""
        size = len(self.network.unary[variable])
        used = np.repeat(self.bytes_[:, None, :], size, axis=1)
        rest = self.rest.copy()
        for point, bytes_ in enumerate(self.network.memory):
            if variable in bytes_:
                used[:, :, point] += bytes_[variable]
                rest[point] -= bytes_[variable].min()
        return used, rest
