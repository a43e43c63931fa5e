"""The commands that need no torch start without it, and quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from distc.compiler.cli import COMMANDS

HEAVY = ("torch", "torch_mlir", "z3", "numpy")


def _loaded_after(argv: list[str]) -> set[str]:
    code = (
        "import sys, json\n"
        "from distc.compiler.cli import main\n"
        f"code = main({argv!r})\n"
        "print(json.dumps([code, sorted({m.partition('.')[0] for m in sys.modules})]),"
        " file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    exit_code, modules = json.loads(done.stderr.splitlines()[-1])
    assert exit_code == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("argv", [["--help"], ["--version"], *([c, "--help"] for c in COMMANDS)])
def test_help_loads_nothing_heavy(argv: list[str]) -> None:
    assert not _loaded_after(argv) & set(HEAVY)


def test_inspect_loads_nothing_heavy(hand_made_artifact: Path) -> None:
    assert not _loaded_after(["inspect", str(hand_made_artifact)]) & set(HEAVY)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import distc, sys; distc.Mesh, distc.DistcError; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert not any(f"'{name}'" in done.stdout for name in HEAVY)


def test_a_table_of_states_loads_nothing_heavy() -> None:
    argv = ["plan", "--states", "--parameters", "7e9", "--devices", "16"]
    assert not _loaded_after(argv) & set(HEAVY)
