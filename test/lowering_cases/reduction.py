# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Reductions, windows, sorting."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np

from lowering_cases.case import Case


def _reduce(
    row: str,
    dtype: str,
    op: str,
    init: str,
    values: tuple[object, ...] = (),
    dims: str = "1",
    shape: str = "2x3x2",
    out: str = "2x2",
    tolerance: float = 0.0,
) -> Case:
    body = (
        f"%i = stablehlo.constant dense<{init}> : tensor<{dtype}>\n"
        f"%r = stablehlo.reduce(%a init: %i) applies stablehlo.{op} across dimensions = [{dims}] : "
        f"(tensor<{shape}x{dtype}>, tensor<{dtype}>) -> tensor<{out + 'x' if out else ''}{dtype}>"
    )
    result = f"tensor<{out + 'x' if out else ''}{dtype}>"
    return Case("reduce", row, f"tensor<{shape}x{dtype}>", result, body, values, tolerance)


def _window(
    row: str,
    shape: str,
    out: str,
    dtype: str,
    op: str,
    init: str,
    attributes: str,
    values: tuple[object, ...] = (),
    tolerance: float = 0.0,
) -> Case:
    body = f"""%i = stablehlo.constant dense<{init}> : tensor<{dtype}>
    %r = "stablehlo.reduce_window"(%a, %i) <{{{attributes}}}> ({{
      ^bb0(%x: tensor<{dtype}>, %y: tensor<{dtype}>):
        %s = stablehlo.{op} %x, %y : tensor<{dtype}>
        stablehlo.return %s : tensor<{dtype}>
    }}) : (tensor<{shape}x{dtype}>, tensor<{dtype}>) -> tensor<{out}x{dtype}>"""
    return Case(
        "reduce_window",
        row,
        f"tensor<{shape}x{dtype}>",
        f"tensor<{out}x{dtype}>",
        body,
        values,
        tolerance,
    )


def _sort(
    row: str, kind: str, direction: str, compare: str, values: list[float], stable: bool = True
) -> Case:
    n = len(values)
    body = f"""%p = stablehlo.iota dim = 0 : tensor<{n}xi32>
    %r:2 = "stablehlo.sort"(%a, %p) <{{dimension = 0 : i64, is_stable = {str(stable).lower()}}}> ({{
      ^bb0(%x: tensor<{kind}>, %y: tensor<{kind}>, %u: tensor<i32>, %v: tensor<i32>):
        %s = stablehlo.compare {direction}, %x, %y, {compare} : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }}) : (tensor<{n}x{kind}>, tensor<{n}xi32>) -> (tensor<{n}x{kind}>, tensor<{n}xi32>)"""
    return Case(
        "sort",
        row,
        f"tensor<{n}x{kind}>",
        f"tensor<{n}x{kind}>, tensor<{n}xi32>",
        body,
        (values,),
        returned="%r#0, %r#1",
    )


_ARGMAX = """%i = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.iota dim = 1 : tensor<2x7xi32>
    %r:2 = stablehlo.reduce(%a init: %i), (%p init: %z) across dimensions = [1] :
      (tensor<2x7xf32>, tensor<2x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
      reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
        %g = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %n = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %o = stablehlo.or %g, %n : tensor<i1>
        %e = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %l = stablehlo.compare LT, %u, %v, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %k = stablehlo.and %e, %l : tensor<i1>
        %t = stablehlo.or %o, %k : tensor<i1>
        %m = stablehlo.select %o, %x, %y : tensor<i1>, tensor<f32>
        %w = stablehlo.select %t, %u, %v : tensor<i1>, tensor<i32>
        stablehlo.return %m, %w : tensor<f32>, tensor<i32>
      }"""


def _select_and_scatter(row: str, direction: str, combine: str, values: tuple[object, ...]) -> Case:
    body = f"""%i = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.select_and_scatter"(%a, %b, %i) <{{window_dimensions = array<i64: 3, 2>,
        window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}}> ({{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.compare {direction}, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }}, {{
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.{combine} %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }}) : (tensor<5x4xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<5x4xf32>"""
    return Case(
        "select_and_scatter",
        row,
        "tensor<5x4xf32>, tensor<3x2xf32>",
        "tensor<5x4xf32>",
        body,
        values,
    )


