"""Readers of StableHLO attributes, on the text of each op."""

import numpy as np
import pytest

from distc.dialect import stablehlo as s
from distc.dialect.context import make_context, parse_module
from distc.dialect.sharding import Reduction

_ADD = """({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32> })"""
ARGUMENTS = """%x: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<4x1xi64>, %n: tensor<i64>,
  %image: tensor<2x4x6x6xf32>, %kernel: tensor<3x3x2x8xf32>"""


# Ops live as long as their module.
_MODULES = []


def parsed(text):
    """The first op of the first function."""
    _MODULES.append(parse_module(text, make_context()))
    block = s.functions(_MODULES[-1])[0].regions[0].blocks[0]
    return block.operations[0].operation


def op_of(text):
    """The first op of a function with the arguments above."""
    body = f"func.func @f({ARGUMENTS}) {{ {text} return }}\n"
    private = "func.func private @g(%x: tensor<4x8xf32>) -> tensor<4x8xf32>"
    return parsed(f"{body}{private} {{ return %x : tensor<4x8xf32> }}")


def test_movement():
    transpose = op_of(
        "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>"
    )
    assert s.permutation(transpose) == (1, 0)
    broadcast = op_of(
        "%0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<4x8xf32>) -> tensor<4x3x8xf32>"
    )
    assert s.broadcast_dims(broadcast) == (0, 2)
    part = op_of("%0 = stablehlo.slice %x [1:3, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>")
    assert s.slice_bounds(part) == s.SliceBounds((1, 0), (3, 8), (1, 2))
    padded = op_of(
        "%0 = stablehlo.pad %x, %z, low = [0, 1], high = [2, -1], interior = [0, 1]"
        " : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x15xf32>"
    )
    assert s.padding(padded) == s.Padding((0, 1), (2, -1), (0, 1))
    joined = op_of(
        "%0 = stablehlo.concatenate %x, %x, dim = 1"
        " : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>"
    )
    assert s.concatenate_dim(joined) == 1
    assert s.iota_dim(op_of("%0 = stablehlo.iota dim = 1 : tensor<2x3xi64>")) == 1
    assert s.reverse_dims(op_of("%0 = stablehlo.reverse %x, dims = [1] : tensor<4x8xf32>")) == (1,)
    cut = op_of(
        "%0 = stablehlo.dynamic_slice %x, %n, %n, sizes = [2, 3]"
        " : (tensor<4x8xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>"
    )
    assert s.slice_sizes(cut) == (2, 3)


def test_compare():
    plain = op_of(
        "%0 = stablehlo.compare LT, %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>"
    )
    assert (s.comparison_direction(plain), s.comparison_type(plain)) == ("LT", None)
    total = op_of(
        "%0 = stablehlo.compare GE, %x, %x, TOTALORDER"
        " : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>"
    )
    assert (s.comparison_direction(total), s.comparison_type(total)) == ("GE", "TOTALORDER")


def test_dot():
    dims = s.dot_dims(
        op_of(
            "%0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0],"
            " contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32>"
        )
    )
    assert dims == s.DotDims((0,), (0,), (1,), (1,))
    assert s.DotDims((0,), (1,), (3,), (0,)).lhs_free(4) == (1, 2)
    assert s.DotDims((0,), (1,), (3,), (0,)).rhs_free(3) == (2,)


def test_convolution_with_defaults_and_without():
    conv = s.convolution(
        op_of(
            "%0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->"
            "[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 0], [1, 1]], rhs_dilate = [1, 1]}"
            " {batch_group_count = 1 : i64, feature_group_count = 2 : i64}"
            " : (tensor<2x4x6x6xf32>, tensor<3x3x2x8xf32>) -> tensor<2x8x3x6xf32>"
        )
    )
    assert conv.dims == s.ConvDims(0, 1, (2, 3), 2, 3, (0, 1), 0, 1, (2, 3))
    assert conv.strides == (2, 1)
    assert conv.padding == ((1, 0), (1, 1))
    assert conv.lhs_dilation == (1, 1) and conv.rhs_dilation == (1, 1)
    assert conv.reversal == (False, False)
    assert (conv.feature_group_count, conv.batch_group_count) == (2, 1)


