"""What this rank is doing, where its launcher can read it even after a kill. Torch-free."""

from __future__ import annotations

import json
import mmap
import os
from pathlib import Path

RUN_FOLDER = "DISTC_RUN_FOLDER"
_SLOT_BYTES = 512


class Progress:
    """The step and operation of this rank, kept in memory and in a small mapped file."""

    def __init__(self, rank: int, folder: str | None = None) -> None:
        self.text = "starting"
        self._map: mmap.mmap | None = None
        where = os.environ.get(RUN_FOLDER) if folder is None else folder
        if where:
            path = Path(where) / f"progress.{rank}"
            path.write_bytes(bytes(_SLOT_BYTES))
            with open(path, "r+b") as file:
                self._map = mmap.mmap(file.fileno(), _SLOT_BYTES)
        self.note(self.text)

    def note(self, text: str) -> None:
        """Say what comes next."""
        self.text = text
        if self._map is not None:
            raw = text.encode("utf-8", "replace")[: _SLOT_BYTES - 1]
            self._map[: len(raw) + 1] = raw + b"\0"


def last_noted(folder: Path, rank: int) -> str:
    """Return what `rank` said last, or "starting"."""
    try:
        raw = (folder / f"progress.{rank}").read_bytes()
    except OSError:
        return "starting"
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace") or "starting"


def write_failure(rank: int, text: str, exit_code: int, *, cause: bool) -> None:
    """Leave this rank's error for the launcher; `cause` says it is not a peer's fault."""
    folder = os.environ.get(RUN_FOLDER)
    if not folder:
        return
    body = json.dumps({"rank": rank, "text": text, "exit": exit_code, "cause": cause})
    scratch = Path(folder) / f".failure.{rank}"
    scratch.write_text(body, "utf-8")
    scratch.rename(Path(folder) / f"failure.{rank}")
