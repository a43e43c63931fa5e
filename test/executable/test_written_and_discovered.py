"""Rules written by hand against discovery: every difference is judged by execution."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import op_rules

from distc.compiler.op_samples import SAMPLES
from distc.dialect import stablehlo
from distc.dialect.rules import rule_names
from distc.solver.discovery import Sandbox

# One of each family; `tools/op_rules.py` runs all of them.
SAMPLED = (
    "add",
    "batch_norm_training",
    "broadcast_in_dim",
    "collective_permute",
    "concatenate",
    "dot_general",
    "dynamic_slice",
    "gather",
    "reduce_max",
    "reduce_window",
    "reshape_splitting",
    "scatter",
    "sort",
)
# Not executed alone: what takes its size from another op, and calls of functions by name.
WITHOUT_SAMPLE = {"stablehlo.custom_call", "stablehlo.case", "stablehlo.if"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(seconds=60) as child:
        yield child


@pytest.mark.parametrize("name", SAMPLED)
def test_every_difference_is_judged_and_none_is_wrong(name: str, sandbox: Sandbox) -> None:
    _module, op = op_rules.sample_op(name)
    row = op_rules.compared(name, op, sandbox, None)
    assert row.why, row.found
    assert row.wrong == [] and row.unresolved == [], (row.only_written, row.only_found)


def test_a_wrong_written_rule_would_be_found(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distc.dialect.rules.elementwise import pointwise

    monkeypatch.setattr(op_rules, "rule_for", lambda op: pointwise(op).build())
    _module, op = op_rules.sample_op("reverse")
    row = op_rules.compared("reverse", op, sandbox, None)
    assert [str(c) for c in row.wrong] == ["0.1 -> 0.1"]


def test_every_op_with_a_rule_has_a_sample() -> None:
    sampled = {op_rules.sample_op(name)[1].name for name in SAMPLES}
    written = {name for name in rule_names() if name.startswith("stablehlo.")}
    assert written - sampled <= WITHOUT_SAMPLE


def test_every_composite_with_a_rule_is_compared() -> None:
    found = {stablehlo.composite(op).name for _, _module, op in op_rules.composites()}
    assert found == {name for name in rule_names() if name.startswith("distc.")}
