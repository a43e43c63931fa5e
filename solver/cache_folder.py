"""Where records on disk are kept that any compile may read again."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Return where records are kept: DISTC_CACHE_DIR, else the user's cache folder."""
    given = os.environ.get("DISTC_CACHE_DIR")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "distc"


def write_record(path: Path, body: str) -> None:
    """Write a record whole or not at all; a folder that cannot be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(body)
        os.replace(name, path)
    except OSError:
        return
