# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Constants, shapes, padding, slices at run-time positions."""

from __future__ import annotations

import numpy as np

from lowering_cases.case import Case

_DYNAMIC = [-9, 0, 2, 7, 8, 100]

CASES = (
    Case(
        "constant",
        "literal",
        "tensor<f32>",
        "tensor<2x2xf32>",
        "%r = stablehlo.constant dense<[[1.0, 0x7F800000], [-0.0, 2.5]]> : tensor<2x2xf32>",
    ),
    Case(
        "constant",
        "bf16 literal",
        "tensor<f32>",
        "tensor<3xbf16>",
        "%r = stablehlo.constant dense<[1.5, 0xFF80, -2.0]> : tensor<3xbf16>",
    ),
    Case(
        "constant",
        "unsigned literal",
        "tensor<f32>",
        "tensor<2xui64>",
        "%r = stablehlo.constant dense<[1, 18446744073709551615]> : tensor<2xui64>",
    ),
    Case(
        "constant",
        "unsigned splat",
        "tensor<f32>",
        "tensor<2xui32>",
        "%r = stablehlo.constant dense<4294967295> : tensor<2xui32>",
    ),
    Case(
        "constant",
        "empty",
        "tensor<f32>",
        "tensor<0x2xf32>",
        "%r = stablehlo.constant dense<> : tensor<0x2xf32>",
    ),
    Case(
        "iota",
        "second dimension",
        "tensor<f32>",
        "tensor<2x5xi32>",
        "%r = stablehlo.iota dim = 1 : tensor<2x5xi32>",
    ),
    Case(
        "iota",
        "wraps",
        "tensor<f32>",
        "tensor<300xui8>",
        "%r = stablehlo.iota dim = 0 : tensor<300xui8>",
    ),
    Case(
        "dynamic_iota",
        "static shape",
        "tensor<f32>",
        "tensor<3x2xf32>",
        "%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>\n"
        "%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<3x2xf32>",
    ),
    Case(
        "reshape",
        "merge",
        "tensor<2x3x4xi32>",
        "tensor<6x4xi32>",
        "%r = stablehlo.reshape %a : (tensor<2x3x4xi32>) -> tensor<6x4xi32>",
    ),
    Case(
        "dynamic_reshape",
        "static shape",
        "tensor<2x3xi32>",
        "tensor<6xi32>",
        "%s = stablehlo.constant dense<[6]> : tensor<1xi64>\n"
        "%r = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<6xi32>",
    ),
    Case(
        "transpose",
        "three dimensions",
        "tensor<2x3x4xi32>",
        "tensor<4x2x3xi32>",
        "%r = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>",
    ),
    Case(
        "broadcast_in_dim",
        "unsorted",
        "tensor<2x3xi32>",
        "tensor<3x4x2xi32>",
        "%r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x4x2xi32>",
    ),
    Case(
        "broadcast_in_dim",
        "size one",
        "tensor<1x3xi32>",
        "tensor<2x3xi32>",
        "%r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<2x3xi32>",
    ),
    Case(
        "dynamic_broadcast_in_dim",
        "static shape",
        "tensor<3xi32>",
        "tensor<2x3xi32>",
        "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
        "%r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : "
        "(tensor<3xi32>, tensor<2xi64>) -> tensor<2x3xi32>",
    ),
    Case(
        "slice",
        "strides",
        "tensor<5x6xi32>",
        "tensor<2x3xi32>",
        "%r = stablehlo.slice %a [1:5:3, 0:6:2] : (tensor<5x6xi32>) -> tensor<2x3xi32>",
    ),
    Case(
        "slice",
        "empty",
        "tensor<5xi32>",
        "tensor<0xi32>",
        "%r = stablehlo.slice %a [2:2] : (tensor<5xi32>) -> tensor<0xi32>",
    ),
    Case(
        "real_dynamic_slice",
        "constant bounds",
        "tensor<6xi32>",
        "tensor<2xi32>",
        "%l = stablehlo.constant dense<[1]> : tensor<1xi64>\n"
        "%h = stablehlo.constant dense<[5]> : tensor<1xi64>\n"
        "%s = stablehlo.constant dense<[2]> : tensor<1xi64>\n"
        "%r = stablehlo.real_dynamic_slice %a, %l, %h, %s : "
        "(tensor<6xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>",
        # The interpreter does not have it.
        ([0, 1, 2, 3, 4, 5],),
        expected=(np.array([1, 3], np.int32),),
    ),
    Case(
        "concatenate",
        "three",
        "tensor<2x1xi32>, tensor<2x0xi32>, tensor<2x3xi32>",
        "tensor<2x4xi32>",
        "%r = stablehlo.concatenate %a, %b, %c, dim = 1 : "
        "(tensor<2x1xi32>, tensor<2x0xi32>, tensor<2x3xi32>) -> tensor<2x4xi32>",
    ),
    Case(
        "reverse",
        "two dimensions",
        "tensor<2x3xui16>",
        "tensor<2x3xui16>",
        "%r = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xui16>",
    ),
    Case(
        "pad",
        "plain",
        "tensor<2x3xf32>",
        "tensor<4x6xf32>",
        "%v = stablehlo.constant dense<-1.0> : tensor<f32>\n"
        "%r = stablehlo.pad %a, %v, low = [1, 0], high = [1, 3], interior = [0, 0] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>",
    ),
    Case(
        "pad",
        "negative and interior",
        "tensor<4x3xi32>, tensor<i32>",
        "tensor<6x4xi32>",
        "%r = stablehlo.pad %a, %b, low = [-1, 1], high = [0, -2], interior = [1, 1] : "
        "(tensor<4x3xi32>, tensor<i32>) -> tensor<6x4xi32>",
    ),
    Case(
        "pad",
        "cuts everything",
        "tensor<3xi32>, tensor<i32>",
        "tensor<1xi32>",
        "%r = stablehlo.pad %a, %b, low = [-4], high = [2], interior = [0] : "
        "(tensor<3xi32>, tensor<i32>) -> tensor<1xi32>",
    ),
    Case(
        "dynamic_pad",
        "constant amounts",
        "tensor<3xi32>, tensor<i32>",
        "tensor<6xi32>",
        "%l = stablehlo.constant dense<[1]> : tensor<1xi64>\n"
        "%h = stablehlo.constant dense<[0]> : tensor<1xi64>\n"
        "%i = stablehlo.constant dense<[1]> : tensor<1xi64>\n"
        "%r = stablehlo.dynamic_pad %a, %b, %l, %h, %i : "
        "(tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xi32>",
    ),
    *(
        Case(
            "dynamic_slice",
            f"start {start}",
            "tensor<8x3xi32>, tensor<i32>, tensor<i32>",
            "tensor<2x3xi32>",
            "%r = stablehlo.dynamic_slice %a, %b, %c, sizes = [2, 3] : "
            "(tensor<8x3xi32>, tensor<i32>, tensor<i32>) -> tensor<2x3xi32>",
            (None, start, 1),
        )
        for start in _DYNAMIC
    ),
    *(
        Case(
            "dynamic_update_slice",
            f"start {start}",
            "tensor<8x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>",
            "tensor<8x3xi32>",
            "%r = stablehlo.dynamic_update_slice %a, %b, %c, %d : "
            "(tensor<8x3xi32>, tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<8x3xi32>",
            (None, [[91, 92], [93, 94]], start, 1),
        )
        for start in _DYNAMIC
    ),
    Case(
        "dynamic_slice",
        "unsigned start",
        "tensor<8xi32>, tensor<ui32>",
        "tensor<2xi32>",
        "%r = stablehlo.dynamic_slice %a, %b, sizes = [2] : (tensor<8xi32>, tensor<ui32>) -> tensor<2xi32>",
        # The interpreter reads the start as signed.
        ([0, 1, 2, 3, 4, 5, 6, 7], 4294967290),
        expected=(np.array([6, 7], np.int32),),
    ),
    Case(
        "get_dimension_size",
        "static",
        "tensor<2x5xi32>",
        "tensor<i32>",
        "%r = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x5xi32>) -> tensor<i32>",
    ),
    Case(
        "optimization_barrier",
        "two values",
        "tensor<2xi32>, tensor<3xf32>",
        "tensor<2xi32>, tensor<3xf32>",
        "%r:2 = stablehlo.optimization_barrier %a, %b : tensor<2xi32>, tensor<3xf32>",
        returned="%r#0, %r#1",
    ),
    Case(
        "replica_id",
        "one replica",
        "tensor<f32>",
        "tensor<ui32>",
        "%r = stablehlo.replica_id : tensor<ui32>",
        # The interpreter has ids inside run_parallel only.
        expected=(np.uint32(0),),
    ),
    Case(
        "partition_id",
        "alone",
        "tensor<f32>",
        "tensor<ui32>",
        "%r = stablehlo.partition_id : tensor<ui32>",
        expected=(np.uint32(0),),
    ),
)
