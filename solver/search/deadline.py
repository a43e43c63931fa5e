"""The moment at which a search ends, and how solvers that run native code are made to keep it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

_TICK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of the monotonic clock.

    Attributes:
        at_seconds: the moment; infinity for a search that takes as long as it takes.
    """

    at_seconds: float = float("inf")

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the moment `seconds` from now, none for None."""
        return cls() if seconds is None else cls(time.monotonic() + seconds)

    @property
    def left_seconds(self) -> float:
        """Seconds from now, 0 where it has passed."""
        return max(0.0, self.at_seconds - time.monotonic())

    def spent(self) -> bool:
        """Say whether it has passed."""
        return self.left_seconds <= 0


def run_until(work: Callable[[], T], cancel: Callable[[], None], deadline: Deadline) -> T:
    """Return what `work` returns, cancelled at the deadline and at Ctrl-C.

    Native code does not return to Python while it runs, so no signal is noticed: it runs in a
    thread of its own, and this one waits for both.

    Args:
        work: runs in another thread; returns soon after it was cancelled, with what it has.
        cancel: may be called from this thread, several times, before and after the work as well.
        deadline: when to cancel.

    Raises:
        KeyboardInterrupt: after the work has ended.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        while not result.done():
            wait([result], timeout=_TICK_SECONDS)
            if deadline.spent():
                cancel()
    except KeyboardInterrupt:
        while not result.done():
            cancel()
            wait([result], timeout=_TICK_SECONDS)
        raise
    return result.result()
