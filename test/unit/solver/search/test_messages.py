"""Reduction, messages and pruning: bounds stay below the optimum, and mostly meet it."""

from __future__ import annotations

import numpy as np
import pytest
from unit.solver.search.networks import brute_force, layered_network, random_network

from distc.solver.search.batches import Batches
from distc.solver.search.core_search import CoreSearch
from distc.solver.search.messages import Messages
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.reduction import Reducer


@pytest.mark.parametrize("seed", range(60))
def test_the_core_has_the_optimum_of_the_whole(seed: int) -> None:
    network = random_network(seed, variables=7)
    core = Reducer().reduce(network)
    expected = brute_force(network)
    if not core.network.size:
        labels = core.whole(())
        assert (core.constant >= FORBIDDEN) == (expected is None)
        assert expected is None or core.constant == expected == network.cost(labels)
        return
    best = brute_force(core.network)
    assert (best is None) == (expected is None)
    assert best is None or best + core.constant == expected


@pytest.mark.parametrize("seed", range(30))
def test_labels_of_the_core_cost_the_same_in_the_whole(seed: int) -> None:
    network = random_network(seed, variables=9, forbidden=0.0)
    core = Reducer().reduce(network)
    rng = np.random.default_rng(seed)
    labels = [int(rng.integers(len(u))) for u in core.network.unary]
    assert network.cost(core.whole(labels)) == core.network.cost(labels) + core.constant


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("forbidden", [0.0, 0.2])
def test_no_sweep_proves_more_than_the_optimum(seed: int, forbidden: float) -> None:
    network = random_network(seed, variables=7, labels=4, forbidden=forbidden)
    expected = brute_force(network)
    messages = Messages(network)
    for _ in range(12):
        bound, labels = messages.sweep(), messages.labels()
        if expected is not None:
            assert bound <= expected <= network.cost(labels)


@pytest.mark.parametrize("seed", range(40))
def test_bound_and_residual_are_the_cost(seed: int) -> None:
    network = random_network(seed, variables=6, labels=3, forbidden=0.0)
    messages = Messages(network)
    for _ in range(3):
        messages.sweep()
    bound, residual = messages.residual()
    tables = (*residual.unary, *(e.costs for e in residual.edges))
    assert min(int(t.min()) for t in tables) >= 0
    for labels in np.ndindex(*(len(u) for u in network.unary)):
        assert network.cost(labels) == bound + residual.cost(labels)


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("cells", [1, 30, 1 << 20])
def test_search_is_exact_or_says_how_far_it_is(seed: int, cells: int) -> None:
    network = random_network(seed, variables=8, labels=4, forbidden=0.15)
    expected = brute_force(network)
    found = CoreSearch(cells).solve(network)
    if expected is None:
        assert found.cost >= FORBIDDEN
        assert cells < 1 << 20 or found.bound >= FORBIDDEN
        return
    assert found.bound <= expected <= found.cost == network.cost(found.labels)
    assert cells < 1 << 20 or found.bound == expected == found.cost


def test_batches_hold_equal_places_of_all_layers() -> None:
    network = layered_network(1, layers=30, width=5)
    batches = Batches.of(network)
    assert sorted(v for batch in batches.variables for v in batch) == list(range(network.size))
    assert len(batches.variables) <= 12
    linked = {(e.first, e.second) for e in network.edges}
    pairs = {(a, b) for batch in batches.variables for a in batch for b in batch}
    assert not linked & pairs


def test_bundles_hold_every_link_once() -> None:
    network = layered_network(2, layers=9)
    batches = Batches.of(network)
    found = {}
    for bundle in batches.bundles:
        rows = zip(bundle.first_ends.rows, bundle.second_ends.rows, strict=True)
        for a, b in rows:
            first, second = (
                batches.variables[bundle.first][a],
                batches.variables[bundle.second][b],
            )
            costs = bundle.costs if first < second else bundle.costs.T
            found[min(first, second), max(first, second)] = costs
    assert len(found) == len(network.edges)
    for edge in network.edges:
        assert (found[edge.first, edge.second] == edge.costs).all()


def test_deep_networks_take_as_many_array_operations_as_flat_ones() -> None:
    few, many = (
        len(Batches.of(_shared(layered_network(3, layers))).bundles) for layers in (20, 200)
    )
    assert few == many


def _shared(network: CostNetwork) -> CostNetwork:
    """Equal tables as one object, as a reducer leaves them."""
    tables: dict[bytes, np.ndarray] = {}
    edges = tuple(
        type(e)(e.first, e.second, tables.setdefault(e.costs.tobytes(), e.costs))
        for e in network.edges
    )
    return CostNetwork(network.unary, edges, (), network.blocks, network.places)
