# ruff: noqa: E501 - MLIR is easier to read unbroken
"""The judges themselves: the interpreter behind its process boundary, the comparison."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from oracle import compare, interpreter

NEGATE = """func.func @main(%a: tensor<2xDTYPE>) -> tensor<2xDTYPE> {
  %r = stablehlo.negate %a : tensor<2xDTYPE>
  return %r : tensor<2xDTYPE> }"""
UNSUPPORTED = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = stablehlo.custom_call @nothing(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32> }"""
FOREVER = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = stablehlo.while(%x = %a) : tensor<2xf32>
    cond { stablehlo.return %t : tensor<i1> }
    do { %y = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %y : tensor<2xf32> }
  return %r : tensor<2xf32> }"""


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16", "i64", "i8"])
def test_values_go_in_and_out(dtype: str) -> None:
    found = interpreter.evaluate(NEGATE.replace("DTYPE", dtype), [np.array([1.0, -3.0])])
    assert found[0].tolist() == [-1.0, 3.0]


def test_what_kills_the_interpreter_is_an_error_and_the_next_module_runs() -> None:
    with pytest.raises(interpreter.OracleError, match="custom_call"):
        interpreter.evaluate(UNSUPPORTED, [np.ones(2)])
    assert interpreter.evaluate(NEGATE.replace("DTYPE", "f32"), [np.ones(2)])[0][0] == -1.0


def test_text_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(interpreter.OracleError, match="error"):
        interpreter.evaluate("func.func @main(", [])


def test_time_is_limited() -> None:
    with pytest.raises(interpreter.OracleError, match=r"more than 0\.5 s"):
        interpreter.evaluate(FOREVER, [np.ones(2)], timeout=0.5)


def test_dist_attributes_and_symbols_are_left_out() -> None:
    text = """
    "dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]} : () -> ()
    func.func @step(%a: tensor<2xf32> {dist.name = "a", dist.kind = "input"})
        -> (tensor<2xf32> {dist.name = "out"}) {
      %r = stablehlo.negate %a {dist.note = "x"} : tensor<2xf32>
      return %r : tensor<2xf32> }"""
    assert interpreter.evaluate(text, [np.ones(2)], entry="step")[0].tolist() == [-1.0, -1.0]


def test_more_ranks_than_cpus_are_refused() -> None:
    with pytest.raises(interpreter.OracleError, match="need as many CPUs"):
        interpreter.evaluate_parallel(NEGATE.replace("DTYPE", "f32"), [[np.ones(2)]] * 4096)


@pytest.mark.parametrize(
    ("actual", "expected", "difference"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.5], [1.0, 2.0], 0.25),
        ([1.0, float("nan")], [1.0, float("nan")], 0.0),
        ([1.0, 2.0], [1.0, float("nan")], float("inf")),
        ([1.0, float("nan")], [1.0, 2.0], float("inf")),
        ([1.0, float("inf")], [1.0, float("-inf")], float("inf")),
        ([1.0], [1.0, 2.0], float("inf")),
        ([], [], 0.0),
    ],
)
def test_float_difference(actual: list[float], expected: list[float], difference: float) -> None:
    assert compare.difference(np.array(actual), np.array(expected)) == difference


def test_integers_are_compared_exactly() -> None:
    big = torch.tensor([2**62, 5])
    assert compare.difference(big, big.numpy()) == 0.0
    assert compare.difference(big + 1, big.numpy()) == float("inf")
    with pytest.raises(AssertionError, match="result 1"):
        compare.assert_same([big, big], [big.numpy(), big.numpy() + 1])
