"""Ops that run again where memory is short: at the price that is emitted, with the same numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
import torch
from executable import harness
from executable.harness import partition, random_inputs, run_sharded, run_whole
from torch_mlir import ir
from unit.transforms.plan.steps import deep_step

from distc.dialect import stablehlo
from distc.dialect.attrs import AGAIN, set_module_mesh
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import Infeasible
from distc.solver.hardware import load_hardware
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.solution import Status
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.lifetimes import Lifetimes
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.within import Fitted, solve_fitting
from distc.transforms.search_plan import Search, SearchPlan, plan_function

LAYERS = 4
MESH = Mesh.of(data=2)
SMALL = deep_step(LAYERS, rows=64, width=8, inner=32)


@dataclass(frozen=True)
class Read:
    """A space with what is searched in it; the module lives as long."""

    module: ir.Module
    space: Space
    network: CostNetwork
    lifetimes: Lifetimes

    def fitted(self, limit: int) -> Fitted:
        """What is found within a limit."""
        return solve_fitting(self.network, self.lifetimes, limit)


@pytest.fixture(scope="module", name="plain")
def _plain() -> Read:
    return _read(recompute=False)


@pytest.fixture(scope="module", name="again")
def _again() -> Read:
    return _read(recompute=True)


def _read(*, recompute: bool) -> Read:
    module = parse_module(SMALL, make_context(), "test.mlir")
    set_module_mesh(module, MESH)
    func = next(iter(stablehlo.functions(module)))
    with module.context, ir.Location.unknown():
        pricing = Pricing(load_hardware("h100-8x"))
        space = Space.of(FunctionGraph.read(func, MESH), pricing, recompute=recompute)
        return Read(module, space, build_network(space), Lifetimes(space))


@pytest.fixture(scope="module", name="short")
def _short(plain: Read) -> int:
    """Less memory than any plan takes in which ops run once."""
    least = plain.fitted(1).solution.least_bytes
    return least * 17 // 20


def test_less_memory_is_enough(plain: Read, again: Read, short: int) -> None:
    assert plain.fitted(short).solution.status is Status.INFEASIBLE
    found = again.fitted(short)
    assert again.network.cost(found.solution.labels) == found.solution.cost < FORBIDDEN
    assert int(again.lifetimes.usage(found.solution.labels).max()) == found.peak_bytes <= short


def test_what_fits_anyway_costs_no_more_without(plain: Read, again: Read) -> None:
    once, twice = (
        solve_fitting(r.network, r.lifetimes, 1 << 40).solution.cost for r in (plain, again)
    )
    assert plain.space.parts.runs_at == {} and again.space.parts.runs_at
    assert once <= twice


def _planned(limit: int) -> Counter[str]:
    """Plan the step within a limit; count the ops that run again."""
    module = parse_module(SMALL, make_context(), "test.mlir")
    set_module_mesh(module, MESH)
    func = next(iter(stablehlo.functions(module)))
    with module.context, ir.Location.unknown():
        found = plan_function(func, MESH, Search(Pricing(load_hardware("h100-8x")), limit))
        assert 0 < found.peak_bytes <= limit
        assert found.problem.network.cost(found.solution.labels) == found.solution.cost
    return Counter(op.name for op in stablehlo.walk(func) if AGAIN in op.attributes)


def test_ops_run_again_only_where_nothing_fits_otherwise(plain: Read) -> None:
    assert not _planned(plain.fitted(1).peak_bytes)["stablehlo.tanh"]
    with pytest.raises(Infeasible, match="need at least"):
        _planned(4096)


def test_the_numbers_are_the_same_and_nothing_is_shared(
    short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = SearchPlan("h100-8x", short)
    make_pass = harness.make_pass
    whole = ("search-plan", *harness.PASSES[:-1], "optimize-collectives", "partition")
    monkeypatch.setattr(harness, "PASSES", whole)
    monkeypatch.setattr(
        harness, "make_pass", lambda name: search if name == search.name else make_pass(name)
    )
    made = partition(SMALL, MESH)
    ops = Counter(op.name for op in stablehlo.walk(harness.main_of(made.module)))
    assert LAYERS < ops["stablehlo.tanh"] <= 2 * LAYERS
    inputs = random_inputs(parse_module(SMALL, make_context(), "test.mlir"), 0, -2, 2)
    inputs = [x * 0.125 for x in inputs]
    expected = run_whole(SMALL, inputs)
    found = run_sharded(made, inputs, [tuple(e.shape) for e in expected])
    for want, got in zip(expected, found, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
