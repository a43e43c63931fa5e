"""`distc.load`: an artifact becomes a callable that takes and returns ordinary tensors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from distc.runtime import artifact as artifacts
from distc.runtime import shards
from distc.runtime.artifact import Artifact, EntryPoint, Manifest, TensorRecord
from distc.runtime.collectives import TorchCollectives
from distc.runtime.entry import RankEntry, SimEntry, gather_piece
from distc.runtime.errors import PeerLost, Unavailable, UsageError
from distc.runtime.groups import JOIN_SECONDS
from distc.runtime.manifest import WEIGHT_KINDS
from distc.runtime.session import Session, open_session
from distc.runtime.state import local_state_dict, state_dict
from distc.runtime.store import StateStore
from distc.runtime.tracked import unbroken
from distc.runtime.watch import PEER_TIMEOUT_SECONDS
from distc.runtime.weights import LocalWeights, WeightStore, read_local

if TYPE_CHECKING:
    from distc.runtime.trainer import Trainer

EXECUTORS = ("eager", "inductor")


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """True bytes of weights: read by this rank, and of all files' tensors together."""

    read: int
    total: int


class RankProgram:
    """This rank's state and entry points. Call it with global tensors, on every rank alike.

    `program(x)` runs the entry point that was loaded, `program.entry("decode")(x)` another one;
    all share the state.
    """

    def __init__(
        self,
        artifact: Artifact,
        session: Session,
        store: StateStore,
        weights: LocalWeights,
        executor_name: str,
    ) -> None:
        self.artifact, self.session, self.store = artifact, session, store
        self.rank = session.rank
        self.weight_bytes = WeightBytes(weights.bytes_read, weights.bytes_total)
        self.collectives = TorchCollectives(session.table)
        self._executor = executor_name
        self._entries: dict[str, RankEntry] = {}
        self._default: str | None = None
        if session.ranks > 1:
            session.table.device_mesh(session.device.type)
            for record in store.records.values():
                session.table.prepare(shards.gather_groups(record.layout, session.ranks))
                if record.partial:
                    splits = [p.split for p in record.partial]
                    session.table.prepare(shards.groups_along(splits, session.ranks))

    @property
    def point(self) -> EntryPoint:
        """The record of the entry point that calls run."""
        return self.artifact.manifest.entry(default_entry(self.artifact.manifest, self._default))

    def entry(self, name: str) -> RankEntry:
        """Return an entry point; the first time every rank must ask for it.

        Raises:
            ArtifactError: there is none of this name.
        """
        if name not in self._entries:
            point = self.artifact.manifest.entry(name)
            made = RankEntry(self.artifact, point, self.session, self.store, self._executor)
            self._entries[name] = made
        return self._entries[name]

    def choose(self, name: str | None) -> None:
        """Let calls run the entry point `name`; None takes the only one, or `main`."""
        self._default = name
        if name is not None or has_default(self.artifact.manifest):
            self.entry(self.point.name)

    @property
    def module(self) -> Any:
        """The fx.GraphModule of the entry point that calls run."""
        return self.entry(self.point.name).module

    def __call__(self, *inputs: Tensor, gather: bool = True, **named: Tensor) -> Any:
        """Run the entry point that was loaded; see `RankEntry.__call__`."""
        return self.entry(self.point.name)(*inputs, gather=gather, **named)

    def trainer(self, lr: Any = None) -> Trainer:
        """Return a trainer of this program; see `Trainer`."""
        from distc.runtime.trainer import Trainer

        return Trainer(self, lr)

    def local_state_dict(self) -> dict[str, tuple[Tensor, tuple[tuple[int, int], ...]]]:
        """Return name -> (this rank's shard, its box in the view): no communication, no copy."""
        records = self._kept()
        return local_state_dict(records, self.store.values(self.rank, records), self.rank)

    def state_dict(self) -> dict[str, Tensor]:
        """Return name -> DTensor in the original shape; every rank must call this.

        A layout that DTensor placements cannot say is redistributed to the nearest plain
        `Shard`. On one rank the values are plain tensors.
        """
        return self.dtensors(self._kept())

    def dtensors(self, records: Sequence[TensorRecord]) -> dict[str, Tensor]:
        """Return name -> DTensor of some state; every rank must call this."""
        values = [self.finished(r)[self.rank] for r in records]
        return state_dict(records, values, self.session.table, self._whole)

    def finished(self, record: TensorRecord) -> dict[int, Tensor]:
        """Return rank -> local tensor of a state, its parts added up where it is partial."""
        value = self.store.tensors[self.rank][record.name]
        if record.partial:
            splits = [p.split for p in record.partial]
            groups = shards.groups_along(splits, self.session.ranks)
            value = self._collective(
                f"adding up {record.name}",
                lambda: self.collectives.all_reduce(value.clone(), "sum", groups),
            )
        return {self.rank: value}

    def exchange(self, texts: Mapping[int, str]) -> list[str]:
        """Tell all ranks a text and return every rank's; a barrier too."""
        return self.session.exchange(texts[self.rank])

    def decide(self, wish: bool) -> bool:
        """Return whether any rank wishes to; the same answer on every rank."""
        if self.session.ranks == 1:
            return wish
        mine = torch.tensor(int(wish), dtype=torch.int32, device=self.session.device)
        everybody = [list(range(self.session.ranks))]
        found = self._collective(
            "asking whether to stop", lambda: self.collectives.all_reduce(mine, "max", everybody)
        )
        return bool(found.item())

    def _collective(self, what: str, call: Callable[[], Tensor]) -> Tensor:
        """Do a collective outside of programs; a connection that breaks names the lost rank."""
        self.session.progress.note(what)
        try:
            found = unbroken(what, call)
        except PeerLost as error:
            raise self.session.explain(error) from error
        ready: Tensor = found.wait() if hasattr(found, "wait") else found
        return ready

    def _kept(self) -> list[TensorRecord]:
        return [r for r in self.store.records.values() if r.kind in WEIGHT_KINDS]

    def _whole(self, record: TensorRecord, local: Tensor) -> Tensor:
        if shards.is_replicated(record.layout):
            return local.reshape(record.shape)
        return self._collective(
            f"gathering {record.name}", lambda: gather_piece(self.collectives, record, local)
        )

    def close(self) -> None:
        """Leave the other ranks; called at exit too."""
        self.session.close()


