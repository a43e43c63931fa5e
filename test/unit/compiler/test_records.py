"""What the manifest says about arguments, results and the range of index inputs."""

from __future__ import annotations

import pytest
from torch_mlir import ir

from distc.compiler.records import entry_point, index_bounds, public_functions
from distc.dialect.attrs import set_module_mesh
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import InternalError

MESH = Mesh.of(data=2, tensor=2)
SHARDED = '#dist.sharding<@mesh, [["tensor"], []], array<i64: {}, 1>, {{}}>'


def _function(text: str) -> ir.Operation:
    # The module must outlive the function that is looked at.
    module = parse_module(text, make_context(), "m.mlir")
    set_module_mesh(module, MESH)
    _kept.append(module)
    return public_functions(module)[0]


_kept: list[ir.Module] = []


def test_layout_view_and_defaults() -> None:
    weight = SHARDED.format(3)
    plain = SHARDED.format(1)
    func = _function(
        f"""func.func @main(
    %w: tensor<6x4xf32> {{dist.name = "w", dist.kind = "parameter", dist.sharding = {weight},
        dist.global_shape = array<i64: 9, 4>, dist.original_shape = array<i64: 36>}},
    %x: tensor<5x2xui8> {{dist.sharding = {plain}, dist.global_shape = array<i64: 9, 2>}})
    -> (tensor<5x2xui8> {{dist.sharding = {plain}, dist.global_shape = array<i64: 9, 2>}}) {{
  return %x : tensor<5x2xui8>
}}
"""
    )
    entry = entry_point(func, MESH, {"argument1": (0, 7)})
    w, x = entry.arguments
    assert (w.name, w.kind, w.dtype) == ("w", "parameter", "f32")
    assert w.shape == (36,)
    assert w.layout.view == (9, 4)
    # Three blocks of three rows on two ranks: two and one.
    assert [w.layout.box(r)[0] for r in range(2)] == [(0, 6), (6, 3)]
    assert w.sharding == "[S(tensor)/3, R]"
    assert (x.name, x.kind, x.dtype, x.bound) == ("argument1", "input", "ui8", (0, 7))
    assert [(r.name, r.kind) for r in entry.results] == [("output0", "output")]


def test_an_argument_without_a_layout_is_a_defect() -> None:
    func = _function("func.func @main(%x: tensor<f32>) -> tensor<f32> {return %x : tensor<f32>}")
    with pytest.raises(InternalError, match="arg_attrs 0 of @main has no layout"):
        entry_point(func, MESH, {})


GATHER = """#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0],
    index_vector_dim = 2>"""


def test_bounds_of_inputs_that_look_up_rows() -> None:
    func = _function(
        f"""func.func @main(%w: tensor<10x4xf32> {{dist.name = "w", dist.kind = "parameter"}},
    %v: tensor<6x4xf32> {{dist.name = "v", dist.kind = "parameter"}},
    %i: tensor<2x3xi32> {{dist.name = "i"}}, %k: tensor<2x3xi32> {{dist.name = "k"}},
    %f: tensor<2x3xf32> {{dist.name = "f"}}) -> tensor<2x3x4xf32> {{
  %0 = stablehlo.convert %i : (tensor<2x3xi32>) -> tensor<2x3xi64>
  %1 = stablehlo.reshape %0 : (tensor<2x3xi64>) -> tensor<2x3x1xi64>
  %2 = "stablehlo.gather"(%w, %1) {{dimension_numbers = {GATHER},
    slice_sizes = array<i64: 1, 4>}} : (tensor<10x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4xf32>
  %3 = "stablehlo.gather"(%v, %1) {{dimension_numbers = {GATHER},
    slice_sizes = array<i64: 1, 4>}} : (tensor<6x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4xf32>
  %4 = stablehlo.add %2, %3 : tensor<2x3x4xf32>
  return %4 : tensor<2x3x4xf32>
}}
"""
    )
    # The smaller table decides; k is not used to look anything up, f is no integer.
    assert index_bounds(func) == {"i": (0, 6)}
