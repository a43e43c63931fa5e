"""The manifest of an artifact: what it holds, for which mesh, with which digests.

`manifest.json` is canonical JSON (sorted keys, one indent), so equal manifests are equal bytes.
It names every member with its size and sha256; the records say how each argument and result of
an entry point lies on the ranks, in enough detail that a rank computes its boxes without the
dialect. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from distc.runtime.errors import ArtifactError
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout
from distc.runtime.program import DTYPES
from distc.runtime.state_checks import OWNED_KINDS as OWNED_KINDS
from distc.runtime.state_checks import check_state
from distc.runtime.strict_json import (
    RECOMPILE,
    Json,
    expect_dict,
    expect_int,
    expect_list,
    expect_str,
    load_json,
)

MANIFEST_SCHEMA = 2
MAX_RANK = 16
MAX_DIM = 1 << 40
MAX_ELEMENTS = 1 << 48

SOURCE_ENTRY = "source"
"""Name of the unpartitioned program of one rank, for comparison; not an entry point."""

WEIGHT_KINDS = ("parameter", "buffer", "constant")
KINDS = (*WEIGHT_KINDS, *OWNED_KINDS, "state", "input", "output")
INITIAL = ("", "zeros", "parameter")
REDUCTIONS = ("sum", "max", "min", "prod", "and", "or")
MAX_COUNT = 1 << 20
RECORD_TEXTS = ("parameter", "slot", "initial", "updates", "stored")
"""Fields of a record that are texts and absent where they are empty."""


@dataclass(frozen=True, slots=True)
class Partial:
    """Ranks along one mesh axis hold parts of a tensor, which `kind` combines."""

    split: AxisSplit
    kind: str


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """One argument or result of an entry point (docs/adr/0018-state-in-the-ir.md).

    `layout.shape` is the shape users see, `layout.view` the global shape of the program's value
    (the same, unless the argument is held under a view). `sharding` is the text people read.
    `bound` is the range [low, high) from which random integers are drawn.

    Of state: `parameter` and `slot` say what an optimizer's or gradient's tensor belongs to,
    `initial` its first value (`zeros`, `parameter`, or "" for the weight files), `partial` over
    which axes it is not finished yet, `stored` its dtype in the weight files where the program
    rounds it. Of a result: `updates` is the state it replaces.
    """

    name: str
    kind: str
    dtype: str
    layout: TensorLayout
    sharding: str = ""
    bound: tuple[int, int] | None = None
    parameter: str = ""
    slot: str = ""
    initial: str = ""
    partial: tuple[Partial, ...] = ()
    updates: str = ""
    stored: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape users see."""
        return self.layout.shape

    @property
    def file_dtype(self) -> str:
        """The dtype in the weight files."""
        return self.stored or self.dtype


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A program and what its arguments and results are, in the program's order.

    `count` is how often one step of the user runs it: the micro-batches of `accumulate`.
    """

    name: str
    arguments: tuple[TensorRecord, ...]
    results: tuple[TensorRecord, ...]
    count: int = 1

    @property
    def inputs(self) -> tuple[TensorRecord, ...]:
        """The arguments that a caller passes."""
        return tuple(a for a in self.arguments if a.kind == "input")

    @property
    def weights(self) -> tuple[TensorRecord, ...]:
        """The arguments that are the model's: parameters, buffers, constants."""
        return tuple(a for a in self.arguments if a.kind in WEIGHT_KINDS)

    @property
    def state(self) -> tuple[TensorRecord, ...]:
        """The arguments that are kept between calls: all but the inputs."""
        return tuple(a for a in self.arguments if a.kind != "input")

    @property
    def outputs(self) -> tuple[TensorRecord, ...]:
        """The results that a caller gets: those that update no state."""
        return tuple(r for r in self.results if not r.updates)

    @property
    def donated(self) -> dict[int, int]:
        """Result number → number of the argument whose tensor it is written into."""
        at = {a.name: i for i, a in enumerate(self.arguments)}
        return {i: at[r.updates] for i, r in enumerate(self.results) if r.updates}


