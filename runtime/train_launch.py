"""`distc train`: launch a training run, look after it, start it again where it broke off.

As in `launch`, this process is a rank under torchrun, Slurm or Kubernetes, all ranks with backend
`sim`, and else starts the ranks. Every attempt has its own rendezvous and goes on from the newest
complete checkpoint. Only a rank imports torch.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode, UsageError
from distc.runtime.launch import BACKENDS, EXECUTORS, check_ranks, is_rank, thread_share
from distc.runtime.spawn import Ranks

SCHEDULES = ("constant", "linear", "cosine")
EVENTS = "DISTC_EVENTS"
ATTEMPT = "TORCHELASTIC_RESTART_COUNT"
_RESTARTABLE = (ExitCode.PEER_LOST, ExitCode.INTERNAL)
_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 600.0

Event: TypeAlias = Mapping[str, Any]
"""What happened: `event` is start, step, evaluated, saved, stopped or done."""


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """What `distc train` was asked for; fields are its flags.

    Attributes:
        artifact: folder or zip with the entry points of a training step.
        data: text, token ids or rows; see `runtime/data.py`.
        steps: steps to take in all, those before a restart included.
        lr: highest learning rate.
        schedule: how it falls over the steps.
        warmup: steps over which it rises from zero.
        checkpoint: folder for checkpoints; the newest in it is where the run goes on.
        save_every: steps between checkpoints; 0 saves at the end only.
        keep: checkpoints that stay.
        seed: shuffles the samples; None takes them in order.
        evaluate: data whose mean loss is told; needs the entry point `evaluate`.
        evaluate_every: steps between evaluations; 0 evaluates at the end only.
        max_restarts: how often lost ranks are started again.
    """

    artifact: str
    data: str
    steps: int
    lr: float = 1e-3
    schedule: str = "constant"
    warmup: int = 0
    checkpoint: str | None = None
    save_every: int = 0
    keep: int = 2
    ranks: int | None = None
    backend: str = "auto"
    executor: str = "eager"
    weights: str | None = None
    tokenizer: str | None = None
    seed: int | None = None
    evaluate: str | None = None
    evaluate_every: int = 0
    max_restarts: int = 0
    port: int | None = None
    threads: int | None = None
    peer_timeout: float = 10.0
    join_timeout: float = 300.0


def train(options: TrainOptions, tell: Callable[[Event], None]) -> int:
    """Train, and return the exit code; `tell` gets every event, in this process.

    Raises:
        DistcError: nothing could be started, or (as a rank) the run failed.
    """
    _check(options)
    opened = artifacts.read(options.artifact)
    ranks, mesh = opened.manifest.ranks, opened.manifest.mesh_text
    if options.backend == "sim" or is_rank(options.ranks):
        if options.backend == "sim":
            check_ranks(options.ranks, ranks, mesh)
        return as_this_process(options, tell)
    check_ranks(options.ranks, ranks, mesh)
    return _as_launcher(options, ranks, tell)


def as_this_process(options: TrainOptions, tell: Callable[[Event], None] | None = None) -> int:
    """Train as a rank, or as all of them; events of rank 0 go to `tell`, or to the launcher."""
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    from distc.runtime.train import run

    where = os.environ.get(EVENTS)
    if where is None:
        return run(options, tell or (lambda event: None))
    with open(where, "a", encoding="utf-8") as stream:

        def write(event: Event) -> None:
            stream.write(json.dumps(dict(event)) + "\n")
            stream.flush()

        return run(options, write)


def _check(options: TrainOptions) -> None:
    if options.backend not in BACKENDS or options.executor not in EXECUTORS:
        raise UsageError(
            f"unknown backend {options.backend!r} or executor {options.executor!r}",
            help=f"backends: {', '.join(BACKENDS)}; executors: {', '.join(EXECUTORS)}",
        )
    if options.schedule not in SCHEDULES:
        raise UsageError(
            f"unknown schedule {options.schedule!r}", help=f"use one of: {', '.join(SCHEDULES)}"
        )
    if options.steps < 1:
        raise UsageError(f"--steps is {options.steps}", help="take at least one step")
    if options.checkpoint is None and (options.save_every or options.max_restarts):
        raise UsageError(
            "there is nowhere to save and to go on from", help="name a folder with --checkpoint"
        )


def _as_launcher(options: TrainOptions, ranks: int, tell: Callable[[Event], None]) -> int:
    for attempt in range(options.max_restarts + 1):
        code, signalled = _attempt(options, ranks, attempt, tell)
        if signalled == signal.SIGINT and code == ExitCode.OK:
            return ExitCode.INTERRUPTED
        if code not in _RESTARTABLE or signalled or attempt == options.max_restarts:
            return code
        print(
            f"restart {attempt + 1} of {options.max_restarts} from the newest checkpoint",
            file=sys.stderr,
            flush=True,
        )
    return ExitCode.INTERNAL


def _attempt(
    options: TrainOptions, ranks: int, attempt: int, tell: Callable[[Event], None]
) -> tuple[int, int]:
    """Run the ranks once; return the exit code and the signal that ended it, or 0."""
    with tempfile.TemporaryDirectory(prefix="distc-train-") as name:
        events = Path(name) / "events"
        events.touch()
        command = [sys.executable, "-m", "distc.runtime", "train", json.dumps(asdict(options))]
        with _told(events, tell):
            started = Ranks(
                command,
                ranks,
                folder=Path(name),
                port=options.port,
                environ={
                    EVENTS: str(events),
                    ATTEMPT: str(attempt),
                    **thread_share(options.threads, ranks),
                },
                patience=_PATIENCE_SECONDS if options.checkpoint else 0.0,
            )
            code = started.wait()
    return code, started.interrupted_by


@contextmanager
def _told(events: Path, tell: Callable[[Event], None]) -> Iterator[None]:
    """Pass on what rank 0 writes, line by line, while the ranks run."""
    over = threading.Event()
    with open(events, encoding="utf-8") as stream:

        def follow() -> None:
            text = ""
            while True:
                last = over.is_set()
                text += stream.read()
                *lines, text = text.split("\n")
                for line in lines:
                    tell(json.loads(line))
                if last:
                    return
                over.wait(_POLL_SECONDS)

        thread = threading.Thread(target=follow, name="distc-events", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
