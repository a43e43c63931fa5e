# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Elementwise operations: every operation, every class of element type, NaN, ±0, wrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

from lowering_cases.case import Case

_SPECIAL = [-inf, -2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 2.5, inf, nan]
_POSITIVE = [0.0, 0.25, 1.0, 2.0, 9.0, inf, nan, -0.0]
_ROUND = [-2.5, -1.5, -0.5, -0.4, -0.0, 0.4, 0.49999997, 0.5, 1.5, 2.5, 1e20, nan]
_I8 = [-128, -127, -1, 0, 1, 2, 7, 127]


def _unary(op: str, row: str, dtype: str, values: list[float], tolerance: float = 0.0) -> Case:
    kind = f"tensor<{len(values)}x{dtype}>"
    return Case(op, row, kind, kind, f"%r = stablehlo.{op} %a : {kind}", (values,), tolerance)


def _binary(
    op: str, row: str, dtype: str, a: list[float], b: list[float], tolerance: float = 0.0
) -> Case:
    kind = f"tensor<{len(a)}x{dtype}>"
    return Case(
        op, row, f"{kind}, {kind}", kind, f"%r = stablehlo.{op} %a, %b : {kind}", (a, b), tolerance
    )


def _splat(
    op: str,
    row: str,
    dtype: str,
    literal: str,
    values: list[float],
    swap: bool = False,
    tolerance: float = 0.0,
) -> Case:
    kind = f"tensor<{len(values)}x{dtype}>"
    pair = "%c, %a" if swap else "%a, %c"
    body = f"%c = stablehlo.constant dense<{literal}> : {kind}\n%r = stablehlo.{op} {pair} : {kind}"
    return Case(op, row, kind, kind, body, (values,), tolerance)


def _compare(
    row: str, dtype: str, direction: str, kind: str, a: list[float], b: list[float]
) -> Case:
    shape = f"tensor<{len(a)}x{dtype}>"
    out = f"tensor<{len(a)}xi1>"
    body = f"%r = stablehlo.compare {direction}, %a, %b, {kind} : ({shape}, {shape}) -> {out}"
    return Case("compare", row, f"{shape}, {shape}", out, body, (a, b))


def _total_order(dtype: str, direction: str, holds: Callable[[int, int], bool]) -> Case:
    """All pairs of special values, which are listed in total order."""
    # torch gives bf16 NaNs the negative sign when it converts.
    values = _SPECIAL if dtype == "f32" else _SPECIAL[:-1]
    name = f"total order {direction} {dtype}"
    case = _compare(name, dtype, direction, "TOTALORDER", *_grid(values))
    places = range(len(values))
    return replace(case, expected=([holds(a, b) for a in places for b in places],))


def _convert(row: str, source: str, target: str, values: list[float]) -> Case:
    n = len(values)
    body = f"%r = stablehlo.convert %a : (tensor<{n}x{source}>) -> tensor<{n}x{target}>"
    return Case("convert", row, f"tensor<{n}x{source}>", f"tensor<{n}x{target}>", body, (values,))


def _grid(values: list[float]) -> tuple[list[float], list[float]]:
    """All pairs."""
    return [a for a in values for _ in values], [b for _ in values for b in values]


_PAIRS = _grid(_SPECIAL)
_I8_PAIRS = _grid(_I8)
_I8_NONZERO = [(a, b) for a, b in zip(*_I8_PAIRS, strict=True) if b and (a, b) != (-128, -1)]
_U64 = [0, 1, 2, 3, 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1]
_U64_PAIRS = [(a, b) for a in _U64 for b in _U64 if b]
_U64_A, _U64_B = [a for a, _ in _U64_PAIRS], [b for _, b in _U64_PAIRS]
_SHIFTS = _grid([-128, -1, 0, 1, 3, 7, 8, 100])

