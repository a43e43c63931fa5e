"""`distc.load("train.distc").trainer()`: steps, evaluation, checkpoints, in single-device terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor

from distc.runtime.artifact import EntryPoint, TensorRecord
from distc.runtime.checkpoint import imported, plain
from distc.runtime.checkpoint import load as loading
from distc.runtime.checkpoint import save as saving
from distc.runtime.checkpoint.sources import ProgramSource
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import ArtifactError, InputError, UsageError
from distc.runtime.kept import DRAWS, LOSS_SCALE, MASTER, SEED, TAKEN_STEPS
from distc.runtime.manifest import OWNED_KINDS, WEIGHT_KINDS
from distc.runtime.state import Box, local_state_dict

if TYPE_CHECKING:
    from distc.runtime.load import RankProgram, SimProgram

Schedule: TypeAlias = "float | Sequence[float] | Callable[[int], float | Sequence[float]]"
"""A learning rate, one per parameter group, or a function of the step that starts at 1."""

FILLED = ("lr", "step")
"""Inputs that the trainer fills in: the learning rate and the number of the step, from 1."""

STEP, ACCUMULATE, UPDATE, EVALUATE = "step", "accumulate", "update", "evaluate"


class Trainer:
    """Trains a loaded program. Under a launcher every rank calls every method alike.

    A program is either one entry point `step`, or `accumulate` for each of k micro-batches and then
    `update`. The batch is the global one, the same on every rank, or a DTensor.

    Attributes:
        steps: steps taken so far; a checkpoint brings its own.
        position: where the data stands, saved with checkpoints; the caller's to keep.

    Raises:
        ArtifactError: the program has no such entry points.
        UsageError: it takes a learning rate and none is given.
    """

    def __init__(self, program: RankProgram | SimProgram, lr: Schedule | None = None) -> None:
        self.program, self.lr = program, lr
        self.steps = 0
        self.position: dict[str, int] = {}
        entries = {e.name: e for e in program.artifact.manifest.entries}
        self._phases = _phases(entries)
        self._evaluates = EVALUATE in entries
        points = [entries[name] for name in self._phases]
        if lr is None and any(r.name == "lr" for p in points for r in p.inputs):
            raise UsageError(
                "the program takes a learning rate", help="pass trainer(lr=1e-3), or a function"
            )
        for name in (*self._phases, *([EVALUATE] if self._evaluates else ())):
            program.entry(name)

    @property
    def micro_batches(self) -> int:
        """Micro-batches of a step, k."""
        return self._point(self._phases[0]).count

    @property
    def batch_inputs(self) -> tuple[TensorRecord, ...]:
        """What a micro-batch consists of: the inputs that the trainer does not fill in."""
        records = self._point(self._phases[0]).inputs
        return tuple(r for r in records if r.name not in FILLED)

    @property
    def evaluate_inputs(self) -> tuple[TensorRecord, ...]:
        """What `evaluate` takes.

        Raises:
            ArtifactError: the program has no such entry point.
        """
        return tuple(r for r in self._point(EVALUATE).inputs if r.name not in FILLED)

    def step(self, *batch: Tensor | Mapping[str, Tensor], **named: Tensor) -> Tensor:
        """Take one step on a global batch; return its loss, a scalar, before the update.

        Args:
            batch: the inputs in order, or one mapping by name; the first dimension of k
                micro-batches is k times that of the program.
            named: inputs by name.

        Raises:
            InputError: an input is missing, unknown or of another shape or dtype.
            PeerLost: another rank died.
        """
        first = self._point(self._phases[0])
        parts = self._split(first, batch, named, self.micro_batches)
        filled = self._fill(first)
        losses = [_loss(first, self._call(first, {**part, **filled})) for part in parts]
        for name in self._phases[1:]:
            point = self._point(name)
            self._call(point, self._fill(point))
        self.steps += 1
        return losses[0] if len(losses) == 1 else torch.stack(losses).mean()

    def evaluate(self, *batch: Tensor | Mapping[str, Tensor], **named: Tensor) -> Tensor:
        """Return the loss of a batch, or of several joined, without taking a step.

        Raises:
            ArtifactError: the program has no entry point `evaluate`.
            InputError: an input is missing, unknown or of another shape or dtype.
        """
        point = self._point(EVALUATE)
        parts = self._split(point, batch, named, None)
        losses = [_loss(point, self._call(point, {**p, **self._fill(point)})) for p in parts]
        return losses[0] if len(losses) == 1 else torch.stack(losses).mean()

    def learning_rate(self) -> float | Sequence[float]:
        """Return the learning rate of the next step; skipped ones count."""
        rate = self.lr(self.steps + 1) if callable(self.lr) else self.lr
        return 0.0 if rate is None else rate

    @property
    def taken_steps(self) -> int:
        """Steps that changed parameters: all but those whose gradients were not finite."""
        taken = self._number(TAKEN_STEPS)
        return self.steps if taken is None else int(taken)

    @property
    def loss_scale(self) -> float | None:
        """The scale of the next step, None where it is not dynamic."""
        return self._number(LOSS_SCALE)

    def reseed(self, seed: int) -> None:
        """Draw masks of dropout from another seed, as of the first step; every rank alike.

        Raises:
            UsageError: the program drops nothing, or the seed is no number of 63 bits.
        """
        store = self.program.store
        if SEED not in store.records:
            raise UsageError("the program draws no random numbers", help="leave reseed out")
        if not 0 <= seed < 1 << 63:
            raise UsageError(f"the seed is {seed}, not a number of 63 bits", help="use 0")
        for rank in store.ranks:
            store.tensors[rank][SEED].fill_(seed)
            store.tensors[rank][DRAWS].zero_()

    def _number(self, name: str) -> float | None:
        """A scalar that is kept, the same on every rank; None where the program has none."""
        store = self.program.store
        return store.tensors[store.ranks[0]][name].item() if name in store.records else None

    def save(self, path: str | Path, keep: int | None = None) -> Path:
        """Save a checkpoint into the folder `path`, crash-safe; see `checkpoint.save.save`."""
        progress = saving.Progress(self.steps, self.position)
        return saving.save(self.program, path, progress, keep)

    def load(self, path: str | Path) -> None:
        """Load a checkpoint, also one that was saved under another plan.

        Raises:
            MissingFile: there is none.
            InputError: it is damaged, or of another model.
        """
        loaded = loading.load(self.program, path)
        self.steps, self.position = loaded.index.step, dict(loaded.index.position)

    def export_torch(
        self,
        weights: str | Path | None = None,
        optimizer: str | Path | None = None,
        *,
        config: str | Path | None = None,
    ) -> None:
        """Write plain PyTorch files, one tensor at a time; see `checkpoint.plain`.

        Args:
            weights: `.safetensors`, `.pt`, or a folder as Hugging Face has it.
            optimizer: a `.pt` that `torch.optim` loads.
            config: the model folder whose configuration and tokenizer go along.
        """
        source = ProgramSource(self.program, self.steps)
        if weights is not None:
            plain.export_weights(source, weights, config=config)
        if optimizer is not None:
            plain.export_optimizer(source, optimizer, trained(self.program.store.records))

    def import_torch(
        self, weights: str | Path | None = None, optimizer: str | Path | None = None
    ) -> None:
        """Take over weights and optimizer state of plain PyTorch; see `checkpoint.imported`.

        Raises:
            MissingFile: there is no such file.
            InputError: it is not the state of this model.
        """
        if weights is not None:
            imported.import_weights(self.program, weights)
        if optimizer is not None:
            names = trained(self.program.store.records)
            self.steps = imported.import_optimizer(self.program, optimizer, names)

    def state_dict(self) -> dict[str, Tensor]:
        """Return name → DTensor of parameters and buffers (`sim`, one rank: whole tensors).

        Parameters are as the model computes with them: rounded, where there are master weights.
        """
        return self.program.state_dict()

    def local_state_dict(self) -> dict[str, tuple[Tensor, Box]]:
        """Return name → (this rank's shard, its box in the view) of everything that is kept."""
        store, rank = self.program.store, self.program.rank
        records = list(store.records.values())
        return local_state_dict(records, store.values(rank, records), rank)

    def optimizer_state_dict(self) -> dict[str, Any]:
        """Return the optimizer's state as torch.optim writes it, its tensors as in `state_dict`.

        Parameters are numbered in the order of `param_groups[0]["param_names"]`.
        """
        records = self.program.store.records
        owned = [r for r in records.values() if r.kind == OWNED_KINDS[0] and r.slot != MASTER]
        values = self.program.dtensors(owned)
        names = trained(records)
        state: dict[int, dict[str, Tensor]] = {}
        for index, name in enumerate(names):
            slots = {r.slot: values[r.name] for r in owned if r.parameter == name}
            if slots:
                state[index] = {"step": torch.tensor(float(self.taken_steps)), **slots}
        group = {"lr": self.learning_rate(), "params": list(range(len(names)))}
        return {"state": state, "param_groups": [{**group, "param_names": names}]}

    def _point(self, name: str) -> EntryPoint:
        return self.program.artifact.manifest.entry(name)

    def _call(self, point: EntryPoint, inputs: Mapping[str, Any]) -> Any:
        return self.program.entry(point.name)(**inputs)

    def _fill(self, point: EntryPoint) -> dict[str, Tensor]:
        """Return the inputs that are the trainer's to give."""
        found: dict[str, Tensor] = {}
        for record in point.inputs:
            if record.name in FILLED:
                value = self.learning_rate() if record.name == "lr" else self.steps + 1
                found[record.name] = _filled(record, value)
        return found

    def _split(
        self,
        point: EntryPoint,
        batch: Sequence[Tensor | Mapping[str, Tensor]],
        named: Mapping[str, Tensor],
        count: int | None,
    ) -> list[dict[str, Tensor]]:
        """Return the micro-batches of a batch; as many as it holds where `count` is None."""
        records = {r.name: r for r in point.inputs if r.name not in FILLED}
        given = _by_name(batch, named, records)
        number = _count_of(given, records) if count is None else count
        parts: list[dict[str, Tensor]] = [{} for _ in range(number)]
        for name, value in given.items():
            for part, piece in zip(parts, _pieces(records.get(name), value, number), strict=True):
                part[name] = piece
        return parts


def trained(records: Mapping[str, TensorRecord]) -> list[str]:
    """Return the parameters that an optimizer keeps state for, or all where it keeps none."""
    owners = {r.parameter for r in records.values() if r.kind == OWNED_KINDS[0]}
    parameters = [r.name for r in records.values() if r.kind == WEIGHT_KINDS[0]]
    return [name for name in parameters if name in owners] or parameters


def _phases(entries: Mapping[str, EntryPoint]) -> tuple[str, ...]:
    if STEP in entries:
        return (STEP,)
    if ACCUMULATE in entries and UPDATE in entries:
        return (ACCUMULATE, UPDATE)
    raise ArtifactError(
        f"the artifact has the entry points {', '.join(entries)}, training needs step, or "
        "accumulate and update",
        help="compile the model with --train",
        code="E-NOT-TRAINABLE",
    )


def _by_name(
    batch: Sequence[Tensor | Mapping[str, Tensor]],
    named: Mapping[str, Tensor],
    records: Mapping[str, TensorRecord],
) -> dict[str, Tensor]:
    tensors = [b for b in batch if isinstance(b, Tensor)]
    mappings = [b for b in batch if not isinstance(b, Tensor)]
    if mappings and (tensors or len(mappings) > 1 or not isinstance(mappings[0], Mapping)):
        raise InputError(
            "the batch is neither tensors nor one mapping of them",
            help=f"pass {', '.join(records)} in order or by name",
        )
    if len(tensors) > len(records):
        raise InputError(
            f"{len(tensors)} inputs were given, the program takes {len(records)}",
            help=f"pass: {', '.join(records)}",
        )
    return {**dict(zip(records, tensors, strict=False)), **dict(*mappings), **named}


def _count_of(given: Mapping[str, Tensor], records: Mapping[str, TensorRecord]) -> int:
    """How many batches of the program's size the inputs hold."""
    for name, value in given.items():
        record = records.get(name)
        if record is not None and record.shape and value.dim() == len(record.shape):
            size, rest = record.shape[0], value.shape[0]
            if size and rest > size and rest % size == 0:
                return int(rest // size)
    return 1


def _pieces(record: TensorRecord | None, value: Tensor, count: int) -> list[Tensor]:
    """Cut an input into micro-batches; one of other sizes goes on, to be refused by name."""
    if count == 1 or record is None or not isinstance(value, Tensor):
        return [value] * count
    if value.dim() == 0 or not record.shape:
        return [value] * count
    whole = value.full_tensor() if isinstance(value, DTensor) else value
    if whole.shape[0] != count * record.shape[0]:
        raise InputError(
            f"input {record.name!r} has {whole.shape[0]} rows, a step takes {count} micro-batches "
            f"of {record.shape[0]}",
            help=f"pass the global batch, {count * record.shape[0]} rows",
            code="E-INPUT-SHAPE",
        )
    return list(torch.split(whole, record.shape[0]))


def _filled(record: TensorRecord, value: float | Sequence[float]) -> Tensor:
    """Return a number in the shape and dtype that the program takes."""
    dtype = torch_dtype(record.dtype)
    if isinstance(value, int | float):
        return torch.full(record.shape, value, dtype=dtype)
    given = torch.tensor(list(value), dtype=dtype)
    if tuple(given.shape) != record.shape:
        raise UsageError(
            f"{len(value)} values for {record.name!r}, the program takes {list(record.shape)}",
            help="give one learning rate, or one for each parameter group",
        )
    return given


def _loss(point: EntryPoint, outputs: Any) -> Tensor:
    """Return the loss among the outputs: the one called so, else the first."""
    row = outputs if isinstance(outputs, tuple) else (outputs,)
    names = [r.name for r in point.outputs]
    if not names:
        raise ArtifactError(
            f"entry point {point.name!r} returns no loss", help="compile the model again"
        )
    found: Tensor = row[names.index("loss") if "loss" in names else 0]
    return found.to_local() if isinstance(found, DTensor) else found
