"""Safetensors files as indexes: which tensor lies where, without reading any of them.

The header is checked in full (bounds, overlaps, sizes, repeated names) before anything is
believed. Names in a file are never used as paths. Standard library only.
"""

from __future__ import annotations

import difflib
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path

from distc.runtime.errors import DistcError, InputError, MissingFile
from distc.runtime.manifest import MAX_DIM, MAX_ELEMENTS, MAX_RANK
from distc.runtime.strict_json import Json, expect_dict, expect_int, expect_list, load_json

INDEX_FILE = "model.safetensors.index.json"
SINGLE_FILE = "model.safetensors"
MAX_HEADER_BYTES = 100_000_000

# name in the file -> (name in programs or None where programs cannot hold it, bytes)
DTYPES: dict[str, tuple[str | None, int]] = {
    "BOOL": ("i1", 1), "I8": ("i8", 1), "I16": ("i16", 2), "I32": ("i32", 4), "I64": ("i64", 8),
    "U8": ("ui8", 1), "U16": ("ui16", 2), "U32": ("ui32", 4), "U64": ("ui64", 8),
    "F16": ("f16", 2), "BF16": ("bf16", 2), "F32": ("f32", 4), "F64": ("f64", 8),
    "C64": ("c64", 8), "F8_E4M3": (None, 1), "F8_E5M2": (None, 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor of a safetensors file: bytes [start, start + bytes_) of `file`.

    `dtype` is the program's name (`f32`), or the file's where programs have none.
    """

    file: Path
    key: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    bytes_: int

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.bytes_ // max(prod(self.shape), 1) or 1


def read_header(file: Path, offset: int = 0, bytes_: int | None = None) -> dict[str, StoredTensor]:
    """Return what a safetensors file, or such a stretch of a zip, holds.

    Raises:
        MissingFile: there is no such file.
        InputError: it is not a well-formed safetensors file.
    """
    try:
        kind = file.stat()
    except OSError:
        raise MissingFile(
            f"there is no weight file {str(file)!r}", help="name the file or folder with --weights"
        ) from None
    if not stat.S_ISREG(kind.st_mode):
        raise InputError(f"{str(file)!r} is not a plain file", help="name a safetensors file")
    size = kind.st_size - offset if bytes_ is None else bytes_
    try:
        return _read_header(file, offset, size)
    except (KeyError, TypeError, ValueError) as error:
        raise _malformed(file, str(error)) from None


def _malformed(file: Path, what: str) -> InputError:
    return InputError(
        f"{file.name!r} is not a well-formed safetensors file: {what}",
        help="copy or convert the weights again",
        code="E-WEIGHTS-FILE",
        where=str(file),
    )


def _read_header(file: Path, offset: int, size: int) -> dict[str, StoredTensor]:
    with open(file, "rb") as stream:
        stream.seek(offset)
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > min(MAX_HEADER_BYTES, size - 8):
            raise ValueError(f"a header of {length} bytes in a file of {size}")
        text = stream.read(length)
    try:
        body = expect_dict(load_json(text.decode("utf-8"), file.name))
    except DistcError as error:
        raise ValueError(error.message) from None
    body.pop("__metadata__", None)
    data = offset + 8 + length
    tensors = {key: _tensor(file, key, raw, data) for key, raw in body.items()}
    _check_cover(tensors.values(), data, size - 8 - length)
    return tensors


def _tensor(file: Path, key: str, raw: Json, data: int) -> StoredTensor:
    body = expect_dict(raw)
    name = str(body["dtype"])
    if name not in DTYPES:
        raise ValueError(f"tensor {key!r} has the unknown dtype {name!r}")
    known, itemsize = DTYPES[name]
    shape = tuple(expect_int(n) for n in expect_list(body["shape"]))
    begin, end = (expect_int(o) for o in expect_list(body["data_offsets"]))
    in_limits = len(shape) <= MAX_RANK and all(0 <= n <= MAX_DIM for n in shape)
    if not in_limits or prod(shape) > MAX_ELEMENTS or end - begin != prod(shape) * itemsize:
        raise ValueError(f"tensor {key!r} of shape {list(shape)} has {end - begin} bytes")
    return StoredTensor(file, key, known or name, shape, data + begin, end - begin)


def _check_cover(tensors: Iterable[StoredTensor], data: int, size: int) -> None:
    """The tensors must cover the data exactly: no hole, no overlap, nothing behind."""
    position = data
    for tensor in sorted(tensors, key=lambda t: (t.start, t.bytes_)):
        if tensor.start != position:
            raise ValueError(f"tensor {tensor.key!r} starts at {tensor.start}, expected {position}")
        position += tensor.bytes_
    if position != data + size:
        raise ValueError(f"tensors end at {position}, the file at {data + size}")


def index(path: Path) -> dict[str, StoredTensor]:
    """Return name -> tensor of a safetensors file or a Hugging Face folder.

    Raises:
        MissingFile: no such path, or a file the folder's index names is not there.
        InputError: a folder without safetensors, or a malformed file or index.
    """
    if not path.exists():
        raise MissingFile(
            f"there are no weights at {str(path)!r}",
            help="name a safetensors file or a folder that holds model.safetensors",
        )
    if not path.is_dir():
        return read_header(path)
    if (path / INDEX_FILE).is_file():
        return _sharded(path)
    if (path / SINGLE_FILE).is_file():
        return read_header(path / SINGLE_FILE)
    files = sorted(path.glob("*.safetensors"))
    if not files:
        raise InputError(
            f"the folder {str(path)!r} holds no safetensors file",
            help=f"name a folder with {SINGLE_FILE} or {INDEX_FILE}",
            code="E-WEIGHTS-FILE",
        )
    return {key: tensor for file in files for key, tensor in read_header(file).items()}


def _sharded(folder: Path) -> dict[str, StoredTensor]:
    where = folder / INDEX_FILE
    try:
        body = expect_dict(load_json(where.read_text("utf-8"), INDEX_FILE))
        files = {key: str(name) for key, name in expect_dict(body["weight_map"]).items()}
    except (KeyError, TypeError, ValueError) as error:
        raise _malformed(where, f"no weight_map of text ({error})") from None
    outside = sorted(n for n in set(files.values()) if Path(n).name != n)
    if outside:
        raise _malformed(where, f"it names {outside[0]!r} outside its folder")
    headers = {name: read_header(folder / name) for name in sorted(set(files.values()))}
    lost = sorted(key for key, name in files.items() if key not in headers[name])
    if lost:
        raise _malformed(where, f"{files[lost[0]]} does not hold {lost[0]!r}")
    return {key: headers[name][key] for key, name in files.items()}


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name most like `name`, or None where none is near."""
    known = sorted(names)
    tail = [n for n in known if n.endswith("." + name) or name.endswith("." + n)]
    near = tail or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return near[0] if near else None
