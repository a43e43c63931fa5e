"""Collectives that the source program brings: cut beside their ranks, refused across them."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, run_sharded

from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.dialect.text import parse_sharding
from distc.runtime.errors import InputError

MESH = Mesh.of(x=2, y=2)
# Ranks 0 and 1 differ in y only, and so do 2 and 3.
ALONG_Y = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"
GATHER = f"""
func.func @main(%a0: tensor<4x3xi32>) -> tensor<4x6xi32> {{
  %0 = "stablehlo.all_gather"(%a0)
      <{{all_gather_dim = 1 : i64, {ALONG_Y}, {CHANNEL}, use_global_device_ids}}>
      : (tensor<4x3xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}}
"""
REDUCE = f"""
func.func @main(%a0: tensor<4x3xi32>) -> tensor<4x3xi32> {{
  %0 = "stablehlo.all_reduce"(%a0) <{{{ALONG_Y}, {CHANNEL}, use_global_device_ids}}> ({{
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }}) : (tensor<4x3xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}}
"""


def lying(text: str) -> Sharding:
    return parse_sharding(text, MESH)


@pytest.mark.parametrize("text", [GATHER, REDUCE], ids=["all_gather", "all_reduce"])
def test_dimensions_beside_the_collective_are_cut(text: str) -> None:
    value = torch.arange(12, dtype=torch.int32).reshape(4, 3)
    expected = torch.cat([value, value], 1) if text is GATHER else value * 2
    module = partition(text, MESH, {0: lying("[S(x), R]")}, {0: lying("[S(x), R]")})
    assert "all_gather" not in str(module) or text is GATHER
    (found,) = run_sharded(module, [value], [tuple(expected.shape)])
    assert torch.equal(found, expected)


@pytest.mark.parametrize("text", [GATHER, REDUCE], ids=["all_gather", "all_reduce"])
def test_ranks_that_hold_different_shards_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="hold different shards"):
        partition(text, MESH, {0: lying("[S(y), R]")}, {0: lying("[S(y), R]")})
