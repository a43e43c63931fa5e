"""Training data: samples by number, so that a position in a checkpoint says where to go on.

    text            a file, or a folder of them in the order of their names; tokens come from the
                    tokenizer.json of a folder, or are the bytes
    token ids       .npy, or .safetensors with one tensor of integers
    .safetensors    with the program's inputs by name, one row per sample

Sample n is the same on every rank, in every run. Files are mapped, not read whole; only text is
tokenized at the start.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from distc.runtime.artifact import TensorRecord
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import InputError, MissingFile, Unavailable
from distc.runtime.stored import StoredTensor, read_header
from distc.runtime.weights import mapped_row

NEXT_TOKEN = ("target", "targets", "next_ids", "y")
"""Inputs that get the token after each one; `labels` are the tokens, as Hugging Face has it."""


class Data(Protocol):
    """Samples of a data set.

    Attributes:
        samples: how many there are.
        unit: what throughput counts, `tokens` or `samples`.
        per_sample: how many of them a sample holds.
    """

    samples: int
    unit: str
    per_sample: int

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return samples joined on their first dimension, by input."""
        ...


class Order:
    """Which sample comes at a position: in order, or shuffled anew in every epoch."""

    def __init__(self, samples: int, seed: int | None) -> None:
        self.samples, self.seed = samples, seed
        self._epoch, self._permutation = -1, np.arange(0)

    def numbers(self, position: int, count: int) -> list[int]:
        """Return the numbers of the samples at `position` and after."""
        return [self._number(position + i) for i in range(count)]

    def _number(self, position: int) -> int:
        epoch, index = divmod(position, self.samples)
        if self.seed is None:
            return index
        if epoch != self._epoch:
            generator = np.random.default_rng([self.seed, epoch])
            self._epoch, self._permutation = epoch, generator.permutation(self.samples)
        return int(self._permutation[index])


def open_data(path: Path, inputs: Sequence[TensorRecord], tokenizer: Path | None) -> Data:
    """Open a data set for a program's inputs.

    Raises:
        MissingFile: there is nothing at `path`.
        InputError: it does not hold what the program takes.
        Unavailable: a tokenizer is named and the package tokenizers is not installed.
    """
    if not path.exists():
        raise MissingFile(f"there is no data at {str(path)!r}", help="check --data")
    if path.suffix == ".safetensors":
        stored = read_header(path)
        if all(r.name in stored for r in inputs):
            return Rows(stored, inputs)
        return Tokens(_single(stored, inputs, path), inputs, path)
    if path.suffix == ".npy":
        return Tokens(_from_npy(path), inputs, path)
    return Tokens(_from_text(path, tokenizer), inputs, path)


