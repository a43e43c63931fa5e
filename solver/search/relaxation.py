"""The memory limit priced into the labels: exact minima, and lower bounds for any prices.

    L(λ) = min over x of  C(x) + Σ_p λ_p r_p(x)   −   Σ_p λ_p · limit         λ ≥ 0
    L(λ) ≤ cheapest legal cost

Prices are ticks per byte; each label's price is rounded down, so the bound stays a bound in whole
numbers. A restriction forbids labels; it is how a search tells apart what it has not yet decided.

Where tables would be larger than `cells`, minima are bounds with an assignment near them
(`elimination.py`); everything here stays a bound.

Source: Lagrangian relaxation (Geoffrion 1974).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from distc.solver.search.dominance import Dominance
from distc.solver.search.elimination import Eliminator
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs
from distc.solver.search.order import find_order

Prices = tuple[float, ...]
"""Ticks per byte, one for each memory point."""

CELLS = 1 << 20
"""Cells of the largest table."""

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

    def __init__(self, network: CostNetwork, limit: int, cells: int = CELLS) -> None:
        self.network = network
        self.limit = limit
        self.cells = cells
        self.rounds = 0
        self._dominance, self._eliminator = Dominance(), Eliminator()
        self._order: tuple[int, ...] | None = None
        self._priced: dict[tuple[int, tuple[int, ...], frozenset[int]], Costs] = {}
        self._rows: list[dict[int, Costs]] = [dict(p) for p in network.memory]
        self._shared: dict[bytes, int] = {}

    @property
    def order(self) -> tuple[int, ...]:
        """The order of elimination, empty before the first minimum."""
        return self._order or ()

    def at(self, prices: Prices, restriction: Restriction | None = None) -> Point:
        """Return the minimum at these prices."""
        self.rounds += 1
        network = self._with_prices(prices, restriction or {})
        reduced, kept = self._dominance.reduce(network, memory=False)
        if self._order is None:
            self._order = find_order(reduced)
        found = self._eliminator.approximate(reduced, self._order, self.cells)
        labels = tuple(k[x] for k, x in zip(kept, found.labels, strict=True))
        fixed = sum(ceil(price * self.limit) for price in prices)
        bytes_ = tuple(self.network.bytes_at(labels))
        return Point(prices, found.bound - fixed, labels, self.network.cost(labels), bytes_)

    def least_bytes(self, point: int) -> tuple[int, tuple[int, ...]]:
        """Return bytes no legal assignment is below at a memory point, and one near them."""
        self.rounds += 1
        rows = self._rows[point]
        unary = tuple(
            np.where(u >= FORBIDDEN, FORBIDDEN, rows.get(i, np.zeros_like(u)))
            for i, u in enumerate(self.network.unary)
        )
        edges = tuple(
            type(e)(e.first, e.second, np.where(e.costs >= FORBIDDEN, FORBIDDEN, 0))
            for e in self.network.edges
        )
        n = self.network
        network = CostNetwork(unary, edges, (), n.blocks, n.places)
        reduced, kept = self._dominance.reduce(network, memory=False)
        found = self._eliminator.approximate(reduced, find_order(reduced), self.cells)
        labels = tuple(k[x] for k, x in zip(kept, found.labels, strict=True))
        return found.bound, labels

    def _with_prices(self, prices: Prices, restriction: Restriction) -> CostNetwork:
        if not any(prices) and not restriction:
            return self.network
        unary = tuple(
            self._price(i, u, prices, restriction.get(i, frozenset()))
            for i, u in enumerate(self.network.unary)
        )
        n = self.network
        return CostNetwork(unary, n.edges, n.memory, n.blocks, n.places)

    def _price(self, variable: int, costs: Costs, prices: Prices, without: frozenset[int]) -> Costs:
        total = costs
        for price, rows in zip(prices, self._rows, strict=True):
            if price and variable in rows:
                total = total + np.floor(price * rows[variable]).astype(np.int64)
        if without:
            total = total.copy()
            total[list(without)] = FORBIDDEN
        return np.minimum(total, FORBIDDEN) if total is not costs else costs
