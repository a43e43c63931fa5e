"""`out.distc`: a directory or a STORED zip of text and safetensors, written whole or not at all.

Nothing is parsed before its size and sha256 agree with the manifest, nothing is ever extracted,
and members are opened by the names the manifest gives: there is no pickle, bytecode or code.
Standard library only; every layer may import this module.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from distc.runtime import manifest as manifest_schema
from distc.runtime.artifact_files import (
    MANIFEST,
    Content,
    measure,
    write_directory,
    write_zip,
)
from distc.runtime.errors import ArtifactError, MissingFile, UsageError
from distc.runtime.manifest import (
    EntryPoint,
    ExternalFile,
    Manifest,
    Member,
    StoredAt,
    TensorRecord,
    Weights,
)
from distc.runtime.program import Program
from distc.runtime.program import from_json as program_from_json
from distc.runtime.strict_json import RECOMPILE

__all__ = [
    "Artifact",
    "Content",
    "EntryPoint",
    "ExternalFile",
    "Manifest",
    "Member",
    "StoredAt",
    "TensorRecord",
    "Weights",
    "program_member",
    "read",
    "write",
]

MAX_MANIFEST_BYTES = 64 << 20
MAX_TEXT_BYTES = 1 << 30
MAX_MEMBERS = 4096

_MEMBER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z")
_SUFFIXES = (".json", ".mlir", ".html", ".toml", ".safetensors", ".txt")
_CHUNK = 1 << 20


def program_member(entry: str) -> str:
    """Return the member that holds the rank program of `entry`.

    That of `SOURCE_ENTRY` is what `distc run --check` compares with.
    """
    return "program.json" if entry == "main" else f"program.{entry}.json"


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact on disk whose manifest was read and whose members have the declared sizes.

    Safetensors members are hashed by `verify`, all others whenever they are read.
    """

    path: Path
    manifest: Manifest
    manifest_sha256: str
    is_zip: bool

    @property
    def home(self) -> Path:
        """The folder that relative paths of external weight files start from."""
        return self.path.resolve().parent

    def has(self, member: str) -> bool:
        """Return whether the artifact holds `member`."""
        return member in self.manifest.members

    def read_bytes(self, member: str) -> bytes:
        """Return a member, its digest checked.

        Raises:
            ArtifactError: no such member, too big to read whole, or damaged.
        """
        declared = self._declared(member)
        if declared.bytes_ > MAX_TEXT_BYTES:
            raise ArtifactError(
                f"{member} has {declared.bytes_} bytes, at most {MAX_TEXT_BYTES} are read whole",
                help="open it by slices",
            )
        with self.open(member) as stream:
            content = stream.read(declared.bytes_)
        self._compare(member, len(content), hashlib.sha256(content).hexdigest())
        return content

    def read_text(self, member: str) -> str:
        """Return a text member, its digest checked.

        Raises:
            ArtifactError: no such member, damaged or not UTF-8.
        """
        try:
            return self.read_bytes(member).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ArtifactError(f"{member} is not UTF-8: {error}", help=RECOMPILE) from None

    def program(self, entry: str = "main") -> Program:
        """Return the rank program of an entry point, checked against its records.

        Raises:
            ArtifactError: missing, damaged, or its types do not follow from the manifest.
        """
        program = program_from_json(self.read_text(program_member(entry)))
        if any(e.name == entry for e in self.manifest.entries):
            _check_signature(program, self.manifest.entry(entry))
        return program

    def locate(self, member: str) -> tuple[Path, int]:
        """Return the file that holds a member and the offset of its first byte there."""
        self._declared(member)
        if not self.is_zip:
            return self.path / member, 0
        with zipfile.ZipFile(self.path) as archive:
            return self.path, _data_offset(self.path, archive.getinfo(member))

    @contextmanager
    def open(self, member: str) -> Iterator[BinaryIO]:
        """Open a member for reading; its digest is not checked."""
        path, offset = self.locate(member)
        with open(path, "rb") as stream:
            stream.seek(offset)
            yield stream

    def verify(self, member: str) -> None:
        """Read a member whole and compare its digest.

        Raises:
            ArtifactError: it is damaged.
        """
        left, digest = self._declared(member).bytes_, hashlib.sha256()
        with self.open(member) as stream:
            while left and (chunk := stream.read(min(_CHUNK, left))):
                digest.update(chunk)
                left -= len(chunk)
        self._compare(member, self._declared(member).bytes_ - left, digest.hexdigest())

    def _declared(self, member: str) -> Member:
        declared = self.manifest.members.get(member)
        if declared is None:
            raise ArtifactError(f"the artifact holds no {member}", help=RECOMPILE)
        return declared

    def _compare(self, member: str, bytes_: int, digest: str) -> None:
        declared = self._declared(member)
        if (bytes_, digest) != (declared.bytes_, declared.sha256):
            raise ArtifactError(
                f"{member} has sha256 {digest[:16]}… ({bytes_} bytes), the manifest says "
                f"{declared.sha256[:16]}… ({declared.bytes_} bytes)",
                help=RECOMPILE,
                code="E-ARTIFACT-DIGEST",
            )