CASES = (
    _reduce("sum", "f32", "add", "0.0"),
    _reduce("sum with start", "f32", "add", "2.0"),
    _reduce("sum wraps", "i8", "add", "0", ([100] * 12,)),
    _reduce("sum of booleans is or", "i1", "add", "false"),
    _reduce("sum bf16", "bf16", "add", "0.0"),
    _reduce("product over two", "i32", "multiply", "1", dims="0, 2", out="3"),
    _reduce(
        "maximum, nan wins",
        "f32",
        "maximum",
        "0xFF800000",
        ([1.0, nan, 3.0, 4.0, inf, 6.0, -1.0, -inf, -3.0, -4.0, -5.0, nan],),
    ),
    _reduce("maximum with start", "f32", "maximum", "2.0"),
    _reduce("minimum unsigned", "ui32", "minimum", "4294967295", ([2**31 + i for i in range(12)],)),
    _reduce("maximum unsigned with start", "ui32", "maximum", "7", ([i for i in range(12)],)),
    _reduce("and", "i1", "and", "true"),
    _reduce("or", "i1", "or", "false"),
    _reduce("xor", "i32", "xor", "0"),
    _reduce("and of integers", "i32", "and", "-1"),
    _reduce("nothing", "f32", "maximum", "0xFF800000", shape="2x0x2"),
    _reduce("all to a scalar", "i64", "add", "0", dims="0, 1, 2", out=""),
    Case(
        "reduce",
        "position of the largest",
        "tensor<2x7xf32>",
        "tensor<2xf32>, tensor<2xi32>",
        _ARGMAX,
        ([1.0, 5.0, 2.0, 5.0, 0.0, -1.0, 5.0, 3.0, nan, 1.0, nan, 2.0, 9.0, 3.0],),
        returned="%r#0, %r#1",
    ),
    Case(
        "reduce",
        "constant from outside",
        "tensor<5xi32>",
        "tensor<i32>",
        "%i = stablehlo.constant dense<0> : tensor<i32>\n"
        "%k = stablehlo.constant dense<1> : tensor<i32>\n"
        "%r = stablehlo.reduce(%a init: %i) across dimensions = [0] : "
        "(tensor<5xi32>, tensor<i32>) -> tensor<i32>\n"
        "  reducer(%x: tensor<i32>, %y: tensor<i32>) {\n"
        "    %s = stablehlo.add %x, %y : tensor<i32>\n"
        "    %t = stablehlo.multiply %s, %k : tensor<i32>\n"
        "    stablehlo.return %t : tensor<i32>\n  }",
    ),
    _window(
        "running sum",
        "2x6",
        "2x6",
        "i64",
        "add",
        "0",
        "window_dimensions = array<i64: 1, 6>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>",
    ),
    _window(
        "running product",
        "6",
        "6",
        "f32",
        "multiply",
        "1.0",
        "window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>",
    ),
    _window(
        "running maximum",
        "6",
        "6",
        "f32",
        "maximum",
        "0xFF800000",
        "window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>",
    ),
    _window(
        "max pool",
        "1x2x5x5",
        "1x2x3x3",
        "f32",
        "maximum",
        "0xFF800000",
        "window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, "
        "padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>",
    ),
    _window(
        "max pool, nan wins",
        "1x1x2x4",
        "1x1x1x2",
        "f32",
        "maximum",
        "0xFF800000",
        "window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>",
        ([1.0, nan, 3.0, 4.0, 5.0, 6.0, -inf, inf],),
    ),
    _window(
        "average pool, uneven padding",
        "4x5",
        "4x2",
        "f32",
        "add",
        "0.0",
        "window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, "
        "padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>",
    ),
    _window(
        "dilated",
        "6",
        "3",
        "i32",
        "add",
        "0",
        "window_dimensions = array<i64: 3>, window_strides = array<i64: 3>, "
        "base_dilations = array<i64: 2>, window_dilations = array<i64: 2>",
    ),
    _window(
        "start that is not neutral",
        "4",
        "4",
        "i32",
        "add",
        "10",
        "window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>",
    ),
    _window(
        "minimum unsigned",
        "4",
        "3",
        "ui32",
        "minimum",
        "4294967295",
        "window_dimensions = array<i64: 2>",
        ([2**31, 5, 2**32 - 1, 2**31 + 3],),
    ),
    _window("xor", "5", "4", "i32", "xor", "0", "window_dimensions = array<i64: 2>"),
    _window(
        "no window fits",
        "2x3",
        "2x0",
        "i32",
        "add",
        "0",
        "window_dimensions = array<i64: 1, 5>",
    ),
    _window(
        "negative padding",
        "6",
        "2",
        "i32",
        "add",
        "0",
        "window_dimensions = array<i64: 3>, padding = dense<[[-1, -1]]> : tensor<1x2xi64>",
    ),
    _select_and_scatter("ties go to the first", "GE", "add", ([1.0] * 20,)),
    _select_and_scatter("largest", "GE", "add", ()),
    _select_and_scatter("least", "LE", "add", ()),
    _select_and_scatter("combined by maximum", "GE", "maximum", ()),
    _sort("ascending", "f32", "LT", "FLOAT", [3.0, -1.0, inf, 3.0, -inf, 0.0, -0.0, 3.0]),
    _sort("descending", "i32", "GT", "SIGNED", [3, -1, 7, 3, 0, 3]),
    # The interpreter compares as FLOAT here; the specification says IEEE totalOrder.
    replace(
        _sort("total order", "f32", "LT", "TOTALORDER", [3.0, nan, 0.0, -0.0, -inf, -1.0, inf]),
        expected=(
            np.array([-inf, -1.0, -0.0, 0.0, 3.0, inf, nan], np.float32),
            np.array([4, 5, 3, 2, 0, 6, 1], np.int32),
        ),
    ),
    _sort("unsigned", "ui32", "LT", "UNSIGNED", [2**31, 1, 2**32 - 1, 7]),
    _sort("or equal", "i32", "GE", "SIGNED", [3, -1, 7, 2, 0, 9]),
    Case(
        "sort",
        "by a comparator of two keys",
        "tensor<9xi32>, tensor<9xi32>",
        "tensor<9xi32>, tensor<9xi32>",
        """%r:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>, %u: tensor<i32>, %v: tensor<i32>):
        %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %e = stablehlo.compare EQ, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %g = stablehlo.compare GT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %k = stablehlo.and %e, %g : tensor<i1>
        %s = stablehlo.or %l, %k : tensor<i1>
        stablehlo.return %s : tensor<i1>
    }) : (tensor<9xi32>, tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>)""",
        ([2, 1, 2, 0, 1, 2, 0, 1, 2], [5, 4, 3, 9, 8, 7, 1, 2, 6]),
        returned="%r#0, %r#1",
    ),
    Case(
        "sort",
        "second dimension by the absolute value",
        "tensor<2x5xi32>",
        "tensor<2x5xi32>",
        """%r = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %u = stablehlo.abs %x : tensor<i32>
        %v = stablehlo.abs %y : tensor<i32>
        %s = stablehlo.compare LT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
    }) : (tensor<2x5xi32>) -> tensor<2x5xi32>""",
        ([3, -1, 1, -3, 0, 2, -2, 1, -1, 5],),
    ),
)
