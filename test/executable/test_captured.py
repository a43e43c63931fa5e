"""Regions read whole values, whatever shards their values have outside; complex padding."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, random_inputs, run_sharded, run_whole

from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding

BRANCHES = """func.func @main(%i: tensor<i32>, %a: tensor<5x6xi32>) -> tensor<5x6xi32> {
  %c = stablehlo.constant dense<3> : tensor<5x6xi32>
  %b = stablehlo.multiply %a, %c : tensor<5x6xi32>
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %b, %a : tensor<5x6xi32>
    stablehlo.return %1 : tensor<5x6xi32>
  }, {
    %2 = stablehlo.reverse %b, dims = [0] : tensor<5x6xi32>
    stablehlo.return %2 : tensor<5x6xi32>
  }) : (tensor<i32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>
}
"""
LOOP = """func.func @main(%n: tensor<i32>, %a: tensor<5x6xi32>) -> tensor<5x6xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<5x6xi32> cond {
    %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %a : tensor<5x6xi32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<5x6xi32>
  }
  return %0#1 : tensor<5x6xi32>
}
"""


@pytest.mark.parametrize("text", [BRANCHES, LOOP], ids=["case", "while"])
@pytest.mark.parametrize("sharding", ["[S(x), R]", "[R, S(x)]"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_captured_values_are_whole(text: str, sharding: str, ranks: int) -> None:
    mesh = Mesh.of(x=ranks)
    inputs = random_inputs(parse_module(text, make_context(), "test.mlir"), 3, 0, 1)
    cut = parse_sharding(sharding, mesh)
    parts = partition(text, mesh, {1: cut}, {0: cut})
    (found,) = run_sharded(parts, inputs, [(5, 6)])
    assert torch.equal(found, run_whole(text, inputs)[0])
