"""`distc.load`: an artifact becomes a callable that takes and returns ordinary tensors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor

from distc.runtime import artifact as artifacts
from distc.runtime import executor, shards, sim
from distc.runtime.artifact import Artifact, EntryPoint, TensorRecord
from distc.runtime.collectives import TorchCollectives
from distc.runtime.dtypes import dtype_name, torch_dtype
from distc.runtime.errors import InputError, PeerLost, Unavailable, UsageError
from distc.runtime.groups import JOIN_SECONDS
from distc.runtime.program import Program
from distc.runtime.session import Session, open_session
from distc.runtime.state import local_state_dict, state_dict
from distc.runtime.stored import closest
from distc.runtime.tracked import TrackedCollectives, collective_calls
from distc.runtime.watch import PEER_TIMEOUT_SECONDS
from distc.runtime.weights import LocalWeights, WeightStore, read_local

EXECUTORS = ("eager", "inductor")


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """True bytes of weights: read by this rank, and of all files' tensors together."""

    read: int
    total: int


class RankProgram:
    """One rank's program with its weights. Call it with global tensors, on every rank alike."""

    def __init__(
        self,
        artifact: Artifact,
        entry: EntryPoint,
        program: Program,
        session: Session,
        weights: LocalWeights,
        executor_name: str,
    ) -> None:
        self.artifact, self.entry, self.session = artifact, entry, session
        self.rank = session.rank
        self._program = program
        self._collectives = TorchCollectives(session.table)
        self._tracked = TrackedCollectives(self._collectives, program, session.progress)
        self._locals = weights.tensors
        self.weight_bytes = WeightBytes(weights.bytes_read, weights.bytes_total)
        self._prepare_groups()
        session.progress.note("building")
        chosen = self._collectives if executor_name == "inductor" else self._tracked
        self.module = executor.build(
            program, rank=self.rank, collectives=chosen, device=session.device
        )
        self._run: Callable[..., Any] = (
            torch.compile(self.module, fullgraph=True, dynamic=False)
            if executor_name == "inductor"
            else self.module
        )

    def _prepare_groups(self) -> None:
        """Make every process group now: later no rank may be alone in making one."""
        if self.session.ranks == 1:
            return
        self.session.table.device_mesh(self.session.device.type)
        for call in collective_calls(self._program):
            if "groups" in call.kwargs:
                self.session.table.prepare(call.kwargs["groups"])  # type: ignore[arg-type]
        for record in (*self.entry.results, *self.entry.weights):
            self.session.table.prepare(shards.gather_groups(record.layout, self.session.ranks))

    def __call__(self, *inputs: Tensor, gather: bool = True, **named: Tensor) -> Any:
        """Run one step.

        Args:
            inputs: global tensors (or DTensors) in the order of `entry.inputs`.
            gather: return whole tensors; else this rank's shard, padding cut off.
            named: inputs by name.

        Returns:
            The output, or a tuple where there are several.

        Raises:
            InputError: an input is missing, unknown, or of another shape or dtype.
            PeerLost: another rank died.
        """
        globals_ = bind_inputs(self.entry, inputs, named)
        try:
            results = self._step(globals_)
            finished = [
                self._finish(r, t, gather) for r, t in zip(self.entry.results, results, strict=True)
            ]
        except PeerLost as error:
            raise self.session.explain(error) from error
        except Exception as error:
            self.session.fail(error)
            raise
        self._tracked.end()
        return finished[0] if len(finished) == 1 else tuple(finished)

    @torch.no_grad()
    def _step(self, globals_: Sequence[Tensor]) -> list[Tensor]:
        self._tracked.begin()
        taken = iter(globals_)
        kept = iter(self._locals)
        arguments = [
            self._place(next(taken), r) if r.kind == "input" else next(kept)
            for r in self.entry.arguments
        ]
        return executor.run(self._run, self._program, arguments)  # type: ignore[arg-type]

    def _place(self, value: Tensor, record: TensorRecord) -> Tensor:
        whole = value.full_tensor() if isinstance(value, DTensor) else value
        piece = shards.local_piece(whole.detach(), record.layout, self.rank)
        return piece.to(self.session.device)

    @torch.no_grad()
    def _finish(self, record: TensorRecord, local: Tensor, gather: bool) -> Tensor:
        ready = local.wait() if hasattr(local, "wait") else local
        if shards.is_replicated(record.layout):
            return ready.reshape(record.shape)
        if gather:
            return gather_piece(self._collectives, record, ready)
        return shards.trim(ready, [n for _, n in record.layout.box(self.rank)]).contiguous()

    def local_state_dict(self) -> dict[str, tuple[Tensor, tuple[tuple[int, int], ...]]]:
        """Return name -> (this rank's shard, its box in the view): no communication, no copy."""
        return local_state_dict(self.entry.weights, self._locals, self.rank)

    def state_dict(self) -> dict[str, Tensor]:
        """Return name -> DTensor in the original shape; every rank must call this.

        A layout that DTensor placements cannot say is redistributed to the nearest plain
        `Shard`. On one rank the values are plain tensors.
        """
        return state_dict(self.entry.weights, self._locals, self.session.table, self._whole)

    def _whole(self, record: TensorRecord, local: Tensor) -> Tensor:
        if shards.is_replicated(record.layout):
            return local.reshape(record.shape)
        return gather_piece(self._collectives, record, local)

    def close(self) -> None:
        """Leave the other ranks; called at exit too."""
        self.session.close()


