"""Where whole tensors come from, one at a time: a checkpoint on disk, or a program that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from torch import Tensor
from torch.distributed.tensor import DTensor

from distc.runtime.checkpoint.held import together
from distc.runtime.checkpoint.load import Checkpoint
from distc.runtime.kept import MASTER, TAKEN_STEPS

if TYPE_CHECKING:
    from distc.runtime.load import RankProgram, SimProgram


class Described(Protocol):
    """What is known of a tensor: `SavedTensor` and `TensorRecord` are such."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def parameter(self) -> str: ...
    @property
    def slot(self) -> str: ...


class Source(Protocol):
    """Whole tensors by name.

    Attributes:
        tensors: what there is.
        aliases: further names of tied weights → the name in `tensors`.
        step: steps that were taken.
        writes: whether this process writes; every rank asks for every tensor, one of them writes.
    """

    tensors: Mapping[str, Described]
    aliases: Mapping[str, str]
    step: int
    writes: bool

    def whole(self, name: str) -> Tensor:
        """Return a tensor in the shape that users see, contiguous on the CPU."""
        ...

    def agree(self, problem: Exception | None) -> None:
        """Raise what went wrong in writing, on every rank."""
        ...


class CheckpointSource:
    """The tensors of a checkpoint, their digests compared as they are read.

    Raises:
        MissingFile, InputError: no checkpoint, or a damaged one.
    """

    writes = True

    def __init__(self, path: str | Path) -> None:
        self._checkpoint = Checkpoint.open(Path(path))
        index = self._checkpoint.index
        self.tensors: Mapping[str, Described] = index.tensors
        self.aliases, self.step = index.aliases, index.step

    def whole(self, name: str) -> Tensor:
        """Return a tensor, put together from its boxes."""
        saved = self._checkpoint.index.tensors[name]
        for piece in saved.pieces:
            self._checkpoint.verify(saved, piece)
        view = saved.view
        found, _ = self._checkpoint.read_box(saved, view, tuple((0, n) for n in view))
        return found.view(saved.shape)

    def agree(self, problem: Exception | None) -> None:
        """Raise what went wrong in writing."""
        if problem is not None:
            raise problem


class ProgramSource:
    """The state of a loaded program, gathered one tensor at a time; rank 0 writes."""

    def __init__(self, program: RankProgram | SimProgram, step: int) -> None:
        self._program, self.step = program, step
        self.tensors: Mapping[str, Described] = program.store.records
        self.aliases = program.artifact.manifest.weights.aliases
        self.writes = program.rank == 0

    def whole(self, name: str) -> Tensor:
        """Return a tensor, gathered from the ranks; every rank must ask."""
        record = self._program.store.records[name]
        found = self._program.dtensors([record])[name]
        whole = found.full_tensor() if isinstance(found, DTensor) else found
        return whole.detach().to("cpu").contiguous()

    def agree(self, problem: Exception | None) -> None:
        """Raise what went wrong in writing, on every rank."""

        def raise_it() -> None:
            if problem is not None:
                raise problem

        together(self._program, raise_it)


class WithMasters:
    """Another source, whose parameters are their master weights where it has such.

    What a step computes with is rounded; exported weights are the ones that the optimizer updates.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._masters = {
            t.parameter: name for name, t in source.tensors.items() if t.slot == MASTER
        }
        self.tensors: Mapping[str, Described] = {
            name: _Wide(tensor, source.tensors[self._masters[name]].dtype)
            if name in self._masters
            else tensor
            for name, tensor in source.tensors.items()
        }
        self.aliases, self.step, self.writes = source.aliases, source.step, source.writes

    def whole(self, name: str) -> Tensor:
        """Return a tensor, of a parameter its master."""
        return self._source.whole(self._masters.get(name, name))

    def agree(self, problem: Exception | None) -> None:
        """Raise what went wrong in writing, on every rank."""
        self._source.agree(problem)


@dataclass(frozen=True, slots=True)
class _Wide:
    """A parameter in the dtype of its master."""

    narrow: Described
    dtype: str

    @property
    def name(self) -> str:
        return self.narrow.name

    @property
    def kind(self) -> str:
        return self.narrow.kind

    @property
    def shape(self) -> tuple[int, ...]:
        return self.narrow.shape

    @property
    def parameter(self) -> str:
        return self.narrow.parameter

    @property
    def slot(self) -> str:
        return self.narrow.slot


def taken_steps(source: Source) -> int:
    """Return how many steps the optimizer has taken: those that were not skipped."""
    return int(source.whole(TAKEN_STEPS)) if TAKEN_STEPS in source.tensors else source.step


def names_of(source: Source, kinds: Sequence[str]) -> list[str]:
    """Return the names of the tensors of some kinds, in order."""
    return [name for name, tensor in source.tensors.items() if tensor.kind in kinds]
