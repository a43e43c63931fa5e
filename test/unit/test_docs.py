"""The generated pages say what the docstrings say."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(root):
    return subprocess.run(
        [sys.executable, str(root / "tools" / "gen_docs.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_pages_are_fresh():
    done = check(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stale_page_is_named(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "dialect", "transforms", "runtime", "solver", "compiler", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=ignored)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "dialect.md", tmp_path / "docs" / "dialect.md")
    (tmp_path / "docs" / "passes.md").write_text("old")
    done = check(tmp_path)
    assert done.returncode == 1
    assert "docs/passes.md is stale" in done.stdout
    assert "docs/dialect.md" not in done.stdout
