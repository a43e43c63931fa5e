"""Write an artifact's files whole or not at all: aside, synced, then renamed; manifest last.

Equal contents give equal bytes: members in order, fixed times and modes, nothing compressed.
Standard library only.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from distc.runtime.manifest import Member

MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)

Content: TypeAlias = "bytes | str | Path"


@contextmanager
def opened(content: Content) -> Iterator[BinaryIO]:
    """Open a content for reading, whatever it is."""
    if isinstance(content, Path):
        with open(content, "rb") as stream:
            yield stream
        return
    yield io.BytesIO(content.encode("utf-8") if isinstance(content, str) else content)


def measure(content: Content) -> Member:
    """Return size and sha256 of a content."""
    digest, bytes_ = hashlib.sha256(), 0
    with opened(content) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            bytes_ += len(chunk)
    return Member(bytes_, digest.hexdigest())


def write_directory(where: Path, members: Mapping[str, Content], manifest: str) -> None:
    """Write members and manifest beside `where`, then rename into place."""
    scratch = Path(tempfile.mkdtemp(prefix=f".{where.name}.", dir=where.parent))
    try:
        for name in sorted(members):
            _write_file(scratch / name, members[name])
        _write_file(scratch / MANIFEST, manifest)
        scratch.chmod(0o755)
        _sync(scratch)
        _swap_in(scratch, where)
        _sync(where.parent)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _swap_in(scratch: Path, where: Path) -> None:
    """Put `scratch` at `where`; what was there is put aside first and removed last."""
    if not where.exists():
        os.rename(scratch, where)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{where.name}.old.", dir=where.parent))
    os.rename(where, aside / "was")
    os.rename(scratch, where)
    shutil.rmtree(aside, ignore_errors=True)


def _write_file(path: Path, content: Content) -> None:
    with opened(content) as source, open(path, "wb") as target:
        shutil.copyfileobj(source, target, _CHUNK)
        target.flush()
        os.fsync(target.fileno())


def write_zip(where: Path, members: Mapping[str, Content], manifest: str) -> None:
    """Write a STORED zip beside `where`, then rename into place."""
    handle, name = tempfile.mkstemp(prefix=f".{where.name}.", dir=where.parent)
    scratch = Path(name)
    try:
        with os.fdopen(handle, "wb") as target:
            with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
                for member in sorted(members):
                    _add(archive, member, members[member])
                _add(archive, MANIFEST, manifest)
            target.flush()
            os.fsync(target.fileno())
        scratch.chmod(0o644)
        _swap_zip(scratch, where)
        _sync(where.parent)
    finally:
        scratch.unlink(missing_ok=True)


def _swap_zip(scratch: Path, where: Path) -> None:
    if where.is_dir():
        shutil.rmtree(where)
    os.replace(scratch, where)


def _add(archive: zipfile.ZipFile, name: str, content: Content) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16
    with opened(content) as source, archive.open(info, "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, _CHUNK)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
