"""The demos of training and of generation fail for each reason they promise to fail for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from safetensors.numpy import save_file


@pytest.fixture
def finetune(
    script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """`examples/finetune.py`, writing under a scratch folder."""
    module = script("finetune.py")
    monkeypatch.setattr(module, "LOGS", tmp_path)
    monkeypatch.setattr(module, "TEXT", tmp_path / "text.txt")
    return module


def _steps(module: ModuleType, change: float = 0.0, at: int = 7, count: int = 20) -> list[object]:
    losses = [3.0 + 0.1 * i + (change if i == at else 0.0) for i in range(count)]
    return [module.Step(loss, 2.0) for loss in losses]


@pytest.mark.parametrize(
    ("change", "equal", "faults"),
    [
        (0.0, 32, []),
        (9e-5, 32, []),
        (2e-4, 32, ["loss 8 is 3.700200, not 3.700000"]),
        (math.nan, 32, ["loss 8 is nan, not 3.700000"]),
        (0.0, 31, ["token 32 after training differs"]),
    ],
)
def test_losses_and_tokens(
    finetune: ModuleType, change: float, equal: int, faults: list[str]
) -> None:
    assert finetune.faults_of(_steps(finetune), _steps(finetune, change), equal) == faults


def test_a_missing_step_is_a_fault(finetune: ModuleType) -> None:
    found = finetune.faults_of(_steps(finetune), _steps(finetune, count=19), 32)
    assert found == ["20 and 19 steps were taken, not 20"]


def test_the_steps_among_the_events(finetune: ModuleType) -> None:
    events = [
        {"event": "start", "step": 0},
        {"event": "step", "step": 1, "loss": 3.5, "seconds": 1.5, "lr": 1e-5},
        {"event": "saved", "step": 1, "path": "kept"},
    ]
    assert finetune.steps_of(events) == [finetune.Step(3.5, 1.5)]
    assert finetune.speed([finetune.Step(3.5, 2.0)]) == 128


def test_the_text_is_long_enough_and_the_same(finetune: ModuleType) -> None:
    finetune.write_text()
    first = finetune.TEXT.read_bytes()
    finetune.write_text()
    assert finetune.TEXT.read_bytes() == first
    assert len(first) >= 1 << 16  # 20 steps of 256 tokens, of two characters or more each


@pytest.mark.parametrize(("change", "code"), [(0.0, 0), (1e-3, 1)])
def test_exit_code_and_verdict(
    finetune: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    change: float,
    code: int,
) -> None:
    launch = finetune.launch
    state = {"optimizer": {"bytes": 8 << 20, "bytes_per_rank": [2_000_000] * 4}}
    monkeypatch.setattr(launch, "run_python", lambda *args: "")
    monkeypatch.setattr(launch, "inspect", lambda artifact: {"state": state})
    monkeypatch.setattr(finetune, "train_alone", lambda: _steps(finetune))
    monkeypatch.setattr(finetune, "train_on_ranks", lambda: _steps(finetune, change))
    monkeypatch.setattr(finetune, "continue_on_ranks", lambda: 32)
    assert finetune.main() == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["1", "3.000000", "3.000000", "0.0e+00"]
    assert "optimizer: 2 2 2 2 MB on the ranks, 8 MB in one" in lines
    verdict = "as one process" if code == 0 else "FAILED: loss 8 is 3.701000, not 3.700000"
    assert lines[-1] == f"fine-tuning: {verdict}"


def test_a_step_that_cannot_run(
    finetune: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*args: object) -> str:
        raise finetune.StepFailed("no memory")

    monkeypatch.setattr(finetune.launch, "run_python", fails)
    assert finetune.main() == 70
    assert "error: no memory" in capsys.readouterr().err


@pytest.fixture
def generation(script: Callable[[str], ModuleType]) -> ModuleType:
    """`examples/generation.py`."""
    return script("generation.py")


def test_the_first_token_that_differs(generation: ModuleType, tmp_path: Path) -> None:
    tokens = {f"tokens.{i}": np.arange(64) + i for i in range(2)}
    save_file(tokens, tmp_path / "alone.safetensors")
    tokens["tokens.1"] = tokens["tokens.1"].copy()
    tokens["tokens.1"][9] = 0
    save_file(tokens, tmp_path / "ranks.safetensors")
    found = generation.equal_tokens(tmp_path / "ranks.safetensors", tmp_path / "alone.safetensors")
    assert found == (64, 9)
    mesh = generation.Found(2, found, 8.0, 2.0, 2 / 3)
    assert mesh.faults == ["token 10 of answer 1 differs"]
    assert str(mesh) == (
        "smollm2 tensor=2: 64/64 and 9/64 tokens equal, largest rank 67 % of the cache, "
        "8.0 tokens/s from the cache, 2.0 without, 4.0 times"
    )


@pytest.mark.parametrize(("equal", "code"), [((64, 64), 0), ((64, 63), 1)])
def test_the_verdict_on_generation(
    generation: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    equal: tuple[int, int],
    code: int,
) -> None:
    monkeypatch.setattr(generation, "reference", lambda: None)
    monkeypatch.setattr(generation, "run", lambda n: generation.Found(n, equal, 8.0, 2.0, 0.5))
    assert generation.main() == code
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("generation: as transformers" if code == 0 else "generation: FAILED")


def test_the_largest_part_of_a_cache(
    generation: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = {"state": {"state": {"bytes": 300, "bytes_per_rank": [200, 100]}}}
    monkeypatch.setattr(generation.launch, "LOGS", tmp_path)
    monkeypatch.setattr(generation.launch, "run_python", lambda *args: json.dumps(told))
    assert generation.cache_share(tmp_path / "cached.distc") == pytest.approx(2 / 3)
