"""Dominance and elimination give the optimum, equal to trying everything."""

from __future__ import annotations

import numpy as np
import pytest
from unit.solver.search.networks import brute_force, layered_network, random_network

from distc.solver.search.dominance import Dominance
from distc.solver.search.elimination import Eliminator
from distc.solver.search.network import FORBIDDEN, CostNetwork, make_network, ticks
from distc.solver.search.order import find_order


def optimum(network: CostNetwork) -> tuple[int, list[int]]:
    """Cost and labels that elimination finds on the whole network."""
    found = Eliminator().solve(network, find_order(network))
    return found.cost, list(found.labels)


@pytest.mark.parametrize("seed", range(60))
def test_elimination_equals_brute_force(seed: int) -> None:
    network = random_network(seed)
    expected = brute_force(network)
    cost, labels = optimum(network)
    if expected is None:
        assert cost >= FORBIDDEN
        return
    assert (cost, network.cost(labels)) == (expected, expected)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("cells", [1, 8, 30, 1 << 20])
def test_small_tables_bound_what_large_ones_find(seed: int, cells: int) -> None:
    network = random_network(seed, forbidden=0.1)
    expected = brute_force(network)
    found = Eliminator().approximate(network, find_order(network), cells)
    if expected is None:
        return
    assert found.bound <= expected <= network.cost(found.labels)
    if cells == 1 << 20:
        assert found.bound == expected == network.cost(found.labels)


def test_shifting_costs_between_groups_tightens_the_bound() -> None:
    bounds = []
    for seed in range(20):
        network = random_network(seed, variables=8)
        best = optimum(network)[0]
        bounds.append(Eliminator().approximate(network, find_order(network), 1).bound / best)
    assert sum(bounds) / len(bounds) > 0.8


@pytest.mark.parametrize("seed", range(60))
def test_dominance_keeps_an_optimum(seed: int) -> None:
    network = random_network(seed, forbidden=0.2)
    expected = brute_force(network)
    reduced, kept = Dominance().reduce(network, memory=False)
    cost, labels = optimum(reduced)
    if expected is None:
        assert cost >= FORBIDDEN
        return
    assert cost == expected
    assert network.cost([k[x] for k, x in zip(kept, labels, strict=True)]) == expected


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("limit", [25, 40])
def test_dominance_under_memory_keeps_an_optimum(seed: int, limit: int) -> None:
    network = random_network(seed, variables=6, points=2)
    reduced, _ = Dominance().reduce(network, memory=True)
    assert brute_force(reduced, limit) == brute_force(network, limit)


def test_dominance_drops_labels() -> None:
    dropped = 0
    for seed in range(20):
        network = random_network(seed)
        _, kept = Dominance().reduce(network, memory=False)
        dropped += sum(len(u) - len(k) for u, k in zip(network.unary, kept, strict=True))
    assert dropped > 20


@pytest.mark.parametrize("layers", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(5))
def test_layers_equal_the_order_without_layers(seed: int, layers: int) -> None:
    network = layered_network(seed, layers)
    plain = CostNetwork(network.unary, network.edges)
    cost, labels = optimum(network)
    assert cost == optimum(plain)[0] == network.cost(labels)


def test_work_does_not_grow_with_the_number_of_layers() -> None:
    steps = []
    for layers in (20, 200):
        network = layered_network(3, layers)
        eliminator = Eliminator()
        found = eliminator.solve(network, find_order(network))
        assert network.cost(found.labels) == found.cost
        steps.append(len(eliminator.steps))
    assert steps[0] == steps[1]


def test_dominance_work_does_not_grow_with_the_number_of_layers() -> None:
    found = []
    for layers in (20, 200):
        dominance = Dominance()
        dominance.reduce(layered_network(3, layers), memory=False)
        found.append(len(dominance.kept))
    assert found[0] == found[1]


def test_parallel_edges_add_and_loops_fold_in() -> None:
    network = make_network(
        [[0, 0], [0, 0]],
        [(0, 1, [[1, 2], [3, 4]]), (1, 0, [[10, 20], [30, 40]]), (0, 0, [[5, 9], [9, 7]])],
    )
    assert len(network.edges) == 1
    assert network.edges[0].costs.tolist() == [[11, 32], [23, 44]]
    assert network.unary[0].tolist() == [5, 7]


def test_forbidden_costs_do_not_overflow() -> None:
    worst = make_network(
        [np.array([FORBIDDEN])] * 300, [(0, j, np.array([[FORBIDDEN]])) for j in range(1, 300)]
    )
    assert optimum(worst)[0] >= FORBIDDEN


def test_infinite_seconds_are_forbidden() -> None:
    assert ticks(float("inf")) == FORBIDDEN
    assert ticks(1.5e-6) == 1_500_000
