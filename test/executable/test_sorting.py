"""Sorts and top-k along cut dimensions: exact, stable, and without gathering the input."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, run_sharded, run_whole
from executable.traffic import largest, moved

from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.transforms import make_pass
from distc.transforms.cleanup import run_cleanup

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


# By |key|, larger first, then by the second operand; the third only goes along.
TWO_KEYS = """
func.func @main(%a: tensor<{shape}xi32>, %b: tensor<{shape}xi32>)
    -> (tensor<{shape}xi32>, tensor<{shape}xi32>, tensor<{shape}xi32>) {{
  %i = stablehlo.iota dim = {dim} : tensor<{shape}xi32>
  %0:3 = "stablehlo.sort"(%i, %a, %b) <{{dimension = {dim} : i64, is_stable = true}}> ({{
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %l: tensor<i32>, %r: tensor<i32>,
       %m: tensor<i32>, %n: tensor<i32>):
    %x = stablehlo.abs %l : tensor<i32>
    %y = stablehlo.abs %r : tensor<i32>
    %before = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %then = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = stablehlo.select %same, %then, %before : tensor<i1>, tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : (tensor<{shape}xi32>, tensor<{shape}xi32>, tensor<{shape}xi32>)
      -> (tensor<{shape}xi32>, tensor<{shape}xi32>, tensor<{shape}xi32>)
  return %0#0, %0#1, %0#2 : tensor<{shape}xi32>, tensor<{shape}xi32>, tensor<{shape}xi32>
}}
"""
TYPES = "tensor<3x{size}xf32>) -> (tensor<3x{k}xf32>, tensor<3x{k}xi32>)"
CALL = (
    "func.func @main(%a: "
    + TYPES
    + """ {{
  %0:2 = stablehlo.custom_call @mhlo.topk(%a)
      {{mhlo.attributes = {{k = {k} : i64, largest = {largest}}}}} : ("""
    + TYPES
    + """
  return %0#0, %0#1 : tensor<3x{k}xf32>, tensor<3x{k}xi32>
}}
"""
)
APPROXIMATE = (
    "func.func @main(%a: "
    + TYPES
    + """ {{
  %i = stablehlo.iota dim = 1 : tensor<3x{size}xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %z, %m) {{
      called_computations = [@before], mhlo.backend_config = {{aggregate_to_topk = true,
      recall_target = 0.9 : f32, reduction_dim = 1 : i64, top_k = {k} : i64}}}}
      : (tensor<3x{size}xf32>, tensor<3x{size}xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<3x{k}xf32>, tensor<3x{k}xi32>)
  return %0#0, %0#1 : tensor<3x{k}xf32>, tensor<3x{k}xi32>
}}
func.func private @before(%l: tensor<f32>, %r: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>)
    -> tensor<i1> {{
  %c = stablehlo.compare {direction}, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %c : tensor<i1>
}}
"""
)
COMPOSITE = (
    "func.func @main(%a: "
    + TYPES
    + """ {{
  %0:2 = stablehlo.composite "chlo.top_k" %a {{composite_attributes = {{k = {k} : i64}},
      decomposition = @body}} : ("""
    + TYPES
    + """
  return %0#0, %0#1 : tensor<3x{k}xf32>, tensor<3x{k}xi32>
}}
"""
)


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
@pytest.mark.parametrize("size", range(10))
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
    held = 8 * 16 * 4
    assert check(program((8, 64), 1), x, "x=4", 1, cut_result=True) == 3 * held


def test_a_sort_that_is_read_further_back_is_not_marked() -> None:
    whole = program((3, 9), 1, 4)
    assert "dist.first" not in marked(whole.replace("0:3, 0:4", "0:3, 1:5"))
    assert "dist.first" not in marked(program((3, 9), 1))


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("shape", [(7,), (9,), (2,), (2, 9), (4, 5)])
def test_any_comparator_of_several_operands(shape: tuple[int, ...], mesh: str) -> None:
    dim = len(shape) - 1
    text = TWO_KEYS.format(shape="x".join(map(str, shape)), dim=dim)
    values = [numbers(shape, 3), numbers(shape, 4)]
    cut = Mesh.parse(mesh)
    names = ",".join(a.name for a in cut.axes)
    lying = parse_sharding(f"[{', '.join([*['R'] * dim, f'S({names})'])}]", cut)
    expected = run_whole(text, values)
    module = partition(text, cut, {0: lying, 1: lying}, {0: lying, 1: lying, 2: lying})
    found = run_sharded(module, values, [shape] * 3)
    for want, got in zip(expected, found, strict=True):
        assert torch.equal(got, want)


@pytest.mark.parametrize(("size", "values"), [(600, 2), (601, 3)])
def test_a_sort_of_one_dimension_sends_one_shard_a_round(size: int, values: int) -> None:
    """Values, positions and, where uneven, flags: no rank ever receives more than one shard."""
    mesh = Mesh.parse("x=4")
    lying = parse_sharding("[S(x)]", mesh)
    module = partition(program((size,), 0), mesh, {0: lying}, {0: lying, 1: lying})
    held = -(-size // 4) * 4
    assert moved(module.module) == {"collective_permute": 4 * values * held}
    assert largest(module.module) == held


def test_a_dimension_that_does_not_divide_is_padded_and_cut_instead() -> None:
    mesh = Mesh.parse("x=4")
    lying = parse_sharding("[R, S(x)]", mesh)
    module = partition(program((5, 64), 1), mesh, {0: lying}, {0: lying, 1: lying})
    padded = 8 * 16 * 4
    # Values go there and back; positions are counted there, and only come back.
    assert moved(module.module) == {"all_to_all": 3 * padded}


FORMS = {
    "call": CALL,
    "approximate": APPROXIMATE,
    "composite": COMPOSITE,
}


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("largest_first", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_top_k_of_other_front_ends(form: str, largest_first: bool, mesh: str) -> None:
    """Ties, both zeros and NaN as the form itself has them on one rank; candidates are sent."""
    size, k = 26, 3
    direction = "GT" if largest_first else "LT"
    names = {"size": size, "k": k, "largest": str(largest_first).lower(), "direction": direction}
    text = FORMS[form].format(**names)
    if form == "composite":
        body = program((3, size), 1, k, "f32", direction)
        text += body.replace("func.func @main", "func.func private @body")
    x = numbers((3, size), 5).float()
    x[0, 17] = x[0, 20] = x[1, 25] = float("nan")
    x[2] = torch.where(x[2] == 1, -0.0, x[2].clamp(-1, 0))
    module = parse_module(text, make_context(), "test.mlir")
    run_cleanup(module)
    plain = str(module)
    # The kernel of an approximate call takes the largest, whatever its comparator says.
    if form != "approximate" or largest_first:
        for want, got in zip(run_whole(text, [x]), run_whole(plain, [x]), strict=True):
            assert torch.equal(torch.nan_to_num(got, 77), torch.nan_to_num(want, 77))
    bytes_ = check(plain, x, mesh, 1, cut_result=False)
    ranks = Mesh.parse(mesh).size
    flags = 4 if size % ranks else 0
    assert bytes_ == 3 * k * (4 + 4 + flags)


def test_top_k_over_a_batch_that_is_cut_too() -> None:
    mesh = Mesh.parse("x=2,y=3")
    lying = parse_sharding("[S(x), S(y)]", mesh)
    x = numbers((5, 11), 6)
    text = marked(program((5, 11), 1, 4))
    module = partition(text, mesh, {0: lying})
    assert sum(moved(module.module).values()) <= 3 * 4 * 3 * 4 + 2 * 3 * 4 * 4
    found = run_sharded(module, [x], [(5, 4)] * 2)
    for want, got in zip(run_whole(text, [x]), found, strict=True):
        assert torch.equal(got, want)


@pytest.mark.parametrize(
    ("made", "all_to_alls"),
    [
        ("%count = stablehlo.iota dim = 0 : tensor<1xi32>", 4),
        ("%count = stablehlo.iota dim = 0 : tensor<8xi32>", 3),
    ],
)
def test_only_what_counts_along_the_sorted_dimension_is_not_sent(
    made: str, all_to_alls: int
) -> None:
    """One element of a counter, spread over the dimension, is zero everywhere."""
    kind = made.rsplit(" ", 1)[1]
    text = program((4, 8), 1).replace(
        "%i = stablehlo.iota dim = 1 : tensor<4x8xi32>",
        f"{made}\n  %i = stablehlo.broadcast_in_dim %count, dims = [1]"
        f" : ({kind}) -> tensor<4x8xi32>",
    )
    x = numbers((4, 8), 2)
    assert check(text, x, "x=4", 1, cut_result=True) == all_to_alls * 4 * 2 * 4
