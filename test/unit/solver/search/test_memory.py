"""Within a memory limit: the optimum, equal to trying everything, and what is claimed of it."""

from __future__ import annotations

import pytest
from unit.solver.search.networks import brute_force, random_network

from distc.solver.search.memory import solve_within
from distc.solver.search.solution import Status


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_equals_brute_force(seed: int, share: float) -> None:
    network = random_network(seed, variables=6, labels=4, points=1 + seed % 3)
    free = solve_within(network, 10**9)
    limit = int(share * network.peak_bytes(free.labels)) if free.labels else 10
    expected = brute_force(network, limit)
    found = solve_within(network, limit)
    if expected is None:
        assert found.status is Status.INFEASIBLE or not found.labels
        assert found.status is not Status.OPTIMAL
        return
    assert found.status is Status.OPTIMAL
    assert found.cost == found.lower_bound == expected == network.cost(found.labels)
    assert network.peak_bytes(found.labels) <= limit
