"""`distc run` end to end in one process (`sim`): inputs, outputs, comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from distc.compiler.cli import main
from distc.runtime import launch

MODELS = Path(__file__).resolve().parents[1] / "models"
SIM = ["run", "out.distc", "--backend", "sim"]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> torch.nn.Module:
    """The MLP, compiled for three ranks as out.distc in an empty current directory."""
    monkeypatch.chdir(tmp_path)
    argv = ["compile", f"{MODELS / 'mlp.py'}:reduced", "--mesh", "tensor=3"]
    assert main([*argv, "--preset", "megatron"]) == 0
    scope: dict[str, object] = {"__name__": "mlp"}
    exec((MODELS / "mlp.py").read_text(), scope)
    torch.manual_seed(0)
    built = scope["Mlp"](12, 32, 7)  # type: ignore[operator]
    assert isinstance(built, torch.nn.Module)
    return built.eval()


def test_input_and_output_files(model: torch.nn.Module) -> None:
    x = torch.randn(4, 12)
    save_file({"x": x}, "x.safetensors")
    assert main([*SIM, "--input", "x.safetensors", "--output", "y.safetensors"]) == 0
    (output,) = load_file("y.safetensors").values()
    with torch.no_grad():
        torch.testing.assert_close(output, model(x), rtol=1e-5, atol=1e-6)


def test_check(model: torch.nn.Module, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIM, "--random", "3", "--check"]) == 0
    captured = capsys.readouterr()
    assert "check output: equal" in captured.out
    assert "not proved" in captured.err
    assert main([*SIM, "--random", "3", "--check", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)
    assert captured.err == ""


def test_a_comparison_that_fails_is_an_error(
    model: torch.nn.Module, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distc.compiler.cli.run_command.launch", lambda options: 1)
    assert main([*SIM, "--random", "3", "--check", "--tolerance", "1e-9"]) == 1
    err = capsys.readouterr().err
    assert "error[E-COMPARE]" in err
    assert "1e-09" in err
    assert "help:" in err


def test_options_of_the_command_are_those_of_the_runtime() -> None:
    from dataclasses import fields

    from distc.compiler.cli.run_command import command

    names = {p.name for p in command.params}
    assert names == {f.name for f in fields(launch.RunOptions)}
    defaults = {f.name: f.default for f in fields(launch.RunOptions) if f.name != "artifact"}
    options = {p.name: p.default for p in command.params if p.name != "artifact"}
    given = {n: d for n, d in options.items() if isinstance(d, int | float | str)}
    assert given == {n: defaults[n] for n in given}
