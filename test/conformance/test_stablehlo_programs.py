"""A fixed sample of StableHLO's own test programs, where a folder of them is at hand.

`DISTC_CONFORMANCE` names the folder (with `stablehlo-testdata` and `stablehlo-interpret` in it);
all of them: `python tools/conformance.py FOLDER`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("DISTC_CONFORMANCE", ROOT.parent / "shared" / "peer-tests"))


def run(folder: Path, report: Path, *options: str) -> dict[str, str]:
    """Status of each program, by name."""
    command = [sys.executable, str(ROOT / "tools" / "conformance.py"), str(folder)]
    done = subprocess.run(
        [*command, *options, "--jobs", "1", "--json", str(report)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    print(done.stdout, done.stderr)
    assert done.returncode in (0, 1), done.stderr
    return {name: status for name, _, status, _ in json.loads(report.read_text())}


def folder(name: str) -> Path:
    """A folder of test programs; skips with the reason where there is none."""
    found = FOLDER / name
    if not found.is_dir():
        pytest.skip(f"no StableHLO test programs in {found}; set DISTC_CONFORMANCE to their folder")
    return found


def test_a_sample_of_the_test_data_agrees(tmp_path: Path) -> None:
    outcomes = run(folder("stablehlo-testdata"), tmp_path / "report.json", "--every", "9")
    bad = {n: s for n, s in outcomes.items() if s not in ("ok", "refused", "outside")}
    assert not bad
    assert sum(s == "ok" for s in outcomes.values()) >= 0.95 * len(outcomes) > 100


@pytest.mark.parametrize(
    "pattern", ["all_*", "collective_permute", "reduce_scatter", "while", "sort"]
)
def test_the_meaning_of_operations_agrees(pattern: str, tmp_path: Path) -> None:
    data = folder("stablehlo-interpret")
    outcomes = run(data, tmp_path / "report.json", "--only", pattern)
    assert {s for s in outcomes.values()} <= {"ok", "refused", "outside"}
    assert "ok" in outcomes.values()


PROGRAM = """func.func public @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.0, EXPECTED]> : tensor<2xf32>
  %2 = stablehlo.abs %0 : tensor<2xf32>
  stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  return }"""


def test_the_runner_tells_right_from_wrong(tmp_path: Path) -> None:
    (tmp_path / "right.mlir").write_text(PROGRAM.replace("EXPECTED", "2.0"))
    (tmp_path / "wrong.mlir").write_text(PROGRAM.replace("EXPECTED", "2.5"))
    outcomes = run(tmp_path, tmp_path / "report.json")
    assert outcomes == {"right": "ok", "wrong": "wrong"}
