"""The watch leaves no thread behind that is inside of a call of the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from distc.runtime.errors import PeerLost
from distc.runtime.progress import Progress
from distc.runtime.watch import Watch

SLOW_SECONDS = 1.2


class SlowStore:
    """A store that answers as late as one does on a machine with too much to do."""

    def __init__(self) -> None:
        self.inside = threading.Event()
        self.left = threading.Event()

    def clone(self) -> SlowStore:
        """The same: there is no lock to get out of the way of."""
        return self

    def set_timeout(self, timeout: timedelta) -> None:
        """Nothing waits for ever here."""

    def wait(self, keys: Sequence[str]) -> None:
        """Everybody is there."""

    def set(self, key: str, value: str) -> None:
        """Forget it."""

    def get(self, key: str) -> bytes:
        """No verdict."""
        return b""

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """All are done, said late."""
        self.left.clear()
        self.inside.set()
        time.sleep(SLOW_SECONDS)
        self.left.set()
        return [b"done"] * len(keys)


def test_finish_waits_for_the_call_it_is_in() -> None:
    store: Any = SlowStore()
    lost: list[PeerLost] = []
    watch = Watch(store, 1, 2, Progress(1), on_lost=lambda error, rank: lost.append(error))
    watch.start()
    assert store.inside.wait(5.0)
    watch.finish()
    assert store.left.is_set()
    assert lost == []


def test_stop_before_start_does_not_wait() -> None:
    watch = Watch(SlowStore(), 1, 2, Progress(1))  # type: ignore[arg-type]
    start = time.monotonic()
    watch.stop()
    assert time.monotonic() - start < 1.0
