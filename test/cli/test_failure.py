"""What the one error handler makes of each kind of exception."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from distc.compiler import certificate
from distc.compiler.cli import main
from distc.compiler.cli.failure import guard
from distc.compiler.reproducer import start_recorder
from distc.runtime import errors
from distc.runtime.errors import ExitCode


def _raising(error: BaseException) -> int:
    def call() -> None:
        raise error

    return guard(call)


KINDS = [
    (errors.UsageError, 2),
    (errors.InputError, 65),
    (errors.UnsupportedOp, 65),
    (errors.IllegalSharding, 65),
    (errors.ArtifactError, 65),
    (errors.MissingFile, 66),
    (errors.Unavailable, 69),
    (errors.ConfigError, 78),
    (errors.PeerLost, 75),
    (errors.Infeasible, 3),
    (errors.ComparisonFailed, 1),
]


@pytest.mark.parametrize(("kind", "code"), KINDS, ids=lambda k: getattr(k, "__name__", str(k)))
def test_documented_exit_codes(
    kind: type[errors.DistcError], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _raising(kind("4 is not 5", help="write 5", where="m.py:1:2")) == code
    err = capsys.readouterr().err
    assert err == f"error[{kind.default_code}]: 4 is not 5, at m.py:1:2\nhelp: write 5\n"


def test_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    assert _raising(KeyboardInterrupt()) == 130
    assert _raising(click.Abort()) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("internal", [False, True])
def test_a_defect_leaves_a_reproducer(
    internal: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    recorder = start_recorder("compile", {"mesh": "tensor=2"})
    recorder.stage = "pass 4 propagate"
    recorder.module_text = lambda: "module {}\n"
    cause = errors.InternalError("broken", help="x") if internal else ZeroDivisionError("1/0")
    assert _raising(cause) == 70
    err = capsys.readouterr().err
    (folder,) = tmp_path.glob("distc-repro-*")
    assert str(folder) in err
    assert "pass 4 propagate" in err
    assert "Traceback" not in err
    assert err.count("error[E-INTERNAL]") == err.count("help:") == 1
    assert (folder / "input.mlir").read_text() == "module {}\n"
    assert type(cause).__name__ in (folder / "traceback.txt").read_text()
    assert json.loads((folder / "options.json").read_text())["mesh"] == "tensor=2"
    assert json.loads((folder / "versions.json").read_text())["torch"]


def test_a_reproducer_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("distc.compiler.reproducer._new_folder", _no_space)
    start_recorder("compile", {})
    assert _raising(RuntimeError("odd")) == 70
    assert "no reproducer could be written" in capsys.readouterr().err


def _no_space(parent: Path, command: str) -> Path:
    raise OSError(28, "No space left on device", str(parent))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError(2, "No such file", "a.toml"), 66),
        (PermissionError(13, "Permission denied", "a.toml"), 2),
        (IsADirectoryError(21, "Is a directory", "a.toml"), 2),
        (OSError(28, "No space left on device", "a.toml"), 2),
    ],
    ids=lambda e: type(e).__name__,
)
def test_errors_of_the_file_system(
    error: OSError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _raising(error) == code
    err = capsys.readouterr().err
    assert "a.toml" in err
    assert "help:" in err


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        ([], "missing command"),
        (["nope"], "no such command 'nope'"),
        (["compile"], "missing argument 'SPEC'"),
        (["compile", "m.py:f"], "missing option '--mesh'"),
        (["compile", "m.py:f", "--mesh"], "requires an argument"),
        (["compile", "m.py:f", "--nope"], "no such option"),
        (
            ["compile", "m.py:f", "--mesh", "x=2", "--verify", "maybe"],
            "invalid value for '--verify'",
        ),
        (["inspect"], "missing argument 'ARTIFACT'"),
    ],
    ids=lambda v: " ".join(v) or "nothing" if isinstance(v, list) else "",
)
def test_usage_errors(argv: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == ExitCode.USAGE
    err = capsys.readouterr().err
    assert err.startswith("error[E-USAGE]: ")
    assert what in err
    assert "\nhelp: see `distc" in err


def _leaving(text: str) -> bool:
    raise BrokenPipeError


def test_a_reader_that_leaves_is_no_error(
    hand_made_artifact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = os.dup(1)
    try:
        assert _raising(BrokenPipeError()) == 0
        from_rich = SystemExit(1)
        from_rich.__context__ = BrokenPipeError()
        assert _raising(from_rich) == 0
        monkeypatch.setattr(certificate, "proved", _leaving)
        assert main(["inspect", str(hand_made_artifact)]) == 0
    finally:
        os.dup2(saved, 1)
        os.close(saved)
