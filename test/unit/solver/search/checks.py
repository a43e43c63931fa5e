"""What must hold of every answer, and the problems that answers are checked on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from unit.solver.search.enumeration import Cheapest
from unit.solver.search.real_problems import MODELS, connected_part, step

from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Solution, Status

NO_LIMIT = 1 << 60


def parts(mesh: str, ops: range) -> Iterator[CostNetwork]:
    """Connected parts of the models' steps on a mesh, one model and size after another."""
    models = sorted(MODELS)
    for seed in count():
        found = step(models[seed % len(models)], mesh)
        yield connected_part(found, ops[seed // len(models) % len(ops)], seed)


def binding_limit(free: Cheapest, small: Cheapest, number: int) -> int:
    """Bytes below what the optimum without a limit takes; every tenth time hardly any fit."""
    share = (number % 10) / 10
    limit = int(small.peak + share * (free.peak - small.peak)) - (share == 0)
    return min(limit, free.peak - 1)


def check_proved(network: CostNetwork, limit: int, found: Solution, best: Cheapest | None) -> None:
    """The answer is the optimum, or that nothing fits, and it says that this is proved."""
    if best is None:
        assert (found.status, found.labels) == (Status.INFEASIBLE, ())
        return
    assert found.status is Status.OPTIMAL
    assert found.cost == found.lower_bound == best.cost == network.cost(found.labels)
    assert network.peak_bytes(found.labels) <= limit


def check_bounded(network: CostNetwork, limit: int, found: Solution, best: int | None) -> None:
    """Cost, bound and bytes agree with the network and with the optimum, where there is one."""
    if best is None:
        assert not found.labels
        return
    assert found.status is not Status.INFEASIBLE
    assert found.lower_bound <= best
    if found.labels:
        assert best <= found.cost == network.cost(found.labels)
        assert network.peak_bytes(found.labels) <= limit
        assert (found.status is Status.OPTIMAL) == (found.lower_bound == found.cost)
