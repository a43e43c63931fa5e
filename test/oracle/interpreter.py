"""StableHLO's reference interpreter behind a process boundary.

`evaluate` runs a module on one rank, `evaluate_parallel` a partitioned one on several (it needs as
many CPUs as ranks: two here). Inputs and results are numpy arrays; bf16 and f16 come as f32.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_ROOT = Path(__file__).resolve().parents[2]
MEMORY = 8 << 30


class OracleError(Exception):
    """The interpreter refused the module, died or took too long."""


class _Worker:
    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(_ROOT / "src")}
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-W",
                "ignore",
                str(Path(__file__).with_name("worker.py")),
                str(MEMORY),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
        )
        self._expect(60.0)

    def job(self, folder: str, timeout: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{folder}\n".encode())
        self.process.stdin.flush()
        answer = self._expect(timeout)
        if answer != "ok":
            raise OracleError(answer)

    def _expect(self, timeout: float) -> str:
        """The next line of the worker.

        Raises:
            OracleError: it died (with the end of what it said) or the time is over.
        """
        stream = self.process.stdout
        assert stream is not None
        end, line = time.monotonic() + timeout, b""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, end - time.monotonic())):
                    self.stop()
                    self.errors.close()
                    raise OracleError(f"the interpreter took more than {timeout:g} s")
                piece = os.read(stream.fileno(), 65536)
                if not piece:
                    self.stop()
                    raise OracleError(f"the interpreter died: {self._said()}")
                line += piece
        return line.decode().strip()

    def _said(self) -> str:
        with self.errors:
            self.errors.seek(0)
            lines = self.errors.read().decode(errors="replace").strip().splitlines()
        found = [line for line in lines if "LLVM ERROR" in line or "rror" in line]
        return (found or lines or ["no message"])[0][:500]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None


_worker: _Worker | None = None


def _running() -> _Worker:
    global _worker
    if _worker is None or not _worker.alive:
        _worker = _Worker()
    return _worker


@atexit.register
def _stop() -> None:
    if _worker is not None and _worker.alive:
        _worker.stop()
    if _worker is not None:
        _worker.errors.close()


def evaluate(
    text: str, inputs: Sequence[Array], *, entry: str = "main", timeout: float = 60.0
) -> list[Array]:
    """Run function `entry` of a module.

    Raises:
        OracleError: the interpreter refused the module, died or took more than `timeout` seconds.
    """
    return _evaluate(text, [inputs], entry, timeout)[0]


def evaluate_parallel(
    text: str,
    inputs_per_rank: Sequence[Sequence[Array]],
    *,
    entry: str = "main",
    timeout: float = 60.0,
) -> list[list[Array]]:
    """Run a partitioned module as one replica of as many partitions as there are input lists.

    Raises:
        OracleError: as `evaluate`, and where there are more ranks than CPUs.
    """
    count = len(os.sched_getaffinity(0))
    if len(inputs_per_rank) > count:
        raise OracleError(f"{len(inputs_per_rank)} ranks need as many CPUs, there are {count}")
    return _evaluate(text, inputs_per_rank, entry, timeout)


def _evaluate(
    text: str, inputs_per_rank: Sequence[Sequence[Array]], entry: str, timeout: float
) -> list[list[Array]]:
    ranks = len(inputs_per_rank)
    with tempfile.TemporaryDirectory(prefix="distc-oracle-") as name:
        folder = Path(name)
        (folder / "module.mlir").write_text(text)
        (folder / "job.json").write_text(json.dumps({"entry": entry, "ranks": ranks}))
        flat = [np.asarray(x) for inputs in inputs_per_rank for x in inputs]
        np.savez(folder / "inputs.npz", **{str(i): x for i, x in enumerate(flat)})
        _running().job(name, timeout)
        with np.load(folder / "outputs.npz") as arrays:
            outputs = [arrays[str(i)] for i in range(len(arrays.files))]
    each = len(outputs) // ranks
    return [outputs[r * each : (r + 1) * each] for r in range(ranks)]
