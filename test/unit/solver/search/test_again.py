"""A search made again is a search: bounds hold, and what is proved is the optimum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.solver.search.networks import brute_force, layered_network, random_network

from distc.solver.search.again import solve_again
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.solution import Status

NO_LIMIT = 1 << 62


def pinned(network: CostNetwork, variable: int, label: int) -> CostNetwork:
    """The network in which a variable may take one label only."""
    unary = list(network.unary)
    unary[variable] = np.full_like(unary[variable], FORBIDDEN)
    unary[variable][label] = network.unary[variable][label]
    return replace(network, unary=tuple(unary))


@pytest.mark.parametrize("seed", range(20))
def test_with_one_label_given_it_equals_brute_force(seed: int) -> None:
    network = random_network(seed)
    free = solve_again(network, NO_LIMIT)
    least = brute_force(network)
    if least is None:
        assert free.status is Status.INFEASIBLE
        return
    assert free.status is Status.OPTIMAL and free.cost == least
    variable = seed % network.size
    for label in range(len(network.unary[variable])):
        given = pinned(network, variable, label)
        near = (*free.labels[:variable], label, *free.labels[variable + 1 :])
        found = solve_again(given, NO_LIMIT, [near], bound=free.lower_bound)
        expected = brute_force(given)
        if expected is None:
            assert found.status is Status.INFEASIBLE and not found.labels
            continue
        assert found.cost == found.lower_bound == expected
        assert found.labels[variable] == label
        assert given.cost(found.labels) == found.cost


def test_a_known_bound_that_is_met_ends_the_search() -> None:
    network = layered_network(3, 5)
    first = solve_again(network, NO_LIMIT)
    again = solve_again(network, NO_LIMIT, [first.labels], bound=first.cost)
    assert again.rounds == 0
    assert (again.status, again.cost, again.labels) == (Status.OPTIMAL, first.cost, first.labels)


def test_a_search_that_is_stopped_claims_no_more_than_it_knows() -> None:
    network = layered_network(11, 6, width=8, labels=5)
    whole = solve_again(network, NO_LIMIT)
    stopped = solve_again(network, NO_LIMIT, stop=lambda: True)
    assert stopped.rounds == 1
    assert stopped.lower_bound <= whole.cost <= stopped.cost


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("hurry", [True, False])
def test_a_limit_is_kept(seed: int, hurry: bool) -> None:
    network = random_network(seed, points=2, forbidden=0.0)
    free = solve_again(network, NO_LIMIT)
    limit = network.peak_bytes(free.labels) - 1
    found = solve_again(network, limit, [free.labels], stop=lambda: hurry)
    expected = brute_force(network, limit)
    if expected is None:
        assert not found.labels and found.status is not Status.OPTIMAL
        return
    if hurry and not found.labels:
        assert found.status is Status.UNKNOWN and found.lower_bound <= expected
        return
    assert network.peak_bytes(found.labels) <= limit
    assert found.lower_bound <= expected <= found.cost


def test_nothing_legal_is_said_to_be_infeasible() -> None:
    network = random_network(1)
    none = replace(network, unary=(np.full_like(network.unary[0], FORBIDDEN), *network.unary[1:]))
    assert solve_again(none, NO_LIMIT).status is Status.INFEASIBLE
