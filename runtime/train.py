"""One rank's training run: go on from the newest checkpoint, step, tell, save, stop when asked."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from distc.runtime.artifact import TensorRecord
from distc.runtime.checkpoint import folder
from distc.runtime.data import Data, Order, open_data
from distc.runtime.errors import ExitCode, UsageError
from distc.runtime.load import RankProgram, SimProgram, load
from distc.runtime.train_launch import Event, TrainOptions
from distc.runtime.trainer import Trainer

POSITION = "sample"
"""Key of a checkpoint's position: samples that were taken so far."""


def run(options: TrainOptions, tell: Callable[[Event], None]) -> int:
    """Train and return the exit code; events are told on rank 0 only.

    Raises:
        DistcError: anything that stops the run.
    """
    with _stop_signals() as asked:
        program = load(
            options.artifact,
            backend=options.backend,
            weights=options.weights,
            executor=options.executor,
            peer_timeout=options.peer_timeout,
            join_timeout=options.join_timeout,
        )
        told = tell if program.rank == 0 else _nothing
        try:
            _Run(program, options, told, asked).go()
        except Exception as error:
            if isinstance(program, RankProgram):
                program.session.fail(error)
            raise
        program.close()
    return ExitCode.OK


def _nothing(_: Event) -> None:
    return None


@contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """Take SIGTERM and SIGINT as a wish to stop after the step."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    kept = {s: signal.signal(s, lambda *_: asked.set()) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


class _Run:
    def __init__(
        self,
        program: RankProgram | SimProgram,
        options: TrainOptions,
        tell: Callable[[Event], None],
        asked: threading.Event,
    ) -> None:
        self.program, self.options, self.tell, self.asked = program, options, tell, asked
        self.trainer: Trainer = program.trainer(schedule(options))
        inputs = self.trainer.batch_inputs
        self.data: Data = self._open(options.data, inputs)
        self.tested = None
        if options.evaluate is not None:
            self.tested = self._open(options.evaluate, self.trainer.evaluate_inputs)
        self.order = Order(self.data.samples, options.seed)
        self.batch = inputs[0].shape[0] * self.trainer.micro_batches if inputs else 1
        self.root = None if options.checkpoint is None else Path(options.checkpoint)
        self.saved_at = -1

    def _open(self, path: str, inputs: Sequence[TensorRecord]) -> Data:
        tokenizer = self.options.tokenizer
        return open_data(Path(path), inputs, None if tokenizer is None else Path(tokenizer))

    def go(self) -> None:
        """Take the steps that are left."""
        resumed = self._resume()
        self.tell(
            {
                "event": "start",
                "step": self.trainer.steps,
                "steps": self.options.steps,
                "ranks": self.program.artifact.manifest.ranks,
                "mesh": self.program.artifact.manifest.mesh_text,
                "batch": self.batch,
                "micro_batches": self.trainer.micro_batches,
                "samples": self.data.samples,
                "resumed": resumed,
            }
        )
        while self.trainer.steps < self.options.steps:
            if self.program.decide(self.asked.is_set()):
                self._save()
                self.tell({"event": "stopped", "step": self.trainer.steps})
                return
            self._step()
            every = self.options.save_every
            if every and self.trainer.steps % every == 0:
                self._save()
            tests = self.options.evaluate_every
            if (
                tests
                and self.trainer.steps % tests == 0
                and self.trainer.steps < self.options.steps
            ):
                self._evaluate()
        self._save()
        self._evaluate()
        self.tell({"event": "done", "step": self.trainer.steps})

    def _resume(self) -> str | None:
        """Load the newest checkpoint; rank 0 says which, so that all load the same."""
        if self.root is None:
            return None
        found = folder.newest(self.root) if 0 in self.program.store.ranks else None
        said = "" if found is None else str(found)
        name = self.program.exchange(dict.fromkeys(self.program.store.ranks, said))[0]
        if not name:
            return None
        self._note(f"loading {name}")
        self.trainer.load(name)
        self.saved_at = self.trainer.steps
        if POSITION not in self.trainer.position:
            raise UsageError(
                f"the checkpoint {name!r} does not say where its data stands",
                help="go on from it with the Trainer API, or name another folder",
            )
        return name

    def _step(self) -> None:
        position = self.trainer.position.get(POSITION, 0)
        batch = self.data.batch(self.order.numbers(position, self.batch))
        rate, scale = self.trainer.learning_rate(), self.trainer.loss_scale
        start = time.perf_counter()
        loss = self.trainer.step(batch).item()
        seconds = time.perf_counter() - start
        self.trainer.position[POSITION] = position + self.batch
        self.tell(
            {
                "event": "step",
                "step": self.trainer.steps,
                "loss": loss,
                "lr": rate,
                "seconds": seconds,
                **({} if scale is None else {"loss_scale": scale}),
                f"{self.data.unit}_per_second": self.batch * self.data.per_sample / seconds,
            }
        )

    def _evaluate(self) -> None:
        """Tell the mean loss over the whole batches of the evaluation data."""
        if self.tested is None:
            return
        size = self.trainer.evaluate_inputs[0].shape[0]
        count = self.tested.samples // size
        if count == 0:
            raise UsageError(
                f"the evaluation data has {self.tested.samples} samples, a batch has {size}",
                help="give more of it with --evaluate",
            )
        batches = (self.tested.batch(range(i * size, (i + 1) * size)) for i in range(count))
        loss = sum(self.trainer.evaluate(batch).item() for batch in batches) / count
        self.tell({"event": "evaluated", "step": self.trainer.steps, "loss": loss})

    def _save(self) -> None:
        if self.root is None or self.saved_at == self.trainer.steps:
            return
        self._note(f"saving step {self.trainer.steps}")
        path = self.trainer.save(self.root, self.options.keep)
        self.saved_at = self.trainer.steps
        self.tell({"event": "saved", "step": self.trainer.steps, "path": str(path)})

    def _note(self, text: str) -> None:
        if isinstance(self.program, RankProgram):
            self.program.session.progress.note(text)


def schedule(options: TrainOptions) -> Callable[[int], float]:
    """Return the learning rate by step: a linear rise, then constant or down to zero."""

    def rate(step: int) -> float:
        if step <= options.warmup:
            return options.lr * step / options.warmup
        left = max(options.steps - options.warmup, 1)
        done = (step - options.warmup - 1) / left
        match options.schedule:
            case "linear":
                return options.lr * (1 - done)
            case "cosine":
                return options.lr * (1 + math.cos(math.pi * done)) / 2
            case _:
                return options.lr

    return rate