@dataclass(frozen=True, slots=True)
class StoredAt:
    """Where a weight lies: a file (member or external path) and the key in it."""

    file: str
    key: str


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """A weight file outside the artifact: path (relative to the artifact's folder) and size."""

    path: str
    bytes_: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Where weights, buffers and constants come from.

    `aliases` maps further names of tied weights to the one the program uses.
    """

    external: tuple[ExternalFile, ...] = ()
    stored: Mapping[str, StoredAt] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Member:
    """Size and digest of a member."""

    bytes_: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a reader must know before it opens another member.

    `mesh` is [(axis name, size, link class), …], outermost first; `versions` maps `distc`,
    `torch`, … to versions; `members` is filled in by `artifact.write`.
    """

    mesh: tuple[tuple[str, int, str], ...]
    entries: tuple[EntryPoint, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)
    members: Mapping[str, Member] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        """Number of ranks of the mesh."""
        return prod(size for _, size, _ in self.mesh)

    @property
    def state(self) -> dict[str, TensorRecord]:
        """What all entry points keep between calls, by name, in the order it is first met."""
        found: dict[str, TensorRecord] = {}
        for entry in self.entries:
            for record in entry.state:
                found.setdefault(record.name, record)
        return found

    @property
    def updated(self) -> frozenset[str]:
        """Names of the state that some entry point changes."""
        return frozenset(r.updates for e in self.entries for r in e.results if r.updates)

    @property
    def mesh_text(self) -> str:
        """The mesh as users write it: `data=2,tensor=4`."""
        return ",".join(f"{name}={size}" for name, size, _ in self.mesh)

    def entry(self, name: str) -> EntryPoint:
        """Return the entry point called `name`.

        Raises:
            ArtifactError: there is none.
        """
        found = next((e for e in self.entries if e.name == name), None)
        if found is None:
            names = ", ".join(e.name for e in self.entries)
            raise ArtifactError(
                f"the artifact has no entry point {name!r}", help=f"use one of: {names}"
            )
        return found


def to_json(manifest: Manifest) -> str:
    """Return the canonical text."""
    body: Json = {
        "schema": MANIFEST_SCHEMA,
        "versions": dict(manifest.versions),
        "mesh": [list(axis) for axis in manifest.mesh],
        "entries": [_entry_to_json(e) for e in manifest.entries],
        "weights": {
            "external": [[f.path, f.bytes_] for f in manifest.weights.external],
            "stored": {n: [s.file, s.key] for n, s in manifest.weights.stored.items()},
            "aliases": dict(manifest.weights.aliases),
        },
        "members": {n: [m.bytes_, m.sha256] for n, m in manifest.members.items()},
    }
    return json.dumps(body, sort_keys=True, indent=1, allow_nan=False) + "\n"


def from_json(text: str) -> Manifest:
    """Parse and check a manifest.

    Raises:
        ArtifactError: not plain JSON, unknown schema
            (`E-ARTIFACT-VERSION`), a field that is missing, of the wrong type or over its limit.
    """
    body = load_json(text, "manifest.json")
    found = body.get("schema") if isinstance(body, dict) else None
    if not isinstance(body, dict) or found != MANIFEST_SCHEMA:
        raise ArtifactError(
            f"manifest.json has schema {found!r}, this version reads {MANIFEST_SCHEMA}",
            help="recompile the model, or use the version of distc that wrote the artifact",
            code="E-ARTIFACT-VERSION",
        )
    try:
        return _manifest(body)
    except (KeyError, TypeError, ValueError) as error:
        what = f"has no {error}" if isinstance(error, KeyError) else str(error)
        raise ArtifactError(f"manifest.json is malformed: {what}", help=RECOMPILE) from None


def _entry_to_json(entry: EntryPoint) -> Json:
    return {
        "name": entry.name,
        "count": entry.count,
        "arguments": [_record_to_json(r) for r in entry.arguments],
        "results": [_record_to_json(r) for r in entry.results],
    }


def _record_to_json(record: TensorRecord) -> Json:
    body: dict[str, Json] = {
        "name": record.name,
        "kind": record.kind,
        "dtype": record.dtype,
        "shape": list(record.layout.shape),
        "sharding": record.sharding,
        "dims": [
            {
                "size": d.size,
                "block": d.block,
                "splits": [[s.name, s.size, s.stride] for s in d.splits],
            }
            for d in record.layout.dims
        ],
    }
    if record.bound is not None:
        body["bound"] = list(record.bound)
    if record.partial:
        body["partial"] = [
            [p.split.name, p.split.size, p.split.stride, p.kind] for p in record.partial
        ]
    texts = {k: getattr(record, k) for k in RECORD_TEXTS}
    body.update({k: v for k, v in texts.items() if v})
    return body


def _manifest(body: dict[str, Json]) -> Manifest:
    mesh = tuple(_axis(a) for a in expect_list(body["mesh"]))
    ranks = prod(size for _, size, _ in mesh)
    if not mesh or ranks > MAX_DIM:
        raise ValueError(f"mesh {body['mesh']} has no axis or too many ranks")
    entries = tuple(_entry(expect_dict(e), ranks) for e in expect_list(body["entries"]))
    check_state(entries)
    return Manifest(
        mesh=mesh,
        entries=entries,
        versions={k: expect_str(v) for k, v in expect_dict(body["versions"]).items()},
        weights=_weights(expect_dict(body["weights"])),
        members={n: _member(n, m) for n, m in expect_dict(body["members"]).items()},
    )


def _axis(raw: Json) -> tuple[str, int, str]:
    name, size, link = expect_list(raw)
    return expect_str(name), _size(size, least=1), expect_str(link)


