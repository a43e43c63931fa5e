"""The memory limit priced into the labels: exact minima, and lower bounds for any prices.

    L(λ) = min over x of  C(x) + Σ_p λ_p r_p(x)   −   Σ_p λ_p · limit         λ ≥ 0
    L(λ) ≤ cheapest legal cost

Prices are ticks per byte; each label's price is rounded down, so the bound stays a bound in whole
numbers. A restriction forbids labels; it is how a search tells apart what it has not yet decided.

Minima are found by `core_search.py`: exact, or a bound and an assignment near it; everything here
stays a bound.

Source: Lagrangian relaxation (Geoffrion 1974).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from distc.solver.search.core_search import CELLS, CoreSearch
from distc.solver.search.dominance import Dominance
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.solution import Stop, never

Prices = tuple[float, ...]
"""Ticks per byte, one for each memory point."""

Restriction = Mapping[int, frozenset[int]]
"""Variable → labels it may not take."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one set of prices gives.

    Attributes:
        prices: the prices.
        bound: proved lower bound on the cost of every legal assignment, in ticks.
        labels: an assignment that attains the minimum, or comes near it.
        cost: its cost in ticks.
        bytes_: its bytes at each memory point.
    """

    prices: Prices
    bound: int
    labels: tuple[int, ...]
    cost: int
    bytes_: tuple[int, ...]

    @property
    def peak(self) -> int:
        """Most bytes at a memory point."""
        return max(self.bytes_, default=0)


class Relaxation:
    """Minima of one network at any prices, under any restriction."""

    def __init__(
        self, network: CostNetwork, limit: int, cells: int = CELLS, stop: Stop = never
    ) -> None:
        self.network = network
        self.limit = limit
        self.stop = stop
        self.rounds = 0
        self._search = CoreSearch(cells)
        # At any price of memory, labels that cost and take more than another are not needed.
        reduced, self._kept = Dominance().reduce(network, memory=bool(network.memory))
        self._reduced = reduced

    def at(self, prices: Prices, restriction: Restriction | None = None) -> Point:
        """Return the minimum at these prices."""
        self.rounds += 1
        network = self._with_prices(prices, restriction or {})
        # Prices only raise a bound: what thoroughness would add is little beside the next price.
        found = self._search.solve(network, self.stop, thorough=not any(prices))
        fixed = sum(ceil(price * self.limit) for price in prices)
        labels = self._whole(found.labels)
        bytes_ = tuple(self.network.bytes_at(labels))
        return Point(prices, found.bound - fixed, labels, self.network.cost(labels), bytes_)

    def least_bytes(self, point: int) -> tuple[int, tuple[int, ...]]:
        """Return bytes no legal assignment is below at a memory point, and one near them."""
        self.rounds += 1
        n, rows = self._reduced, self._reduced.memory[point]
        unary = tuple(
            np.where(u >= FORBIDDEN, FORBIDDEN, rows.get(i, np.zeros_like(u)))
            for i, u in enumerate(n.unary)
        )
        legal: dict[int, Costs] = {}
        for edge in n.edges:
            if id(edge.costs) not in legal:
                legal[id(edge.costs)] = np.where(edge.costs >= FORBIDDEN, FORBIDDEN, 0)
        edges = tuple(Edge(e.first, e.second, legal[id(e.costs)]) for e in n.edges)
        network = CostNetwork(unary, edges, (), n.blocks, n.places)
        found = CoreSearch(self._search.cells).solve(network, self.stop)
        return found.bound, self._whole(found.labels)

    def _whole(self, labels: Sequence[int]) -> tuple[int, ...]:
        return tuple(kept[x] for kept, x in zip(self._kept, labels, strict=True))

    def _with_prices(self, prices: Prices, restriction: Restriction) -> CostNetwork:
        if not any(prices) and not restriction:
            return self._reduced
        n = self._reduced
        unary = tuple(
            self._price(i, u, prices, restriction.get(i, frozenset()))
            for i, u in enumerate(n.unary)
        )
        return CostNetwork(unary, n.edges, n.memory, n.blocks, n.places)

    def _price(self, variable: int, costs: Costs, prices: Prices, without: frozenset[int]) -> Costs:
        total = costs
        for price, rows in zip(prices, self._reduced.memory, strict=True):
            if price and variable in rows:
                total = total + np.floor(price * rows[variable]).astype(np.int64)
        if without:
            total = total.copy()
            total[[i for i, k in enumerate(self._kept[variable]) if k in without]] = FORBIDDEN
        return np.minimum(total, FORBIDDEN) if total is not costs else costs