class SimProgram:
    """All ranks of an artifact in this process, in lockstep: exact, for tests and for looking."""

    def __init__(
        self, artifact: Artifact, store: StateStore, weights: Sequence[LocalWeights]
    ) -> None:
        self.artifact, self.store = artifact, store
        self.rank = 0
        largest = max(weights, key=lambda w: w.bytes_read)
        self.weight_bytes = WeightBytes(largest.bytes_read, largest.bytes_total)
        self._entries: dict[str, SimEntry] = {}
        self._default: str | None = None

    @property
    def point(self) -> EntryPoint:
        """The record of the entry point that calls run."""
        return self.artifact.manifest.entry(default_entry(self.artifact.manifest, self._default))

    def entry(self, name: str) -> SimEntry:
        """Return an entry point.

        Raises:
            ArtifactError: there is none of this name.
        """
        if name not in self._entries:
            point = self.artifact.manifest.entry(name)
            self._entries[name] = SimEntry(self.artifact, point, self.store)
        return self._entries[name]

    def choose(self, name: str | None) -> None:
        """Let calls run the entry point `name`; None takes the only one, or `main`."""
        self._default = name
        if name is not None or has_default(self.artifact.manifest):
            self.entry(self.point.name)

    def __call__(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Run the entry point that was loaded on all ranks; return whole outputs."""
        return self.entry(self.point.name)(*inputs, **named)

    def trainer(self, lr: Any = None) -> Trainer:
        """Return a trainer of this program; see `Trainer`."""
        from distc.runtime.trainer import Trainer

        return Trainer(self, lr)

    def local_state_dict(self) -> dict[str, tuple[Tensor, tuple[tuple[int, int], ...]]]:
        """Return name -> (rank 0's shard, its box in the view)."""
        records = self._kept()
        return local_state_dict(records, self.store.values(0, records), 0)

    def state_dict(self) -> dict[str, Tensor]:
        """Return name -> whole tensor."""
        return self.dtensors(self._kept())

    def dtensors(self, records: Sequence[TensorRecord]) -> dict[str, Tensor]:
        """Return name -> whole tensor of some state."""
        return {r.name: shards.assemble(self.finished(r), r.layout) for r in records}

    def finished(self, record: TensorRecord) -> dict[int, Tensor]:
        """Return rank -> local tensor of a state, its parts added up where it is partial."""
        held = {rank: self.store.tensors[rank][record.name] for rank in self.store.ranks}
        if not record.partial:
            return held
        groups = shards.groups_along([p.split for p in record.partial], len(held))
        sums = {row[0]: sum((held[r] for r in row[1:]), held[row[0]].clone()) for row in groups}
        return {rank: sums[row[0]] for row in groups for rank in row}

    def exchange(self, texts: Mapping[int, str]) -> list[str]:
        """Return the texts of all ranks, which are all here."""
        return [texts[rank] for rank in self.store.ranks]

    def decide(self, wish: bool) -> bool:
        """Return the wish: there is nobody to ask."""
        return wish

    def _kept(self) -> list[TensorRecord]:
        return [r for r in self.store.records.values() if r.kind in WEIGHT_KINDS]

    def close(self) -> None:
        """Nothing to leave."""


def has_default(manifest: Manifest) -> bool:
    """True when it is clear which entry point a call means."""
    return len(manifest.entries) == 1 or any(e.name == "main" for e in manifest.entries)


def default_entry(manifest: Manifest, chosen: str | None) -> str:
    """Return the entry point that calls run: the chosen one, `main`, or the only one.

    Raises:
        UsageError: there are several, none of them `main`.
    """
    names = [e.name for e in manifest.entries]
    if chosen is not None:
        return chosen
    if not has_default(manifest):
        raise UsageError(
            f"the artifact has the entry points {', '.join(names)}, none was named",
            help=f'call program.entry("{names[0]}")(…), or load it with entry="{names[0]}"',
            code="E-ENTRY",
        )
    return "main" if "main" in names else names[0]


def load(
    path: str | Path,
    *,
    entry: str | None = None,
    backend: str = "auto",
    device: str | None = None,
    weights: str | Path | None = None,
    executor: str = "eager",
    peer_timeout: float = PEER_TIMEOUT_SECONDS,
    join_timeout: float = JOIN_SECONDS,
) -> RankProgram | SimProgram:
    """Load an artifact as this rank; under a launcher every rank calls this alike.

    Args:
        path: the artifact, a folder or a zip.
        entry: which entry point calls run, default `main` or the only one; the others, which share
            its state, are `program.entry(name)`.
        backend: `auto` (NCCL where there is a GPU), `gloo`, `nccl`, or `sim`: all ranks here.
        device: where to compute, default by backend.
        weights: safetensors file or Hugging Face folder, instead of the recorded one.
        executor: `eager` or `inductor` (torch.compile).
        peer_timeout: seconds of silence after which a rank counts as hung; 0 watches nobody.
        join_timeout: seconds to wait for all ranks at the start.

    Raises:
        MissingFile, ArtifactError, InputError: the artifact or its weights.
        UsageError: the launch does not fit the mesh, or an unknown option.
        Unavailable: the backend, the port or a compiler is not there.
        PeerLost: ranks did not join, died, or disagree on what to run.
    """
    opened = artifacts.read(path)
    if entry is not None:
        opened.manifest.entry(entry)
    _check_executor(executor)
    if backend == "sim":
        return _load_sim(opened, entry, weights)
    session = open_session(
        opened.manifest,
        backend=backend,
        device=device,
        peer_timeout=peer_timeout,
        join_timeout=join_timeout,
    )
    try:
        session.agree(_facts(opened, entry, session, executor))
        session.progress.note("reading weights")
        _verify_weight_members(opened, session.rank, session.ranks)
        records = opened.manifest.state
        held = WeightStore(opened, weights)
        read = read_local(held, list(records.values()), session.rank, session.device)
        store = StateStore(records, {session.rank: read})
        program = RankProgram(opened, session, store, read, executor)
        program.choose(entry)
        return program
    except Exception as error:
        session.fail(error)
        raise


def _check_executor(name: str) -> None:
    if name not in EXECUTORS:
        raise UsageError(f"unknown executor {name!r}", help=f"use one of: {', '.join(EXECUTORS)}")
    compilers = ("g++", "clang++", "c++")
    if name == "inductor" and not any(map(shutil.which, compilers)):
        raise Unavailable(
            "executor inductor needs a C++ compiler, none is on the path",
            help="install g++, or use --executor eager",
        )


def _facts(opened: Artifact, entry: str | None, session: Session, executor: str) -> dict[str, str]:
    members = opened.manifest.members
    programs = [artifacts.program_member(e.name) for e in opened.manifest.entries]
    digests = [members[m].sha256 if m in members else "none" for m in programs]
    return {
        "artifact digest": opened.manifest_sha256,
        "program digest": ", ".join(digests),
        "torch version": torch.__version__.partition("+")[0],
        "backend": session.backend,
        "NCCL version": _nccl_version() if session.backend == "nccl" else "none",
        "executor": executor,
        "entry point": entry or "not named",
    }


def _nccl_version() -> str:
    return str(torch.cuda.nccl.version())  # type: ignore[no-untyped-call]


def _verify_weight_members(opened: Artifact, rank: int, ranks: int) -> None:
    """Each weight member is hashed by one rank: together they read the file once."""
    members = [m for m in sorted(opened.manifest.members) if m.endswith(".safetensors")]
    for member in members[rank::ranks]:
        opened.verify(member)


def _load_sim(opened: Artifact, entry: str | None, weights: str | Path | None) -> SimProgram:
    _verify_weight_members(opened, 0, 1)
    held, cpu, records = WeightStore(opened, weights), torch.device("cpu"), opened.manifest.state
    read = [read_local(held, list(records.values()), r, cpu) for r in range(opened.manifest.ranks)]
    program = SimProgram(opened, StateStore(records, dict(enumerate(read))), read)
    program.choose(entry)
    return program
