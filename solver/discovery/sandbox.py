"""Discovery behind a process boundary: one child that is restarted when it dies or is too slow.

An op may abort the process, loop or take all memory; none of that reaches the compiler.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from distc.runtime.errors import DistcError, InputError, InternalError, UnsupportedOp
from distc.solver.discovery.record import Discovered, from_json

DEFAULT_SECONDS = 20.0
DEFAULT_MEMORY = 8 << 30
_START_SECONDS = 120.0
INSIDE = "DISTC_INSIDE_SANDBOX"
"""Environment variable: set in the child, which may import a script that compiles a model."""
_SOURCE = Path(__file__).resolve().parents[2]


class Sandbox:
    """Runs discoveries in a child process; use as a context manager, or `close` it.

    Args:
        seconds: time one op may take.
        memory: bytes of address space the child may use.
    """

    def __init__(self, seconds: float = DEFAULT_SECONDS, memory: int = DEFAULT_MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self.starts = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._said = tempfile.TemporaryFile()
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def discover(self, text: str, origins: Sequence[str] = ()) -> Discovered:
        """Return the rule of the op in `text`, which `isolate` made.

        Args:
            text: the module.
            origins: modules, or paths of scripts, that register the custom ops it calls.

        Raises:
            UnsupportedOp: the op cannot run, took too long, or ended the child.
            InputError: the text is no such module.
        """
        return from_json(self._ask({"text": text, "origins": list(origins)})["rule"])

    def refute(self, text: str, rule: str, origins: Sequence[str] = ()) -> str | None:
        """Return a counter-example to a given rule, None where every execution agrees with it.

        Args:
            text: the module with the op, which `isolate` made.
            rule: the rule as text.
            origins: modules, or paths of scripts, that register the custom ops it calls.

        Raises:
            UnsupportedOp: the op cannot run, took too long, or ended the child.
            InputError: the text is no such module, or the rule does not fit the op.
        """
        answer = self._ask({"text": text, "origins": list(origins), "given": rule})
        found: str | None = answer["counter"]
        return found

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        child = self._running()
        assert child.stdin is not None
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            answer = self._answer(self.seconds)
        except BrokenPipeError:
            raise self._died() from None
        if "error" in answer:
            raise _error(answer["error"])
        return answer

    def close(self) -> None:
        """End the child."""
        self._stop()
        self._said.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._stop()
        if INSIDE in os.environ:
            raise UnsupportedOp(
                "code that a discovery imports asks for a discovery itself",
                help='keep what compiles a model under if __name__ == "__main__":',
            )
        self.starts += 1
        package = str(_SOURCE.parent) if _SOURCE.name == "distc" else str(_SOURCE / "src")
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            INSIDE: "1",
        }
        command = [sys.executable, "-W", "ignore", "-m", "distc.solver.discovery.worker"]
        self._child = subprocess.Popen(
            [*command, str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=environment,
            start_new_session=True,
        )
        self._answer(_START_SECONDS)
        return self._child

    def _answer(self, seconds: float) -> dict[str, Any]:
        assert self._child is not None and self._child.stdout is not None
        stream, end = self._child.stdout, time.monotonic() + seconds
        line, self._rest = self._rest, b""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while b"\n" not in line:
                if not selector.select(max(0.0, end - time.monotonic())):
                    self._stop()
                    raise UnsupportedOp(
                        f"discovery took more than {seconds:g} s; its process was killed",
                        help="give the op a rule by hand, or more time",
                    )
                piece = os.read(stream.fileno(), 1 << 16)
                if not piece:
                    raise self._died()
                line += piece
        first, _, self._rest = line.partition(b"\n")
        body: dict[str, Any] = json.loads(first)
        return body

    def _died(self) -> DistcError:
        code = self._child.wait() if self._child is not None else 0
        self._stop()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        self._said.seek(0)
        self._said.truncate()
        how = f"was killed by {_signal(-code)}" if code < 0 else f"ended with status {code}"
        return UnsupportedOp(
            f"the process that executes ops {how}: {lines[-1][:300] if lines else 'no message'}",
            help="give the op a rule by hand",
        )

    def _stop(self) -> None:
        if self._child is None:
            return
        # Its own session: what an op started goes with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.kill()
        self._child.wait()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                stream.close()
        self._child, self._rest = None, b""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _error(body: dict[str, str]) -> DistcError:
    kinds = {"E-UNSUPPORTED": UnsupportedOp, "E-INTERNAL": InternalError}
    kind = kinds.get(body["code"], InputError)
    return kind(body["message"], help=body["help"], code=body["code"])
