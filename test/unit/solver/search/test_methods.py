"""Z3, HiGHS and beam search against enumeration and the exact search; deadlines and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from unit.solver.search.checks import NO_LIMIT, binding_limit, check_bounded, check_proved, parts
from unit.solver.search.enumeration import TooMany, cheapest, lean
from unit.solver.search.networks import brute_force, random_network

from distc.runtime.errors import Unavailable
from distc.solver.search.deadline import Deadline
from distc.solver.search.method import Method
from distc.solver.search.network import CostNetwork, make_network
from distc.solver.search.solution import Status
from distc.solver.search.solve import solve

MIDDLE = {"d=2": 22, "d=4": 22, "d=2,t=2": 6}
"""Mesh → problems of 30 to 80 variables."""


def need(method: Method) -> None:
    if method is Method.ILP:
        pytest.importorskip("highspy", reason="the extra distc[ilp] is not installed")


@pytest.mark.parametrize(
    ("mesh", "method"),
    [(m, s) for m in MIDDLE for s in (Method.ILP, Method.BEAM)]
    # On two mesh axes Z3 proves nothing in minutes on problems of this size.
    + [(m, Method.Z3) for m in MIDDLE if "," not in m],
)
def test_equals_enumeration(mesh: str, method: Method) -> None:
    need(method)
    solved = 0
    for number, network in enumerate(islice(parts(mesh, range(6, 8)), 9)):
        try:
            small, free = lean(network), cheapest(network)
            assert small is not None and free is not None
            limit = binding_limit(free, small, number)
            tight = cheapest(network, limit)
        except TooMany:
            continue
        for bytes_, best in ((NO_LIMIT, free), (limit, tight)):
            found = solve(network, bytes_, method)
            if method is Method.BEAM:
                check_bounded(network, bytes_, found, best and best.cost)
            else:
                check_proved(network, bytes_, found, best)
            solved += 1
    assert solved >= 8


@pytest.mark.parametrize("method", [Method.ILP, Method.Z3, Method.BEAM])
@pytest.mark.parametrize("seed", range(15))
def test_equals_brute_force_on_random_networks(seed: int, method: Method) -> None:
    need(method)
    network = random_network(seed, 6, 4, 1 + seed % 3)
    for limit in (15, 30, 1000):
        best = brute_force(network, limit)
        found = solve(network, limit, method)
        check_bounded(network, limit, found, best)
        if method is not Method.BEAM:
            assert found.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)


@pytest.mark.parametrize("mesh", MIDDLE)
def test_ilp_equals_exact_and_beam_is_not_below(mesh: str) -> None:
    need(Method.ILP)
    for network in _middle(mesh):
        exact, other = solve(network, NO_LIMIT), solve(network, NO_LIMIT, Method.ILP)
        assert other.status is exact.status is Status.OPTIMAL
        assert other.cost == other.lower_bound == exact.cost == network.cost(other.labels)
        check_bounded(network, NO_LIMIT, solve(network, NO_LIMIT, Method.BEAM), exact.cost)


def _middle(mesh: str) -> list[CostNetwork]:
    fits = (n for n in parts(mesh, range(25, 41)) if 30 <= n.size <= 80)
    return list(islice(fits, MIDDLE[mesh]))


@pytest.mark.parametrize("mesh", ["d=2", "d=4"])
def test_z3_equals_exact(mesh: str) -> None:
    for network in _middle(mesh)[:10]:
        exact, other = solve(network, NO_LIMIT), solve(network, NO_LIMIT, Method.Z3)
        assert other.status is exact.status is Status.OPTIMAL
        assert other.cost == other.lower_bound == exact.cost == network.cost(other.labels)


@pytest.mark.parametrize("method", [Method.ILP, Method.Z3, Method.BEAM])
def test_bytes_beyond_32_bits_are_counted(method: Method) -> None:
    need(method)
    bytes_ = np.array([0, (1 << 40) + 1])
    costs = [np.array([9, 1]), np.array([9, 2])]
    network = make_network(costs, [], [{0: bytes_, 1: bytes_}])
    found = solve(network, (1 << 40) + 1, method)
    assert (found.labels, found.cost) == ((1, 0), 10)
    assert solve(network, 1 << 41, method).cost == 10
    assert solve(network, (1 << 41) + 2, method).cost == 3


@pytest.mark.parametrize("method", Method)
def test_a_budget_of_nothing_claims_nothing(method: Method) -> None:
    network = next(parts("d=2", range(10, 11)))
    found = solve(network, NO_LIMIT, method, deadline=Deadline.after(0))
    assert (found.status, found.labels) == (Status.UNKNOWN, ())
    assert 0 < found.lower_bound <= solve(network, NO_LIMIT).cost


@pytest.mark.parametrize("method", [Method.ILP, Method.Z3])
def test_a_plan_at_the_deadline_is_not_called_optimal(method: Method) -> None:
    need(method)
    network = random_network(1, 40, 12, forbidden=0.0)
    found = solve(network, NO_LIMIT, method, deadline=Deadline.after(1.0))
    assert found.status in (Status.BOUNDED, Status.UNKNOWN)
    if found.labels:
        assert found.lower_bound < found.cost == network.cost(found.labels)


HARD = """
import signal, sys
# A shell's background jobs are born with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, sys.argv[2])
from unit.solver.search.networks import random_network
from distc.solver.search.method import Method
from distc.solver.search.solve import solve
network = random_network(1, 40, 12, forbidden=0.0)
print("ready", flush=True)
try:
    print(solve(network, 1 << 60, Method(sys.argv[1])))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("method", [Method.ILP, Method.Z3])
def test_ctrl_c_is_noticed(method: Method) -> None:
    need(method)
    tests = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, "-c", HARD, method, tests]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, "")


def test_ilp_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "distc.solver.search.ilp", raising=False)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(Unavailable, match="needs highspy") as caught:
        solve(random_network(0), NO_LIMIT, Method.ILP)
    assert "distc[ilp]" in caught.value.help


def test_highs_prints_nothing() -> None:
    need(Method.ILP)
    code = (
        "from distc.solver.search.solve import *; from distc.solver.search.network import *\n"
        "solve(make_network([[1, 2], [3, 4]], [(0, 1, [[9, 0], [0, 9]])]), 9, Method.ILP)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