def read(path: str | os.PathLike[str]) -> Artifact:
    """Open an artifact: the manifest is parsed, every member's presence and size checked.

    Raises:
        MissingFile: there is nothing at `path`.
        ArtifactError: not an artifact, a newer schema (`E-ARTIFACT-VERSION`), members that are
            missing, undeclared, links, compressed, or of another size than declared.
    """
    where = Path(path)
    if not where.exists():
        raise MissingFile(
            f"there is no artifact at {str(where)!r}", help="check the path, or run distc compile"
        )
    if where.is_dir():
        return _read_directory(where)
    if not where.is_file():
        raise ArtifactError(f"{str(where)!r} is neither a folder nor a file", help=RECOMPILE)
    try:
        return _read_zip(where)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, UnicodeDecodeError) as error:
        raise ArtifactError(f"{str(where)!r} is not an artifact: {error}", help=RECOMPILE) from None


def _read_directory(path: Path) -> Artifact:
    found: dict[str, int] = {}
    with os.scandir(path) as items:
        kinds = {item.name: item.stat(follow_symlinks=False) for item in items}
    for name, kind in sorted(kinds.items()):
        if not stat.S_ISREG(kind.st_mode):
            raise ArtifactError(f"{name!r} in {str(path)!r} is not a plain file", help=RECOMPILE)
        found[name] = kind.st_size
    if found.get(MANIFEST, 0) > MAX_MANIFEST_BYTES:
        raise ArtifactError(f"{MANIFEST} has {found[MANIFEST]} bytes", help=RECOMPILE)
    if MANIFEST not in found:
        raise ArtifactError(
            f"{str(path)!r} has no {MANIFEST}", help="name a folder that distc wrote"
        )
    return _open(path, (path / MANIFEST).read_bytes(), found, is_zip=False)


def _read_zip(path: Path) -> Artifact:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, int] = {}
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
                raise ArtifactError(f"{info.filename!r} is compressed", help=RECOMPILE)
            if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1:
                raise ArtifactError(f"{info.filename!r} is a link or encrypted", help=RECOMPILE)
            if info.filename in found:
                raise ArtifactError(f"{info.filename!r} is in the zip twice", help=RECOMPILE)
            found[info.filename] = info.file_size
        if found.get(MANIFEST, MAX_MANIFEST_BYTES + 1) > MAX_MANIFEST_BYTES:
            raise ArtifactError(f"no {MANIFEST} of a sane size in {str(path)!r}", help=RECOMPILE)
        spans = sorted((_data_offset(path, i), i.file_size) for i in archive.infolist())
        size = path.stat().st_size
        ends = [*(start for start, _ in spans[1:]), size]
        if any(start + n > end for (start, n), end in zip(spans, ends, strict=True)):
            raise ArtifactError(f"members of {str(path)!r} overlap", help=RECOMPILE)
        return _open(path, archive.read(MANIFEST), found, is_zip=True)


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """Offset of a STORED member's bytes: its local header may differ from the central one."""
    with open(path, "rb") as stream:
        stream.seek(info.header_offset)
        header = stream.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise ArtifactError(f"{info.filename!r} has no local zip header", help=RECOMPILE)
    name, extra = (int.from_bytes(header[i : i + 2], "little") for i in (26, 28))
    return info.header_offset + 30 + name + extra


