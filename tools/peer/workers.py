"""Run program files in child processes, one per core, restarted where a program kills one."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue

from peer.outcome import Outcome, Status

_WORKER = Path(__file__).with_name("worker.py")
_START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with a file."""

    path: Path
    mode: str
    ranks: tuple[int, ...] = ()
    seconds: int = 20

    def as_line(self) -> bytes:
        """The job as the worker reads it."""
        fields = {
            "path": str(self.path),
            "mode": self.mode,
            "ranks": list(self.ranks),
            "seconds": self.seconds,
        }
        return (json.dumps(fields) + "\n").encode()


@dataclass
class _Worker:
    process: subprocess.Popen[bytes] = field(init=False)
    answers: int = field(init=False)

    def __post_init__(self) -> None:
        self.answers, write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(_WORKER), str(write)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(write,),
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        os.close(write)

    def ask(self, line: bytes, seconds: float) -> bytes | None:
        """The answer; None where the worker died, b"" where the time is over."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        end, answer = time.monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.answers, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                if not selector.select(max(0.0, end - time.monotonic())):
                    return b""
                piece = os.read(self.answers, 1 << 16)
                if not piece:
                    return None
                answer += piece
        return answer

    def stop(self) -> int:
        """End the process; return its exit status."""
        self.process.kill()
        status = self.process.wait()
        os.close(self.answers)
        if self.process.stdin is not None:
            self.process.stdin.close()
        return status


def run_jobs(
    jobs: Iterable[Job], processes: int, on_done: Callable[[int], None] | None = None
) -> list[Outcome]:
    """Run all jobs; return the outcomes in the order of the jobs.

    Args:
        jobs: one per file.
        processes: how many children.
        on_done: called with the number of files done, from any thread.
    """
    waiting: Queue[tuple[int, Job]] = Queue()
    for index, job in enumerate(jobs):
        waiting.put((index, job))
    found: dict[int, Sequence[Outcome]] = {}
    threads = [
        threading.Thread(target=_serve, args=(waiting, found, on_done)) for _ in range(processes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [outcome for index in sorted(found) for outcome in found[index]]


def _serve(
    waiting: Queue[tuple[int, Job]],
    found: dict[int, Sequence[Outcome]],
    on_done: Callable[[int], None] | None,
) -> None:
    worker, fresh = _Worker(), True
    try:
        while True:
            try:
                index, job = waiting.get_nowait()
            except Empty:
                return
            # The worker ends a program that is too slow; the parent one that does not listen.
            patience = 4 * job.seconds + (_START_SECONDS if fresh else 0.0)
            answer = worker.ask(job.as_line(), patience)
            fresh = not answer
            if answer:
                found[index] = [Outcome.from_row(row) for row in json.loads(answer)]
            else:
                status = worker.stop()
                found[index] = [_lost(job, answer, status)]
                worker = _Worker()
            if on_done is not None:
                on_done(len(found))
    finally:
        worker.stop()


def _lost(job: Job, answer: bytes | None, status: int) -> Outcome:
    if answer is None:
        return Outcome(job.path.stem, job.path.stem, Status.CRASH, f"the process ended: {status}")
    return Outcome(job.path.stem, job.path.stem, Status.SLOW, "the process did not answer")
