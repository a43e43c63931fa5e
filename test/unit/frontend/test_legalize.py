"""Constants of one value are folded through conversions and movements, others are left."""

from __future__ import annotations

import pytest

from distc.compiler.frontend.legalize import legalize
from distc.dialect.context import make_context, parse_module

BODY = """
func.func @main() -> tensor<{to}> {{
  %0 = stablehlo.constant dense<{value}> : tensor<{source}>
  %1 = stablehlo.{op} : (tensor<{source}>) -> tensor<{to}>
  return %1 : tensor<{to}>
}}
"""


def legalized(source: str, to: str, value: str, op: str = "convert %0") -> str:
    """Return the text of @main after `legalize`."""
    text = BODY.format(source=source, to=to, value=value, op=op)
    module = parse_module(text, make_context(), "test.mlir")
    legalize(module)
    return str(module)


@pytest.mark.parametrize(
    ("source", "to", "value", "folded"),
    [
        ("f64", "f32", "0.1", "dense<1.000000e-01>"),
        ("i64", "f32", "-3", "dense<-3.000000e+00>"),
        ("f64", "i64", "-2.7", "dense<-2>"),
        ("i1", "f32", "true", "dense<1.000000e+00>"),
        ("i1", "i64", "true", "dense<1>"),
        ("i64", "i1", "4", "dense<true>"),
        ("f32", "i1", "0.0", "dense<false>"),
        ("3xf64", "3xf32", "0.5", "dense<5.000000e-01>"),
    ],
)
def test_conversions(source: str, to: str, value: str, folded: str) -> None:
    text = legalized(source, to, value)
    assert f"{folded} : tensor<{to}>" in text and "convert" not in text


@pytest.mark.parametrize(
    ("source", "to", "value"),
    [
        ("f64", "i32", "1.0e10"),
        ("i64", "i32", "4294967296"),
        ("f32", "i32", "0x7FC00000"),
        ("2xf64", "2xf32", "[0.1, 0.2]"),
    ],
)
def test_what_a_conversion_would_change_is_left(source: str, to: str, value: str) -> None:
    assert "convert" in legalized(source, to, value)


def test_movements() -> None:
    assert "reshape" not in legalized("4xf32", "2x2xf32", "1.0", "reshape %0")
    broadcast = legalized("f32", "2x3xf32", "1.0", "broadcast_in_dim %0, dims = []")
    assert "broadcast" not in broadcast and "tensor<2x3xf32>" in broadcast


def test_arith_constants_become_stablehlo() -> None:
    text = """
    func.func @main() -> tensor<2xi64> {
      %0 = arith.constant dense<[1, 2]> : tensor<2xi64>
      return %0 : tensor<2xi64>
    }
    """
    module = parse_module(text, make_context(), "test.mlir")
    legalize(module)
    assert "arith" not in str(module) and "stablehlo.constant dense<[1, 2]>" in str(module)
