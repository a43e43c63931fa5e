"""Costs moved until every table's least cost is zero: a constant, and what is left above it.

    m'_ij(a, b) = m_ij(a, b) − r_i(a) − c_j(b)     u'_i(a) = u_i(a) + Σ r_i(a) + Σ c_i(a) − least_i
    C(x) = constant + C'(x)                         for every assignment x, C' ≥ 0

So the constant is a lower bound on every assignment. Weights of clauses and coefficients of rows
become small, and pairs that cost the same whatever the other end does need none.

Source: equivalence-preserving transformations (soft arc consistency), Cooper et al. 2010.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge


@dataclass(frozen=True, slots=True)
class Shifted:
    """A network whose tables have a least cost of zero.

    Attributes:
        constant: ticks to add to its costs; `FORBIDDEN` where no assignment is legal.
        network: the same variables and memory; edges that say nothing are gone.
    """

    constant: int
    network: CostNetwork


def shift(network: CostNetwork) -> Shifted:
    """Move costs from pairs to labels and from labels to a constant."""
    unary = list(network.unary)
    edges = []
    for edge in network.edges:
        rows = edge.costs.min(1)
        table = _less(edge.costs, rows[:, None])
        columns = table.min(0)
        table = _less(table, columns[None, :])
        unary[edge.first] = _more(unary[edge.first], rows)
        unary[edge.second] = _more(unary[edge.second], columns)
        if table.any():
            edges.append(Edge(edge.first, edge.second, table))
    least = [int(u.min()) for u in unary]
    constant = FORBIDDEN if FORBIDDEN in least else sum(least)
    left = tuple(_less(u, np.int64(m)) for u, m in zip(unary, least, strict=True))
    n = network
    return Shifted(constant, CostNetwork(left, tuple(edges), n.memory, n.blocks, n.places))


def _more(costs: Costs, by: Costs) -> Costs:
    more: Costs = np.minimum(costs + by, FORBIDDEN)
    return more


def _less(costs: Costs, by: Costs | np.int64) -> Costs:
    """What may not be stays so; a row of nothing else is forbidden by its label's cost instead."""
    possible = np.where(by >= FORBIDDEN, 0, by)
    less: Costs = np.where(costs >= FORBIDDEN, FORBIDDEN, costs - possible)
    return less
