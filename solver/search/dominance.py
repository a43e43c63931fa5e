"""Labels that no optimum needs are dropped before the search (Goldstein's dead-end elimination).

    drop a from variable i if some b ≠ a has
        u_i(b) − u_i(a) + Σ_j max over y of ( m_ij(b, y) − m_ij(a, y) )  ≤  0
    and, where memory counts, r_pi(b) ≤ r_pi(a) at every memory point p

Then b in place of a never costs more, whatever the neighbours have. Among equals the one with the
smaller number stays. What was found for a variable holds for every variable with the same tables.

Source: Goldstein, Biophysical Journal 66 (1994); as in the measured prototype of the search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.tables import TableStore

_ROUNDS = 20
Kept = tuple[int, ...]


class Dominance:
    """Drops labels of networks; what it has met before it does not compute again."""

    def __init__(self) -> None:
        self.store = TableStore()
        self.kept: dict[tuple[object, ...], Kept] = {}
        self.cuts: dict[tuple[int, Kept | None, Kept | None], Costs] = {}

    def reduce(self, network: CostNetwork, *, memory: bool) -> tuple[CostNetwork, list[Kept]]:
        """Return the network without dominated labels, and per variable the labels it kept.

        Args:
            network: the problem.
            memory: keep labels that cost more and take less memory.
        """
        return _Reduction(self, network, memory).run()


class _Reduction:
    def __init__(self, found: Dominance, network: CostNetwork, memory: bool) -> None:
        self.found, self.store = found, found.store
        self.network = network
        self.edges = [self.store.add(e.costs) for e in network.edges]
        self.unary = [self.store.add(u) for u in network.unary]
        self.kept: list[Kept] = [tuple(range(len(u))) for u in network.unary]
        self.rows = [self._rows(i) if memory else () for i in range(network.size)]

    def _rows(self, variable: int) -> tuple[int, ...]:
        points = (p.get(variable) for p in self.network.memory)
        return tuple(sorted({self.store.add(b) for b in points if b is not None}))

    def run(self) -> tuple[CostNetwork, list[Kept]]:
        waiting = set(range(self.network.size))
        for _ in range(_ROUNDS):
            changed = [i for i in sorted(waiting) if self._reduce(i)]
            waiting = {j for i in changed for j in (i, *self._others(i))}
            if not waiting:
                break
        return self._network(), self.kept

    def _others(self, variable: int) -> list[int]:
        edges = (self.network.edges[e] for e in self.network.neighbours[variable])
        return [e.second if e.first == variable else e.first for e in edges]

    def _reduce(self, variable: int) -> bool:
        if len(self.kept[variable]) == 1:
            return False
        around = tuple(
            (self.edges[e], edge.first == variable, self.kept[other])
            for e, other in zip(
                self.network.neighbours[variable], self._others(variable), strict=True
            )
            for edge in (self.network.edges[e],)
        )
        key = (self.unary[variable], self.kept[variable], self.rows[variable], around)
        left = self.found.kept.get(key)
        if left is None:
            left = self.found.kept[key] = self._left(variable, around)
        changed = left != self.kept[variable]
        self.kept[variable] = left
        return changed

    def _left(self, variable: int, around: Sequence[tuple[int, bool, Kept]]) -> Kept:
        labels = list(self.kept[variable])
        unary = self.store[self.unary[variable]][labels]
        worse = unary[:, None] - unary[None, :]
        for table, upright, others in around:
            costs = self.store[table] if upright else self.store[table].T
            worse = worse + _largest_difference(costs[np.ix_(labels, list(others))])
        allowed = np.ones_like(worse, dtype=bool)
        for number in self.rows[variable]:
            bytes_ = self.store[number][labels]
            allowed &= bytes_[:, None] <= bytes_[None, :]
        return tuple(
            label
            for label, stays in zip(labels, _stays(worse, allowed, unary), strict=True)
            if stays
        )

    def _network(self) -> CostNetwork:
        network, kept = self.network, self.kept
        unary = tuple(
            u if len(k) == len(u) else self._cut(n, k, None)
            for u, n, k in zip(network.unary, self.unary, kept, strict=True)
        )
        edges = tuple(
            Edge(e.first, e.second, self._cut(n, kept[e.first], kept[e.second]))
            for e, n in zip(network.edges, self.edges, strict=True)
        )
        memory = tuple({i: b[list(kept[i])] for i, b in p.items()} for p in network.memory)
        return CostNetwork(unary, edges, memory, network.blocks, network.places)

    def _cut(self, table: int, rows: Kept, columns: Kept | None) -> Costs:
        key = (table, rows, columns)
        known = self.found.cuts.get(key)
        if known is None:
            whole = self.store[table]
            part = (
                whole[list(rows)] if columns is None else whole[np.ix_(list(rows), list(columns))]
            )
            known = self.found.cuts[key] = np.ascontiguousarray(part)
        return known


def _largest_difference(costs: Costs) -> Costs:
    """Return [b, a] = max over y of costs[b, y] − costs[a, y], where a with y may be at all."""
    difference = costs[:, None, :] - costs[None, :, :]
    impossible = np.broadcast_to((costs >= FORBIDDEN)[None, :, :], difference.shape)
    difference = np.where(impossible, -FORBIDDEN, difference)
    result: Costs = difference.max(-1)
    return result


def _stays(worse: Costs, allowed: NDArray[np.bool_], unary: Costs) -> list[bool]:
    """Drop from the highest label down: by a strictly better one, or an equal one before it."""
    stays = [True] * len(worse)
    for a in reversed(range(len(worse))):
        better = (
            stays[b]
            and allowed[b, a]
            and unary[b] < FORBIDDEN
            and (worse[b, a] < 0 or (worse[b, a] == 0 and b < a))
            for b in range(len(worse))
            if b != a
        )
        if any(better):
            stays[a] = False
    return stays