CASES = (
    _unary("abs", "special", "f32", _SPECIAL),
    _unary("abs", "least integer wraps", "i8", _I8),
    _unary("negate", "special", "f32", _SPECIAL),
    _unary("negate", "least integer wraps", "i8", _I8),
    _unary("negate", "unsigned wraps", "ui32", [0, 1, 2**31, 2**32 - 1]),
    _unary("sign", "special", "f32", _SPECIAL),
    _unary("sign", "integer", "i8", _I8),
    _unary("ceil", "special", "f32", _ROUND),
    _unary("floor", "special", "f32", _ROUND),
    _unary("round_nearest_afz", "ties", "f32", _ROUND),
    _unary("round_nearest_even", "ties", "f32", _ROUND),
    _unary("exponential", "special", "f32", _SPECIAL, 1e-6),
    _unary("exponential_minus_one", "special", "f32", _SPECIAL, 1e-6),
    _unary("log", "special", "f32", _SPECIAL, 1e-6),
    _unary("log_plus_one", "special", "f32", _SPECIAL, 1e-6),
    _unary("logistic", "special", "f32", _SPECIAL, 1e-6),
    _unary("logistic", "bf16", "bf16", _SPECIAL, 1e-2),
    _unary("sqrt", "special", "f32", _POSITIVE, 1e-6),
    _unary("rsqrt", "special", "f32", _POSITIVE, 1e-6),
    _unary("cbrt", "special", "f64", [-27.0, -8.0, -0.0, 0.0, 2.0, 1e-300, inf], 1e-14),
    _unary("cosine", "values", "f32", [-1.0, 0.0, 1.0, 100.0, nan], 1e-6),
    _unary("sine", "values", "f32", [-1.0, -0.0, 1.0, 100.0, nan], 1e-6),
    _unary("tan", "values", "f32", [-1.0, 0.0, 1.0, 1.5], 1e-6),
    _unary("tanh", "special", "f32", _SPECIAL, 1e-6),
    _unary("not", "boolean", "i1", [0, 1]),
    _unary("not", "unsigned", "ui16", [0, 1, 2**15, 2**16 - 1]),
    _unary("popcnt", "i8", "i8", _I8),
    _unary("popcnt", "ui64", "ui64", _U64),
    _unary("count_leading_zeros", "i8", "i8", _I8),
    _unary("count_leading_zeros", "ui64", "ui64", _U64),
    Case(
        "is_finite",
        "special",
        "tensor<10xf32>",
        "tensor<10xi1>",
        "%r = stablehlo.is_finite %a : (tensor<10xf32>) -> tensor<10xi1>",
        (_SPECIAL,),
    ),
    _binary("add", "special", "f32", *_PAIRS),
    _binary("add", "integer wraps", "i8", *_I8_PAIRS),
    _binary("add", "boolean is or", "i1", *_grid([0, 1])),
    _binary("add", "unsigned wraps", "ui32", [2**32 - 1, 2**31, 7], [1, 2**31, 8]),
    _splat("add", "scalar", "f32", "2.5", _SPECIAL),
    _splat("add", "scalar i64", "i64", "9223372036854775807", [1, -1, 5]),
    _binary("subtract", "special", "f32", *_PAIRS),
    _binary("subtract", "integer wraps", "i8", *_I8_PAIRS),
    _splat("subtract", "scalar left", "f32", "2.5", _SPECIAL, swap=True),
    _splat("subtract", "scalar right", "f32", "2.5", _SPECIAL),
    _binary("multiply", "special", "f32", *_PAIRS),
    _binary("multiply", "integer wraps", "i8", *_I8_PAIRS),
    _binary("multiply", "boolean is and", "i1", *_grid([0, 1])),
    _splat("multiply", "scalar nan", "f32", "0x7FC00000", [1.0, -1.0]),
    _binary("divide", "special", "f32", *_PAIRS),
    _binary("divide", "rounds toward zero", "i8", *map(list, zip(*_I8_NONZERO, strict=True))),
    _binary("divide", "ui64", "ui64", _U64_A, _U64_B),
    _binary("divide", "ui16", "ui16", [65535, 40000, 7], [2, 65535, 3]),
    _splat("divide", "by a power of two", "f32", "4.0", _SPECIAL),
    _splat("divide", "by three", "f32", "3.0", [1.0, 2.0, 7.0]),
    _splat("divide", "scalar left", "f32", "3.0", [1.0, 2.0, 7.0, 0.0, -0.0], swap=True),
    _binary("remainder", "special", "f32", *_PAIRS),
    _binary("remainder", "sign of dividend", "i8", *map(list, zip(*_I8_NONZERO, strict=True))),
    _binary("remainder", "ui64", "ui64", _U64_A, _U64_B),
    _binary("maximum", "nan wins", "f32", *_PAIRS),
    _binary("maximum", "unsigned", "ui32", [0, 2**31, 2**32 - 1, 5], [1, 2**31 - 1, 3, 2**31 + 5]),
    _splat("maximum", "scalar zero", "f32", "0.0", [-1.0, 2.0, nan, inf, -inf]),
    _splat("maximum", "scalar nan", "f32", "0x7FC00000", [-1.0, 2.0]),
    _binary("minimum", "nan wins", "f32", *_PAIRS),
    _binary("minimum", "ui64", "ui64", _U64_A, _U64_B),
    _binary("power", "special", "f32", *_grid([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, inf]), 1e-6),
    _splat("power", "square", "f32", "2.0", [-3.0, 0.0, 1.5, nan, -inf]),
    _splat("power", "root", "f32", "0.5", [4.0, 0.0, -0.0, inf], tolerance=1e-6),
    _binary("power", "integer", "i32", [2, -2, 3, 0, 1, -1, -1, 2], [10, 3, 21, 0, -5, -3, -4, -1]),
    _binary("atan2", "special", "f32", *_grid([-inf, -1.0, -0.0, 0.0, 1.0, inf]), 1e-6),
    _binary("and", "integer", "i8", *_I8_PAIRS),
    _binary("or", "boolean", "i1", *_grid([0, 1])),
    _binary("xor", "unsigned", "ui64", _U64_A, _U64_B),
    _binary("shift_left", "past the width", "i8", *_SHIFTS),
    _binary("shift_right_logical", "past the width", "i8", *_SHIFTS),
    _binary("shift_right_arithmetic", "past the width", "i8", *_SHIFTS),
    _binary("shift_right_logical", "ui32", "ui32", [2**32 - 1, 2**31, 8], [1, 31, 32]),
    Case(
        "clamp",
        "nan stays",
        "tensor<10xf32>",
        "tensor<10xf32>",
        "%l = stablehlo.constant dense<-1.0> : tensor<f32>\n"
        "%h = stablehlo.constant dense<2.0> : tensor<f32>\n"
        "%r = stablehlo.clamp %l, %a, %h : (tensor<f32>, tensor<10xf32>, tensor<f32>) -> tensor<10xf32>",
        (_SPECIAL,),
    ),
    Case(
        "clamp",
        "bounds that cross",
        "tensor<4xi32>, tensor<4xi32>, tensor<4xi32>",
        "tensor<4xi32>",
        "%r = stablehlo.clamp %a, %b, %c : tensor<4xi32>",
        ([5, 0, 1, 3], [1, 9, 2, 3], [2, 4, 0, 3]),
    ),
    Case(
        "clamp",
        "unsigned",
        "tensor<4xui32>",
        "tensor<4xui32>",
        "%l = stablehlo.constant dense<5> : tensor<ui32>\n"
        "%h = stablehlo.constant dense<3000000000> : tensor<ui32>\n"
        "%r = stablehlo.clamp %l, %a, %h : (tensor<ui32>, tensor<4xui32>, tensor<ui32>) -> tensor<4xui32>",
        ([0, 6, 2999999999, 4294967295],),
    ),
    *(
        _compare(f"float {d}", "f32", d, "FLOAT", *_PAIRS)
        for d in ("EQ", "NE", "GE", "GT", "LE", "LT")
    ),
    # The interpreter compares as FLOAT here; the specification says IEEE totalOrder.
    _total_order("f32", "LT", lambda a, b: a < b),
    _total_order("bf16", "GE", lambda a, b: a >= b),
    _compare("signed", "i8", "LT", "SIGNED", *_I8_PAIRS),
    _compare("ui64", "ui64", "GT", "UNSIGNED", _U64_A, _U64_B),
    _compare("boolean", "i1", "LT", "UNSIGNED", *_grid([0, 1])),
    Case(
        "compare",
        "scalar on the left",
        "tensor<4xf32>",
        "tensor<4xi1>",
        "%c = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
        "%r = stablehlo.compare LT, %c, %a, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
        ([0.0, 1.0, 2.0, nan],),
    ),
    Case(
        "select",
        "scalar predicate",
        "tensor<i1>, tensor<3xf32>, tensor<3xf32>",
        "tensor<3xf32>",
        "%r = stablehlo.select %a, %b, %c : tensor<i1>, tensor<3xf32>",
        (True,),
    ),
    Case(
        "select",
        "constants",
        "tensor<4xi1>",
        "tensor<4xf32>",
        "%t = stablehlo.constant dense<0xFF800000> : tensor<4xf32>\n"
        "%f = stablehlo.constant dense<0.0> : tensor<4xf32>\n"
        "%r = stablehlo.select %a, %t, %f : tensor<4xi1>, tensor<4xf32>",
        ([1, 0, 0, 1],),
    ),
    _convert("float to integer rounds toward zero", "f32", "i32", [-2.7, -0.5, 0.5, 2.7, 1e6]),
    _convert("integer wraps", "i32", "i8", [0, 127, 128, 255, 256, -129]),
    _convert("integer to float", "i64", "f32", [0, 16777217, -16777219, 2**62]),
    _convert("unsigned to float", "ui64", "f32", _U64),
    _convert("unsigned widens", "ui32", "i64", [0, 2**31, 2**32 - 1]),
    _convert("signed to unsigned", "i32", "ui16", [-1, 65536, 70000]),
    _convert("to boolean", "f32", "i1", [0.0, -0.0, 0.5, nan]),
    _convert("from boolean", "i1", "f32", [0, 1]),
    _convert("to bf16 rounds to even", "f32", "bf16", [1.00390625, 1.01171875, 3.3e38, nan]),
    _convert("narrow float", "f64", "f32", [1e300, -1e300, 1.1, nan]),
    Case(
        "bitcast_convert",
        "same width",
        "tensor<4xf32>",
        "tensor<4xi32>",
        "%r = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4xi32>",
        ([0.0, -0.0, 1.5, -inf],),
    ),
    Case(
        "bitcast_convert",
        "narrower",
        "tensor<2xi32>",
        "tensor<2x4xui8>",
        "%r = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2x4xui8>",
        ([1, -2],),
    ),
    Case(
        "bitcast_convert",
        "wider",
        "tensor<2x2xui16>",
        "tensor<2xui32>",
        "%r = stablehlo.bitcast_convert %a : (tensor<2x2xui16>) -> tensor<2xui32>",
        ([1, 2, 3, 65535],),
    ),
    Case(
        "bitcast_convert",
        "booleans",
        "tensor<8xi1>",
        "tensor<i8>",
        "%r = stablehlo.bitcast_convert %a : (tensor<8xi1>) -> tensor<i8>",
        ([1, 0, 1, 1, 0, 0, 0, 1],),
    ),
    *(
        Case(
            "reduce_precision",
            f"{f}",
            "tensor<10xf32>",
            "tensor<10xf32>",
            f"%r = stablehlo.reduce_precision %a, format = {f} : tensor<10xf32>",
            ([1.0, 1.0009765, 1e38, 1e-40, 70000.0, 6e-8, -3.14159, inf, nan, -0.0],),
        )
        for f in ("e8m7", "e5m10", "e4m3")
    ),
    Case(
        "complex",
        "real of complex",
        "tensor<3xf32>, tensor<3xf32>",
        "tensor<3xf32>",
        "%z = stablehlo.complex %a, %b : tensor<3xcomplex<f32>>\n"
        "%w = stablehlo.multiply %z, %z : tensor<3xcomplex<f32>>\n"
        "%r = stablehlo.real %w : (tensor<3xcomplex<f32>>) -> tensor<3xf32>",
    ),
    Case(
        "imag",
        "imaginary of complex",
        "tensor<3xf32>, tensor<3xf32>",
        "tensor<3xf32>",
        "%z = stablehlo.complex %a, %b : tensor<3xcomplex<f32>>\n"
        "%r = stablehlo.imag %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>",
    ),
    Case(
        "real",
        "of real",
        "tensor<3xf32>",
        "tensor<3xf32>",
        "%r = stablehlo.real %a : (tensor<3xf32>) -> tensor<3xf32>",
    ),
)