class SimProgram:
    """All ranks of an artifact in this process, in lockstep: exact, for tests and for looking."""

    def __init__(
        self,
        artifact: Artifact,
        entry: EntryPoint,
        program: Program,
        weights: Sequence[LocalWeights],
    ) -> None:
        self.artifact, self.entry = artifact, entry
        self.rank = 0
        self._program = program
        self._weights = [w.tensors for w in weights]
        largest = max(weights, key=lambda w: w.bytes_read)
        self.weight_bytes = WeightBytes(largest.bytes_read, largest.bytes_total)

    @torch.no_grad()
    def __call__(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Run one step on all ranks; return whole outputs.

        Raises:
            InputError: an input is missing, unknown, or of another shape or dtype.
        """
        globals_ = bind_inputs(self.entry, inputs, named)
        outputs = sim.run(
            self._program, [self._arguments(globals_, r) for r in range(len(self._weights))]
        )
        finished = [
            shards.assemble({r: row[i] for r, row in enumerate(outputs)}, record.layout)
            for i, record in enumerate(self.entry.results)
        ]
        return finished[0] if len(finished) == 1 else tuple(finished)

    def _arguments(self, globals_: Sequence[Tensor], rank: int) -> list[Tensor]:
        taken, kept = iter(globals_), iter(self._weights[rank])
        return [
            shards.local_piece(next(taken).detach(), r.layout, rank)
            if r.kind == "input"
            else next(kept)
            for r in self.entry.arguments
        ]

    def close(self) -> None:
        """Nothing to leave."""


def load(
    path: str | Path,
    *,
    entry: str = "main",
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
        entry: which entry point.
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
    point = opened.manifest.entry(entry)
    _check_executor(executor)
    if backend == "sim":
        return _load_sim(opened, point, weights)
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
        store = WeightStore(opened, weights)
        _verify_weight_members(opened, session.rank, session.ranks)
        read = read_local(store, point.weights, session.rank, session.device)
        program = opened.program(entry)
        return RankProgram(opened, point, program, session, read, executor)
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


def _facts(opened: Artifact, entry: str, session: Session, executor: str) -> dict[str, str]:
    member = artifacts.program_member(entry)
    declared = opened.manifest.members.get(member)
    return {
        "artifact digest": opened.manifest_sha256,
        "program digest": declared.sha256 if declared is not None else "none",
        "torch version": torch.__version__.partition("+")[0],
        "backend": session.backend,
        "NCCL version": _nccl_version() if session.backend == "nccl" else "none",
        "executor": executor,
        "entry point": entry,
    }


def _nccl_version() -> str:
    return str(torch.cuda.nccl.version())  # type: ignore[no-untyped-call]


def _verify_weight_members(opened: Artifact, rank: int, ranks: int) -> None:
    """Each weight member is hashed by one rank: together they read the file once."""
    members = [m for m in sorted(opened.manifest.members) if m.endswith(".safetensors")]
    for member in members[rank::ranks]:
        opened.verify(member)


def _load_sim(opened: Artifact, point: EntryPoint, weights: str | Path | None) -> SimProgram:
    _verify_weight_members(opened, 0, 1)
    store, cpu = WeightStore(opened, weights), torch.device("cpu")
    read = [read_local(store, point.weights, r, cpu) for r in range(opened.manifest.ranks)]
    return SimProgram(opened, point, opened.program(point.name), read)


def gather_piece(collectives: TorchCollectives, record: TensorRecord, local: Tensor) -> Tensor:
    """Return the whole tensor, in the shape users see, from the pieces of a group."""
    table = collectives.table
    groups = shards.gather_groups(record.layout, table.world.size)
    pieces = collectives.all_gather(local.unsqueeze(0), 0, groups)
    ready = pieces.wait() if hasattr(pieces, "wait") else pieces
    mine = next(row for row in groups if table.rank in row)
    return shards.assemble(dict(zip(mine, ready.unbind(0), strict=True)), record.layout)


def bind_inputs(
    entry: EntryPoint, inputs: Sequence[Tensor], named: dict[str, Tensor]
) -> list[Tensor]:
    """Return the input tensors in order, checked against the records.

    Raises:
        InputError: an input is missing, unknown, given twice, or of another shape or dtype.
    """
    records = entry.inputs
    names = [r.name for r in records]
    if len(inputs) > len(names):
        raise InputError(
            f"{len(inputs)} inputs were given, the program takes {len(names)}",
            help=f"pass: {', '.join(names) or 'nothing'}",
        )
    given = dict(zip(names, inputs, strict=False))
    for name, value in named.items():
        if name not in names or name in given:
            near = closest(name, names)
            what = "is given twice" if name in given else "is not an input of the program"
            hint = f"did you mean {near!r}? " if near and name not in names else ""
            raise InputError(f"{name!r} {what}", help=f"{hint}pass: {', '.join(names)}")
        given[name] = value
    missing = [n for n in names if n not in given]
    if missing:
        raise InputError(
            f"input {missing[0]!r} is missing", help=f"pass all of: {', '.join(names)}"
        )
    for record in records:
        _check_input(record, given[record.name])
    return [given[n] for n in names]


def _check_input(record: TensorRecord, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise InputError(
            f"input {record.name!r} is a {type(value).__name__}", help="pass a torch.Tensor"
        )
    if tuple(value.shape) != record.shape or value.dtype != torch_dtype(record.dtype):
        raise InputError(
            f"input {record.name!r} is {dtype_name(value.dtype)}{list(value.shape)}, the program "
            f"takes {record.dtype}{list(record.shape)}",
            help="pad or convert the input, or recompile for its shape",
            code="E-INPUT-SHAPE",
        )
