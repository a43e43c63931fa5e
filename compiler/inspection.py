"""What an artifact holds, counted from its manifest and programs alone: no torch, no MLIR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from distc.runtime.manifest import RECORD_TEXTS, EntryPoint, Manifest, TensorRecord
from distc.runtime.program import Call, Program

BYTES = {
    "i1": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "f16": 2, "bf16": 2,
    "i32": 4, "ui32": 4, "f32": 4, "i64": 8, "ui64": 8, "f64": 8, "c64": 8, "c128": 16,
}  # fmt: skip
COLLECTIVE = "collective."
LISTED_RANKS = 64


@dataclass(frozen=True, slots=True)
class RankBytes:
    """Weight bytes per rank, padding not counted.

    Attributes:
        whole: bytes of all weights on one device.
        held: bytes each rank holds, in rank order.
    """

    whole: int
    held: tuple[int, ...]

    @property
    def largest(self) -> int:
        """Bytes of the rank that holds most."""
        return max(self.held)

    @property
    def largest_share(self) -> float:
        """The largest rank's part of the whole, 0 … 1; 1 where there are no weights."""
        return self.largest / self.whole if self.whole else 1.0


def weight_bytes(entry: EntryPoint, ranks: int) -> RankBytes:
    """Count the weight bytes that each rank reads for one entry point."""
    whole = sum(prod(w.shape) * BYTES[w.dtype] for w in entry.weights)
    held = tuple(
        sum(w.layout.bytes_held(rank, BYTES[w.dtype]) for w in entry.weights)
        for rank in range(ranks)
    )
    return RankBytes(whole, held)


def state_bytes(manifest: Manifest) -> dict[str, RankBytes]:
    """Count the bytes that each rank keeps between calls, by kind of state."""
    found: dict[str, list[TensorRecord]] = {}
    for record in manifest.state.values():
        found.setdefault(record.kind, []).append(record)
    return {
        kind: RankBytes(
            sum(prod(r.shape) * BYTES[r.dtype] for r in records),
            tuple(
                sum(r.layout.bytes_held(rank, BYTES[r.dtype]) for r in records)
                for rank in range(manifest.ranks)
            ),
        )
        for kind, records in found.items()
    }


def collective_counts(program: Program) -> dict[str, int]:
    """Count the collectives of a program by name, nested regions once each."""
    names = (call.op.removeprefix(COLLECTIVE) for call in _collectives(program))
    return dict(sorted(Counter(names).items()))


def collective_bytes(program: Program) -> dict[str, int]:
    """Sum the local result bytes of the collectives of a program by name."""
    totals: Counter[str] = Counter()
    for call in _collectives(program):
        size = sum(prod(t.shape) * BYTES[t.dtype] for t in call.types)
        totals[call.op.removeprefix(COLLECTIVE)] += size
    return dict(sorted(totals.items()))


def call_count(program: Program) -> int:
    """Count all calls, nested ones included."""
    return sum(1 for _ in _calls(program))


def summary(manifest: Manifest, programs: dict[str, Program], proved: bool) -> dict[str, object]:
    """Return everything `distc inspect --json` prints."""
    return {
        "mesh": manifest.mesh_text,
        "ranks": manifest.ranks,
        "proved": proved,
        "versions": dict(manifest.versions),
        "entries": [_entry(e, manifest.ranks, programs[e.name]) for e in manifest.entries],
        "state": {
            kind: {"bytes": held.whole, "bytes_per_rank": list(held.held[:LISTED_RANKS])}
            for kind, held in state_bytes(manifest).items()
        },
        "members": {n: m.bytes_ for n, m in manifest.members.items()},
    }


def _entry(entry: EntryPoint, ranks: int, program: Program) -> dict[str, object]:
    held = weight_bytes(entry, ranks)
    return {
        "name": entry.name,
        "calls": call_count(program),
        "collectives": collective_counts(program),
        "collective_bytes": collective_bytes(program),
        "weight_bytes": held.whole,
        "weight_bytes_per_rank": list(held.held[:LISTED_RANKS]),
        "largest_rank_share": round(held.largest_share, 4),
        "arguments": [_tensor(a) for a in entry.arguments],
        "results": [_tensor(r) for r in entry.results],
    }


def _tensor(record: TensorRecord) -> dict[str, object]:
    body: dict[str, object] = {
        "name": record.name,
        "kind": record.kind,
        "dtype": record.dtype,
        "shape": list(record.shape),
        "local_shape": list(record.layout.local_shape),
        "sharding": record.sharding,
    }
    if record.layout.view != record.shape:
        body["view"] = list(record.layout.view)
    for field in RECORD_TEXTS:
        if getattr(record, field):
            body[field] = getattr(record, field)
    return body


def _collectives(program: Program) -> Iterator[Call]:
    return (call for call in _calls(program) if call.op.startswith(COLLECTIVE))


def _calls(program: Program) -> Iterator[Call]:
    pending: list[Iterable[Call]] = [program.calls]
    while pending:
        for call in pending.pop():
            yield call
            pending.extend(region.calls for region in call.regions)
