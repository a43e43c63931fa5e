"""Any sharding to any other: all ranks end up with exactly the box they should hold."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from executable.harness import partition, run_sharded

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.dialect.text import parse_sharding

MESH = Mesh.of(x=2, y=2)
X, Y = AxisRef("x"), AxisRef("y")
SIZES = range(10)


def _all_shardings(mesh: Mesh) -> list[Sharding]:
    """Every sharding of a matrix: each axis free, on a dimension (in both orders), or partial."""
    found = []
    for places in product(("free", 0, 1, "partial"), repeat=2):
        for order in ((X, Y), (Y, X)) if places[0] == places[1] in (0, 1) else ((X, Y),):
            dims = tuple(
                DimSharding(tuple(a for a in order if places[(X, Y).index(a)] == d)) for d in (0, 1)
            )
            partial = tuple(
                (a, Reduction.SUM) for a, p in zip((X, Y), places, strict=True) if p == "partial"
            )
            found.append(Sharding(mesh, dims, partial))
    return found


SHARDINGS = _all_shardings(MESH)


def _check(source: Sharding, target: Sharding, shape: tuple[int, ...], kind: str = "i32") -> None:
    tensor = "x".join(map(str, shape)) + f"x{kind}"
    text = f"""func.func @main(%a: tensor<{tensor}>) -> tensor<{tensor}> {{
      return %a : tensor<{tensor}>
    }}"""
    values = torch.arange(1, 1 + int(torch.tensor(shape).prod()), dtype=torch.int32).reshape(shape)
    source, target = source.normalize(shape), target.normalize(shape)
    built = partition(text, source.mesh, {0: source}, {0: target})
    (found,) = run_sharded(built, [values], [shape])
    assert torch.equal(found, values), f"{source} to {target} of {shape}: {found}"


@pytest.mark.parametrize("source", SHARDINGS, ids=str)
def test_every_pair_on_a_square_mesh(source: Sharding) -> None:
    for number, target in enumerate(SHARDINGS):
        seed = 31 * SHARDINGS.index(source) + number
        _check(source, target, (seed % 10, (seed // 3) % 10))


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize(
    ("mesh_text", "source", "target"),
    [
        ("x=2", "[S(x), R]", "[R, S(x)]"),
        ("x=3", "[S(x), R]", "[R, S(x)]"),
        ("x=4", "[R, S(x)]", "[S(x), R]"),
        ("x=3", "[R, R] P(sum: x)", "[S(x), R]"),
        ("x=4", "[R, R] P(max: x)", "[R, S(x)]"),
        ("x=4", "[R, R] P(min: x)", "[R, R]"),
        ("x=2,y=2", "[S(x,y), R]", "[R, S(y,x)]"),
        ("x=2,y=3", "[S(y,x), R]", "[S(x,y), R]"),
        ("x=2,y=3", "[S(y), R] P(sum: x)", "[S(y,x), R]"),
        ("x=2,y=3", "[S(x), S(y)]", "[S(y), S(x)]"),
        ("x=3", "[R, R]", "[S(x), R] "),
    ],
)
def test_uneven_sizes(mesh_text: str, source: str, target: str, rows: int) -> None:
    mesh = Mesh.parse(mesh_text)
    _check(parse_sharding(source, mesh), parse_sharding(target, mesh), (rows, 7))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("[S(x)/3, R]", "[S(x), R]"),
        ("[S(x), R]", "[S(x)/3, R]"),
        ("[S(x,y)/3, R]", "[R, S(x)]"),
        ("[R, S(y)]", "[S(y)/3, R]"),
        ("[S(x)/3, R] P(sum: y)", "[S(x,y)/3, R]"),
        ("[S(x)/5, R]", "[S(x,y), R]"),
        ("[S(x), R]", "[S(x,y)/5, R]"),
    ],
)
def test_blocks_move_whole(source: str, target: str) -> None:
    mesh = Mesh.of(x=2, y=2)
    _check(parse_sharding(source, mesh), parse_sharding(target, mesh), (15, 4))


@pytest.mark.parametrize(
    ("source", "target", "rows"),
    [
        ("[S(x), R]", "[S(x,y)/2, R]", 4),
        ("[S(x), R] P(sum: y)", "[S(x,y)/2, R]", 4),
        ("[S(x,y)/2, R]", "[S(x), R]", 4),
        ("[S(x), R]", "[S(x,y)/3, R]", 12),
    ],
)
def test_blocks_below_an_even_cut(source: str, target: str, rows: int) -> None:
    mesh = Mesh.of(x=2, y=2)
    _check(parse_sharding(source, mesh), parse_sharding(target, mesh), (rows, 3))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("[S(x), R]", "[S(x:(1)2), S(x:(2)2)]"),
        ("[S(x:(2)2), S(x:(1)2)]", "[S(x), R]"),
        ("[S(x:(2)2), R] P(sum: x:(1)2)", "[R, S(x)]"),
    ],
)
def test_parts_of_an_axis(source: str, target: str) -> None:
    mesh = Mesh.of(x=4)
    _check(parse_sharding(source, mesh), parse_sharding(target, mesh), (8, 8))
