"""The main job fails for each reason it promises to fail for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from safetensors.numpy import save_file

NEW_TOKENS, VOCABULARY = 32, 7


@pytest.fixture
def job_module(
    script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """`examples/main_job.py`, writing and reading under a scratch folder."""
    module = script("main_job.py")
    monkeypatch.setattr(module, "LOGS", tmp_path)
    monkeypatch.setattr(
        module,
        "_stored_bytes",
        lambda folder: {"model.layers.0.mlp.up_proj.weight": 800, "model.norm.weight": 200},
    )
    return module


def _texts(count: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    tokens = generator.integers(0, VOCABULARY, (count, NEW_TOKENS))
    logits = generator.standard_normal((count, NEW_TOKENS, VOCABULARY)).astype(np.float32)
    return tokens, logits


def _write(job: object, found: tuple[np.ndarray, np.ndarray], count: int) -> None:
    tokens, logits = _texts(count)
    expected = {f"tokens.{i}": tokens[i] for i in range(count)}
    expected |= {f"logits.{i}": logits[i] for i in range(count)}
    save_file(expected, job.reference)  # type: ignore[attr-defined]
    answer = {"tokens": found[0], "logits": found[1]}
    save_file(answer, f"{job.output}.safetensors")  # type: ignore[attr-defined]


def _judged(module: ModuleType, change: Callable[[np.ndarray, np.ndarray], None]) -> object:
    job = module.Job("smollm2", "data=2,tensor=2", 2)
    tokens, logits = _texts(2)
    change(tokens, logits)
    _write(job, (tokens, logits), 2)
    verdict = module.Verdict()
    module.judge_text(job, verdict)
    return verdict


def test_equal_texts_have_no_fault(job_module: ModuleType) -> None:
    verdict = _judged(job_module, lambda tokens, logits: None)
    assert verdict.faults == []
    assert verdict.facts == ["32/32 tokens equal", "logits 0.0e+00"]


def test_the_worse_of_two_texts_counts(job_module: ModuleType) -> None:
    def change(tokens: np.ndarray, logits: np.ndarray) -> None:
        tokens[1, 5] = (tokens[1, 5] + 1) % VOCABULARY

    verdict = _judged(job_module, change)
    assert verdict.facts[0] == "5/32 tokens equal"
    assert verdict.faults == ["token 6 differs"]


def test_logits_out_of_tolerance(job_module: ModuleType) -> None:
    def change(tokens: np.ndarray, logits: np.ndarray) -> None:
        logits[0, 3, 2] += 3e-4 * np.abs(logits).max()

    verdict = _judged(job_module, change)
    assert verdict.facts[1] == "logits 3.0e-04"
    assert [f.split(" differ")[0] for f in verdict.faults] == ["logits"]


@pytest.mark.parametrize(
    ("read", "faults"),
    [
        ((600, 600), []),  # 800 in two, 200 on each
        ((689, 600), []),
        ((691, 600), ["the largest rank read 691 bytes, its fair share is 600"]),
        ((500, 400), ["the ranks read 900 of 1 × 1000 bytes"]),
    ],
)
def test_weight_bytes(job_module: ModuleType, read: tuple[int, int], faults: list[str]) -> None:
    reports = [job_module.RankReport(1.0, r, 1000) for r in read]
    verdict = job_module.Verdict()
    job_module.judge_weights(job_module.Job("smollm2", "tensor=2", 1), reports, verdict)
    assert verdict.faults == faults
    assert verdict.facts == [f"largest rank {max(read) / 10:.0f} % of the weight bytes"]


@pytest.mark.parametrize(
    ("all_reduces", "replicated", "faults"),
    [
        ({0: 2, 1: 2, None: 1}, 0, []),
        ({0: 2, 1: 3}, 0, ["a layer has 3 all-reduces, not 2"]),
        ({None: 61}, 0, ["61 all-reduces are outside of layers, not 2"]),
        ({0: 2}, 4, ["4 ops have no rule"]),
    ],
)
def test_program(
    job_module: ModuleType,
    all_reduces: dict[int | None, int],
    replicated: int,
    faults: list[str],
) -> None:
    verdict = job_module.Verdict()
    job_module.judge_program(job_module.Compiled(all_reduces, replicated, 1.0), verdict)
    assert verdict.faults == faults
    assert verdict.facts[1] == f"{replicated} ops replicated for lack of a rule"


@pytest.mark.parametrize(("gap", "code"), [(0.0, 0), (1e-2, 1)])
def test_exit_code_and_line(
    job_module: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gap: float,
    code: int,
) -> None:
    jobs = (job_module.Job("smollm2", "tensor=1", 1), job_module.Job("smollm2", "tensor=2", 1))
    compiled = job_module.Compiled({0: 2, None: 1}, 0, 1.0)

    def run(job: object) -> list[object]:
        tokens, logits = _texts(1)
        _write(job, (tokens, logits + np.float32(gap)), 1)
        ranks = job.ranks  # type: ignore[attr-defined]
        read = {1: 1000, 2: 600}[ranks]
        return [job_module.RankReport(4.21 / ranks, read, 1000) for _ in range(ranks)]

    monkeypatch.setattr(job_module, "prepare", lambda: None)
    monkeypatch.setattr(job_module, "compile_all", lambda all_: dict.fromkeys(jobs, compiled))
    monkeypatch.setattr(job_module, "run", run)
    monkeypatch.setattr(job_module, "summary", lambda *args: None)
    assert job_module.main() == code
    shown = capsys.readouterr()
    assert shown.out.startswith("smollm2 tensor=2: 32/32 tokens equal, logits ")
    assert shown.out.endswith(
        ", largest rank 60 % of the weight bytes, 3 all-reduces, "
        "0 ops replicated for lack of a rule, 1 rank 4.2 s, 2 ranks 2.1 s\n"
    )
    assert ("FAILED smollm2 tensor=2: logits differ" in shown.err) is (code == 1)


def test_a_step_that_fails_shows_its_log(
    script: Callable[[str], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launch = script("launch.py")
    monkeypatch.setattr(launch, "LOGS", tmp_path)
    with pytest.raises(launch.StepFailed, match=r"(?s)step exited with 3:.*the reason"):
        launch.run_python(
            "step", ["-c", "import sys; print('the reason', file=sys.stderr); sys.exit(3)"]
        )
    assert launch.run_python("step", ["-c", "print('out')"]) == "out\n"
    with pytest.raises(launch.StepFailed) as caught:
        launch.run_python(
            "step",
            [
                "-c",
                "import sys; print('said by a rank\\nE1130 torch/distributed/elastic'"
                " '/multiprocessing/api.py:1 failed\\nTraceback', file=sys.stderr); sys.exit(1)",
            ],
        )
    assert "said by a rank" in str(caught.value) and "Traceback" not in str(caught.value)
