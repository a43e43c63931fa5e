"""The cheapest assignment of a network and a bound on it, by the cheapest means that suffice.

1. Variables with few neighbours are taken out, exactly.
2. Messages raise the bound and give assignments; on graphs of real models they mostly meet.
3. Where they do not, labels and pairs whose cost beyond the bound is more than the best assignment
   leaves are forbidden (reduced cost fixing), and what is left is eliminated: exactly where tables
   of `cells` suffice, else as a better bound.

    bound + residual(x_v)        ≥ best   ⇒ x_v is in no better assignment
    bound + residual(x_u, x_v)   ≥ best   ⇒ the pair is in none

Source: reduced cost fixing, Nemhauser and Wolsey, Integer and Combinatorial Optimization, 1988.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from distc.solver.search.elimination import Eliminator
from distc.solver.search.messages import Messages, Sent
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.order import find_order
from distc.solver.search.reduction import Core, Reducer
from distc.solver.search.solution import Stop, never

CELLS = 1 << 22
"""Cells of the largest table."""

_TABLES = (1 << 15, 1 << 18)
"""Cells of tables to try before the largest ones."""

_SWEEPS = 300
_PATIENCE = 12
_PROGRESS = 1 << 20
"""Sweeps end when `_PATIENCE` of them raise the bound by less than this part of it."""
_ENOUGH = 1 << 13
"""The same of a search that is not thorough."""

Labels = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bounded:
    """Ticks that no assignment is below, an assignment and its cost."""

    bound: int
    labels: Labels
    cost: int


class CoreSearch:
    """Searches networks; what it has met before it does not compute again."""

    def __init__(self, cells: int = CELLS) -> None:
        self.cells = cells
        self._reducer, self._eliminator = Reducer(), Eliminator()
        self._sent: Sent = {}

    def solve(self, network: CostNetwork, stop: Stop = never, *, thorough: bool = True) -> Bounded:
        """Return a cheapest assignment without regard to memory, or one near it and a bound.

        What messages settled on is where the next search begins: best for networks that differ in
        few costs.

        Args:
            network: the problem; where nothing is legal the bound is `FORBIDDEN` or more.
            stop: asked between sweeps.
            thorough: sweep on while anything is gained, and eliminate what messages leave open.
        """
        core = self._reducer.reduce(network)
        found = self._solve_core(core, stop, thorough)
        labels = core.whole(found.labels)
        return Bounded(found.bound + core.constant, labels, found.cost + core.constant)

    def _solve_core(self, core: Core, stop: Stop, thorough: bool) -> Bounded:
        network, members = core.network, core.members
        if not network.size:
            return Bounded(0, (), 0)
        place = {v: i for i, v in enumerate(members)}
        start = {
            (place[a], place[b]): sent
            for (a, b), sent in self._sent.items()
            if a in place and b in place
        }
        messages = Messages(network, start)
        found = _swept(messages, stop, _PROGRESS if thorough else _ENOUGH)
        self._sent = {(members[a], members[b]): s for (a, b), s in messages.sent().items()}
        if (found.bound >= found.cost and found.cost < FORBIDDEN) or not thorough:
            return found
        floor, residual = messages.residual()
        for cells in (*(c for c in _TABLES if c < self.cells), self.cells):
            found = self._closed(network, found, floor, residual, cells)
            if found.bound >= found.cost or stop():
                break
        return found

    def _closed(
        self, network: CostNetwork, found: Bounded, floor: int, residual: CostNetwork, cells: int
    ) -> Bounded:
        """Search what could still be cheaper than what was found."""
        pruned, kept = _pruned(residual, found.cost - floor)
        if pruned is None:
            return Bounded(found.cost, found.labels, found.cost)
        core = self._reducer.reduce(pruned)
        rest = self._eliminator.approximate(core.network, find_order(core.network), cells)
        bound = max(found.bound, min(found.cost, floor + core.constant + rest.bound))
        labels = tuple(k[x] for k, x in zip(kept, core.whole(rest.labels), strict=True))
        cost = network.cost(labels)
        if cost < found.cost:
            return Bounded(min(bound, cost), labels, cost)
        return Bounded(bound, found.labels, found.cost)


def _swept(messages: Messages, stop: Stop, progress: int) -> Bounded:
    """Sweep until the bound meets the best assignment, or rises by less than its 1/progress."""
    network = messages.network
    bound = since = -FORBIDDEN
    best: Labels = ()
    cost = 0
    for number in range(_SWEEPS):
        bound = max(bound, messages.sweep())
        labels = messages.labels()
        if labels != best and (not best or network.cost(labels) < cost):
            best, cost = labels, network.cost(labels)
        if bound >= cost or stop():
            break
        if number % _PATIENCE == _PATIENCE - 1:
            if bound - since <= abs(bound) // progress:
                break
            since = bound
    return Bounded(bound, best, cost)


def _pruned(network: CostNetwork, room: int) -> tuple[CostNetwork | None, list[Sequence[int]]]:
    """Take out labels that alone cost `room` or more; None where some variable has no other.

    Pairs that cost as much are forbidden.
    """
    alone = [u.copy() for u in network.unary]
    for edge in network.edges:
        alone[edge.first] += edge.costs.min(1)
        alone[edge.second] += edge.costs.min(0)
    kept: list[Sequence[int]] = [np.flatnonzero(a < room).tolist() for a in alone]
    if not all(kept):
        return None, kept
    unary = tuple(u[k] for u, k in zip(network.unary, kept, strict=True))
    edges = tuple(
        Edge(e.first, e.second, _without(e.costs[np.ix_(kept[e.first], kept[e.second])], room))
        for e in network.edges
    )
    return CostNetwork(unary, edges, (), network.blocks, network.places), kept


def _without(costs: Costs, room: int) -> Costs:
    return np.where(costs >= room, FORBIDDEN, costs)
