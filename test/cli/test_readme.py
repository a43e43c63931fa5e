"""Every command and program that the README shows works as shown."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
MAKE = {"make demo", "make test"}


def _blocks(kind: str) -> list[str]:
    return [text for language, text in BLOCKS if language == kind]


def _commands() -> list[str]:
    lines = [line.partition("  #")[0].strip() for b in _blocks("sh") for line in b.splitlines()]
    inline = re.findall(r"`(torchrun [^`]*)`", README)
    return [line for line in [*lines, *inline] if line]


def _run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    if words[0] == "distc":
        words = [sys.executable, "-m", "distc", *words[1:]]
    if words[0] == "torchrun":
        words = [sys.executable, "-m", "torch.distributed.run", *words[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=170, env=environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_commands_are_these() -> None:
    names = {c.split()[0] for c in _commands()}
    assert names == {"make", "distc", "torchrun"}
    assert {c for c in _commands() if c.startswith("make")} == MAKE
    makefile = (ROOT / "Makefile").read_text()
    for command in MAKE:
        assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)


@pytest.mark.timeout(900)
def test_the_example_compiles_and_runs_as_shown(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shown = next(b for b in _blocks("python") if b.startswith("# examples/mlp.py"))
    kept = (ROOT / "examples" / "mlp.py").read_text(encoding="utf-8")
    assert _statements(shown) == _statements(kept)
    outputs = [_run(c, tmp_path) for c in _commands() if not c.startswith("make")]
    compiled, inspected, run, *_ = outputs
    assert "1 all_reduce" in compiled
    assert "up.weight" in inspected
    assert "equal" in run
    program = next(b for b in _blocks("python") if b.startswith("import distc"))
    _run(f"{sys.executable} -c {shlex.quote(program)}", tmp_path)


def _statements(text: str) -> list[str]:
    """Lines of code, without comments and docstrings."""
    code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    return [line for line in code.splitlines() if line.strip() and not line.startswith("#")]


def test_the_constraints_shown_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (text,) = _blocks("toml")
    (tmp_path / "plan.toml").write_text(text)
    command = "distc compile examples/mlp.py:mlp --mesh tensor=2 --constraints plan.toml"
    assert "1 all_reduce" in _run(command, tmp_path)


def test_every_exit_code_is_documented() -> None:
    from distc.runtime.errors import ExitCode

    listed = README.partition("Exit codes: ")[2].partition(".\n")[0].replace("\n", " ")
    assert {int(n) for n in re.findall(r"(?:^|· )(\d+) ", listed)} == {int(c) for c in ExitCode}


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