def _open(path: Path, raw: bytes, found: dict[str, int], *, is_zip: bool) -> Artifact:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"{MANIFEST} is not UTF-8: {error}", help=RECOMPILE) from None
    manifest = manifest_schema.from_json(text)
    found.pop(MANIFEST)
    _check_names(manifest.members)
    for name in sorted(found.keys() | manifest.members.keys()):
        declared = manifest.members.get(name)
        if declared is None or name not in found:
            what = "is not in the manifest" if declared is None else "is missing"
            raise ArtifactError(f"{name!r} {what} in {str(path)!r}", help=RECOMPILE)
        if found[name] != declared.bytes_:
            raise ArtifactError(
                f"{name} has {found[name]} bytes, the manifest says {declared.bytes_}",
                help=RECOMPILE,
                code="E-ARTIFACT-DIGEST",
            )
    return Artifact(path, manifest, hashlib.sha256(raw).hexdigest(), is_zip)


def _check_names(members: Mapping[str, object]) -> None:
    if len(members) > MAX_MEMBERS:
        raise ArtifactError(f"the manifest names {len(members)} members", help=RECOMPILE)
    for name in members:
        if not _MEMBER.match(name) or not name.endswith(_SUFFIXES) or name == MANIFEST:
            raise ArtifactError(f"{name!r} is no name for a member", help=RECOMPILE)


def _check_signature(program: Program, entry: EntryPoint) -> None:
    expected = [(r.layout.local_shape, r.dtype) for r in entry.arguments]
    found = [(t.shape, t.dtype) for t in program.inputs]
    if expected != found:
        index = next(
            (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b),
            min(len(expected), len(found)),
        )
        raise ArtifactError(
            f"{program_member(entry.name)} takes {len(found)} arguments, the manifest records "
            f"{len(expected)}; the first that differs is number {index}",
            help=RECOMPILE,
        )
    if len(program.outputs) != len(entry.results):
        raise ArtifactError(
            f"{program_member(entry.name)} returns {len(program.outputs)} values, the manifest "
            f"records {len(entry.results)}",
            help=RECOMPILE,
        )


def write(
    path: str | os.PathLike[str],
    members: Mapping[str, Content],
    manifest: Manifest,
    *,
    as_zip: bool | None = None,
) -> Artifact:
    """Write an artifact whole or not at all; equal contents give equal bytes.

    A member is text, bytes or a file to copy. The default form is a zip where `path` ends in
    `.zip`, else a directory. An artifact that is already there is replaced.

    Raises:
        ArtifactError: a member's name is not one.
        UsageError: something that is no artifact is in the way.
    """
    where = Path(path)
    _check_names(members)
    _check_replaceable(where)
    where.parent.mkdir(parents=True, exist_ok=True)
    full = replace(manifest, members={n: measure(members[n]) for n in sorted(members)})
    text = manifest_schema.to_json(full)
    manifest_schema.from_json(text)
    use_zip = where.suffix == ".zip" if as_zip is None else as_zip
    (write_zip if use_zip else write_directory)(where, members, text)
    return read(where)


def _check_replaceable(where: Path) -> None:
    taken = where.is_dir() and any(where.iterdir()) and not (where / MANIFEST).is_file()
    # A device or a pipe must not be renamed away: that may break the whole machine.
    special = where.exists() and not where.is_dir() and not where.is_file()
    if taken or special or (where.is_file() and not zipfile.is_zipfile(where)):
        raise UsageError(
            f"{str(where)!r} is there already and is no artifact", help="choose another output path"
        )
