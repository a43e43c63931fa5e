"""The table of conversions: prices are those of paths that lead to the target; none is dearer."""

from __future__ import annotations

import random
from itertools import permutations, product

import pytest

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.solver.conversion import conversion_path, conversion_seconds, path_seconds, step_seconds
from distc.solver.conversion_search import search_path
from distc.solver.hardware import load_hardware

MESHES = (Mesh.of(x=8), Mesh.of(x=4, y=2), Mesh.of(x=2, y=2, z=2), Mesh.of(node=2, gpu=8))
MACHINES = ("generic", "h100-8x", "v100-8x")


def all_shardings(mesh: Mesh, rank: int) -> list[Sharding]:
    """Every way to put axes on dimensions, in every order, or to leave them partial."""
    names = [a.name for a in mesh.axes]
    found = []
    for places in product(range(rank + 2), repeat=len(names)):
        on = [[n for n, p in zip(names, places, strict=True) if p == d] for d in range(rank)]
        partial = tuple(
            (AxisRef(n), Reduction.SUM) for n, p in zip(names, places, strict=True) if p == rank
        )
        for dims in product(*(permutations(d) for d in on)):
            cut = tuple(DimSharding(tuple(AxisRef(a) for a in d)) for d in dims)
            found.append(Sharding(mesh, cut, partial))
    return found


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("mesh", MESHES, ids=str)
@pytest.mark.parametrize("shape", [(16, 16), (4096, 2048), (8, 2), (10, 16), (33, 21)], ids=str)
def test_price_is_that_of_the_emitted_path(
    mesh: Mesh, machine: str, shape: tuple[int, int]
) -> None:
    hardware = load_hardware(machine)
    values = [s for s in all_shardings(mesh, 2) if all(s.shards(i) <= shape[i] for i in (0, 1))]
    chosen = random.Random(str(mesh) + machine)
    for _ in range(40):
        source, target = chosen.choice(values), chosen.choice(values)
        source, target = source.normalize(shape), target.normalize(shape)
        (price,) = conversion_seconds([source], [target], shape, 4, hardware)[0]
        steps = conversion_path(source, target, shape, 4, hardware)
        emitted, current = 0.0, source
        for step in steps:
            emitted += step_seconds(mesh, step, current, shape, 4, hardware)
            current = step.sharding
        assert current == target
        assert price == pytest.approx(emitted, rel=1e-6, abs=1e-12)
        searched, current = 0.0, source
        for step in search_path(source, target, shape, 4, hardware) or ():
            searched += step_seconds(mesh, step, current, shape, 4, hardware)
            current = step.sharding
        # On three axes no further dimension is used as a way station.
        slack = 1e-6 if len(mesh.axes) < 3 else 0.05
        assert price <= searched * (1 + slack) + 1e-12


def test_two_levels_are_found_where_a_long_ring_is_slow() -> None:
    mesh, hardware = Mesh.of(node=4, gpu=8), load_hardware("v100-8x")
    partial = ((AxisRef("node"), Reduction.SUM), (AxisRef("gpu"), Reduction.SUM))
    source = Sharding(mesh, (DimSharding(),), partial)
    whole = Sharding.replicated(mesh, 1)
    steps = conversion_path(source, whole, (1 << 14,), 4, hardware)
    assert [s.kind for s in steps] == ["reduce_scatter", "all_reduce", "all_gather"]
    assert steps[0].axes == steps[2].axes == (AxisRef("gpu"),)


def test_blocks_are_searched() -> None:
    mesh, hardware = Mesh.of(x=4), load_hardware("generic")
    cut, whole = Sharding(mesh, (DimSharding((AxisRef("x"),), 3),)), Sharding.replicated(mesh, 1)
    (price,) = conversion_seconds([cut], [whole], (18,), 4, hardware)[0]
    assert price == path_seconds(cut, whole, (18,), 4, hardware) > 0


@pytest.mark.parametrize("mesh", MESHES, ids=str)
def test_a_maximum_is_finished_before_a_sum_begins(mesh: Mesh) -> None:
    hardware, shape = load_hardware("h100-8x"), (16, 24)
    chosen = random.Random(str(mesh))
    values = [s for s in all_shardings(mesh, 2) if s.partial]
    for _ in range(30):
        source, target = chosen.choice(values), chosen.choice(values)
        source = Sharding(mesh, source.dims, tuple((a, Reduction.MAX) for a, _ in source.partial))
        source, target = source.normalize(shape), target.normalize(shape)
        (price,) = conversion_seconds([source], [target], shape, 4, hardware)[0]
        steps = conversion_path(source, target, shape, 4, hardware)
        emitted, current = 0.0, source
        for step in steps:
            emitted += step_seconds(mesh, step, current, shape, 4, hardware)
            current = step.sharding
            assert len({kind for _, kind in current.partial}) <= 1
        assert current == target
        assert price == pytest.approx(emitted, rel=1e-6)