class Rows:
    """Inputs by name, one row per sample."""

    unit = "samples"
    per_sample = 1

    def __init__(self, stored: dict[str, StoredTensor], inputs: Sequence[TensorRecord]) -> None:
        self._rows: dict[str, Tensor] = {}
        counts = {stored[r.name].shape[:1] for r in inputs}
        if len(counts) != 1 or counts in ({()}, {(0,)}):
            shapes = ", ".join(f"{r.name} {list(stored[r.name].shape)}" for r in inputs)
            raise InputError(
                f"the inputs have other numbers of rows: {shapes}",
                help="give every input one row per sample",
            )
        for record in inputs:
            place = stored[record.name]
            if (place.dtype, place.shape[1:]) != (record.dtype, record.shape[1:]):
                found = f"{place.dtype}{list(place.shape[1:])}"
                raise InputError(
                    f"rows of {record.name!r} are {found} in the file, the program takes "
                    f"{record.dtype}{list(record.shape[1:])}",
                    where=str(place.file),
                    help="write the data in the shapes the program was compiled for",
                )
            self._rows[record.name] = mapped_row(place, torch_dtype(place.dtype)).view(place.shape)
        self.samples = int(next(iter(counts))[0])

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return rows joined, by input."""
        index = torch.tensor(list(numbers))
        return {name: rows.index_select(0, index) for name, rows in self._rows.items()}


class Tokens:
    """A row of token ids, cut into samples of the program's sequence length."""

    unit = "tokens"

    def __init__(self, ids: Any, inputs: Sequence[TensorRecord], where: Path) -> None:
        self._ids, self._inputs = ids, inputs
        for record in inputs:
            if len(record.shape) != 2 or record.dtype not in ("i32", "i64"):
                raise InputError(
                    f"input {record.name!r} is {record.dtype}{list(record.shape)}, text gives "
                    "tokens for inputs of i32 or i64 [batch, sequence]",
                    where=str(where),
                    help=f"give a .safetensors file that holds {record.name!r} row by row",
                )
        lengths = {r.shape[1] for r in inputs}
        self.per_sample = max(lengths, default=1)
        self.samples = max(0, (len(ids) - 1) // self.per_sample)
        if len(lengths) > 1 or self.samples == 0:
            raise InputError(
                f"{len(ids)} tokens make no sample of {sorted(lengths)} tokens",
                where=str(where),
                help="give a longer text, or compile for a shorter sequence",
            )
        self._check_range(where)

    def _check_range(self, where: Path) -> None:
        bounds = [r.bound for r in self._inputs if r.bound is not None]
        most = int(np.max(self._ids))
        if any(not high > most for _, high in bounds) or int(np.min(self._ids)) < 0:
            raise InputError(
                f"the data holds the token {most}, the model knows {min(h for _, h in bounds)}"
                if bounds
                else "the data holds a negative token",
                where=str(where),
                help="name the model's folder with --tokenizer",
            )

    def batch(self, numbers: Sequence[int]) -> dict[str, Tensor]:
        """Return what each input gets of samples, [samples, sequence]."""
        length = self.per_sample
        cut = np.stack([self._ids[n * length : n * length + length + 1] for n in numbers])
        tokens = torch.from_numpy(cut.astype(np.int64))
        return {r.name: _of(r, tokens).to(torch_dtype(r.dtype)) for r in self._inputs}


def _of(record: TensorRecord, tokens: Tensor) -> Tensor:
    """Return what an input gets of [samples, sequence + 1] tokens."""
    name = record.name.rpartition(".")[2]
    if name in NEXT_TOKEN:
        return tokens[:, 1:]
    if name.endswith("mask"):
        return torch.ones_like(tokens[:, :-1])
    if name == "position_ids":
        return torch.arange(tokens.shape[1] - 1).expand(tokens.shape[0], -1)
    return tokens[:, :-1]


def _single(
    stored: dict[str, StoredTensor], inputs: Sequence[TensorRecord], path: Path
) -> np.ndarray[Any, Any]:
    place = next(iter(stored.values()), None)
    if place is None or len(stored) != 1 or place.dtype not in ("ui8", "i32", "i64"):
        raise InputError(
            f"{path.name} holds {', '.join(sorted(stored)[:8]) or 'nothing'}; the program takes "
            f"{', '.join(r.name for r in inputs)}",
            where=str(path),
            help="name its tensors as the inputs, or give one tensor of token ids",
        )
    return mapped_row(place, torch_dtype(place.dtype)).numpy()


def _from_npy(path: Path) -> np.ndarray[Any, Any]:
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise InputError(
            f"{path.name} is not an array of numbers: {error}",
            where=str(path),
            help="write the token ids with numpy.save",
        ) from None
    if found.dtype.kind not in "iu" or prod(found.shape) == 0:
        raise InputError(
            f"{path.name} is {found.dtype}{list(found.shape)}, not token ids",
            where=str(path),
            help="write the token ids as integers",
        )
    row: np.ndarray[Any, Any] = found.reshape(-1)
    return row


def _from_text(path: Path, tokenizer: Path | None) -> np.ndarray[Any, Any]:
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    try:
        text = "".join(f.read_text("utf-8") for f in files)
    except UnicodeDecodeError as error:
        raise InputError(
            f"the data is not UTF-8 text: {error.reason}",
            where=str(path),
            help="give text, .npy or .safetensors",
        ) from None
    if not text:
        raise InputError("the data is empty", where=str(path), help="give a text that holds words")
    if tokenizer is None:
        return np.frombuffer(text.encode(), dtype=np.uint8)
    return np.asarray(_tokenize(text, tokenizer), dtype=np.int64)


def _tokenize(text: str, tokenizer: Path) -> list[int]:
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise MissingFile(
            f"there is no tokenizer at {str(file)!r}", help="name a folder with tokenizer.json"
        )
    try:
        library = importlib.import_module("tokenizers")
    except ImportError:
        raise Unavailable(
            "reading tokenizer.json needs the package tokenizers",
            help="pip install tokenizers, or give token ids as .npy",
        ) from None
    try:
        loaded = library.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exception
        raise InputError(
            f"{file.name} is no tokenizer: {error}", where=str(file), help="copy it again"
        ) from None
    return list(loaded.encode(text, add_special_tokens=False).ids)
