"""Plans within memory: they fit at every point, and the least that any plan takes is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from torch_mlir import ir
from unit.transforms.plan.steps import INNER, ROWS, WIDTH, layer_step

from distc.dialect import stablehlo
from distc.dialect.attrs import set_module_mesh
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import Infeasible
from distc.solver.hardware import load_hardware
from distc.solver.search.memory import solve_within
from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Status
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.copies import CopyVariable, Source
from distc.transforms.plan.lifetimes import Lifetimes
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.within import solve_fitting
from distc.transforms.search_plan import Search, plan_function

LIMITS = (0.6, 0.75, 0.9)


def read(text: str, mesh: Mesh, machine: str = "h100-8x") -> tuple[Space, CostNetwork, Lifetimes]:
    """The space, the network and the lifetimes of a program's @main."""
    module = parse_module(text, make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    func = next(iter(stablehlo.functions(module)))
    with module.context, ir.Location.unknown():
        space = Space.of(FunctionGraph.read(func, mesh), Pricing(load_hardware(machine)))
        return space, build_network(space), Lifetimes(space)


def test_bytes_of_one_rank_are_those_of_the_program() -> None:
    _, network, lifetimes = read(layer_step(), Mesh.of(data=1))
    usage = lifetimes.usage([0] * network.size) // 4
    x, h, w = ROWS * WIDTH, ROWS * INNER, WIDTH * INNER
    arguments = 2 * x + 2 * w
    # h | a | y | s | g | gv | ga | gh | gw | gx | gs | nw | nv: a and g are read until gx and gs.
    extra = [
        h, 2 * h, h + x, h + 2 * x, h + 2 * x, h + x + w, 2 * h + x + w, 3 * h + x + w,
        h + x + 2 * w, h + 2 * x + 2 * w, 3 * x + 2 * w, x + 3 * w, x + 2 * w,
    ]  # fmt: skip
    assert usage.tolist() == [arguments + e for e in extra]


def test_a_kept_copy_lies_from_the_first_reader_to_the_last() -> None:
    space, network, lifetimes = read(layer_step(), Mesh.of(data=4))
    number, copy = next(
        (i, v)
        for i, v in enumerate(space.variables)
        if isinstance(v, CopyVariable) and v.group.value == 3
    )
    whole = next(
        i
        for i, held in enumerate(copy.labels)
        if held.source is Source.COPY and held.sharding.is_replicated
    )
    made = next(i for i, held in enumerate(copy.labels) if held.source is Source.MADE)
    labels = [0] * network.size
    labels[number] = made
    before = lifetimes.usage(labels)
    labels[number] = whole
    added = np.flatnonzero(lifetimes.usage(labels) - before)
    first, last = copy.group.uses[0][0], copy.group.uses[-1][0]
    assert added.tolist() == list(range(first, last + 1))


@pytest.mark.parametrize("mesh_text", ["data=4", "data=2,tensor=2"])
@pytest.mark.parametrize("share", LIMITS)
def test_plans_fit_and_are_the_cheapest_that_do(mesh_text: str, share: float) -> None:
    _, network, lifetimes = read(layer_step(), Mesh.parse(mesh_text), "v100-8x")
    free = solve_within(network, 1 << 62)
    limit = int(share * lifetimes.usage(free.labels).max())
    fitted = solve_fitting(network, lifetimes, limit)
    every = tuple(range(lifetimes.points))
    exact = solve_within(
        replace(network, memory=lifetimes.rows(every)), limit, branches=50, gap=0.0
    )
    assert fitted.solution.lower_bound <= fitted.solution.cost
    if fitted.solution.status is Status.INFEASIBLE:
        assert exact.status is Status.INFEASIBLE
        return
    assert int(lifetimes.usage(fitted.solution.labels).max()) == fitted.peak_bytes <= limit
    assert network.cost(fitted.solution.labels) == fitted.solution.cost
    assert exact.lower_bound <= fitted.solution.cost
    assert fitted.solution.lower_bound <= exact.cost


def test_a_limit_that_does_not_bind_changes_nothing() -> None:
    _, network, lifetimes = read(layer_step(), Mesh.of(data=2, tensor=2))
    free = solve_within(network, 1 << 62)
    fitted = solve_fitting(network, lifetimes, 1 << 40)
    assert fitted.solution.labels == free.labels
    assert fitted.solution.status is Status.OPTIMAL


def test_what_does_not_fit_is_said_with_what_would() -> None:
    module = parse_module(layer_step(), make_context(), "test.mlir")
    mesh = Mesh.of(data=2)
    set_module_mesh(module, mesh)
    func = next(iter(stablehlo.functions(module)))
    pricing = Pricing(load_hardware("h100-8x"))
    with module.context, ir.Location.unknown():
        with pytest.raises(Infeasible) as caught:
            plan_function(func, mesh, Search(pricing, 8 << 20))
        text = str(caught.value)
        assert "the limit is 8.0 MiB: inputs 8.0 MiB, parameters 4.0 MiB" in text
        enough = text.partition("fits with --memory ")[2].partition(",")[0]
        assert plan_function(func, mesh, Search(pricing, _bytes(enough))).solution.labels


def _bytes(text: str) -> int:
    from distc.solver.byte_size import parse_bytes

    return parse_bytes(text)
