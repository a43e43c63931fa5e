"""One entry point, callable with global tensors: as this rank, or as all ranks in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor

from distc.runtime import executor, shards, sim
from distc.runtime.artifact import Artifact, EntryPoint, TensorRecord
from distc.runtime.collectives import TorchCollectives
from distc.runtime.dtypes import dtype_name, torch_dtype
from distc.runtime.errors import InputError, PeerLost
from distc.runtime.session import Session
from distc.runtime.state import local_of
from distc.runtime.store import StateStore
from distc.runtime.stored import closest
from distc.runtime.tracked import TrackedCollectives, collective_calls


class RankEntry:
    """An entry point of this rank's program; every rank calls it alike.

    State that the entry point updates is changed in place; only the other results are returned.
    """

    def __init__(
        self,
        artifact: Artifact,
        point: EntryPoint,
        session: Session,
        store: StateStore,
        executor_name: str,
    ) -> None:
        self.point, self.session, self.rank = point, session, session.rank
        self._store = store
        self._program = artifact.program(point.name)
        self._collectives = TorchCollectives(session.table)
        self._tracked = TrackedCollectives(self._collectives, self._program, session.progress)
        self._prepare_groups()
        session.progress.note("building")
        compiled = executor_name == "inductor"
        self.module = executor.build(
            self._program,
            rank=self.rank,
            collectives=self._collectives if compiled else self._tracked,
            device=session.device,
            donated=point.donated,
            in_place=not compiled,
        )
        self._run: Callable[..., Any] = (
            torch.compile(self.module, fullgraph=True, dynamic=False) if compiled else self.module
        )

    def _prepare_groups(self) -> None:
        """Make every process group now: later no rank may be alone in making one."""
        if self.session.ranks == 1:
            return
        self.session.table.device_mesh(self.session.device.type)
        for call in collective_calls(self._program):
            if "groups" in call.kwargs:
                self.session.table.prepare(call.kwargs["groups"])  # type: ignore[arg-type]
        for record in self.point.outputs:
            self.session.table.prepare(shards.gather_groups(record.layout, self.session.ranks))

    def __call__(self, *inputs: Tensor, gather: bool = True, **named: Tensor) -> Any:
        """Run one step.

        Args:
            inputs: global tensors (or DTensors) in the order of `point.inputs`.
            gather: return whole tensors; else this rank's shard, padding cut off.
            named: inputs by name.

        Returns:
            The output, or a tuple where there are several.

        Raises:
            InputError: an input is missing, unknown, or of another shape or dtype.
            PeerLost: another rank died.
            DistcError: an earlier call broke off and left the state half-updated.
        """
        globals_ = bind_inputs(self.point, inputs, named)
        try:
            with self._store.step(self.point):
                results = self._step(globals_)
                rows = zip(self.point.results, results, strict=True)
                finished = [self._finish(r, t, gather) for r, t in rows if not r.updates]
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
        kept = iter(self._store.values(self.rank, self.point.state))
        arguments = [
            self._place(next(taken), r) if r.kind == "input" else next(kept)
            for r in self.point.arguments
        ]
        return executor.run(self._run, self._program, arguments)  # type: ignore[arg-type]

    def _place(self, value: Tensor, record: TensorRecord) -> Tensor:
        if isinstance(value, DTensor):
            local = local_of(value, record, self.session.table)
            if local is not None:
                return shards.pad(local.detach(), record.layout)
            value = value.full_tensor()
        piece = shards.local_piece(value.detach(), record.layout, self.rank)
        return piece.to(self.session.device)

    @torch.no_grad()
    def _finish(self, record: TensorRecord, local: Tensor, gather: bool) -> Tensor:
        ready = local.wait() if hasattr(local, "wait") else local
        if shards.is_replicated(record.layout):
            return ready.reshape(record.shape)
        if gather:
            return gather_piece(self._collectives, record, ready)
        return shards.trim(ready, [n for _, n in record.layout.box(self.rank)]).contiguous()


class SimEntry:
    """An entry point run as all ranks in this process, in lockstep."""

    def __init__(self, artifact: Artifact, point: EntryPoint, store: StateStore) -> None:
        self.point = point
        self._store = store
        self._program = artifact.program(point.name)

    @torch.no_grad()
    def __call__(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Run one step on all ranks; return whole outputs.

        Raises:
            InputError: an input is missing, unknown, or of another shape or dtype.
            DistcError: an earlier call broke off and left the state half-updated.
        """
        globals_ = bind_inputs(self.point, inputs, named)
        with self._store.step(self.point):
            rows = [self._arguments(globals_, r) for r in self._store.ranks]
            outputs = sim.run(self._program, rows)
            for arguments, row in zip(rows, outputs, strict=True):
                _write(arguments, row, self.point.donated)
        finished = [
            shards.assemble({r: row[i] for r, row in enumerate(outputs)}, record.layout)
            for i, record in enumerate(self.point.results)
            if not record.updates
        ]
        return finished[0] if len(finished) == 1 else tuple(finished)

    def _arguments(self, globals_: Sequence[Tensor], rank: int) -> list[Tensor]:
        taken, kept = iter(globals_), iter(self._store.values(rank, self.point.state))
        return [
            shards.local_piece(next(taken).detach(), r.layout, rank)
            if r.kind == "input"
            else next(kept)
            for r in self.point.arguments
        ]


def _write(arguments: Sequence[Tensor], row: list[Tensor], donated: Mapping[int, int]) -> None:
    """Write one rank's results into its state; what may be a view of state is copied before."""
    places = {arguments[a].untyped_storage().data_ptr() for a in donated.values()}
    row[:] = [x.clone() if x.untyped_storage().data_ptr() in places else x for x in row]
    for result, argument in donated.items():
        arguments[argument].copy_(row[result])


def gather_piece(collectives: TorchCollectives, record: TensorRecord, local: Tensor) -> Tensor:
    """Return the whole tensor, in the shape users see, from the pieces of a group."""
    table = collectives.table
    groups = shards.gather_groups(record.layout, table.world.size)
    pieces = collectives.all_gather(local.unsqueeze(0), 0, groups)
    ready = pieces.wait() if hasattr(pieces, "wait") else pieces
    mine = next(row for row in groups if table.rank in row)
    return shards.assemble(dict(zip(mine, ready.unbind(0), strict=True)), record.layout)


def bind_inputs(
    entry: EntryPoint, inputs: Sequence[Tensor], named: Mapping[str, Tensor]
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
