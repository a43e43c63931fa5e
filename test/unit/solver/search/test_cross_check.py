"""The exact search against enumeration, on parts of real training steps, memory limits included."""

from __future__ import annotations

import pytest
from unit.solver.search.checks import NO_LIMIT, binding_limit, check_proved, parts
from unit.solver.search.enumeration import TooMany, cheapest, lean

from distc.solver.search.solve import solve

MESHES = {"d=2": 111, "d=4": 111, "d=2,t=2": 30}
"""Mesh → problems without a limit, and as many with one that binds: 504 in all."""


@pytest.mark.parametrize("mesh", MESHES)
def test_exact_equals_enumeration(mesh: str) -> None:
    free_solved = tight_solved = infeasible = 0
    for network in parts(mesh, range(6, 11)):
        try:
            small, free = lean(network), cheapest(network)
            assert small is not None and free is not None
            limit = binding_limit(free, small, tight_solved)
            tight = cheapest(network, limit) if small.peak < free.peak else None
        except TooMany:
            continue
        if free_solved < MESHES[mesh]:
            check_proved(network, NO_LIMIT, solve(network, NO_LIMIT), free)
            free_solved += 1
        if small.peak < free.peak:
            check_proved(network, limit, solve(network, limit), tight)
            tight_solved, infeasible = tight_solved + 1, infeasible + (tight is None)
        if tight_solved == MESHES[mesh]:
            break
    assert free_solved == tight_solved
    assert 0 < infeasible < tight_solved / 2
