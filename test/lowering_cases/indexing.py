# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Gather and scatter: clamping, skipping, order, batching, windows, any combiner."""

from __future__ import annotations

from math import nan

import numpy as np

from lowering_cases.case import Case


def _scatter(
    row: str, dtype: str, region: str, values: tuple[object, ...], unique: bool = False
) -> Case:
    """Rows of [4, 2] updated at five indices, one outside below, one above, one twice."""
    body = f"""%r = "stablehlo.scatter"(%a, %b, %c) <{{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      unique_indices = {str(unique).lower()}}}> ({{
      ^bb0(%x: tensor<{dtype}>, %y: tensor<{dtype}>):
        {region}
        stablehlo.return %s : tensor<{dtype}>
    }}) : (tensor<4x2x{dtype}>, tensor<5x1xi32>, tensor<5x2x{dtype}>) -> tensor<4x2x{dtype}>"""
    return Case("scatter", row, f"tensor<4x2x{dtype}>, tensor<5x1xi32>, tensor<5x2x{dtype}>",
                f"tensor<4x2x{dtype}>", body, values)  # fmt: skip


_AT = [3, -1, 1, 4, 1]


def _combine(op: str, dtype: str) -> str:
    return f"%s = stablehlo.{op} %x, %y : tensor<{dtype}>"


CASES = (
    Case(
        "gather",
        "rows, clamped",
        "tensor<4x3xf32>, tensor<2x3xi32>",
        "tensor<2x3x3xf32>",
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], '
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, "
        "slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2x3xi32>) -> tensor<2x3x3xf32>",
        (None, [[0, 3, 4], [-1, 100, -100]]),
    ),
    Case(
        "gather",
        "windows of a vector, clamped",
        "tensor<5x6xi32>, tensor<2x3xi64>",
        "tensor<2x2x3xi32>",
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], '
        "start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 2, 2>}> : "
        "(tensor<5x6xi32>, tensor<2x3xi64>) -> tensor<2x2x3xi32>",
        (None, [[0, 5, -3], [4, 2, 9]]),
    ),
    Case(
        "gather",
        "batching dimensions",
        "tensor<3x4x2xi32>, tensor<5x3xi64>",
        "tensor<5x3x2xi32>",
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], '
        "collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], "
        "start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>}> : "
        "(tensor<3x4x2xi32>, tensor<5x3xi64>) -> tensor<5x3x2xi32>",
    ),
    Case(
        "gather",
        "unsigned indices",
        "tensor<4xi32>, tensor<3x1xui8>",
        "tensor<3xi32>",
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<'
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
        "slice_sizes = array<i64: 1>}> : (tensor<4xi32>, tensor<3x1xui8>) -> tensor<3xi32>",
        # The interpreter reads the index as signed.
        ([10, 11, 12, 13], [0, 200, 2]),
        expected=(np.array([10, 13, 12], np.int32),),
    ),
    Case(
        "gather",
        "no index",
        "tensor<4x3xf32>, tensor<0xi32>",
        "tensor<0x3xf32>",
        '%r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
        "slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<0xi32>) -> tensor<0x3xf32>",
    ),
    Case(
        "dynamic_gather",
        "constant sizes",
        "tensor<4x3xi32>, tensor<2x1xi64>",
        "tensor<2x3xi32>",
        "%s = stablehlo.constant dense<[1, 3]> : tensor<2xi64>\n"
        '%r = "stablehlo.dynamic_gather"(%a, %b, %s) <{dimension_numbers = #stablehlo.gather<'
        "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : "
        "(tensor<4x3xi32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x3xi32>",
        (None, [2, 9]),
    ),
    _scatter("add", "f32", _combine("add", "f32"), (None, _AT)),
    _scatter("add boolean", "i1", _combine("add", "i1"), (None, _AT)),
    _scatter("add wraps", "i8", _combine("add", "i8"), ([120] * 8, _AT)),
    _scatter("multiply", "i32", _combine("multiply", "i32"), (None, _AT)),
    _scatter(
        "maximum, nan wins",
        "f32",
        _combine("maximum", "f32"),
        ([1.0, 2.0, nan, 4.0, 5.0, 6.0, 7.0, 8.0], _AT, [9, nan, 1, 1, nan, 2, 3, 3, 4, 9]),
    ),
    _scatter("minimum unsigned", "ui32", _combine("minimum", "ui32"), ([2**31 + 5] * 8, _AT)),
    _scatter("and", "i32", _combine("and", "i32"), (None, _AT)),
    _scatter(
        "region ignores the operand",
        "i32",
        "%z = stablehlo.constant dense<0> : tensor<i32>\n"
        "        %s = stablehlo.add %y, %z : tensor<i32>",
        (None, _AT),
    ),
    _scatter("subtract keeps order", "i32", _combine("subtract", "i32"), (None, _AT)),
    _scatter("unique", "i32", _combine("add", "i32"), (None, [3, -1, 1, 4, 0]), unique=True),
    Case(
        "scatter",
        "overwrite, last wins",
        "tensor<4xi32>, tensor<5xi32>, tensor<5xi32>",
        "tensor<4xi32>",
        """%r = "stablehlo.scatter"(%a, %b, %c) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        stablehlo.return %y : tensor<i32>
    }) : (tensor<4xi32>, tensor<5xi32>, tensor<5xi32>) -> tensor<4xi32>""",
        (None, _AT),
    ),
    Case(
        "scatter",
        "window partly outside",
        "tensor<5xi32>, tensor<2x1xi32>, tensor<2x3xi32>",
        "tensor<5xi32>",
        """%r = "stablehlo.scatter"(%a, %b, %c) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<5xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<5xi32>""",
        (None, [3, -1]),
    ),
    Case(
        "scatter",
        "batching dimensions",
        "tensor<3x4xi32>, tensor<3x2xi32>, tensor<3x2xi32>",
        "tensor<3x4xi32>",
        """%r = "stablehlo.scatter"(%a, %b, %c) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1],
        input_batching_dims = [0], scatter_indices_batching_dims = [0],
        scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<3x4xi32>, tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x4xi32>""",
        (None, [[0, 3], [1, 1], [4, -1]]),
    ),
    Case(
        "scatter",
        "two operands",
        "tensor<4xi32>, tensor<4xf32>, tensor<3x1xi32>, tensor<3xi32>, tensor<3xf32>",
        "tensor<4xi32>, tensor<4xf32>",
        """%r:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<f32>):
        %s = stablehlo.add %x, %u : tensor<i32>
        %t = stablehlo.maximum %y, %v : tensor<f32>
        stablehlo.return %s, %t : tensor<i32>, tensor<f32>
    }) : (tensor<4xi32>, tensor<4xf32>, tensor<3x1xi32>, tensor<3xi32>, tensor<3xf32>) ->
         (tensor<4xi32>, tensor<4xf32>)""",
        (None, None, [1, 1, 7]),
        returned="%r#0, %r#1",
    ),
)
