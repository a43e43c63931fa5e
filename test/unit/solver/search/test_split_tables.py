"""Branch and bound claims no more than is proved where tables are split or a gap is allowed."""

from __future__ import annotations

from functools import partial

import pytest
from unit.solver.search.networks import brute_force, random_network

from distc.solver.search import memory
from distc.solver.search.memory import solve_within
from distc.solver.search.network import CostNetwork
from distc.solver.search.relaxation import Relaxation
from distc.solver.search.solution import Status


def binding(network: CostNetwork, share: float) -> int:
    """A limit in bytes: a share of the most any assignment could take."""
    points = range(len(network.memory))
    return int(share * sum(network.most_bytes(p) for p in points) / len(points))


@pytest.mark.parametrize("seed", range(80))
def test_what_tables_of_one_cell_prove_holds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "Relaxation", partial(Relaxation, cells=1))
    network = random_network(seed, 8, 3, 1, forbidden=0.0)
    limit = binding(network, (0.4, 0.5, 0.6)[seed % 3])
    _check(network, limit, branches=100, gap=0.0)


@pytest.mark.parametrize("seed", range(80))
def test_a_gap_is_reported_and_never_called_optimal(seed: int) -> None:
    network = random_network(seed, 7, 4, 1 + seed % 3)
    _check(network, binding(network, 0.3), branches=300, gap=0.05)


def _check(network: CostNetwork, limit: int, *, branches: int, gap: float) -> None:
    best = brute_force(network, limit)
    found = solve_within(network, limit, branches=branches, gap=gap)
    if best is None:
        assert not found.labels
        return
    assert found.status is not Status.INFEASIBLE
    assert found.lower_bound <= best
    if found.status is Status.OPTIMAL:
        assert found.cost == found.lower_bound == best
    if found.labels:
        assert best <= found.cost == network.cost(found.labels)
        assert network.peak_bytes(found.labels) <= limit
