"""What the search prices is what is emitted, copies and second conversions too."""

from __future__ import annotations

from collections import Counter

import pytest
from torch_mlir import ir
from unit.transforms.plan.steps import ROWS, layer_step, pinned_step

from distc.dialect import stablehlo
from distc.dialect.attrs import op_shardings, set_module_mesh, value_sharding
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.solver.conversion import path_seconds
from distc.solver.hardware import load_hardware
from distc.solver.search.memory import solve_within
from distc.solver.search.network import FORBIDDEN, seconds
from distc.transforms import make_pass
from distc.transforms.dataflow import FunctionGraph, itemsize
from distc.transforms.plan.build import build_network
from distc.transforms.plan.copies import CopyVariable, Source
from distc.transforms.plan.space import OpVariable, Pricing, Space
from distc.transforms.plan.write import write_plan
from distc.transforms.reshard_to_collectives import ReshardToCollectives

CASES = (
    ("data=4", "h100-8x", ROWS),
    ("data=2,tensor=4", "h100-8x", ROWS),
    ("data=4,tensor=2", "v100-8x", 512),
    ("node=2,data=8", "a100-8x", ROWS),
    ("data=2,tensor=3", "h100-8x", 700),
)


@pytest.mark.parametrize(("mesh_text", "machine", "rows"), CASES)
@pytest.mark.parametrize("heavy_links", [False, True])
def test_every_priced_conversion_is_emitted(
    mesh_text: str, machine: str, rows: int, heavy_links: bool
) -> None:
    mesh, hardware = Mesh.parse(mesh_text), load_hardware(machine)
    module = parse_module(layer_step(rows), make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    func = next(iter(stablehlo.functions(module)))
    with module.context, ir.Location.unknown():
        weight = 0.0 if heavy_links else 1.0
        space = Space.of(
            FunctionGraph.read(func, mesh), Pricing(hardware, computation_weight=weight)
        )
        found = solve_within(build_network(space), 1 << 62)
        assert found.lower_bound == found.cost
        work = sum(
            int(v.costs[label])
            for v, label in zip(space.variables, found.labels, strict=True)
            if isinstance(v, OpVariable)
        )
        write_plan(space, found.labels)
    for step in ("propagate", "insert-reshards", ReshardToCollectives(machine)):
        (make_pass(step) if isinstance(step, str) else step).run(module)
    emitted = _emitted_seconds(module, mesh, machine)
    assert emitted == pytest.approx(seconds(found.cost - work), rel=1e-6, abs=1e-9)


def _emitted_seconds(module: ir.Module, mesh: Mesh, machine: str) -> float:
    """Seconds of all collectives in a module."""
    total = 0.0
    with module.context:
        for op in stablehlo.walk(next(iter(stablehlo.functions(module)))):
            if op.name.startswith("dist.") and op.name != "dist.mesh":
                value = op.operands[0]
                before, after = value_sharding(value, mesh), op_shardings(op, mesh)
                assert before is not None and after is not None
                shape = stablehlo.shape(value)
                total += path_seconds(
                    before, after[0], shape, itemsize(value), load_hardware(machine)
                )
    return total


@pytest.mark.parametrize(("source", "gathers"), [(Source.MADE, 4), (Source.COPY, 2)])
def test_a_weight_in_shards_is_gathered_once_or_twice(source: Source, gathers: int) -> None:
    mesh = Mesh.of(data=4)
    module = parse_module(pinned_step(), make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    func = next(iter(stablehlo.functions(module)))
    with module.context, ir.Location.unknown():
        space = Space.of(FunctionGraph.read(func, mesh), Pricing(load_hardware("h100-8x")))
        network = build_network(space)
        for number, variable in enumerate(space.variables):
            if isinstance(variable, CopyVariable) and variable.group.value in (2, 3):
                others = [i for i, h in enumerate(variable.labels) if h.source is not source]
                network.unary[number][others] = FORBIDDEN
        found = solve_within(network, 1 << 62)
        assert found.cost < FORBIDDEN
        write_plan(space, found.labels)
    for name in ("propagate", "insert-reshards", "reshard-to-collectives", "optimize-collectives"):
        make_pass(name).run(module)
    names = Counter(op.name for op in stablehlo.walk(next(iter(stablehlo.functions(module)))))
    assert names["dist.all_gather"] == gathers
