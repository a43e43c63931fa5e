# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Contractions, convolutions, factorisations, batch normalisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lowering_cases.case import Case


def _dot(row: str, a: str, b: str, out: str, dims: str, values: tuple[object, ...] = ()) -> Case:
    return Case("dot_general", row, f"tensor<{a}>, tensor<{b}>", f"tensor<{out}>",
                f"%r = stablehlo.dot_general %a, %b, {dims} : (tensor<{a}>, tensor<{b}>) -> tensor<{out}>",
                values)  # fmt: skip


def _conv(
    row: str, a: str, b: str, out: str, layout: str, window: str = "", groups: str = ""
) -> Case:
    attributes = groups or "batch_group_count = 1 : i64, feature_group_count = 1 : i64"
    body = (
        f"%r = stablehlo.convolution(%a, %b) dim_numbers = {layout}, window = {{{window}}} "
        f"{{{attributes}}} : (tensor<{a}>, tensor<{b}>) -> tensor<{out}>"
    )
    return Case("convolution", row, f"tensor<{a}>, tensor<{b}>", f"tensor<{out}>", body)


_NCHW = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"
_NHWC = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"

CASES = (
    _dot("weight transposed", "2x3x4xf32", "5x4xf32", "2x3x5xf32", "contracting_dims = [2] x [1]"),
    _dot(
        "batched heads",
        "2x3x4x5xf32",
        "2x6x4x5xf32",
        "2x4x3x6xf32",
        "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]",
    ),
    _dot(
        "two contracted", "2x3x4xi32", "3x4x5xi32", "2x5xi32", "contracting_dims = [1, 2] x [0, 1]"
    ),
    _dot("outer product", "3xi64", "4xi64", "3x4xi64", "contracting_dims = [] x []"),
    _dot("inner product", "3xf64", "3xf64", "f64", "contracting_dims = [0] x [0]"),
    _dot(
        "integers wrap",
        "1x4xi8",
        "4x1xi8",
        "1x1xi8",
        "contracting_dims = [1] x [0]",
        ([100] * 4, [3] * 4),
    ),
    _dot(
        "wider result",
        "2x3xi8",
        "3x2xi8",
        "2x2xi32",
        "contracting_dims = [1] x [0]",
        ([100] * 6, [3] * 6),
    ),
    _dot(
        "unsigned",
        "1x2xui32",
        "2x1xui32",
        "1x1xui32",
        "contracting_dims = [1] x [0]",
        ([2**31, 5], [2, 3]),
    ),
    # The interpreter dies.
    replace(
        _dot("empty", "2x0xf32", "0x3xf32", "2x3xf32", "contracting_dims = [1] x [0]"),
        expected=(np.zeros((2, 3), np.float32),),
    ),
    _conv("plain", "2x3x5x5xf32", "4x3x3x3xf32", "2x4x5x5xf32", _NCHW, "pad = [[1, 1], [1, 1]]"),
    _conv(
        "strided, uneven padding",
        "1x2x6x5xf32",
        "3x2x3x2xf32",
        "1x3x3x3xf32",
        _NCHW,
        "stride = [2, 2], pad = [[0, 1], [1, 1]]",
    ),
    _conv("channels last", "1x5x4x2xf32", "3x2x2x3xf32", "1x3x3x3xf32", _NHWC),
    _conv(
        "both dilated",
        "1x1x4x4xf32",
        "1x1x2x2xf32",
        "1x1x5x5xf32",
        _NCHW,
        "lhs_dilate = [2, 2], rhs_dilate = [2, 2]",
    ),
    _conv(
        "reversed window",
        "1x1x4x4xf32",
        "1x1x2x3xf32",
        "1x1x3x2xf32",
        _NCHW,
        "reverse = [true, true]",
    ),
    _conv(
        "feature groups",
        "1x4x3x3xf32",
        "6x2x2x2xf32",
        "1x6x2x2xf32",
        _NCHW,
        "",
        "batch_group_count = 1 : i64, feature_group_count = 2 : i64",
    ),
    _conv(
        "batch groups",
        "4x2x3x3xf32",
        "6x2x2x2xf32",
        "2x6x2x2xf32",
        _NCHW,
        "",
        "batch_group_count = 2 : i64, feature_group_count = 1 : i64",
    ),
    _conv("integers", "1x2x4x4xi32", "3x2x2x2xi32", "1x3x3x3xi32", _NCHW),
    _conv(
        "integers in groups",
        "1x4x4x3xi64",
        "2x2x2x2xi64",
        "1x2x5x2xi64",
        _NCHW,
        "pad = [[1, 1], [0, 0]]",
        "batch_group_count = 1 : i64, feature_group_count = 2 : i64",
    ),
    _conv(
        "one dimension",
        "2x3x7xf32",
        "4x3x3xf32",
        "2x4x3xf32",
        "[b, f, 0]x[o, i, 0]->[b, f, 0]",
        "stride = [2]",
    ),
    _conv("no spatial dimension", "2x3xf32", "4x3xf32", "2x4xf32", "[b, f]x[o, i]->[b, f]"),
    _conv(
        "negative padding",
        "1x1x5x5xf32",
        "1x1x2x2xf32",
        "1x1x2x4xf32",
        _NCHW,
        "pad = [[-1, -1], [0, 0]]",
    ),
    Case(
        "triangular_solve",
        "lower",
        "tensor<2x2xf32>, tensor<2x3xf32>",
        "tensor<2x3xf32>",
        '%r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, '
        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : "
        "(tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        ([2.0, 99.0, 1.0, 4.0],),
        1e-6,
    ),
    Case(
        "triangular_solve",
        "right, transposed, unit",
        "tensor<2x2xf64>, tensor<3x2xf64>",
        "tensor<3x2xf64>",
        '%r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, '
        "transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : "
        "(tensor<2x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>",
        ([7.0, 3.0, 99.0, 4.0],),
        1e-14,
    ),
    Case(
        "fft",
        "forward and back",
        "tensor<2x8xf64>",
        "tensor<2x8xf64>",
        '%z = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : '
        "(tensor<2x8xf64>) -> tensor<2x5xcomplex<f64>>\n"
        '%r = "stablehlo.fft"(%z) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>}> : '
        "(tensor<2x5xcomplex<f64>>) -> tensor<2x8xf64>",
        (),
        1e-14,
    ),
    Case(
        "fft",
        "complex",
        "tensor<4xf64>",
        "tensor<4xf64>",
        "%y = stablehlo.complex %a, %a : tensor<4xcomplex<f64>>\n"
        '%z = "stablehlo.fft"(%y) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>}> : '
        "(tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>\n"
        '%w = "stablehlo.fft"(%z) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 4>}> : '
        "(tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>\n"
        "%r = stablehlo.imag %w : (tensor<4xcomplex<f64>>) -> tensor<4xf64>",
        (),
        1e-14,
    ),
)
