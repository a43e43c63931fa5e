"""The child process: used again, limited, reported when it dies, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from unit.solver.discovery import samples

from distc.runtime.errors import DistcError, UnsupportedOp
from distc.solver.discovery import Sandbox
from distc.solver.discovery.sandbox import INSIDE

NEGATE = samples.elementwise("negate")
LOOP = """func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %x) : tensor<4xi32>
   cond { stablehlo.return %c : tensor<i1> }
   do { stablehlo.return %i : tensor<4xi32> }
  return %0 : tensor<4xi32>
}"""
CALL = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @tests.NAME(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
REGISTERS = """import os
import subprocess
import torch
import distc

@distc.custom_op("tests::NAME", meta=lambda x: x.new_empty(x.shape))
def op(x: torch.Tensor) -> torch.Tensor:
    BODY
    return -x
"""


def origin(folder: Path, name: str, body: str) -> str:
    """A file that registers a custom op with this body."""
    path = folder / f"sandbox_{name}.py"
    path.write_text(REGISTERS.replace("NAME", name).replace("BODY", body))
    return str(path)


def gone(pid: int) -> bool:
    """Whether a process has ended, within a few seconds."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_the_child_is_used_again() -> None:
    with Sandbox(seconds=60) as sandbox:
        first = sandbox.discover(NEGATE)
        sandbox.discover(samples.elementwise("abs"))
        assert sandbox.starts == 1 and first.executions > 0


def test_a_child_that_took_too_long_is_killed_reported_and_replaced() -> None:
    with Sandbox(seconds=60) as sandbox:
        sandbox.discover(NEGATE)
        assert sandbox._child is not None
        pid = sandbox._child.pid
        sandbox.seconds = 1.0
        with pytest.raises(UnsupportedOp, match="took more than 1 s; its process was killed"):
            sandbox.discover(LOOP)
        assert gone(pid)
        sandbox.seconds = 60.0
        sandbox.discover(NEGATE)
        assert sandbox.starts == 2


def test_a_child_that_is_killed_is_reported_by_its_signal(tmp_path: Path) -> None:
    place = origin(tmp_path, "suicide", "os.kill(os.getpid(), 9)")
    with Sandbox(seconds=60) as sandbox:
        with pytest.raises(UnsupportedOp, match="was killed by SIGKILL"):
            sandbox.discover(CALL.replace("NAME", "suicide"), [place])
        assert sandbox.discover(NEGATE).executions > 0


def test_an_op_that_wants_more_memory_than_allowed_is_refused(tmp_path: Path) -> None:
    place = origin(tmp_path, "greedy", "torch.empty(1 << 40)")
    with Sandbox(seconds=60) as sandbox, pytest.raises(DistcError) as caught:
        sandbox.discover(CALL.replace("NAME", "greedy"), [place])
    assert "memory" in str(caught.value).lower()


def test_what_an_op_started_goes_with_its_child(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    body = f"open({str(note)!r}, 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"
    with Sandbox(seconds=60) as sandbox:
        sandbox.discover(CALL.replace("NAME", "parent"), [origin(tmp_path, "parent", body)])
        pid = int(note.read_text())
        assert not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    assert gone(pid)


def test_the_child_ends_with_a_parent_that_is_killed() -> None:
    script = (
        "import sys, time\n"
        "from distc.solver.discovery import Sandbox\n"
        f"s = Sandbox(seconds=600)\ns._running()\nprint(s._child.pid, flush=True)\n"
        f"s.discover({LOOP!r})\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(1.0)  # the child is in the middle of a loop without end
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert gone(pid)


def test_an_op_that_nobody_registered_is_refused() -> None:
    with Sandbox() as sandbox, pytest.raises(UnsupportedOp, match=r"tests\.nobody"):
        sandbox.discover(CALL.replace("NAME", "nobody"))


def test_text_that_is_no_module_is_refused_and_the_child_lives() -> None:
    with Sandbox() as sandbox:
        with pytest.raises(DistcError):
            sandbox.discover("module {")
        sandbox.discover(NEGATE)
        assert sandbox.starts == 1


def test_there_is_no_sandbox_in_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INSIDE, "1")
    with Sandbox() as sandbox, pytest.raises(UnsupportedOp, match="asks for a discovery itself"):
        sandbox.discover(NEGATE)
