"""The optimum by trying everything: shares no code, no order and no bound with the search.

All assignments are written out, variable by variable. One is dropped where it is not legal, or
where the least that the open variables add would take it above the limit, or to the cost of an
assignment that is known: that drops no optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import FORBIDDEN, CostNetwork

Numbers = NDArray[np.int64]

_DIVE = 500
"""Rows that live on in a first try, which only serves to know some assignment."""

MOST_ROWS = 1_000_000


class TooMany(Exception):
    """More assignments than there is room for."""


@dataclass(frozen=True)
class Cheapest:
    """A cheapest assignment, and its most bytes at a memory point."""

    cost: int
    labels: tuple[int, ...]
    peak: int


def cheapest(network: CostNetwork, limit: int | None = None) -> Cheapest | None:
    """Return a cheapest legal assignment within `limit` bytes, None where there is none."""
    known = _write_out(network, limit, None, by_bytes=False, width=_DIVE)
    return _write_out(network, limit, known) or known


def lean(network: CostNetwork) -> Cheapest | None:
    """Return a legal assignment of few bytes."""
    return _write_out(network, None, None, by_bytes=True, width=_DIVE)


def _write_out(
    network: CostNetwork,
    limit: int | None,
    known: Cheapest | None,
    *,
    by_bytes: bool = False,
    width: int | None = None,
) -> Cheapest | None:
    rows: Numbers = np.zeros((1, 0), np.int64)
    costs: Numbers = np.zeros(1, np.int64)
    used: Numbers = np.zeros((1, len(network.memory)), np.int64)
    for variable in range(network.size):
        count = len(network.unary[variable])
        if len(rows) * count > MOST_ROWS:
            raise TooMany
        new = np.tile(np.arange(count), len(rows))
        rows, costs, used = (np.repeat(x, count, 0) for x in (rows, costs, used))
        added, legal = _added(network, variable, rows, new)
        costs, used = costs + added, used + _bytes(network, variable, new)
        if limit is not None:
            legal &= (used + _least_bytes(network, variable + 1) <= limit).all(1)
        if known is not None:
            legal &= costs + _least_cost(network, variable + 1) < known.cost
        rows, costs, used = np.column_stack([rows, new])[legal], costs[legal], used[legal]
        if width is not None:
            key = used.max(1, initial=0) if by_bytes else costs
            best = np.argsort(key, kind="stable")[:width]
            rows, costs, used = rows[best], costs[best], used[best]
    if not len(rows):
        return None
    first = 0 if by_bytes else int(costs.argmin())
    labels = tuple(int(x) for x in rows[first])
    return Cheapest(int(costs[first]), labels, int(used[first].max(initial=0)))


def _added(
    network: CostNetwork, variable: int, rows: Numbers, new: Numbers
) -> tuple[Numbers, NDArray[np.bool_]]:
    """Ticks that a label adds to each row, and where it may be."""
    costs = network.unary[variable][new]
    legal = costs < FORBIDDEN
    for edge in network.edges:
        if edge.second == variable:
            pair = edge.costs[rows[:, edge.first], new]
            legal &= pair < FORBIDDEN
            costs = costs + pair
    return costs, legal


def _bytes(network: CostNetwork, variable: int, new: Numbers) -> Numbers:
    columns = [p[variable][new] if variable in p else 0 * new for p in network.memory]
    return np.array(columns, np.int64).reshape(len(columns), len(new)).T


def _least_cost(network: CostNetwork, start: int) -> int:
    alone = sum(int(u.min()) for u in network.unary[start:])
    return alone + sum(int(e.costs.min()) for e in network.edges if e.second >= start)


def _least_bytes(network: CostNetwork, start: int) -> Numbers:
    least = [sum(int(b.min()) for i, b in p.items() if i >= start) for p in network.memory]
    return np.array(least, np.int64)
