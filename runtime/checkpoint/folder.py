"""The folder that checkpoints are kept in: names, the newest complete one, what goes.

    DIR/latest                    name of the newest complete checkpoint
    DIR/step-00000020/            index.json and one safetensors file per rank that writes
    DIR/.saving-step-00000030/    being written, or left by a save that was killed

A checkpoint is written aside and renamed when all of it is on the disk. One that is deleted loses
its index first, so nobody takes half of it for a whole. Standard library only.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from distc.runtime.checkpoint.index import INDEX
from distc.runtime.errors import MissingFile, UsageError

LATEST = "latest"
_NAME = re.compile(r"step-(\d{8,})(?:\.(\d+))?\Z")
_SCRATCH = ".saving-"


def prepare(root: Path, step: int) -> Path:
    """Make and return the scratch folder of a save; remove what killed saves and removals left.

    Raises:
        UsageError: `root` is not a folder.
    """
    if root.exists() and not root.is_dir():
        raise UsageError(
            f"{str(root)!r} is not a folder", help="name another folder for checkpoints"
        )
    root.mkdir(parents=True, exist_ok=True)
    for left in root.iterdir():
        half = _NAME.match(left.name) and not (left / INDEX).exists()
        if half or left.name.startswith(_SCRATCH):
            shutil.rmtree(left, ignore_errors=True)
    scratch = root / f"{_SCRATCH}{_free_name(root, step)}"
    scratch.mkdir()
    return scratch


def _free_name(root: Path, step: int) -> str:
    """Return a name that is not taken: a step that a run takes again does not replace the first."""
    name = f"step-{step:08d}"
    number = 0
    while (root / name).exists():
        number += 1
        name = f"step-{step:08d}.{number}"
    return name


def publish(scratch: Path, keep: int | None) -> Path:
    """Make a written checkpoint the latest, then delete all but the `keep` newest."""
    sync(scratch)
    final = scratch.with_name(scratch.name.removeprefix(_SCRATCH))
    os.rename(scratch, final)
    sync(final.parent)
    pointer = final.parent / f".{LATEST}"
    write_synced(pointer, final.name.encode() + b"\n")
    os.replace(pointer, final.parent / LATEST)
    sync(final.parent)
    if keep is not None:
        for old in [c for c in complete(final.parent) if c != final][max(keep - 1, 0) :]:
            remove(old)
    return final


def complete(root: Path) -> list[Path]:
    """Return the complete checkpoints of a folder, the newest first."""
    found = []
    for path in root.iterdir() if root.is_dir() else ():
        match = _NAME.match(path.name)
        if match is not None and (path / INDEX).is_file():
            found.append((path.stat().st_mtime_ns, int(match[1]), int(match[2] or 0), path))
    return [path for *_, path in sorted(found, reverse=True)]


def remove(path: Path) -> None:
    """Delete a checkpoint, its index first."""
    (path / INDEX).unlink(missing_ok=True)
    sync(path)
    shutil.rmtree(path, ignore_errors=True)


def newest(path: Path) -> Path | None:
    """Return the checkpoint that `path` is or holds, None where it holds none."""
    if (path / INDEX).is_file():
        return path
    pointer = path / LATEST
    name = pointer.read_text("utf-8", "replace").strip() if pointer.is_file() else ""
    if _NAME.match(name) and (path / name / INDEX).is_file():
        return path / name
    return next(iter(complete(path)), None)


def resolve(path: Path) -> Path:
    """Return the checkpoint that `path` is, or the newest in it.

    Raises:
        MissingFile: there is none.
    """
    found = newest(path)
    if found is None:
        raise MissingFile(
            f"there is no complete checkpoint in {str(path)!r}",
            help="name a checkpoint, or the folder that holds them",
        )
    return found


def write_synced(path: Path, content: bytes) -> None:
    """Write a file that is on the disk when this returns."""
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
