"""Load: every rank reads the parts of its boxes, whatever plan the checkpoint was saved under."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from distc.runtime import shards
from distc.runtime.artifact import TensorRecord
from distc.runtime.checkpoint import folder
from distc.runtime.checkpoint.held import Held, saved_records, together
from distc.runtime.checkpoint.index import Index, Piece, SavedTensor, damaged, read
from distc.runtime.checkpoint.regions import overlap
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import DistcError, InputError
from distc.runtime.stored import StoredTensor, closest, read_header
from distc.runtime.weights import mapped_row

_CHUNK = 1 << 20
_LISTED = 10


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """What was loaded: its folder, what it says, and the bytes that each rank here read."""

    path: Path
    index: Index
    bytes_read: Mapping[int, int]


def load(held: Held, path: str | Path, *, verify: bool = True) -> LoadedCheckpoint:
    """Load a checkpoint into a program; every rank calls this.

    Each file is hashed by one rank; each rank then reads only what lies in its own boxes. An
    accumulator of gradients that the checkpoint has not starts as it did at first.

    Args:
        held: the program; its tensors keep their addresses.
        path: a checkpoint, or the folder that holds them: then the newest.
        verify: compare digests.

    Raises:
        MissingFile: there is no checkpoint.
        InputError: it is damaged (`E-CHECKPOINT`), or its tensors are not the program's. The
            state is as before then.
    """
    files = together(held, lambda: Checkpoint.open(Path(path)))
    records = saved_records(held)
    together(held, lambda: files.check(records.values()))
    if verify:
        together(held, lambda: _verify_share(held, files, records))
    with held.store.writing(f"loading {str(files.path)!r}"):
        bytes_read = together(held, lambda: _fill_all(held, files, records))
    return LoadedCheckpoint(files.path, files.index, bytes_read)


class Checkpoint:
    """A checkpoint on disk: its index, and the headers of its files."""

    def __init__(self, path: Path, index: Index) -> None:
        self.path, self.index = path, index
        self._headers: dict[str, dict[str, StoredTensor]] = {}

    @classmethod
    def open(cls, path: Path) -> Checkpoint:
        """Open a checkpoint, or the newest of a folder; every file must have its size.

        Raises:
            MissingFile: there is none.
            InputError: the index or a file is damaged.
        """
        found = folder.resolve(path)
        checkpoint = cls(found, read(found))
        for name, bytes_ in checkpoint.index.files.items():
            file = found / name
            size = file.stat().st_size if file.is_file() else None
            if size != bytes_:
                what = "is not there" if size is None else f"has {size} bytes, not {bytes_}"
                raise damaged(file, f"{name} {what}")
        return checkpoint

    def check(self, records: Iterable[TensorRecord]) -> None:
        """Check that the checkpoint has what a program keeps.

        Raises:
            InputError: tensors are missing, or of another shape or dtype; all are named.
        """
        wrong: list[str] = []
        for record in records:
            saved = self.index.tensors.get(record.name)
            if saved is None:
                wrong += [] if starts_anew(record) else [self._missing(record.name)]
            elif (saved.dtype, saved.shape) != (record.dtype, record.shape):
                wrong.append(
                    f"{record.name} is {saved.dtype}{list(saved.shape)} in the checkpoint, "
                    f"{record.dtype}{list(record.shape)} in the program"
                )
        if wrong:
            raise InputError(
                "; ".join(wrong[:_LISTED]) + ("; …" if len(wrong) > _LISTED else ""),
                where=str(self.path),
                help="load a checkpoint of the same model and optimizer",
                code="E-CHECKPOINT-TENSOR",
            )

    def _missing(self, name: str) -> str:
        near = closest(name, self.index.tensors)
        hint = f" (the nearest name there is {near})" if near else ""
        return f"{name} is not in the checkpoint{hint}"

    def stored(self, saved: SavedTensor, piece: Piece) -> StoredTensor:
        """Return where the bytes of a piece are.

        Raises:
            InputError: its file does not hold it as the index says.
        """
        if piece.file not in self._headers:
            try:
                self._headers[piece.file] = read_header(self.path / piece.file)
            except DistcError as error:
                raise damaged(self.path / piece.file, error.message) from None
        found = self._headers[piece.file].get(piece.key)
        if found is None or (found.dtype, found.shape) != (saved.dtype, piece.shape):
            raise damaged(
                self.path / piece.file,
                f"{piece.file} does not hold {saved.name} as {saved.dtype}{list(piece.shape)}",
            )
        return found

    def verify(self, saved: SavedTensor, piece: Piece) -> None:
        """Compare the digest of a piece.

        Raises:
            InputError: it is another.
        """
        place, digest = self.stored(saved, piece), hashlib.sha256()
        with open(place.file, "rb") as stream:
            stream.seek(place.start)
            left = place.bytes_
            while left and (chunk := stream.read(min(_CHUNK, left))):
                digest.update(chunk)
                left -= len(chunk)
        if digest.hexdigest() != piece.sha256:
            raise damaged(
                place.file,
                f"{saved.name} in {piece.file} has sha256 {digest.hexdigest()[:16]}…, the index "
                f"says {piece.sha256[:16]}…",
            )

    def read_box(
        self, saved: SavedTensor, view: tuple[int, ...], box: tuple[tuple[int, int], ...]
    ) -> tuple[Tensor, int]:
        """Return a box of a view of a tensor, contiguous, and the bytes read for it.

        Raises:
            InputError: the pieces do not hold all of it.
        """
        dtype = torch_dtype(saved.dtype)
        shape = tuple(length for _, length in box)
        target = torch.empty(shape, dtype=dtype)
        elements = 0
        for piece in saved.pieces if prod(shape) else ():
            part = overlap(saved.view, piece.box, view, box)
            if not part.elements:
                continue
            row = mapped_row(self.stored(saved, piece), dtype)
            source, into = row.view(part.shape_of_source), target.view(part.shape_of_target)
            for there, here in part.blocks():
                into[here].copy_(source[there])
            elements += part.elements
        if elements != prod(shape):
            raise damaged(
                self.path,
                f"the boxes of {saved.name} hold {elements} of {prod(shape)} elements of {box}",
            )
        return target, elements * dtype.itemsize


def starts_anew(record: TensorRecord) -> bool:
    """True for accumulators, which are empty between steps."""
    return record.kind == "gradient" and record.initial == "zeros"


def _verify_share(held: Held, files: Checkpoint, records: Mapping[str, TensorRecord]) -> None:
    """Hash this process's share of the pieces that the program needs."""
    pieces = [
        (saved, piece)
        for name, saved in files.index.tensors.items()
        if name in records
        for piece in saved.pieces
    ]
    ranks = held.artifact.manifest.ranks
    for rank in held.store.ranks:
        for saved, piece in pieces[rank::ranks]:
            files.verify(saved, piece)


def _fill_all(held: Held, files: Checkpoint, records: Mapping[str, TensorRecord]) -> dict[int, int]:
    counts = dict.fromkeys(held.store.ranks, 0)
    for rank in held.store.ranks:
        for record in records.values():
            local = held.store.tensors[rank][record.name]
            counts[rank] += _fill(files, record, rank, local)
    return counts


@torch.no_grad()
def _fill(files: Checkpoint, record: TensorRecord, rank: int, local: Tensor) -> int:
    """Fill one local tensor; return the bytes read."""
    local.zero_()
    saved = files.index.tensors.get(record.name)
    # Of a partial value the first rank along its axes holds all, the others nothing.
    elsewhere = any(p.split.coordinate(rank) for p in record.partial)
    if saved is None or elsewhere:
        return 0
    box = record.layout.box(rank)
    piece, bytes_ = files.read_box(saved, record.layout.view, box)
    shards.trim(local, piece.shape).copy_(piece)
    return bytes_
