"""The child process and the records on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from unit.solver.discovery import samples

from distc.runtime.errors import DistcError, UnsupportedOp
from distc.solver.discovery import RuleCache, Sandbox, Status, key_of

LOOP = """func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %x) : tensor<4xi32>
   cond { stablehlo.return %c : tensor<i1> }
   do { stablehlo.return %i : tensor<4xi32> }
  return %0 : tensor<4xi32>
}"""


def test_the_child_is_used_again_and_replaced_after_it_took_too_long() -> None:
    with Sandbox(seconds=60) as sandbox:
        found = sandbox.discover(samples.elementwise("negate"))
        assert found.status is Status.PROVED and found.executions > 0
        sandbox.discover(samples.elementwise("abs"))
        assert sandbox.starts == 1
        sandbox.seconds = 1.0
        with pytest.raises(UnsupportedOp, match="took more than 1 s"):
            sandbox.discover(LOOP)
        sandbox.seconds = 60.0
        assert sandbox.discover(samples.elementwise("negate")).rule == found.rule
        assert sandbox.starts == 2


def test_an_op_that_cannot_run_says_so() -> None:
    text = (
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = stablehlo.custom_call @nobody(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %0 : tensor<4xf32>\n}"
    )
    with Sandbox() as sandbox:
        with pytest.raises(UnsupportedOp, match="nobody"):
            sandbox.discover(text)
        with pytest.raises(DistcError):
            sandbox.discover("module {")


def test_records_are_found_again_and_damaged_ones_are_not(tmp_path: Path) -> None:
    text = samples.elementwise("negate")
    with Sandbox() as sandbox:
        found = sandbox.discover(text)
    cache = RuleCache(tmp_path)
    key = key_of(text)
    assert cache.get(key) is None
    cache.put(key, found)
    assert cache.get(key) == found or cache.get(key).rule == found.rule  # seconds are rounded
    assert (cache.misses, cache.hits >= 1) == (1, True)
    assert "found" in cache.report()
    (path,) = tmp_path.rglob("*.json")
    body = json.loads(path.read_text())
    path.write_text(json.dumps(body | {"rule": body["rule"].replace("pass", "open")}))
    assert cache.get(key) is None
    path.write_text("{")
    assert cache.get(key) is None
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    tmp_path.chmod(0o500)
    with Sandbox() as sandbox:
        RuleCache(tmp_path).put("0" * 64, sandbox.discover(samples.elementwise("negate")))


def test_keys_do_not_depend_on_names_or_layout() -> None:
    text = samples.BMM
    renamed = text.replace("%a", "%left").replace("\n  ", "\n      ")
    assert key_of(text) == key_of(renamed)
    assert key_of(text) != key_of(text.replace("3x4x6", "3x4x7"))
    assert key_of(text) != key_of(text, "another function")
