"""`index.json` of a checkpoint: every tensor's global shape and where each box of it lies.

Canonical JSON with the digest of its own body, so that a flipped bit in it is seen as well.
Standard library only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from distc.runtime.errors import DistcError, InputError, MissingFile
from distc.runtime.manifest import MAX_DIM, MAX_ELEMENTS, MAX_RANK
from distc.runtime.program import DTYPES
from distc.runtime.strict_json import (
    Json,
    expect_dict,
    expect_int,
    expect_list,
    expect_str,
    load_json,
)

__all__ = ["Box", "Index", "Piece", "SavedTensor", "damaged", "from_json", "read", "to_json"]

INDEX = "index.json"
SCHEMA = 1
MAX_INDEX_BYTES = 1 << 30

Box = tuple[tuple[int, int], ...]
"""(offset, length) per dimension of a view."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A box of a tensor: the file and key that hold it, the sha256 of its bytes."""

    box: Box
    file: str
    key: str
    sha256: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the box."""
        return tuple(length for _, length in self.box)


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """A tensor: its shape as users see it, the view whose boxes were saved, the boxes."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    view: tuple[int, ...]
    pieces: tuple[Piece, ...]
    parameter: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """What a checkpoint holds.

    Attributes:
        step: steps that were taken.
        position: where the data stands; keys are the trainer's.
        artifact: sha256 of the manifest of the artifact that was trained.
        mesh: of that artifact, as text.
        versions: `distc`, `torch`, … → version.
        aliases: further names of tied weights → the one saved.
        files: file → its bytes.
        tensors: by name.
    """

    step: int
    position: Mapping[str, int]
    artifact: str
    mesh: str
    versions: Mapping[str, str]
    aliases: Mapping[str, str]
    files: Mapping[str, int]
    tensors: Mapping[str, SavedTensor] = field(default_factory=dict)


def to_json(index: Index) -> str:
    """Return the canonical text."""
    body: dict[str, Json] = {
        "schema": SCHEMA,
        "step": index.step,
        "position": dict(index.position),
        "artifact": index.artifact,
        "mesh": index.mesh,
        "versions": dict(index.versions),
        "aliases": dict(index.aliases),
        "files": dict(index.files),
        "tensors": {name: _tensor_to_json(t) for name, t in index.tensors.items()},
    }
    body["sha256"] = _digest(body)
    return json.dumps(body, sort_keys=True, indent=1, allow_nan=False) + "\n"


def _digest(body: Mapping[str, Json]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _tensor_to_json(tensor: SavedTensor) -> Json:
    return {
        "kind": tensor.kind,
        "parameter": tensor.parameter,
        "slot": tensor.slot,
        "dtype": tensor.dtype,
        "shape": list(tensor.shape),
        "view": list(tensor.view),
        "pieces": [[[list(b) for b in p.box], p.file, p.key, p.sha256] for p in tensor.pieces],
    }


def damaged(where: Path, what: str) -> InputError:
    """Return the error for a checkpoint that is not as it was written."""
    return InputError(
        f"the checkpoint is damaged: {what}",
        where=str(where),
        help="load an older checkpoint of the folder, or copy this one again",
        code="E-CHECKPOINT",
    )


def read(folder: Path) -> Index:
    """Read the index of one checkpoint.

    Raises:
        MissingFile: there is none.
        InputError: malformed, of another schema, or with another digest than its own.
    """
    where = folder / INDEX
    if not where.is_file():
        raise MissingFile(
            f"there is no checkpoint in {str(folder)!r}", help=f"name a folder with {INDEX}"
        )
    if where.stat().st_size > MAX_INDEX_BYTES:
        raise damaged(where, f"{INDEX} has {where.stat().st_size} bytes")
    try:
        return from_json(where.read_text("utf-8"))
    except UnicodeDecodeError:
        raise damaged(where, f"{INDEX} is not UTF-8") from None
    except DistcError as error:
        raise damaged(where, error.message) from None
    except (KeyError, TypeError, ValueError) as error:
        what = f"{INDEX} has no {error}" if isinstance(error, KeyError) else str(error)
        raise damaged(where, what) from None


def from_json(text: str) -> Index:
    """Parse and check an index.

    Raises:
        ArtifactError, KeyError, TypeError, ValueError: it is not one.
    """
    body = expect_dict(load_json(text, INDEX))
    if body.get("schema") != SCHEMA:
        raise ValueError(f"schema {body.get('schema')!r}, this version reads {SCHEMA}")
    digest = expect_str(body.pop("sha256"))
    if _digest(body) != digest:
        raise ValueError(f"{INDEX} has another digest than it says, {digest[:16]}…")
    files = {_file(n): _count(b) for n, b in expect_dict(body["files"]).items()}
    return Index(
        step=_count(body["step"]),
        position={k: expect_int(v) for k, v in expect_dict(body["position"]).items()},
        artifact=expect_str(body["artifact"]),
        mesh=expect_str(body["mesh"]),
        versions={k: expect_str(v) for k, v in expect_dict(body["versions"]).items()},
        aliases={k: expect_str(v) for k, v in expect_dict(body["aliases"]).items()},
        files=files,
        tensors={
            n: _tensor(n, expect_dict(t), files) for n, t in expect_dict(body["tensors"]).items()
        },
    )


def _tensor(name: str, body: dict[str, Json], files: Mapping[str, int]) -> SavedTensor:
    shape = tuple(_count(n) for n in expect_list(body["shape"]))
    view = tuple(_count(n) for n in expect_list(body["view"]))
    dtype = expect_str(body["dtype"])
    too_big = max(len(shape), len(view)) > MAX_RANK or prod(shape) > MAX_ELEMENTS
    if dtype not in DTYPES or prod(shape) != prod(view) or too_big:
        raise ValueError(f"tensor {name} is {dtype}{list(shape)} with view {list(view)}")
    pieces = tuple(_piece(name, expect_list(p), view, files) for p in expect_list(body["pieces"]))
    if sum(prod(p.shape) for p in pieces) != prod(shape):
        raise ValueError(f"the boxes of tensor {name} do not make up {list(shape)}")
    return SavedTensor(
        name,
        expect_str(body["kind"]),
        dtype,
        shape,
        view,
        pieces,
        expect_str(body["parameter"]),
        expect_str(body["slot"]),
    )


def _piece(name: str, raw: list[Json], view: tuple[int, ...], files: Mapping[str, int]) -> Piece:
    boxes, file, key, digest = raw
    pairs = [expect_list(b) for b in expect_list(boxes)]
    box = tuple((_count(offset), _count(length)) for offset, length in pairs)
    inside = len(box) == len(view) and all(o + n <= s for (o, n), s in zip(box, view, strict=True))
    if not inside or expect_str(file) not in files:
        raise ValueError(f"tensor {name} has the box {boxes} of {list(view)} in {file}")
    return Piece(box, expect_str(file), expect_str(key), expect_str(digest))


def _file(name: str) -> str:
    if Path(name).name != name or not name.endswith(".safetensors"):
        raise ValueError(f"{name!r} is no name of a file beside {INDEX}")
    return name


def _count(raw: Json) -> int:
    value = expect_int(raw)
    if not 0 <= value <= MAX_DIM:
        raise ValueError(f"{value} is not in 0 … {MAX_DIM}")
    return value