def _member(name: str, raw: Json) -> Member:
    bytes_, digest = expect_list(raw)
    text = expect_str(digest)
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise ValueError(f"member {name} has digest {text!r}, not a sha256")
    return Member(_size(bytes_), text)


def _weights(body: dict[str, Json]) -> Weights:
    external = tuple(
        ExternalFile(expect_str(path), _size(bytes_))
        for path, bytes_ in (expect_list(f) for f in expect_list(body["external"]))
    )
    stored = {
        name: StoredAt(expect_str(file), expect_str(key))
        for name, (file, key) in (
            (n, expect_list(s)) for n, s in expect_dict(body["stored"]).items()
        )
    }
    return Weights(
        external, stored, {a: expect_str(n) for a, n in expect_dict(body["aliases"]).items()}
    )


def _entry(body: dict[str, Json], ranks: int) -> EntryPoint:
    count = _size(body["count"], least=1)
    if count > MAX_COUNT:
        raise ValueError(f"entry point {body['name']} runs {count} times a step")
    return EntryPoint(
        expect_str(body["name"]),
        tuple(_record(expect_dict(r), ranks) for r in expect_list(body["arguments"])),
        tuple(_record(expect_dict(r), ranks) for r in expect_list(body["results"])),
        count,
    )


_RECORD_KEYS = frozenset(
    (
        "bound", "dims", "dtype", "initial", "kind", "name", "parameter", "partial", "shape",
        "sharding", "slot", "stored", "updates",
    )
)  # fmt: skip


def _record(body: dict[str, Json], ranks: int) -> TensorRecord:
    unknown = sorted(body.keys() - _RECORD_KEYS)
    if unknown:
        raise ValueError(f"tensor {body['name']} has the unknown field {unknown[0]!r}")
    name, kind, dtype = (
        expect_str(body["name"]),
        expect_str(body["kind"]),
        expect_str(body["dtype"]),
    )
    if kind not in KINDS or dtype not in DTYPES:
        raise ValueError(f"tensor {name} has kind {kind!r} and dtype {dtype!r}")
    shape = tuple(_size(n) for n in expect_list(body["shape"]))
    dims = tuple(_dim(expect_dict(d), ranks) for d in expect_list(body["dims"]))
    if max(len(shape), len(dims)) > MAX_RANK or prod(shape) > MAX_ELEMENTS:
        raise ValueError(f"tensor {name} of shape {list(shape)} is over the limits")
    if prod(d.shards for d in dims) > ranks:
        raise ValueError(f"tensor {name} is cut into more pieces than there are ranks, {ranks}")
    bound = body.get("bound")
    low_high = None if bound is None else tuple(expect_int(b) for b in expect_list(bound))
    if low_high is not None and (len(low_high) != 2 or low_high[0] >= low_high[1]):
        raise ValueError(f"tensor {name} has bound {bound}, not [low, high)")
    pair = None if low_high is None else (low_high[0], low_high[1])
    return TensorRecord(
        name,
        kind,
        dtype,
        TensorLayout(shape, dims),
        expect_str(body["sharding"]),
        pair,
        parameter=expect_str(body.get("parameter", "")),
        slot=expect_str(body.get("slot", "")),
        initial=_one_of(body.get("initial", ""), INITIAL, f"initial of {name}"),
        partial=tuple(_partial(p, ranks) for p in expect_list(body.get("partial", []))),
        updates=expect_str(body.get("updates", "")),
        stored=_one_of(body.get("stored", ""), ("", *DTYPES), f"stored of {name}"),
    )


def _partial(raw: Json, ranks: int) -> Partial:
    *split, kind = expect_list(raw)
    return Partial(_split(split, ranks), _one_of(kind, REDUCTIONS, "reduction"))


def _one_of(raw: Json, known: tuple[str, ...], what: str) -> str:
    text = expect_str(raw)
    if text not in known:
        raise ValueError(f"{what} is {text!r}, not one of {', '.join(filter(None, known))}")
    return text


def _dim(body: dict[str, Json], ranks: int) -> DimLayout:
    splits = tuple(_split(expect_list(raw), ranks) for raw in expect_list(body["splits"]))
    return DimLayout(_size(body["size"]), splits, _size(body["block"], least=1))


def _split(raw: list[Json], ranks: int) -> AxisSplit:
    name, size, stride = raw
    split = AxisSplit(expect_str(name), _size(size, least=1), _size(stride, least=1))
    if split.size * split.stride > ranks:
        raise ValueError(f"split {raw} is over the {ranks} ranks of the mesh")
    return split


def _size(raw: Json, least: int = 0) -> int:
    value = expect_int(raw)
    if not least <= value <= MAX_DIM:
        raise ValueError(f"size {value} is not in {least} … {MAX_DIM}")
    return value
