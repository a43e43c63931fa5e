"""Rules for ops without one: composites and custom ops, during planning and by command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from distc.compiler.cli import main
from distc.compiler.discovery import RuleDiscovery, discovering
from distc.dialect import custom_ops, stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.rules import rule_for
from distc.dialect.rules.rule import FactorKind
from distc.runtime.errors import UsageError
from distc.solver.discovery import RuleCache

COMPOSITE = """
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.composite "mylib.centre" %x {decomposition = @body} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func private @body(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %s = stablehlo.subtract %x, %b : tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}"""
CALL = """
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.custom_call @tests.NAME(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}"""
REGISTERS = """
import torch

import distc


@distc.custom_op("tests::halve_rows", meta=lambda x: x.new_empty(x.shape))
def halve_rows(x: torch.Tensor) -> torch.Tensor:
    return x / x.abs().sum(1, keepdim=True).clamp(min=1.0)
"""


def first_op(text: str):
    module = parse_module(text, make_context(), "test.mlir")
    function = stablehlo.functions(module)[0]
    return module, function.regions[0].blocks[0].operations[0].operation


@pytest.fixture
def discovery(tmp_path: Path) -> RuleDiscovery:
    return RuleDiscovery(cache=RuleCache(tmp_path))


def test_a_composite_without_a_rule_is_discovered_and_remembered(
    discovery: RuleDiscovery, tmp_path: Path
) -> None:
    module, op = first_op(COMPOSITE)
    assert rule_for(op) is None
    with discovering(discovery):
        rule = rule_for(op)
    assert rule is not None and module is not None
    rows, columns = (rule.factors[d[0]].kind for d in rule.operands[0])
    assert (rows, columns) == (FactorKind.PASS, FactorKind.OPEN)
    assert rule_for(op) is None  # only within the block
    again = RuleDiscovery(cache=RuleCache(tmp_path))
    with discovering(again):
        assert rule_for(op) == rule
    assert again._sandbox is None and again.cache.hits == 1


def test_a_custom_op_is_discovered_in_a_child_that_imports_it(
    discovery: RuleDiscovery, tmp_path: Path
) -> None:
    script = tmp_path / "halving.py"
    script.write_text(REGISTERS)
    custom_ops.register(custom_ops.CustomOp("tests.halve_rows", origin=str(script)))
    _module, op = first_op(CALL.replace("NAME", "halve_rows"))
    with discovering(discovery):
        rule = rule_for(op)
    assert rule is not None, discovery.notices
    rows, columns = (rule.factors[d[0]].kind for d in rule.operands[0])
    assert (rows, columns) == (FactorKind.PASS, FactorKind.REPLICATE)


def test_a_rule_given_with_the_op_is_taken(discovery: RuleDiscovery) -> None:
    custom_ops.register(custom_ops.CustomOp("tests.ruled", rule="[i, j] -> [i, j]"))
    _module, op = first_op(CALL.replace("NAME", "ruled"))
    rule = rule_for(op)
    assert rule is not None and str(rule) == "([i, j])->([i, j]) {i=4, j=6}"


def test_what_cannot_be_executed_is_noticed_and_stays_whole(discovery: RuleDiscovery) -> None:
    custom_ops.register(custom_ops.CustomOp("tests.nowhere"))
    _module, op = first_op(CALL.replace("NAME", "nowhere"))
    with discovering(discovery):
        assert rule_for(op) is None
        assert rule_for(op) is None
    notice, cache = discovery.notices
    assert "nowhere" in notice and "test.mlir:3" in notice
    assert cache == "rule cache: 0 of 1 found (0 %), 0.0 s saved"


def test_a_notice_says_how_a_rule_was_found_and_established(
    discovery: RuleDiscovery, tmp_path: Path
) -> None:
    _module, op = first_op(COMPOSITE)
    with discovering(discovery):
        rule_for(op)
    assert discovery.notices[0].startswith("rule of mylib.centre discovered in ")
    assert "validated by execution only" in discovery.notices[0]
    again = RuleDiscovery(cache=RuleCache(tmp_path))
    with discovering(again):
        rule_for(op)
    assert again.notices[0].startswith("rule of mylib.centre from the cache, ")
    assert again.notices[1].startswith("rule cache: 1 of 1 found (100 %)")


def test_a_damaged_record_is_noticed_and_found_anew(
    discovery: RuleDiscovery, tmp_path: Path
) -> None:
    _module, op = first_op(COMPOSITE)
    with discovering(discovery):
        rule = rule_for(op)
    (path,) = tmp_path.rglob("*.json")
    path.write_text("{")
    again = RuleDiscovery(cache=RuleCache(tmp_path))
    with discovering(again):
        assert rule_for(op) == rule
    assert any(path.name in n and "is ignored" in n for n in again.notices)


def test_an_op_that_only_a_written_rule_could_cut_is_noticed(discovery: RuleDiscovery) -> None:
    _module, op = first_op(
        "func.func @main(%a: tensor<f32>, %b: tensor<f32>, %s: tensor<2xi64>) -> tensor<2x3xf32> {\n"
        "  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
        "tensor<2xi64>) -> tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}"
    )
    with discovering(discovery):
        assert rule_for(op) is None
    (notice,) = discovery.notices
    assert notice.startswith("stablehlo.rng runs on whole values: no rule is written for it")


def test_known_names_cannot_be_taken() -> None:
    with pytest.raises(UsageError, match=r"mhlo\.topk"):
        custom_ops.register(custom_ops.CustomOp("mhlo.topk"))


def test_the_command_prints_what_it_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISTC_CACHE_DIR", str(tmp_path))
    assert main(["rules", "discover", "reduce_max", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["ops"]
    assert row["discovered"] == "([i, j], [])->([i]) {i=4, j=6} reduction={j}"
    assert row["status"] == "proved"
    assert main(["rules", "discover", "reduce_max"]) == 0
    assert "1 of 1 found (100 %)" in capsys.readouterr().out


def test_the_command_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "discover", "no_such_op"]) == 2
    assert "there are abs, add" in capsys.readouterr().err
    assert main(["rules", "discover", "no_such_file.mlir"]) == 66
