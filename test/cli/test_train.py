"""`distc train` end to end in one process (`sim`): lines, JSON, resuming, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from stateful import ACCUMULATE, EVALUATE, LR, Reference, batch, write

from distc.compiler.cli import main
from distc.compiler.cli.train_command import line_of
from distc.runtime.train import schedule
from distc.runtime.train_launch import TrainOptions

TRAIN = ["train", "train.distc", "--data", "data.safetensors", "--backend", "sim"]


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An artifact for two ranks and four batches of data in an empty current directory."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, 2, "zero1")
    rows = [batch(i) for i in range(4)]
    data = {name: torch.cat([r[name] for r in rows]) for name in ("x", "t")}
    save_file(data, tmp_path / "data.safetensors")
    return tmp_path


def losses(text: str) -> list[float]:
    bodies = [json.loads(line) for line in text.splitlines()]
    return [b["loss"] for b in bodies if b["event"] == "step"]


def test_the_curve_is_that_of_torch(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--steps", "4", "--lr", str(LR), "--json"]) == 0
    reference = Reference()
    wanted = [reference.step(batch(i)) for i in range(4)]
    assert losses(capsys.readouterr().out) == pytest.approx(wanted)


def test_plain_lines_where_stdout_is_no_terminal(
    job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*TRAIN, "--steps", "2", "--lr", str(LR), "--checkpoint", "kept"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == "2 rank(s), mesh data=2: steps 1 to 2, 8 of 32 samples a step"
    assert lines[1].startswith("step 1: loss ") and lines[1].endswith(" samples/s")
    assert lines[3:] == ["saved kept/step-00000002", "done after step 2"]
    assert "\x1b" not in captured.out and captured.err == ""


def test_the_same_command_goes_on(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = [*TRAIN, "--lr", str(LR), "--seed", "5", "--json", "--steps"]
    assert main([*whole, "6"]) == 0
    wanted = losses(capsys.readouterr().out)
    resumed = [*whole[:-1], "--checkpoint", "kept", "--save-every", "2", "--keep", "1", "--steps"]
    assert main([*resumed, "3"]) == 0
    assert main([*resumed, "6"]) == 0
    assert losses(capsys.readouterr().out) == wanted
    assert sorted(p.name for p in Path("kept").iterdir()) == ["latest", "step-00000006"]
    assert main([*resumed, "6"]) == 0
    assert losses(capsys.readouterr().out) == []


def test_micro_batches_take_the_global_batch(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(job, 2, "partial", ACCUMULATE)
    assert main([*TRAIN, "--steps", "1", "--lr", str(LR), "--json"]) == 0
    start, step, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert (start["batch"], start["micro_batches"]) == (16, 2)
    data = {n: torch.cat([batch(0)[n], batch(1)[n]]) for n in ("x", "t")}
    assert step["loss"] == pytest.approx(Reference().step(data, count=2))


def test_the_loss_of_other_data_is_told(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_file({n: torch.cat([batch(8)[n], batch(9)[n]]) for n in ("x", "t")}, "test.safetensors")
    flags = ["--evaluate", "test.safetensors", "--evaluate-every", "2"]
    assert main([*TRAIN, "--steps", "4", "--lr", str(LR), "--json", *flags]) == 0
    bodies = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {b["step"]: b["loss"] for b in bodies if b["event"] == "evaluated"}
    reference, wanted = Reference(), {}
    for step in range(1, 5):
        reference.step(batch(step - 1))
        data, w = [batch(8), batch(9)], reference.w.detach()
        wanted[step] = sum(((b["x"] @ w - b["t"]) ** 2).sum().item() for b in data) / 2
    assert found == pytest.approx({step: wanted[step] for step in (2, 4)})


def test_schedules() -> None:
    def rates(**fields: object) -> list[float]:
        options = TrainOptions("a", "d", steps=6, lr=1.0, **fields)  # type: ignore[arg-type]
        return [round(schedule(options)(step), 4) for step in range(1, 7)]

    assert rates() == [1.0] * 6
    assert rates(warmup=2) == [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert rates(warmup=2, schedule="linear") == [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    assert rates(schedule="cosine") == [1.0, 0.933, 0.75, 0.5, 0.25, 0.067]


MISTAKES = [
    (["--steps", "0"], 2, "E-USAGE", "0 is not in the range"),
    (["--steps", "1", "--lr", "nan"], 2, "E-USAGE", "not a number from 0 on"),
    (["--steps", "1", "--save-every", "2"], 2, "E-USAGE", "nowhere to save"),
    (["--steps", "1", "--max-restarts", "2"], 2, "E-USAGE", "nowhere to save"),
    (["--steps", "1", "-n", "3"], 2, "E-WORLD-SIZE", "is for 2 ranks"),
    (["--steps", "1", "--data", "nothing"], 66, "E-FILE", "no data at 'nothing'"),
    (["--steps", "1", "--data", "w.safetensors"], 65, "E-INPUT", "holds w; the program takes x, t"),
    (["--steps", "1", "--data", "train.mlir"], 65, "E-INPUT", "input 'x' is f32[8, 6]"),
    (["--steps", "1", "--checkpoint", "w.safetensors"], 2, "E-USAGE", "is not a folder"),
    (["--steps", "1", "--backend", "mpi"], 2, "E-USAGE", "mpi"),
]


@pytest.mark.parametrize(("flags", "code", "name", "words"), MISTAKES)
def test_mistakes_are_told(
    job: Path,
    capsys: pytest.CaptureFixture[str],
    flags: list[str],
    code: int,
    name: str,
    words: str,
) -> None:
    assert main([*TRAIN, *flags]) == code
    err = capsys.readouterr().err
    assert f"error[{name}]" in err and words in err and "help:" in err and "Traceback" not in err


def test_a_program_that_cannot_be_trained(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(job, 2, "data", EVALUATE)
    assert main([*TRAIN, "--steps", "1"]) == 65
    err = capsys.readouterr().err
    assert "error[E-NOT-TRAINABLE]" in err and "--train" in err


def test_every_event_has_its_line() -> None:
    start = {
        "event": "start", "step": 4, "steps": 9, "ranks": 2, "mesh": "data=2", "batch": 8,
        "samples": 32, "resumed": "kept/step-00000004",
    }  # fmt: skip
    assert line_of(start).endswith("steps 5 to 9, 8 of 32 samples a step, resumed from "
                                   "kept/step-00000004")  # fmt: skip
    step = {"event": "step", "step": 1, "loss": 2.5, "tokens_per_second": 1234.4}
    assert line_of(step) == "step 1: loss 2.500000, 1234 tokens/s"
    assert line_of({"event": "stopped", "step": 3}).startswith("stopped after step 3")
