"""Save: every rank writes the boxes it owns, rank 0 the index last; whole or not at all."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from distc.runtime import shards
from distc.runtime.artifact import TensorRecord
from distc.runtime.checkpoint import folder
from distc.runtime.checkpoint.held import Held, saved_records, together
from distc.runtime.checkpoint.index import INDEX, Index, Piece, SavedTensor, to_json
from distc.runtime.checkpoint.owners import owners
from distc.runtime.checkpoint.stream import SafetensorsWriter
from distc.runtime.errors import DistcError, UsageError


@dataclass(frozen=True, slots=True)
class Progress:
    """What a checkpoint says besides tensors: steps taken, where the data stands."""

    step: int = 0
    position: Mapping[str, int] | None = None


def save(
    held: Held, path: str | Path, progress: Progress | None = None, keep: int | None = None
) -> Path:
    """Save the state of a program; every rank calls this, and all see the same folder.

    State that is partial over some axes is added up first, one tensor at a time, so what is saved
    does not depend on the plan.

    Args:
        held: the program.
        path: the folder that checkpoints are kept in.
        progress: the steps taken and the data's position.
        keep: how many complete checkpoints stay, None for all.

    Returns:
        The checkpoint, a folder in `path`.

    Raises:
        UsageError: the path cannot be used, or is not the same folder on every rank.
        DistcError: the state is half-updated, or a rank could not write.
    """
    if keep is not None and keep < 1:
        raise UsageError(f"{keep} checkpoints are to be kept", help="keep at least 1")
    held.store.check_whole()
    root, said = Path(path), progress or Progress()
    first = 0 in held.store.ranks
    name = together(held, lambda: folder.prepare(root, said.step).name if first else "")
    names = held.exchange(dict.fromkeys(held.store.ranks, name))
    scratch = root / names[0]
    try:
        with _Writers(held) as writers:
            # Nobody writes before everybody can: writing may add up partial state, on all ranks.
            together(held, lambda: writers.open(scratch))
            digests = together(held, writers.write)
        answers = held.exchange({r: json.dumps(digests[r]) for r in held.store.ranks})
        final = together(
            held,
            lambda: (
                _finish(held, scratch, [json.loads(a) for a in answers], said, keep)
                if first
                else scratch
            ),
        )
    except Exception:
        if first:
            with contextlib.suppress(OSError):
                shutil.rmtree(scratch, ignore_errors=True)
        raise
    return final if first else root / names[0].removeprefix(".saving-")


def _file(rank: int) -> str:
    return f"rank-{rank:05d}.safetensors"


class _Writers:
    """The files that this process writes, one for each of its ranks that owns a box."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.records = saved_records(held)
        self.shares = owners(self.records.values(), held.artifact.manifest.ranks)
        self.files: dict[int, SafetensorsWriter] = {}

    def __enter__(self) -> _Writers:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self.files.values():
            file.abandon()

    def open(self, scratch: Path) -> None:
        """Make the files; what each will hold is known beforehand."""
        if not scratch.is_dir():
            raise UsageError(
                f"{str(scratch.parent)!r} is not the same folder on every rank",
                help="save to a folder that all machines share",
                code="E-CHECKPOINT",
            )
        for rank in self.held.store.ranks:
            mine = {
                name: (record.dtype, tuple(n for _, n in self.shares[name][rank]))
                for name, record in self.records.items()
                if rank in self.shares[name]
            }
            if mine:
                self.files[rank] = SafetensorsWriter(scratch / _file(rank), mine)

    def write(self) -> dict[int, dict[str, str | int]]:
        """Write all boxes; return rank → key → digest, and "" → the file's bytes."""
        digests: dict[int, dict[str, str | int]] = {rank: {} for rank in self.held.store.ranks}
        problem: Exception | None = None
        for name, record in self.records.items():
            values = self.held.finished(record)  # on all ranks: none may leave this loop
            for rank in self.files if problem is None else ():
                if rank not in self.shares[name]:
                    continue
                try:
                    box = _true_box(values[rank], record, rank)
                    digests[rank][name] = self.files[rank].add(name, box)
                except (OSError, DistcError) as error:
                    problem = error
        if problem is not None:
            raise problem
        for rank, file in self.files.items():
            file.close()
            digests[rank][""] = file.bytes_
        return digests


def _true_box(local: Tensor, record: TensorRecord, rank: int) -> Tensor:
    return shards.trim(local, [length for _, length in record.layout.box(rank)])


def _finish(
    held: Held,
    scratch: Path,
    digests: list[dict[str, str | int]],
    said: Progress,
    keep: int | None,
) -> Path:
    """Write the index, now that every file is on the disk, and make the checkpoint the latest."""
    artifact, records = held.artifact, saved_records(held)
    shares = owners(records.values(), artifact.manifest.ranks)
    index = Index(
        step=said.step,
        position=dict(said.position or {}),
        artifact=artifact.manifest_sha256,
        mesh=artifact.manifest.mesh_text,
        versions=artifact.manifest.versions,
        aliases=artifact.manifest.weights.aliases,
        files={_file(r): int(d[""]) for r, d in enumerate(digests) if d},
        tensors={
            name: SavedTensor(
                name,
                record.kind,
                record.dtype,
                record.shape,
                record.layout.view,
                tuple(
                    Piece(box, _file(rank), name, str(digests[rank][name]))
                    for rank, box in shares[name].items()
                ),
                record.parameter,
                record.slot,
            )
            for name, record in records.items()
        },
    )
    folder.write_synced(scratch / INDEX, to_json(index).encode())
    return folder.publish(scratch, keep)
