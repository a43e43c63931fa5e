"""Written rules and discovery agree about ops of every family, op by op."""

from __future__ import annotations

import pytest

from distc.compiler.op_samples import SAMPLES
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.rules import rule_for
from distc.dialect.rules.rule import FactorKind
from distc.solver.discovery import isolate
from distc.solver.discovery.discover import discover


def sample(name: str):
    """The module, which keeps the op alive, and the op."""
    module = parse_module(SAMPLES[name], make_context(), name)
    body = stablehlo.functions(module)[0].regions[0].blocks[0].operations
    return module, [v.operation for v in body][-2]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_sample_verifies(name: str) -> None:
    module, op = sample(name)
    assert module.operation.verify() and op.results


@pytest.mark.parametrize(
    "name",
    [
        "broadcast_in_dim", "clamp", "concatenate", "dot_general", "pad", "reduce_max",
        "reduce_window", "reshape_splitting", "reverse", "slice", "transpose",
    ],
)  # fmt: skip
def test_the_written_rule_is_what_discovery_finds(name: str) -> None:
    _module, op = sample(name)
    assert str(rule_for(op)) == str(discover(isolate(op)).rule)


@pytest.mark.parametrize("name", ["batch_norm_training", "batch_norm_grad"])
def test_the_channels_of_all_results_of_a_batch_norm_are_cut_together(name: str) -> None:
    _module, op = sample(name)
    rule = discover(isolate(op)).rule
    (channel,) = rule.operands[0][1]
    assert rule.factors[channel].kind is FactorKind.PASS
    assert [rule.results[0][1], rule.results[1][0], rule.results[2][0]] == [(channel,)] * 3
