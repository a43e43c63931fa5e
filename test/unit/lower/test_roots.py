"""Collectives with a root: who gets what, ranks outside all groups, and constant amounts."""

from __future__ import annotations

import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.errors import UnsupportedOp
from distc.transforms.lower import lower

BROADCAST = """
func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {{
  %0 = "stablehlo.collective_broadcast"(%x)
    <{{replica_groups = dense<{groups}> : tensor<{shape}xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}}>
    : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}}
"""
REDUCE = """
func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
  %0 = "stablehlo.collective_reduce"(%x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}
    : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
"""
CONVOLUTION = """
func.func @main(%x: tensor<1x4x1xi64>, %k: tensor<3x1x1xi64>{given}) -> tensor<1x4x1xi64> {{
  {padding}
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) {{window_strides = array<i64: 1>,
    lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>,
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<1x4x1xi64>, tensor<3x1x1xi64>, tensor<1x2xi64>) -> tensor<1x4x1xi64>
  return %0 : tensor<1x4x1xi64>
}}
"""


def on_ranks(text: str, ranks: int = 4) -> list[list[int]]:
    """What every rank has where rank r starts with [r, 10 + r]."""
    program = lower(parse_module(text, make_context(), "test.mlir"))
    inputs = [[torch.tensor([r, 10 + r])] for r in range(ranks)]
    return [out[0].tolist() for out in sim.run(program, inputs)]


@pytest.mark.parametrize(
    ("groups", "shape", "expected"),
    [
        ("[[2, 1]]", "1x2", [[0, 0], [2, 12], [2, 12], [0, 0]]),
        ("[[3, 1, 0]]", "1x3", [[3, 13], [3, 13], [0, 0], [3, 13]]),
        ("[[1, 0], [2, 3]]", "2x2", [[1, 11], [1, 11], [2, 12], [2, 12]]),
        ("[[2]]", "1x1", [[0, 0], [0, 0], [2, 12], [0, 0]]),
    ],
)
def test_a_broadcast_reaches_its_groups_only(
    groups: str, shape: str, expected: list[list[int]]
) -> None:
    assert on_ranks(BROADCAST.format(groups=groups, shape=shape)) == expected


def test_a_reduce_leaves_the_sum_with_the_first_of_each_group() -> None:
    assert on_ranks(REDUCE) == [[0, 0], [4, 24], [2, 22], [0, 0]]


def test_a_dynamic_convolution_by_constants() -> None:
    constant = "%p = stablehlo.constant dense<1> : tensor<1x2xi64>"
    text = CONVOLUTION.format(given="", padding=constant)
    program = lower(parse_module(text, make_context(), "test.mlir"))
    x, kernel = torch.arange(4).reshape(1, 4, 1), torch.tensor([1, 10, 100]).reshape(3, 1, 1)
    (found,) = sim.run(program, [[x, kernel]])[0]
    assert found.flatten().tolist() == [100, 210, 321, 32]


def test_a_dynamic_convolution_by_a_computed_amount_is_refused() -> None:
    text = CONVOLUTION.format(given=", %p: tensor<1x2xi64>", padding="")
    with pytest.raises(UnsupportedOp, match="must be constant"):
        lower(parse_module(text, make_context(), "test.mlir"))
