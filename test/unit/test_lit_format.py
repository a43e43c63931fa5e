"""The in-process lit format: it fails where a shell would, and survives a crash."""

import importlib.util
import os
import signal
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def format_module():
    spec = importlib.util.spec_from_file_location("inprocess", ROOT / "test/lit/inprocess.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeTest:
    """As much of a lit test as a RUN line needs."""

    path_in_suite = ("a.mlir",)

    class suite:
        class config:
            test_exec_root = "/nowhere"

    def __init__(self, path):
        self.path = path

    def getSourcePath(self):
        return str(self.path)


def run(module, path, text):
    path.write_text(text)
    lines = module.run_lines(path)
    pipelines = [module.parse_line(line, FakeTest(path)) for line in lines]
    assert all(p is not None for p in pipelines)
    return module.run_all(pipelines, lines)


@pytest.mark.parametrize(
    ("command", "passes"),
    [
        ("distc-opt %s | FileCheck %s", True),
        ("distc-opt %s --mesh x=2 | FileCheck %s --check-prefix=MESH", True),
        ("distc-opt %s | FileCheck %s --check-prefix=MESH", False),
        ("not distc-opt %s --no-such-option", True),
        ("not distc-opt %s", False),
        ("distc-opt %s --no-such-option", False),
        ("not distc-opt %s --no-such-option 2>&1 | FileCheck %s --check-prefix=OPTION", True),
        ("distc-opt %s --verify-diagnostics", True),
    ],
)
def test_a_run_line(format_module, tmp_path, command, passes):
    text = (
        f"// RUN: {command}\n// CHECK: module\n// MESH: dist.mesh\n// OPTION: E-USAGE\nmodule {{}}"
    )
    code, log = run(format_module, tmp_path / "a.mlir", text)
    assert (code == 0) == passes, log
    assert passes or command.split("|")[0].split()[0] in log


def test_continued_lines_are_joined(format_module, tmp_path):
    path = tmp_path / "a.mlir"
    path.write_text("// RUN: distc-opt %s \\\n// RUN:   --cse\n")
    assert [line.split() for line in format_module.run_lines(path)] == [
        ["distc-opt", "%s", "--cse"]
    ]


@pytest.mark.parametrize(
    "line", ["distc run %s", "distc-opt %s > %t", "distc-opt %s && distc-opt %s", "distc-opt < %s"]
)
def test_what_it_cannot_do_goes_to_the_shell(format_module, line):
    assert format_module.parse_line(line, FakeTest("a.mlir")) is None


def test_a_crash_is_one_failed_test(format_module):
    code, log = format_module.forked(lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert code == 1 and "signal 9" in log
    code, log = format_module.forked(lambda: 1 / 0)
    assert code == 1 and "ZeroDivisionError" in log
    assert format_module.forked(lambda: (0, "fine")) == (0, "fine")


def test_a_hang_is_ended(format_module, monkeypatch):
    monkeypatch.setattr(format_module, "LIMIT_SECONDS", 1)
    code, log = format_module.forked(lambda: time.sleep(30))
    assert code == 1 and "over 1 s" in log
