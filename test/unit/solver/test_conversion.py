"""Which steps a conversion takes; that the steps are right is shown by executing them."""

from __future__ import annotations

import pytest

from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.solver.conversion import (
    StepKind,
    conversion_path,
    direct_step,
    path_seconds,
    permutation,
    step_seconds,
)
from distc.solver.hardware import default_hardware

MESH = Mesh.of(x=2, y=2)


def _kinds(source: str, target: str, shape: tuple[int, ...], mesh: Mesh = MESH) -> list[str]:
    path = conversion_path(parse_sharding(source, mesh), parse_sharding(target, mesh), shape)
    return [str(step.kind) for step in path]


@pytest.mark.parametrize(
    ("source", "target", "steps"),
    [
        ("[S(x), R]", "[S(x), R]", []),
        ("[R, R]", "[S(x), R]", ["all_slice"]),
        ("[S(x), R]", "[R, R]", ["all_gather"]),
        ("[S(x), R]", "[R, S(x)]", ["all_to_all"]),
        ("[R, R] P(sum: x)", "[R, R]", ["all_reduce"]),
        ("[R, R] P(sum: x)", "[S(x), R]", ["reduce_scatter"]),
        ("[R, R]", "[R, R] P(sum: x)", ["to_partial"]),
        ("[S(x), S(y)]", "[S(y), S(x)]", ["collective_permute"]),
        ("[S(y,x), R]", "[S(x,y), R]", ["collective_permute"]),
        ("[S(x,y), R]", "[R, R]", ["all_gather"]),
        ("[R, R] P(sum: x,y)", "[R, R]", ["all_reduce"]),
        ("[R, R] P(sum: x) + P(max: y)", "[R, R]", ["all_reduce", "all_reduce"]),
        ("[R, S(x)]", "[S(x), S(y)]", ["all_slice", "all_to_all"]),
    ],
)
def test_steps(source: str, target: str, steps: list[str]) -> None:
    assert sorted(_kinds(source, target, (8, 8))) == sorted(steps)


def test_the_outer_split_of_the_same_dimension_moves_data() -> None:
    # (B, S0) -> (S0, S0) looks free axis by axis; half of the tensor has to move.
    assert _kinds("[S(y), R]", "[S(x,y), R]", (8, 8)) != ["all_slice"]
    price = path_seconds(
        parse_sharding("[S(y), R]", MESH), parse_sharding("[S(x,y), R]", MESH), (1024, 1024)
    )
    assert price > 1e-5


def test_uneven_dimensions_are_gathered_one_axis_at_a_time() -> None:
    assert _kinds("[S(x,y), R]", "[R, R]", (10, 8)) == ["all_gather", "all_gather"]


def test_a_block_changes_through_whole_values() -> None:
    assert _kinds("[S(x)/3, R]", "[S(x), R]", (9, 4)) == ["all_gather", "all_slice"]


def test_only_the_needed_part_of_an_axis_moves() -> None:
    mesh = Mesh.of(x=4)
    source = parse_sharding("[S(x), R]", mesh)
    target = parse_sharding("[S(x:(1)2), S(x:(2)2)]", mesh)
    (step,) = conversion_path(source, target, (8, 8))
    assert step.kind is StepKind.ALL_TO_ALL
    assert [str(a) for a in step.axes] == ["x:(2)2"]


def test_direct_step_is_the_named_collective_or_nothing() -> None:
    whole, cut = parse_sharding("[R, R]", MESH), parse_sharding("[S(x), R]", MESH)
    step = direct_step(StepKind.ALL_GATHER, cut, whole, (8, 8))
    assert step is not None and step.source_dim == 0
    assert direct_step(StepKind.ALL_TO_ALL, cut, whole, (8, 8)) is None


def test_permutation_sends_every_box_once() -> None:
    source, target = parse_sharding("[S(x), S(y)]", MESH), parse_sharding("[S(y), S(x)]", MESH)
    assert permutation(source, target, (8, 8)) == ((0, 0), (2, 1), (1, 2), (3, 3))
    assert permutation(parse_sharding("[S(x), R]", MESH), target, (8, 8)) is None


def test_price_of_one_step_follows_the_table() -> None:
    mesh = Mesh.of(x=4)
    partial, whole = parse_sharding("[R] P(sum: x)", mesh), parse_sharding("[R]", mesh)
    cut = parse_sharding("[S(x)]", mesh)
    size = 1 << 20

    def seconds(source: object, target: object) -> float:
        (step,) = conversion_path(source, target, (size,))  # type: ignore[arg-type]
        return step_seconds(mesh, step, source, (size,), 4, default_hardware())  # type: ignore[arg-type]

    reduce, scatter, gather = seconds(partial, whole), seconds(partial, cut), seconds(cut, whole)
    assert reduce == pytest.approx(scatter + gather - 1e-5)
    assert seconds(whole, cut) < scatter


def test_paths_are_deterministic() -> None:
    source, target = parse_sharding("[S(x), S(y)]", MESH), parse_sharding("[S(y), R]", MESH)
    first = conversion_path.__wrapped__(source, target, (6, 10))
    assert first == conversion_path.__wrapped__(source, target, (6, 10))
