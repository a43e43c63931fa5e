"""A saved problem is the one that was searched, and nothing damaged is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planned import PROGRAM, compiled

from distc.compiler import problem as problems
from distc.compiler.constraints import Constraints, apply_constraints
from distc.compiler.problem import from_json, to_json
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import ArtifactError
from distc.solver.hardware import load_hardware
from distc.solver.problem import Label, Link, Problem, Variable
from distc.solver.search.memory import solve_within
from distc.solver.search.network import FORBIDDEN, CostNetwork
from distc.solver.search.solution import Solution, Status
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_with_conversions
from distc.transforms.plan.saved import save_problem
from distc.transforms.plan.space import Pricing, Space

MESH = Mesh.parse("data=2,tensor=2")


@pytest.fixture(scope="module")
def searched() -> tuple[CostNetwork, Problem]:
    """The network of the program as it is built for the search, and what is saved of it."""
    module = parse_module(PROGRAM, make_context(), "program.mlir")
    apply_constraints(module, Constraints(), MESH, {})
    func = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    space = Space.of(FunctionGraph.read(func, MESH), Pricing(load_hardware("h100-8x")))
    network, conversions = build_with_conversions(space)
    return network, save_problem(space, network, conversions, solve_within(network, 1 << 62))


def contents(network: CostNetwork) -> list[object]:
    """Everything in a network, as plain lists."""
    return [
        [u.tolist() for u in network.unary],
        [(e.first, e.second, e.costs.tolist()) for e in network.edges],
        [sorted((v, rows.tolist()) for v, rows in point.items()) for point in network.memory],
        network.blocks,
        network.places,
    ]


def same(a: CostNetwork, b: CostNetwork) -> bool:
    """Whether two networks are equal, table for table."""
    return contents(a) == contents(b)


def test_the_network_is_the_one_that_was_searched(searched: tuple[CostNetwork, Problem]) -> None:
    network, problem = searched
    assert same(problem.network, network)
    assert same(from_json(to_json(problem)).network, network)


def test_it_comes_back_as_it_was(searched: tuple[CostNetwork, Problem]) -> None:
    problem = searched[1]
    text = to_json(problem)
    again = from_json(text)
    assert to_json(again) == text
    assert [v.name for v in again.variables] == [
        "x", "up.weight", "down.weight",
        "mlp.up:dot_general", "mlp:tanh", "mlp.down:dot_general", "mlp:exponential",
    ]  # fmt: skip
    for before, after in zip(problem.variables, again.variables, strict=True):
        assert replace(before, work=0) == replace(after, work=0)  # type: ignore[arg-type]
        assert np.array_equal(before.work, after.work)
    for one, other in zip(problem.links, again.links, strict=True):
        assert replace(one, costs=0) == replace(other, costs=0)  # type: ignore[arg-type]
    assert again.solution == problem.solution
    fields = ("name", "devices_per_node", "flops", "efficiency", "device", "node")
    assert all(getattr(again.hardware, f) == getattr(problem.hardware, f) for f in fields)


def test_what_a_variable_says(searched: tuple[CostNetwork, Problem]) -> None:
    variables = {v.name: v for v in searched[1].variables}
    down = variables["mlp.down:dot_general"]
    assert (down.source, down.module, down.op_class) == ("model.py:5:9", "mlp.down", "contraction")
    assert (down.dtype, down.shapes) == ("f32", ((8, 2048),))
    assert Label(("[R, S(tensor)]", "[S(tensor), R]"), ("[R, R] P(sum: tensor)",)) in down.labels
    assert str(variables["x"].fixed) == "small" and len(variables["x"].labels) == 1


def made_up(seed: int) -> Problem:
    """Two variables, a link, memory, whatever the numbers."""
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(1, 5, 2)]

    def numbers(*shape: int) -> Any:
        table = rng.integers(0, 4, shape) * 1000
        table[rng.random(shape) < 0.2] = FORBIDDEN
        return table

    variables = tuple(
        Variable(
            f"<v{i}>", "op", "add", "", "", "movement", ((4,),), "f32",
            tuple(Label(("[R]",), (f"[S(a{x})]",)) for x in range(n)), rng.integers(0, 9, n),
        )
        for i, n in enumerate(sizes)
    )  # fmt: skip
    links = (
        Link(0, 0, 1, 0, (4,), "f32", "", numbers(*sizes)),
        Link(0, 0, -1, -1, (4,), "f32", "[R]", numbers(sizes[0], 1)),
    )
    memory = tuple(
        {i: rng.integers(0, 99, n) for i, n in enumerate(sizes) if rng.random() < 0.7}
        for _ in range(4)
    )
    made = Problem(
        "main", load_hardware("cpu"), variables, links, Solution(Status.BOUNDED), memory, 77,
        (-1, 3), ("", "p"),
    )  # fmt: skip
    cost = made.network.cost((0, 0))
    return replace(made, solution=Solution(Status.BOUNDED, (0, 0), cost, 0))


@pytest.mark.parametrize("seed", range(12))
def test_any_tables_come_back(seed: int) -> None:
    problem = made_up(seed)
    again = from_json(to_json(problem))
    assert same(again.network, problem.network)
    assert again.limit == 77
    for one, other in zip(problem.links, again.links, strict=True):
        assert np.array_equal(one.costs, other.costs)


def test_equal_layers_take_little_room(searched: tuple[CostNetwork, Problem]) -> None:
    problem = searched[1]
    names = [replace(v, name=f"{v.name}.{n}") for n in range(10) for v in problem.variables]
    step = len(problem.variables)
    links = [
        replace(link, maker=link.maker + n * step, user=link.user + n * step * (link.user >= 0))
        for n in range(10)
        for link in problem.links
    ]
    many = replace(
        problem,
        variables=tuple(names),
        links=tuple(links),
        blocks=problem.blocks * 10,
        places=problem.places * 10,
    )
    labels = problem.solution.labels * 10
    many = replace(many, solution=Solution(Status.BOUNDED, labels, many.network.cost(labels)))
    one, ten = (len(to_json(p)) for p in (problem, many))
    assert ten < 3 * one
    assert same(from_json(to_json(many)).network, many.network)


def _solution(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["solution"]
    return found


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "schema": (lambda b: b.update(schema=9), "schema 9"),
    "field": (lambda b: b.update(more=1), "malformed"),
    "label": (lambda b: _solution(b)["labels"].__setitem__(1, 99), "one label of each variable"),
    "cost": (lambda b: _solution(b).update(cost=1 << 50), "ticks"),
    "bound": (lambda b: _solution(b).update(lower_bound=1 << 60), "above the cost"),
    "speed": (lambda b: b["hardware"]["node"].update(bytes_per_second=0.0), "not positive"),
    "machine": (lambda b: b["hardware"]["node"].pop("hop_seconds"), "malformed"),
    "cells": (lambda b: b["tables"].append([[0] * 9000, [0] * 9000, [[0]]]), "81[0-9]* cells"),
    "text": (lambda b: b["variables"][0].__setitem__(1, 10_000), "text 10000"),
    "labels": (lambda b: b["variables"][0].__setitem__(8, -1), "label set -1"),
    "name": (lambda b: b["variables"][0].__setitem__(0, "up.weight"), "one name"),
    "maker": (lambda b: b["links"][0].__setitem__(0, 7000), "7000"),
    "operand": (lambda b: b["links"][0].__setitem__(3, 5), "no operand 5"),
    "result": (lambda b: b["links"][0].__setitem__(1, 5), "no result 5"),
    "table": (lambda b: b["tables"][0][0].append(0), "malformed"),
    "row": (lambda b: b["tables"][0][0].__setitem__(0, 900), "900"),
    "cell": (lambda b: b["tables"][0][2][0].__setitem__(0, -5), "out of range"),
    "type": (lambda b: b.update(texts=[1]), "malformed"),
    "point": (lambda b: b.update(memory=[[[], [[999, 0]]]]), "999"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_refused(what: str, searched: tuple[CostNetwork, Problem]) -> None:
    change, message = DAMAGE[what]
    body = json.loads(to_json(searched[1]))
    change(body)
    with pytest.raises(ArtifactError, match=message):
        from_json(json.dumps(body))


def test_equal_compiles_write_equal_bytes(tmp_path: Path) -> None:
    first, second = (compiled(tmp_path).members["problem.json"] for _ in range(2))
    assert first == second


def test_a_problem_that_is_too_large_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems, "MAX_BYTES", 1000)
    found = compiled(tmp_path)
    assert "problem.json" not in found.members
    assert any("problem.json is left out" in line for line in found.report_lines())