REDUCERS = [
    ("add", "f32", Reduction.SUM),
    ("maximum", "f32", Reduction.MAX),
    ("minimum", "i64", Reduction.MIN),
    ("multiply", "i64", Reduction.PROD),
    ("and", "i64", Reduction.AND),
    ("or", "i1", Reduction.OR),
    ("add", "i1", Reduction.OR),
    ("maximum", "i1", Reduction.OR),
    ("minimum", "i1", Reduction.AND),
    ("multiply", "i1", Reduction.AND),
    ("subtract", "f32", None),
]


@pytest.mark.parametrize(("name", "kind", "expected"), REDUCERS)
@pytest.mark.parametrize("order", ["%a, %b", "%b, %a"])
def test_reducers(name, kind, expected, order):
    text = f"""func.func @f(%v: tensor<4x{kind}>, %i: tensor<{kind}>) -> tensor<{kind}> {{
  %0 = stablehlo.reduce(%v init: %i) across dimensions = [0]
    : (tensor<4x{kind}>, tensor<{kind}>) -> tensor<{kind}>
   reducer(%a: tensor<{kind}>, %b: tensor<{kind}>) {{
    %1 = stablehlo.{name} {order} : tensor<{kind}>
    stablehlo.return %1 : tensor<{kind}> }}
  return %0 : tensor<{kind}> }}"""
    op = parsed(text)
    assert s.reduce_dims(op) == (0,)
    assert s.reducer(op) is expected


def test_reducers_of_several_results():
    text = """func.func @f(%v: tensor<4xf32>, %i: tensor<f32>) {
  %0:2 = stablehlo.reduce(%v init: %i), (%v init: %i) across dimensions = [0]
    : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %1 = stablehlo.add %a, %c : tensor<f32>
    %2 = stablehlo.maximum %b, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32> }
  return }"""
    op = parsed(text)
    assert s.reducers(op) == (Reduction.SUM, Reduction.MAX)
    assert s.reducer(op) is None


def test_an_operand_used_twice_is_no_reduction():
    op = op_of(
        """%0 = stablehlo.reduce(%x init: %z) across dimensions = [1]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32> }"""
    )
    assert s.reducer(op) is None


def test_windows():
    op = op_of(
        f"""%0 = "stablehlo.reduce_window"(%x, %z) <{{padding = dense<[[0, 0], [7, 0]]>
    : tensor<2x2xi64>, window_dimensions = array<i64: 1, 8>}}> {_ADD}
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>"""
    )
    assert s.window(op) == s.Window((1, 8), (1, 1), ((0, 0), (7, 0)), (1, 1), (1, 1))
    assert s.reducer(op) is Reduction.SUM


def test_gather_and_scatter():
    gather = op_of(
        """%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
    offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 8>, indices_are_sorted = true}>
    : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x8xf32>"""
    )
    assert s.gather_dims(gather) == s.GatherDims((1,), (0,), (), (), (0,), 1)
    assert s.slice_sizes(gather) == (1, 8)
    assert s.indices_are_sorted(gather)
    dims = """scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"""
    kinds = "(tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x8xf32>) -> tensor<4x8xf32>"
    scatter = op_of(
        f'%0 = "stablehlo.scatter"(%x, %i, %x) <{{{dims}, unique_indices = true}}> {_ADD} : {kinds}'
    )
    assert s.scatter_dims(scatter) == s.ScatterDims((1,), (0,), (), (), (0,), 1)
    assert s.unique_indices(scatter) and not s.indices_are_sorted(scatter)
    assert s.reducer(scatter) is Reduction.SUM and not s.returns_update(scatter)
    overwrite = op_of(
        f"""%0 = "stablehlo.scatter"(%x, %i, %x) <{{{dims}}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %b : tensor<f32> }}) : {kinds}"""
    )
    assert s.returns_update(overwrite) and s.reducer(overwrite) is None


