"""What search-plan decides is carried out: the same numbers, and the plan's own layouts."""

from __future__ import annotations

import pytest
import torch
from executable import harness
from executable.harness import partition, random_inputs, run_sharded, run_whole
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.assignment_text import FACTORS, THROUGH, planned_assignment, set_assignment
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.rules.registry import rule_for
from distc.dialect.rules.rule import RuleBuilder, ShardingRule
from distc.dialect.text import parse_sharding
from distc.runtime.errors import IllegalSharding
from distc.solver.strategy import Strategy, strategies

MLP = """
func.func @main(%x: tensor<8x12xf32>, %w: tensor<12x24xf32>, %v: tensor<24x12xf32>)
    -> (tensor<8x12xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %floor = stablehlo.constant dense<0.0> : tensor<8x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x12xf32>, tensor<12x24xf32>) -> tensor<8x24xf32>
  %1 = stablehlo.maximum %0, %floor : tensor<8x24xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0]
      : (tensor<8x24xf32>, tensor<24x12xf32>) -> tensor<8x12xf32>
  %3 = stablehlo.add %2, %x : tensor<8x12xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  return %3, %4 : tensor<8x12xf32>, tensor<8xf32>
}
"""
MESH = Mesh.of(d=2, t=2)
PINS: tuple[dict[int, str], ...] = (
    {},
    {1: "[R, S(t)]", 2: "[S(t), R]"},
    {0: "[S(d), R]", 1: "[S(d), S(t)]", 2: "[S(t), S(d)]"},
    {0: "[R, S(d,t)]"},
)


@pytest.mark.parametrize("pins", PINS, ids=str)
@pytest.mark.parametrize("mesh_text", ["d=2,t=2", "d=1,t=3", "d=4,t=2"])
def test_a_plan_computes_the_same(
    mesh_text: str, pins: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "PASSES", ("search-plan", *harness.PASSES))
    mesh = Mesh.parse(mesh_text)
    pinned = {i: parse_sharding(t, mesh) for i, t in pins.items()}
    inputs = random_inputs(parse_module(MLP, make_context(), "test.mlir"), 0, -3, 3)
    expected = run_whole(MLP, inputs)
    made = partition(MLP, mesh, pinned)
    shapes = [tuple(x.shape) for x in inputs]
    for i, sharding in pinned.items():
        assert made.arguments[i] == sharding.normalize(shapes[i])
    found = run_sharded(made, inputs, [tuple(e.shape) for e in expected])
    for want, got in zip(expected, found, strict=True):
        assert torch.equal(got, want)


def _op(module: ir.Module, name: str) -> ir.Operation:
    return next(o for o in stablehlo.walk(harness.main_of(module)) if o.name == name)


def _rule(op: ir.Operation) -> ShardingRule:
    rule = rule_for(op)
    assert rule is not None
    return rule


def _strategies(op: ir.Operation) -> tuple[Strategy, ...]:
    shapes = [stablehlo.shape(v) for v in op.operands]
    return strategies(_rule(op), MESH, shapes, [stablehlo.shape(op.results[0])])


@pytest.mark.parametrize(
    ("name", "passes_partial"), [("stablehlo.dot_general", False), ("stablehlo.add", True)]
)
def test_an_assignment_reads_back_as_it_was_written(name: str, passes_partial: bool) -> None:
    module = parse_module(MLP, make_context(), "test.mlir")
    op = _op(module, name)
    found = _strategies(op)
    assert any(s.assignment.through for s in found) == passes_partial
    with module.context:
        for strategy in found:
            for name in (FACTORS, THROUGH):
                if name in op.attributes:
                    del op.attributes[name]
            set_assignment(op, strategy.assignment)
            assert planned_assignment(op, _rule(op), MESH) == strategy.assignment


def test_an_assignment_of_another_rule_is_refused() -> None:
    module = parse_module(MLP, make_context(), "test.mlir")
    op = _op(module, "stablehlo.dot_general")
    other = RuleBuilder([2, 2], [2])
    other.factor(8, {0: 0}, {0: 0})
    with module.context:
        set_assignment(op, _strategies(op)[0].assignment)
        with pytest.raises(IllegalSharding, match="for 3 factors, its rule has 1"):
            planned_assignment(op, other.build(), MESH)
