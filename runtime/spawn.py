"""Start ranks as processes of this host and look after them. Torch-free.

The launcher opens the rendezvous socket on loopback itself and hands it to rank 0, so no port can
be lost to a race. A rank that dies takes the others down at once, and the error names it, how it
died and what it was doing (ranks note that in a mapped file, which survives SIGKILL). Ranks lead
their own sessions: an interrupt reaches them through the launcher only, and the kernel kills them
should the launcher vanish.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Any

from distc.runtime.errors import ExitCode, PeerLost, Unavailable
from distc.runtime.progress import RUN_FOLDER, last_noted

STORE_FD = "DISTC_STORE_FD"
LAUNCHER = "DISTC_LAUNCHER_PID"
_GRACE_SECONDS = 0.4
_TERM_SECONDS = 0.8
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Failure:
    """How a rank ended: the error it left, or None where it died without a word."""

    rank: int
    status: int
    text: str | None
    exit_code: int
    cause: bool


class Ranks:
    """The processes of one launch.

    Args:
        command: what every rank runs.
        count: number of ranks.
        folder: where ranks leave progress and errors.
        port: of the rendezvous; None takes a free one.
        environ: further variables for the ranks.
        patience: seconds that ranks get to end by themselves after an interrupt, which is passed on
            to them as SIGTERM; 0 stops them at once.

    Attributes:
        interrupted_by: the signal that the launcher got, or 0.

    Raises:
        Unavailable: the port is taken.
    """

    def __init__(
        self,
        command: Sequence[str],
        count: int,
        *,
        folder: Path,
        port: int | None = None,
        environ: Mapping[str, str] | None = None,
        patience: float = 0.0,
    ) -> None:
        self.folder, self.count, self.patience = folder, count, patience
        self.interrupted_by = 0
        self._deadline: float | None = None
        self._pumps: list[threading.Thread] = []
        self._children: list[subprocess.Popen[bytes]] = []
        with _listen(port) as server, contextlib.ExitStack() as undo:
            undo.callback(self._stop)
            os.set_inheritable(server.fileno(), True)
            for rank in range(count):
                env = self._environment(rank, server, environ or {})
                self._children.append(self._start(command, rank, env, server))
            undo.pop_all()

    def _environment(
        self, rank: int, server: socket.socket, extra: Mapping[str, str]
    ) -> dict[str, str]:
        env = {"TORCH_CPP_LOG_LEVEL": "ERROR", **os.environ, **extra}
        env.update(
            RANK=str(rank),
            LOCAL_RANK=str(rank),
            WORLD_SIZE=str(self.count),
            LOCAL_WORLD_SIZE=str(self.count),
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=str(server.getsockname()[1]),
            PYTHONUNBUFFERED="1",
        )
        env[RUN_FOLDER], env[LAUNCHER] = str(self.folder), str(os.getpid())
        if rank == 0:
            env[STORE_FD] = str(server.fileno())
        return env

    def _start(
        self, command: Sequence[str], rank: int, env: Mapping[str, str], server: socket.socket
    ) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            list(command),
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(server.fileno(),) if rank == 0 else (),
            start_new_session=True,
        )
        for source, target in ((child.stdout, sys.stdout), (child.stderr, sys.stderr)):
            pump = threading.Thread(target=_pump, args=(source, target, rank), daemon=True)
            pump.start()
            self._pumps.append(pump)
        return child

    def wait(self) -> int:
        """Wait for all ranks; return 0, or print the first failure and return its exit code."""
        with self._signals():
            code = self._wait()
        return code

    def _wait(self) -> int:
        try:
            while not self._out_of_time():
                states = [_status(c) for c in self._children]
                if any(s not in (None, 0) for s in states):
                    return self._failed()
                if all(s == 0 for s in states):
                    self._drain()
                    return ExitCode.OK
                time.sleep(_POLL_SECONDS)
            self._stop()
            print("interrupted; all ranks were stopped", file=sys.stderr, flush=True)
            return ExitCode.INTERRUPTED
        finally:
            self._stop()

    def _out_of_time(self) -> bool:
        """True when an interrupt came and the ranks have had their time to end by themselves."""
        if not self.interrupted_by:
            return False
        if self._deadline is None:
            self._deadline = time.monotonic() + self.patience
            for child in self._children if self.patience else ():
                _signal_group(child, signal.SIGTERM)
        return time.monotonic() >= self._deadline

    @contextlib.contextmanager
    def _signals(self) -> Any:
        """Take interrupts as a wish to stop, however often they come."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(number: int, _: FrameType | None) -> None:
            self.interrupted_by = number

        kept = {s: signal.signal(s, note) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)

    def _failed(self) -> int:
        """Name the first failure. Others may follow from it: wait a moment for the cause."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < deadline and not self.interrupted_by:
            found = self._failures()
            if any(f.cause for f in found):
                break
            time.sleep(_POLL_SECONDS)
        found = sorted(self._failures(), key=lambda f: (not f.cause, f.rank))
        self._stop()
        self._drain()
        first = found[0]
        if first.text is not None:
            print(first.text, file=sys.stderr, flush=True)
            return first.exit_code
        error = PeerLost(
            f"rank {first.rank} {_ending(first.status)} at {last_noted(self.folder, first.rank)}",
            help="look at that rank's output above; the other ranks were stopped",
        )
        print(error, file=sys.stderr, flush=True)
        return error.exit_code

    def _failures(self) -> list[Failure]:
        states = [(r, _status(c)) for r, c in enumerate(self._children)]
        return [self._failure(r, s) for r, s in states if s is not None and s != 0]

    def _failure(self, rank: int, status: int) -> Failure:
        try:
            left = json.loads((self.folder / f"failure.{rank}").read_text("utf-8"))
        except (OSError, ValueError):
            return Failure(rank, status, None, ExitCode.PEER_LOST, True)
        return Failure(rank, status, left["text"], left["exit"], left["cause"])

    def _stop(self) -> None:
        """End every rank that is left: first politely, then not. Stopped ones die too."""
        left = [c for c in self._children if c.returncode is None]
        for child in left:
            _signal_group(child, signal.SIGTERM)
        deadline = time.monotonic() + _TERM_SECONDS
        while any(_status(c) is None for c in left) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        for child in left:
            _signal_group(child, signal.SIGKILL)
        for child in left:
            child.wait()

    def _drain(self) -> None:
        """Let the last lines of the ranks come out before ours."""
        for pump in self._pumps:
            pump.join(1.0)


def _listen(port: int | None) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port or 0), reuse_port=False)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise Unavailable(
            f"port 127.0.0.1:{port} is taken by another program",
            help="choose another with --port, or leave --port out for a free one",
            code="E-PORT",
        ) from None


def _pump(source: IO[bytes] | None, target: IO[str], rank: int) -> None:
    assert source is not None
    with source:
        for line in iter(source.readline, b""):
            text = line.decode("utf-8", "replace")
            with contextlib.suppress(ValueError, OSError):
                target.write(
                    f"[rank {rank}] {text}" if text.endswith("\n") else f"[rank {rank}] {text}\n"
                )
                target.flush()


def _status(child: subprocess.Popen[bytes]) -> int | None:
    """Return how a rank ended, as Popen says it, but leave it unreaped.

    Until it is reaped its process group's number cannot become another program's.
    """
    if child.returncode is not None:
        return child.returncode
    found = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    """Signal a rank and what it started; a rank leads its session, so its group is its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _ending(status: int) -> str:
    if status >= 0:
        return f"left with exit code {status} and without a word"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = "unknown"
    return f"was killed by signal {-status} ({name})"
