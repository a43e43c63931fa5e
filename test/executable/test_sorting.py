"""Sorts and top-k along cut dimensions: exact, stable, and without gathering the input."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, run_sharded, run_whole
from executable.traffic import moved

from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.transforms import make_pass

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")
SORT = """
func.func @main(%a: tensor<{shape}x{kind}>) -> (tensor<{out}x{kind}>, tensor<{out}xi32>) {{
  %i = stablehlo.iota dim = {dim} : tensor<{shape}xi32>
  %0:2 = "stablehlo.sort"(%a, %i) <{{dimension = {dim} : i64, is_stable = true}}> ({{
  ^bb0(%l: tensor<{kind}>, %r: tensor<{kind}>, %m: tensor<i32>, %n: tensor<i32>):
    %c = stablehlo.compare {direction}, %l, %r{order}
        : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : (tensor<{shape}x{kind}>, tensor<{shape}xi32>)
      -> (tensor<{shape}x{kind}>, tensor<{shape}xi32>)
{tail}
}}
"""


def program(
    shape: tuple[int, ...],
    dim: int,
    first: int | None = None,
    kind: str = "i32",
    direction: str = "GT",
) -> str:
    """Sort with indices; the first k along `dim`, or all."""
    text = "x".join(map(str, shape))
    out = list(shape)
    out[dim] = shape[dim] if first is None else first
    result = "x".join(map(str, out))
    ranges = ", ".join(f"0:{n}" for n in out)
    types = f"tensor<{result}x{kind}>, tensor<{result}xi32>"
    tail = f"  return %0#0, %0#1 : {types}"
    if first is not None:
        tail = (
            f"  %1 = stablehlo.slice %0#0 [{ranges}] "
            f": (tensor<{text}x{kind}>) -> tensor<{result}x{kind}>\n"
            f"  %2 = stablehlo.slice %0#1 [{ranges}] "
            f": (tensor<{text}xi32>) -> tensor<{result}xi32>\n"
            f"  return %1, %2 : {types}"
        )
    order = ", TOTALORDER" if kind == "f32" else ""
    return SORT.format(
        shape=text, out=result, dim=dim, kind=kind, direction=direction, tail=tail, order=order
    )


def marked(text: str) -> str:
    """The program after top-k was looked for."""
    module = parse_module(text, make_context(), "test.mlir")
    make_pass("find-top-k").run(module)
    return str(module)


def check(text: str, x: torch.Tensor, mesh_text: str, dim: int, *, cut_result: bool) -> int:
    """Compare with one rank; return the bytes that all collectives move on a rank."""
    mesh = Mesh.parse(mesh_text)
    parts = ["R"] * x.dim()
    parts[dim] = f"S({','.join(a.name for a in mesh.axes)})"
    lying = parse_sharding(f"[{', '.join(parts)}]", mesh)
    expected = run_whole(text, [x])
    results = {0: lying, 1: lying} if cut_result else {}
    module = partition(text, mesh, {0: lying}, results)
    found = run_sharded(module, [x], [tuple(e.shape) for e in expected])
    for want, got in zip(expected, found, strict=True):
        assert torch.equal(torch.nan_to_num(got, 77), torch.nan_to_num(want, 77))
    return sum(moved(module.module).values())


def numbers(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Few distinct numbers, so that ties are everywhere."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-2, 3, shape, generator=generator, dtype=torch.int32)


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("size", range(1, 10))
def test_sort_of_one_dimension(size: int, mesh: str) -> None:
    check(program((size,), 0), numbers((size,), size), mesh, 0, cut_result=True)


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("size", [1, 4, 5, 7, 12])
@pytest.mark.parametrize("other", [3, 4, 12])
def test_sort_beside_another_dimension(other: int, size: int, mesh: str) -> None:
    x = numbers((other, size), size)
    check(program((other, size), 1), x, mesh, 1, cut_result=True)


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize(("size", "first"), [(9, 1), (9, 2), (9, 8), (5, 3), (2, 1), (13, 4)])
def test_top_k(size: int, first: int, mesh: str) -> None:
    text = marked(program((3, size), 1, first))
    assert f"dist.first = {first}" in text
    check(text, numbers((3, size), size), mesh, 1, cut_result=False)


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("direction", ["GT", "LT"])
def test_nan_and_zeros_sort_as_on_one_rank(place: int, direction: str) -> None:
    x = torch.tensor([0.0, -0.0, 1.0, -1.0, 0.0, float("inf"), -0.0])
    x[place] = float("nan")
    for first in (None, 3):
        text = marked(program((7,), 0, first, "f32", direction))
        check(text, x, "x=3", 0, cut_result=first is None)


def test_top_k_sends_candidates_only() -> None:
    x = numbers((4, 600), 0)
    bytes_ = check(marked(program((4, 600), 1, 5)), x, "x=4", 1, cut_result=False)
    assert bytes_ == 2 * 4 * 5 * 4


def test_sort_sends_no_more_than_it_holds_where_another_dimension_can_be_cut() -> None:
    x = numbers((8, 64), 0)
    held = 2 * 8 * 16 * 4
    assert check(program((8, 64), 1), x, "x=4", 1, cut_result=True) == 2 * held


def test_a_sort_that_is_read_further_back_is_not_marked() -> None:
    whole = program((3, 9), 1, 4)
    assert "dist.first" not in marked(whole.replace("0:3, 0:4", "0:3, 1:5"))
    assert "dist.first" not in marked(program((3, 9), 1))
