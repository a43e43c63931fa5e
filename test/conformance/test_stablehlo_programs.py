"""A seeded sample of StableHLO's own test programs, where a folder of them is at hand.

`DISTC_CONFORMANCE` names the folder (with `stablehlo-testdata` and `stablehlo-interpret` in it);
all of them: `python tools/conformance.py FOLDER`.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("DISTC_CONFORMANCE", ROOT.parent / "shared" / "peer-tests"))
SAMPLE = 120


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "conformance_runner", ROOT / "tools/conformance.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _files(name: str) -> list[Path]:
    folder = FOLDER / name
    if not folder.is_dir():
        pytest.skip(
            f"no StableHLO test programs in {folder}; set DISTC_CONFORMANCE to their folder"
        )
    return sorted(folder.glob("*.mlir"))


def test_a_sample_of_the_test_data_agrees() -> None:
    runner = _runner()
    files = random.Random(0).sample(_files("stablehlo-testdata"), SAMPLE)
    outcomes = [runner.run_program(n, t, 10) for f in files for n, t in runner.programs(f)]
    print(runner.table(outcomes))
    bad = [f"{o.name}: {o.detail}" for o in outcomes if o.status not in ("ok", "refused")]
    assert not bad
    assert sum(o.status == "ok" for o in outcomes) >= 0.95 * len(outcomes)


@pytest.mark.parametrize(
    "operation", ["all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter"]
)
def test_collectives_agree(operation: str) -> None:
    runner = _runner()
    file = next(f for f in _files("stablehlo-interpret") if f.stem == operation)
    outcomes = [runner.run_program(n, t, 10) for n, t in runner.programs(file)]
    bad = [f"{o.name}: {o.detail}" for o in outcomes if o.status in ("wrong", "error")]
    assert not bad
    assert any(o.status == "ok" for o in outcomes)


def test_the_runner_tells_right_from_wrong() -> None:
    runner = _runner()
    text = """func.func public @main() {
      %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %1 = stablehlo.constant dense<[1.0, EXPECTED]> : tensor<2xf32>
      %2 = stablehlo.abs %0 : tensor<2xf32>
      stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true}
        : (tensor<2xf32>, tensor<2xf32>) -> ()
      return }"""
    assert runner.run_program("right", text.replace("EXPECTED", "2.0"), 5).status == "ok"
    assert runner.run_program("wrong", text.replace("EXPECTED", "2.5"), 5).status == "wrong"
