"""The packaging says what is so: pinned versions, targets, links, the line of `.ci/run`."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

import distc

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = dict(
    line.split("==")
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_installed_package_is_pinned_to_its_version() -> None:
    pinned = {_canonical(n): v for n, v in PINS.items()}
    needed = _closure()
    found = {_canonical(d.metadata["Name"]): d.version.split("+")[0] for d in distributions()}
    assert len(needed) > 20
    # A CUDA build of torch brings packages that a CPU build has not.
    ours = {n for n in needed if not n.startswith(("nvidia-", "cuda-")) and n != "triton"}
    assert {n: pinned.get(n) for n in ours} == {n: found[n] for n in ours}


def _closure() -> set[str]:
    """Names of what distc and its development tools need, directly or not, and is installed."""
    installed = {_canonical(d.metadata["Name"]): d for d in distributions()}
    dev = PROJECT["optional-dependencies"]["dev"]
    pending = [_requirement_name(r) for r in [*PROJECT["dependencies"], *dev]]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or name not in installed:
            continue
        seen.add(name)
        for requirement in installed[name].requires or []:
            if "extra ==" not in requirement:
                pending.append(_requirement_name(requirement))
    return seen


def _requirement_name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None
    return _canonical(match.group())


def test_every_target_of_the_makefile_is_phony_or_a_file() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):", text, re.MULTILINE))
    phony = set(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split())
    assert targets == phony
    assert {"setup", "demo", "test", "check", "lit", "bench", "docs", "main-job"} <= phony


def test_make_help_names_every_target() -> None:
    done = subprocess.run(
        ["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    names = {line.split()[0] for line in done.stdout.splitlines()}
    assert {"setup", "demo", "test", "check", "lit", "bench", "docs", "main-job"} <= names


def test_a_wrong_interpreter_is_named_at_once(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 3.9\n")
    fake.chmod(0o755)
    done = subprocess.run(
        ["sh", str(ROOT / "tools" / "setup.sh")],
        cwd=tmp_path,
        env={"PYTHON": str(fake), "VENV": str(tmp_path / "venv"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "distc needs Python 3.11" in done.stderr
    assert "is 3.9" in done.stderr
    assert "help:" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_the_sub_packages_are_links_to_the_folders() -> None:
    package = ROOT / "src" / "distc"
    for name in ("compiler", "dialect", "runtime", "solver", "transforms"):
        assert (package / name).is_symlink()
        assert (package / name).resolve() == ROOT / name
        assert (ROOT / name / "__init__.py").is_file()


def test_the_public_names_exist() -> None:
    for name in distc.__all__:
        if name != "load":  # needs torch: test/runtime loads programs
            assert getattr(distc, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = distc.nope  # type: ignore[attr-defined]


CASE = '<testcase name="{}">{}</testcase>'
REPORT = "<testsuites><testsuite>{}</testsuite></testsuites>"


@pytest.mark.parametrize(
    ("lit", "status", "checks", "line", "code"),
    [
        (("", ""), 0, 0, "4 passed, 0 failed, 1 skipped", 0),
        (("", "<failure/>"), 2, 0, "3 passed, 1 failed, 1 skipped", 1),
        (("", ""), 0, 2, "4 passed, 2 failed, 1 skipped", 1),
        (("", ""), 2, 0, "4 passed, 1 failed, 1 skipped", 1),
        (None, 2, 0, "2 passed, 1 failed, 1 skipped", 1),
    ],
)
def test_the_summary_line(
    lit: tuple[str, ...] | None, status: int, checks: int, line: str, code: int, tmp_path: Path
) -> None:
    cases = [CASE.format("a", ""), CASE.format("b", ""), CASE.format("c", "<skipped/>")]
    (tmp_path / "pytest.xml").write_text(REPORT.format("".join(cases)))
    if lit is not None:
        body = "".join(CASE.format(i, inner) for i, inner in enumerate(lit))
        (tmp_path / "lit.xml").write_text(REPORT.format(body))
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "summary.py"), str(tmp_path), str(status), str(checks)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.splitlines()[-1], done.returncode) == (line, code)
