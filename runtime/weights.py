"""Each rank reads its own slices of the weights, from files that no rank reads whole.

A weight held under a view is cut in that view: the stored tensor is contiguous, so the box of the
view names its bytes. Files are mapped, one tensor at a time; only pages under the box are read.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from distc.runtime import stored as stored_files
from distc.runtime.artifact import Artifact, TensorRecord
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import InputError
from distc.runtime.shards import cut, pad
from distc.runtime.stored import StoredTensor, closest


@dataclass(frozen=True, slots=True)
class LocalWeights:
    """A rank's padded pieces in the order of the records, and the true bytes they hold."""

    tensors: tuple[Tensor, ...]
    bytes_read: int
    bytes_total: int


class WeightStore:
    """Where every weight of an artifact lies: given files first, then the artifact's own."""

    def __init__(self, artifact: Artifact, given: str | Path | None = None) -> None:
        self.artifact = artifact
        self.given = None if given is None else Path(given)
        self._headers: dict[str, dict[str, StoredTensor]] = {}
        self._index = {} if self.given is None else stored_files.index(self.given)

    def find(self, record: TensorRecord, *, given_only: bool = False) -> StoredTensor:
        """Return where the weight of `record` lies; its shape and file dtype are what it needs.

        Args:
            record: the weight.
            given_only: do not fall back on the files that the artifact names.

        Raises:
            InputError: missing (`E-WEIGHT-MISSING`), of another shape or dtype.
            MissingFile: the file the artifact names is not there.
        """
        found = self._given(record.name)
        if found is None and not given_only:
            found = self._own(record.name)
        if found is None:
            raise self._missing(record.name)
        if found.dtype != record.file_dtype:
            raise InputError(
                f"weight {record.name!r} is {found.dtype} in the file, the program takes "
                f"{record.file_dtype}",
                where=str(found.file),
                help="convert the weights, or recompile the model with these weights",
                code="E-WEIGHT-DTYPE",
            )
        if found.shape != record.shape:
            raise InputError(
                f"weight {record.name!r} has shape {list(found.shape)} in the file, the program "
                f"takes {list(record.shape)}",
                where=str(found.file),
                help="pass the weights of the model that was compiled",
                code="E-WEIGHT-SHAPE",
            )
        return found

    def names(self) -> list[str]:
        """Return every name that is there."""
        return sorted({*self._index, *self.artifact.manifest.weights.stored})

    def _given(self, name: str) -> StoredTensor | None:
        weights = self.artifact.manifest.weights
        known = weights.stored.get(name)
        others = [alias for alias, target in weights.aliases.items() if target == name]
        names = [*([known.key] if known else []), name, *sorted(others)]
        return next((self._index[n] for n in names if n in self._index), None)

    def _own(self, name: str) -> StoredTensor | None:
        at = self.artifact.manifest.weights.stored.get(name)
        if at is None:
            return None
        found = self._header(at.file).get(at.key)
        return None if found is None else replace(found, key=name)

    def _header(self, file: str) -> dict[str, StoredTensor]:
        if file not in self._headers:
            self._headers[file] = self._read_header(file)
        return self._headers[file]

    def _read_header(self, file: str) -> dict[str, StoredTensor]:
        if self.artifact.has(file):
            path, offset = self.artifact.locate(file)
            bytes_ = self.artifact.manifest.members[file].bytes_
            return stored_files.read_header(path, offset, bytes_)
        declared = {f.path: f.bytes_ for f in self.artifact.manifest.weights.external}
        path = self.artifact.home / file
        header = stored_files.read_header(path)
        found = path.stat().st_size
        if declared.get(file) != found:
            raise InputError(
                f"weight file {str(path)!r} has {found} bytes, the artifact was compiled with "
                f"one of {declared.get(file)}",
                help="pass the right weights with --weights, or recompile",
                code="E-WEIGHTS-FILE",
            )
        return header

    def _missing(self, name: str) -> InputError:
        near = closest(name, self.names())
        hint = f"the nearest name there is {near!r}; " if near else ""
        where = str(self.given) if self.given is not None else str(self.artifact.path)
        return InputError(
            f"weight {name!r} is in none of the weight files ({len(self.names())} names there)",
            where=where,
            help=f"{hint}pass a file or folder that holds it with --weights",
            code="E-WEIGHT-MISSING",
        )


def read_local(
    store: WeightStore, records: Sequence[TensorRecord], rank: int, device: torch.device
) -> LocalWeights:
    """Return the first values of `rank`'s state, padded with zeros to their static local shapes.

    What starts as zeros is made; what starts as its parameter is that parameter as the files have
    it, cut and converted.

    Raises:
        InputError: a weight is missing or of another shape or dtype.
    """
    owners = {r.name: r for r in records}
    sources = {r.name: owners[r.parameter] if r.initial == "parameter" else r for r in records}
    places = {r.name: store.find(sources[r.name]) for r in records if r.initial != "zeros"}
    tensors = tuple(
        _first_value(r, sources[r.name], places.get(r.name), rank).to(device) for r in records
    )
    held = (r.layout.bytes_held(rank, places[r.name].itemsize) for r in records if r.name in places)
    own = (place.bytes_ for name, place in places.items() if sources[name].name == name)
    return LocalWeights(tensors, sum(held), sum(own))


def _first_value(
    record: TensorRecord, source: TensorRecord, place: StoredTensor | None, rank: int
) -> Tensor:
    if place is None:
        return torch.zeros(record.layout.local_shape, dtype=torch_dtype(record.dtype))
    piece = read_box(place, replace(source, layout=record.layout), rank)
    return piece.to(torch_dtype(record.dtype))


def read_box(place: StoredTensor, record: TensorRecord, rank: int) -> Tensor:
    """Return the padded piece of one weight in memory of its own, in the dtype of the file."""
    dtype = torch_dtype(record.file_dtype)
    if place.bytes_ == 0 or record.layout.bytes_held(rank, 1) == 0:
        return torch.zeros(record.layout.local_shape, dtype=dtype)
    row = mapped_row(place, dtype)
    return _copy(row.view(record.layout.view), record, rank)


def _copy(view: Tensor, record: TensorRecord, rank: int) -> Tensor:
    piece = cut(view, record.layout, rank)
    if tuple(piece.shape) == record.layout.local_shape:
        return piece.clone(memory_format=torch.contiguous_format)
    return pad(piece, record.layout)


def mapped_row(place: StoredTensor, dtype: torch.dtype) -> Tensor:
    """Return the stored tensor as one row over mapped pages; they go when the row does."""
    start = place.start - place.start % mmap.ALLOCATIONGRANULARITY
    offset = place.start - start
    with open(place.file, "rb") as file:
        pages = mmap.mmap(
            file.fileno(), offset + place.bytes_, access=mmap.ACCESS_COPY, offset=start
        )
    if offset % dtype.itemsize:
        return torch.frombuffer(bytearray(pages[offset:]), dtype=dtype)
    return torch.frombuffer(pages, dtype=dtype, count=prod(place.shape), offset=offset)


def verify_members(artifact: Artifact, members: Iterable[str]) -> None:
    """Compare the digests of weight members.

    Raises:
        ArtifactError: one is damaged.
    """
    for member in members:
        artifact.verify(member)
