"""A seeded sample of StableHLO's own test programs, where a folder of them is at hand.

`DISTC_CONFORMANCE` names the folder (with `stablehlo-testdata` and `stablehlo-interpret` in it);
all of them: `make conformance DATA=FOLDER SHARDED=2,3`.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from peer.outcome import Outcome, Status, failures, summary, table  # noqa: E402
from peer.programs import PeerProgram, out_of_scope, programs, rewrite_checks  # noqa: E402
from peer.sharded import check_sharded  # noqa: E402
from peer.single import check_single  # noqa: E402
from peer.worker import run_file  # noqa: E402
from peer.workers import Job, run_jobs  # noqa: E402

FOLDER = Path(os.environ.get("DISTC_CONFORMANCE", ROOT.parent / "shared" / "peer-tests"))
SINGLE, SHARDED = 80, 25

PROGRAM = """func.func public @main() {
  %0:2 = call @inputs() : () -> (tensor<3x5xi32>, tensor<5x4xi32>)
  %1 = call @expected() : () -> tensor<3x4xi32>
  %2 = stablehlo.dot_general %0#0, %0#1, contracting_dims = [1] x [0]
    : (tensor<3x5xi32>, tensor<5x4xi32>) -> tensor<3x4xi32>
  stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true}
    : (tensor<3x4xi32>, tensor<3x4xi32>) -> ()
  return
}
func.func private @inputs() -> (tensor<3x5xi32>, tensor<5x4xi32>) {
  %0 = stablehlo.iota dim = 1 : tensor<3x5xi32>
  %1 = stablehlo.constant dense<1> : tensor<5x4xi32>
  return %0, %1 : tensor<3x5xi32>, tensor<5x4xi32>
}
func.func private @expected() -> tensor<3x4xi32> {
  %0 = stablehlo.constant dense<10> : tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
"""


def _files(name: str) -> list[Path]:
    folder = FOLDER / name
    if not folder.is_dir():
        pytest.skip(
            f"no StableHLO test programs in {folder}; set DISTC_CONFORMANCE to their folder"
        )
    return sorted(folder.glob("*.mlir"))


def _bad(outcomes: list[Outcome]) -> list[str]:
    print(table(outcomes))
    return failures(outcomes)


def test_a_sample_of_the_test_data_agrees() -> None:
    files = random.Random(0).sample(_files("stablehlo-testdata"), SINGLE)
    assert not _bad([o for f in files for o in run_file(f, "single", [], 20)])


def test_a_sample_of_the_test_data_agrees_in_shards() -> None:
    files = random.Random(1).sample(_files("stablehlo-testdata"), SHARDED)
    assert not _bad([o for f in files for o in run_file(f, "sharded", [2, 3], 20)])


@pytest.mark.parametrize(
    "operation", ["all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter"]
)
def test_collectives_agree(operation: str) -> None:
    file = next(f for f in _files("stablehlo-interpret") if f.stem == operation)
    outcomes = run_file(file, "single", [], 20)
    wrong = [o for o in outcomes if o.status in (Status.WRONG, Status.ERROR, Status.SLOW)]
    assert not wrong
    assert any(o.status is Status.OK for o in outcomes)


def test_right_and_wrong_are_told_apart_alone_and_in_shards() -> None:
    right = PeerProgram("dot", PROGRAM)
    assert check_single(right) == ""
    assert check_sharded(right, (2, 3)) == ""
    assert "10" in check_single(PeerProgram("dot", PROGRAM.replace("dense<10>", "dense<11>")))


def test_a_partitioner_that_lets_padding_in_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from distc.transforms.localize.context import LocalContext

    monkeypatch.setattr(LocalContext, "_true_elements", lambda *_: None)
    # The contracted dimension of five on two ranks has one element of padding.
    text = PROGRAM.replace("3x5xi32", "5x3xi32").replace("[1] x [0]", "[0] x [0]")
    text = text.replace("iota dim = 1", "iota dim = 0")
    assert check_sharded(PeerProgram("dot", text), (2,)) != ""


def test_a_program_that_kills_its_process_is_counted_and_the_rest_goes_on(tmp_path: Path) -> None:
    good, bad = tmp_path / "dot_good.mlir", tmp_path / "nested.mlir"
    good.write_text(PROGRAM)
    bad.write_text("// check.expect_eq\nfunc.func @main() " + "{ scf.execute_region " * 60_000)
    outcomes = run_jobs([Job(bad, "single", seconds=20), Job(good, "single", seconds=20)], 1)
    assert [o.status for o in outcomes] == [Status.CRASH, Status.OK]
    assert summary(outcomes) == "conformance: 1/2 files, 50.0 % over 2 families, 1 crashes"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("check.expect_eq tensor<?x2xf32>", "dynamic shapes"),
        ("check.expect_eq stablehlo.outfeed", "queues and channels"),
        ("check.expect_eq interpreter.probe", "a probe of the interpreter"),
        ("check.expect_eq !quant.uniform<i8:f32, 1.0> tuple<tensor<2xi4>>", ""),
        ("tensor<2xf32>", "checks nothing"),
        ("check.expect_eq tensor<2xf32>", ""),
    ],
)
def test_what_is_out_of_scope(text: str, reason: str) -> None:
    assert out_of_scope(text) == reason


def test_checks_written_as_operations_become_calls() -> None:
    text = rewrite_checks(
        "check.expect_eq_const %0, dense<1> : tensor<2xi32>\n"
        '"check.expect_close"(%1, %2) : (tensor<f32>, tensor<f32>) -> ()'
    )
    assert "%expected_1 = stablehlo.constant dense<1> : tensor<2xi32>" in text
    assert "@check.expect_eq(%0, %expected_1)" in text
    assert "@check.expect_close(%1, %2)" in text


def test_a_check_may_say_how_far_apart_numbers_are() -> None:
    text = """func.func @main() {
      %0 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
      check.expect_close_const %0, dense<[1.05, -2.0]> : tensor<2xf32> {tolerance = 0.1}
      return
    }"""
    for given, right in (("0.1", True), ("0.01", False)):
        rewritten = rewrite_checks(text.replace("0.1}", f"{given}}}"))
        assert (check_single(PeerProgram("close", rewritten)) == "") is right
    rewritten = rewrite_checks(text.replace(" {tolerance = 0.1}", ""))
    assert check_single(PeerProgram("close", rewritten)) != ""


def test_families_come_from_names(tmp_path: Path) -> None:
    names = {"dot_general_float32_8_9": "dot_general", "acosh_float32_chlo": "acosh", "or#3": "or"}
    assert {n: PeerProgram(n, "").family for n in names} == names


def test_a_file_of_several_programs(tmp_path: Path) -> None:
    path = tmp_path / "two.mlir"
    path.write_text(f"{PROGRAM}\n// -----\n{PROGRAM}")
    assert [p.name for p in programs(path)] == ["two#0", "two#1"]
