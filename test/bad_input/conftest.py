"""What every mistake is checked for: one located error, a help line, the exit code, nothing left.

A test is one kind of mistake; the fixture `case` runs it with three models, and its `rng` varies
the details. DISTC_SEED chooses other details.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from distc.compiler.cli import main

HERE = Path(__file__).resolve().parent
MODELS = ("mlp", "words", "image")
SEED = os.environ.get("DISTC_SEED", "0")

Refused = Callable[..., str]


@dataclass(frozen=True)
class Case:
    """One model and the details of one mistake.

    Attributes:
        model: its name in models.py.
        rng: seeded by the test, the model and DISTC_SEED.
        folder: the current directory of the test, empty at first.
        module: the model as StableHLO text, which compiles much faster than the model.
    """

    model: str
    rng: random.Random
    folder: Path
    module: Callable[[], Path]

    @property
    def spec(self) -> str:
        """The SPEC of the model."""
        return f"{HERE / 'models.py'}:{self.model}"

    @property
    def parameter(self) -> str:
        """The name of a two-or-more-dimensional parameter."""
        return "down.weight"

    def write(self, name: str, text: str) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def compile(self, *extra: str) -> list[str]:
        """The command line of a compile that would be right without `extra`."""
        return ["compile", self.spec, "--mesh", "tensor=2", *extra]

    def pins(self, text: str) -> list[str]:
        """The command line of a compile with a constraint file."""
        self.write("plan.toml", text)
        spec = str(self.module())
        return ["compile", spec, "--mesh", "tensor=2", "--constraints", "plan.toml"]


@pytest.fixture(params=MODELS)
def case(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: Callable[[str], Path],
) -> Case:
    """One model, in an empty current directory."""
    monkeypatch.chdir(tmp_path)
    name = request.node.originalname
    rng = random.Random(f"{SEED}/{name}/{request.param}")
    return Case(request.param, rng, tmp_path, lambda: compiled(request.param) / "source.mlir")


@pytest.fixture
def refused(capfd: pytest.CaptureFixture[str]) -> Refused:
    """Run a command that is a mistake and check how it ends; return what it says."""

    def run(argv: list[str], code: int, *says: str) -> str:
        before = _files()
        capfd.readouterr()
        found = main(argv)
        out, err = capfd.readouterr()
        assert found == code, f"exit {found}, expected {code}: {err}"
        assert "Traceback" not in err + out, err
        assert len(re.findall(r"^error\[E-[A-Z-]+\]: ", err, re.MULTILINE)) == 1, err
        assert len(re.findall(r"^help: \S", err, re.MULTILINE)) == 1, err
        for text in says:
            assert text in err, f"{text!r} is not in {err!r}"
        assert out == ""
        assert _files() == before, "something was left behind"
        return err

    return run


def _files() -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in sorted(Path.cwd().rglob("*")) if p.is_file()}


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return artifacts of the models on tensor=2, compiled once."""
    folder = tmp_path_factory.mktemp("artifacts")

    def get(model: str) -> Path:
        path = folder / f"{model}.distc"
        if not path.exists():
            spec = f"{HERE / 'models.py'}:{model}"
            argv = ["compile", spec, "--mesh", "tensor=2", "--preset", "megatron"]
            assert main([*argv, "-o", str(path)]) == 0
        return path

    return get


@pytest.fixture
def artifact(case: Case, compiled: Callable[[str], Path]) -> Path:
    """A copy of the model's artifact to damage."""
    return Path(shutil.copytree(compiled(case.model), case.folder / "out.distc"))
