"""`distc compile --train`, then `distc train`: from a file with a model and a loss to a curve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from distc.compiler.cli import main

MODEL = """
import torch
from torch import nn

def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))

def loss(model, x, y):
    return nn.functional.cross_entropy(model(x), y)

def make():
    return net(), (torch.zeros(4, 6), torch.zeros(4, dtype=torch.int64)), loss

def bare():
    return net(), (torch.zeros(4, 6),)

def wrong():
    return net()
"""
COMPILE = ["compile", "model.py:make", "-o", "t.distc", "--mesh", "data=2", "--preset", "zero1"]


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    generator = torch.Generator().manual_seed(1)
    data = {
        "x": torch.randn(24, 6, generator=generator),
        "y": torch.randint(0, 3, (24,), generator=generator),
    }
    save_file(data, tmp_path / "data.safetensors")
    return tmp_path


def expected(folder: Path, parts: int) -> list[float]:
    """Losses of PyTorch over the same rows in order."""
    from safetensors.torch import load_file

    data = load_file(folder / "data.safetensors")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    found, rows = [], 4 * parts
    for start in range(0, 3 * rows, rows):
        optimizer.zero_grad()
        x, y = (data[k][start : start + rows] for k in ("x", "y"))
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize("parts", [1, 2])
def test_the_curve_is_that_of_pytorch(
    job: Path, capsys: pytest.CaptureFixture[str], parts: int
) -> None:
    train = ["--train", "sgd:momentum=0.9", "--microbatches", str(parts)]
    assert main([*COMPILE, *train]) == 0
    assert "evaluate on data=2" in capsys.readouterr().out
    run = ["train", "t.distc", "--data", "data.safetensors", "--backend", "sim", "--steps", "3"]
    assert main([*run, "--lr", "0.5", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    losses = [e["loss"] for e in events if e["event"] == "step"]
    assert losses == pytest.approx(expected(job, parts), rel=1e-5)


def test_a_mixed_run_tells_its_loss_scale(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ["--train", "sgd", "--compute-dtype", "bf16", "--loss-scale", "dynamic:interval=2"]
    assert main([*COMPILE, *train]) == 0
    run = ["train", "t.distc", "--data", "data.safetensors", "--backend", "sim", "--steps", "3"]
    capsys.readouterr()
    assert main([*run, "--lr", "0.5", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    scales = [e["loss_scale"] for e in events if e["event"] == "step"]
    assert scales == [65536.0, 65536.0, 131072.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--train", "adagrad"], "unknown optimizer 'adagrad'"),
        (["--train", "sgd", "--microbatches", "0"], "--microbatches is 0"),
        (["--train", "sgd", "--clip-norm", "0"], "clip_norm is 0.0"),
        (["--microbatches", "2"], "--microbatches: for a training program alone"),
        (["--seed", "3"], "--seed: for a training program alone"),
        (["--train", "sgd", "--seed", "-3"], "the seed is -3"),
        (["--loss-scale", "dynamic"], "--loss-scale: for a training program alone"),
        (["--train", "sgd", "--compute-dtype", "f64"], "cannot compute in 'f64'"),
        (["--train", "sgd", "--loss-scale", "-1"], "the loss scale is -1.0"),
        (["--train", "sgd", "--generate", "2"], "make different programs"),
    ],
)
def test_mistakes_are_told(
    job: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main([*COMPILE, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "message"),
    [("bare", "the loss is a tensor [4, 3]"), ("wrong", "which cannot be trained")],
)
def test_what_cannot_be_trained_is_told(
    job: Path, capsys: pytest.CaptureFixture[str], function: str, message: str
) -> None:
    spec = ["compile", f"model.py:{function}", "--mesh", "data=2", "--train", "sgd"]
    assert main(spec) == 65
    assert message in capsys.readouterr().err
