"""Ranks watch each other: one that dies, hangs or fails is named to all, within seconds.

Every rank writes a beat to the store four times a second. Rank 0 watches all beats, the others
watch rank 0 and the verdict: the first who finds a rank lost writes its name there, and every
rank that reads it leaves with exit code 75. A stuck main thread cannot stop this: it runs in a
thread with its own connection. What it cannot see is a rank whose code holds the GIL for ever;
that one counts as hung.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from torch._C._distributed_c10d import Store

from distc.runtime.errors import ExitCode, PeerLost
from distc.runtime.progress import Progress, write_failure

BEAT_SECONDS = 0.25
PEER_TIMEOUT_SECONDS = 10.0
_SUSPECT_SECONDS = 0.9
_DONE = "done"
_VERDICT = "verdict"


def leave(error: PeerLost, rank: int) -> None:
    """Print the error and end this process at once, whatever its main thread is stuck in."""
    print(error, file=sys.stderr, flush=True)
    sys.stdout.flush()
    write_failure(rank, str(error), ExitCode.PEER_LOST, cause=False)
    os._exit(ExitCode.PEER_LOST)


class Watch:
    """The heartbeat of this rank and its eye on the others.

    Args:
        store: the store all ranks joined; cloned, so that its lock is never waited for.
        timeout: seconds without a beat after which a rank counts as hung.
        on_lost: what to do when a rank is lost; it does not return in production.
    """

    def __init__(
        self,
        store: Store,
        rank: int,
        ranks: int,
        progress: Progress,
        *,
        timeout: float = PEER_TIMEOUT_SECONDS,
        on_lost: Callable[[PeerLost, int], None] = leave,
    ) -> None:
        self.rank, self.ranks, self.progress, self.timeout = rank, ranks, progress, timeout
        self._on_lost = on_lost
        self._store: Store = store.clone()  # type: ignore[attr-defined]  # missing in torch's stubs
        self._store.set_timeout(timedelta(seconds=timeout))
        self._stop = threading.Event()
        self._beats, self._blaming = 0, False
        self._seen: dict[int, tuple[str, float]] = {}
        self._last_round = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="distc-watch", daemon=True)
        self._guard = threading.Thread(target=self._run_guard, name="distc-guard", daemon=True)

    def start(self) -> None:
        """Write the first beat, wait for everybody's, then watch."""
        self._beat()
        if self.rank == 0:
            self._store.set(_VERDICT, "")
        self._store.wait([_VERDICT, *(f"beat/{r}" for r in range(self.ranks))])
        self._last_round = time.monotonic()
        self._thread.start()
        self._guard.start()

    def finish(self) -> None:
        """Say goodbye; rank 0, whose process may serve the store, leaves last."""
        deadline = time.monotonic() + self.timeout
        while self.rank == 0 and time.monotonic() < deadline and not self._all_done():
            time.sleep(0.02)
        self.stop()
        try:
            self._store.set(f"beat/{self.rank}", _DONE)
        except RuntimeError:
            return

    def stop(self) -> None:
        """End the threads without a goodbye: to the others this rank is lost.

        Waits for them, whose calls end within the timeout: a thread that is inside the store
        while the interpreter ends aborts the process.
        """
        self._stop.set()
        for thread in (self._thread, self._guard):
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(self.timeout + BEAT_SECONDS)

    def fail(self, what: str) -> None:
        """Tell the others that this rank failed, before it leaves."""
        try:
            self._store.compare_set(_VERDICT, "", f"{self.rank}|{what}")
        except RuntimeError:
            return

    def blame(self) -> str:
        """Return which rank a broken connection is due to, in words, and tell the others."""
        self._blaming = True
        try:
            lost = self._blame()
            self._store.compare_set(_VERDICT, "", lost.removeprefix("rank ").replace(" ", "|", 1))
            self._linger()
            return lost
        except RuntimeError:
            return "rank 0 is gone: its store does not answer"

    def _blame(self) -> str:
        others = [r for r in range(self.ranks) if r != self.rank]
        before = self._read(others)
        deadline = time.monotonic() + _SUSPECT_SECONDS
        while time.monotonic() < deadline:
            verdict = self._store.get(_VERDICT).decode()
            if verdict:
                rank, _, what = verdict.partition("|")
                return f"rank {rank} {what}"
            time.sleep(BEAT_SECONDS / 2)
        after = self._read(others)
        still = [r for r in others if after[r] == before[r] and after[r] != _DONE]
        left = [r for r in others if after[r] == _DONE]
        if not still and left:
            return f"rank {left[0]} left before the others had finished"
        if not still:
            return f"rank {self.rank} lost a connection, all ranks are alive"
        where = after[still[0]].partition("|")[2]
        return f"rank {still[0]} died, last seen at {where}"

    def _read(self, ranks: list[int]) -> dict[int, str]:
        beats = self._store.multi_get([f"beat/{r}" for r in ranks])
        return {r: bytes(b).decode("utf-8", "replace") for r, b in zip(ranks, beats, strict=True)}

    def _all_done(self) -> bool:
        try:
            others = self._read([r for r in range(self.ranks) if r != self.rank])
        except RuntimeError:
            return True
        return all(beat == _DONE for beat in others.values())

    def _beat(self) -> None:
        self._beats += 1
        self._store.set(f"beat/{self.rank}", f"{self._beats}|{self.progress.text}")

    def _run(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            try:
                lost = self._round()
            except RuntimeError:
                lost = "rank 0 is gone: its store does not answer"
            if lost and not self._blaming and not self._stop.is_set():
                self._report(lost)
                break
            self._last_round = time.monotonic()

    def _run_guard(self) -> None:
        """Notice that the watch itself hangs, because the store's host was stopped."""
        while not self._stop.wait(BEAT_SECONDS):
            stuck = time.monotonic() - self._last_round > self.timeout + 1.0
            if stuck and not self._blaming:
                self._report(f"rank 0 did not answer for {self.timeout:g} s: its store is stuck")
                return

    def _round(self) -> str:
        self._beat()
        watched = list(range(1, self.ranks)) if self.rank == 0 else [0]
        beats = self._read(watched)
        verdict = self._store.get(_VERDICT).decode("utf-8", "replace")
        if verdict:
            rank, _, what = verdict.partition("|")
            return "" if int(rank) == self.rank else f"rank {rank} {what}"
        return next((text for r in watched if (text := self._judge(r, beats[r]))), "")

    def _judge(self, rank: int, beat: str) -> str:
        """Return why `rank` is lost, or "" while it lives."""
        now = time.monotonic()
        if beat == _DONE or self._seen.get(rank, ("", 0.0))[0] != beat:
            self._seen[rank] = (beat, now)
            return ""
        silent = now - self._seen[rank][1]
        if silent < self.timeout:
            return ""
        what = f"did not answer for {silent:.1f} s at {beat.partition('|')[2]}"
        self._store.compare_set(_VERDICT, "", f"{rank}|{what}")
        return f"rank {rank} {what}"

    def _linger(self) -> None:
        """Rank 0's process may serve the store: let the others read the verdict first."""
        if self.rank == 0:
            time.sleep(2 * BEAT_SECONDS + 0.1)

    def _report(self, lost: str) -> None:
        self._linger()
        self._on_lost(peer_lost(lost, self.rank, self.progress.text), self.rank)


def peer_lost(lost: str, rank: int, doing: str) -> PeerLost:
    """Return the error that names the culprit and what this rank was doing."""
    return PeerLost(
        f"{lost}; rank {rank} was at {doing}",
        help="look at that rank's own output above; the run can be started again as it is",
    )