def test_sort():
    compare = "stablehlo.compare GT, %c, %d, TOTALORDER : (tensor<i64>, tensor<i64>) -> tensor<i1>"
    text = f"""func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xi64>) {{
  %0:2 = "stablehlo.sort"(%x, %y) <{{dimension = -1 : i64, is_stable = true}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i64>, %d: tensor<i64>):
    %1 = {compare}
    stablehlo.return %1 : tensor<i1> }})
    : (tensor<4x8xf32>, tensor<4x8xi64>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return }}"""
    assert s.sort(parsed(text)) == s.Sort(1, True, ((1, "GT"),))
    swapped = text.replace("GT, %c, %d", "GT, %d, %c")
    assert s.sort(parsed(swapped)).keys is None


def test_composite_attributes_are_python_values():
    op = op_of(
        """%0 = stablehlo.composite "distc.gelu" %x {composite_attributes = {
    approximate = "none", rank = 3 : i64, eps = 1.5 : f64, causal = true,
    nested = {dims = [1, 2], sizes = array<i64: 3, 4>}}, decomposition = @g}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>"""
    )
    found = s.composite(op)
    assert (found.name, found.decomposition) == ("distc.gelu", "g")
    assert found.attributes == {
        "approximate": "none",
        "rank": 3,
        "eps": 1.5,
        "causal": True,
        "nested": {"dims": (1, 2), "sizes": (3, 4)},
    }
    assert type(found.attributes["causal"]) is bool


CONSTANTS = [
    ("dense<0xFF800000> : tensor<2xf32>", float("-inf")),
    ("dense<7.5> : tensor<2xbf16>", 7.5),
    ("dense<true> : tensor<2xi1>", True),
    ("dense<255> : tensor<2xui8>", 255),
    ("dense<-3> : tensor<i64>", -3),
    ("dense<[1, 2]> : tensor<2xi64>", None),
    ("dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>", None),
]


@pytest.mark.parametrize(("text", "expected"), CONSTANTS)
def test_splats(text, expected):
    found = s.splat_value(op_of(f"%0 = stablehlo.constant {text}"))
    assert found == expected and type(found) is type(expected)


ARRAYS = [
    ("dense<[1, 2]> : tensor<2xi64>", np.array([1, 2])),
    ("dense<[[0.5], [2.0]]> : tensor<2x1xbf16>", np.array([[0.5], [2.0]])),
    ("dense<[0x7F80, -1.0e-3]> : tensor<2xbf16>", np.array([np.inf, -0.00099945068359375])),
    (
        f"dense<{[[float(i) for i in range(16)]] * 16}> : tensor<16x16xbf16>",
        np.broadcast_to(np.arange(16), (16, 16)),
    ),
    ("dense<-2.5> : tensor<3xbf16>", np.full(3, -2.5)),
    ("dense<[0.5, 2.0]> : tensor<2xf16>", np.array([0.5, 2.0])),
    ("dense<[true, false]> : tensor<2xi1>", np.array([True, False])),
    ("dense<3.0> : tensor<2x2xf32>", np.full((2, 2), 3.0)),
]


@pytest.mark.parametrize(("text", "expected"), ARRAYS)
def test_arrays(text, expected):
    found = s.constant_array(op_of(f"%0 = stablehlo.constant {text}"))
    np.testing.assert_array_equal(found, expected)


def test_other_ops_are_no_constants():
    op = op_of("%0 = stablehlo.iota dim = 0 : tensor<2xi64>")
    assert s.splat_value(op) is None and s.constant_array(op) is None


def test_structure():
    text = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.add %0, %0 : tensor<4xf32>
  return %1 : tensor<4xf32> }
func.func private @g() { return }"""
    module = parse_module(text, make_context())
    first, second = s.functions(module)
    assert (s.symbol(first), s.is_public(first)) == ("f", True)
    assert (s.symbol(second), s.is_public(second)) == ("g", False)
    names = [op.name for op in s.walk(first)]
    assert names == ["stablehlo.tanh", "stablehlo.add", "func.return"]
    tanh, add, _ = s.walk(first)
    assert s.defining_op(tanh.operands[0]) is None
    assert s.defining_op(add.operands[0]) == tanh
    assert sorted(index for _, index in s.users(tanh.result)) == [0, 1]
    assert (s.shape(add.result), s.dtype(add.result)) == ((4,), "f32")
    assert s.is_tensor(add.result)
