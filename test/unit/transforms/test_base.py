"""The steps all passes share: upstream pipelines, replacement, collected findings."""

import pytest
from torch_mlir import ir

from distc.dialect.context import make_context, parse_module
from distc.runtime.errors import DistcError, IllegalSharding, InputError
from distc.transforms.base import Finding, raise_findings, replace_op, run_upstream

TEXT = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  %dead = stablehlo.negate %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""


@pytest.fixture
def module():
    return parse_module(TEXT, make_context(), "m.mlir")


def block_of(module):
    return module.body.operations[0].regions[0].blocks[0]


def test_upstream_pipeline_runs(module):
    run_upstream(module, "canonicalize,cse")
    assert "negate" not in str(module)


def test_unknown_upstream_pass(module):
    with pytest.raises(InputError, match="unknown pipeline 'no-such-pass'"):
        run_upstream(module, "no-such-pass")


def test_a_failing_upstream_pass_is_located(module):
    wider = ir.Type.parse("tensor<5xf32>", module.context)
    block_of(module).operations[1].results[0].set_type(wider)
    with pytest.raises(DistcError) as caught:
        run_upstream(module, "canonicalize")
    assert caught.value.where is not None and caught.value.where.startswith("m.mlir:")


def test_replace_then_erase(module):
    block = block_of(module)
    replace_op(block.operations[1], [block.arguments[0]])
    assert str(module).count("stablehlo.abs") == 1
    assert module.operation.verify()


def test_replace_needs_one_value_per_result(module):
    with pytest.raises(InputError, match="has 1 results, 0 replacements"):
        replace_op(block_of(module).operations[0], [])


def test_no_findings_no_error():
    raise_findings([])


def test_findings_are_raised_together():
    findings = [Finding(f"wrong {i}", f"m.mlir:{i}:1", "fix it") for i in range(30)]
    with pytest.raises(IllegalSharding) as caught:
        raise_findings(findings, IllegalSharding, shown=3)
    lines = str(caught.value).split("\n")
    assert lines[0] == "error[E-SHARDING]: wrong 0, at m.mlir:0:1"
    assert lines[1] == "help: fix it"
    assert lines[2:] == [
        *(f"also: wrong {i}, at m.mlir:{i}:1" for i in (1, 2, 3)),
        "and 26 more",
    ]
