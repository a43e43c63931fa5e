"""The state of this process's ranks between calls, shared by all entry points of an artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from torch import Tensor

from distc.runtime.artifact import EntryPoint, TensorRecord
from distc.runtime.errors import DistcError
from distc.runtime.weights import LocalWeights


class StateStore:
    """Local tensors by rank and name: one rank's under a launcher, every rank's in `sim`.

    A tensor keeps its address for good: new values are written into it.

    Args:
        records: what each tensor is, by name.
        values: rank → first values in the order of `records`.
    """

    def __init__(
        self, records: Mapping[str, TensorRecord], values: Mapping[int, LocalWeights]
    ) -> None:
        self.records = dict(records)
        self.tensors: dict[int, dict[str, Tensor]] = {
            rank: dict(zip(records, read.tensors, strict=True)) for rank, read in values.items()
        }
        self._torn = ""

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks that live in this process."""
        return sorted(self.tensors)

    def values(self, rank: int, records: Sequence[TensorRecord]) -> list[Tensor]:
        """Return a rank's tensors of some records, in their order."""
        return [self.tensors[rank][r.name] for r in records]

    def check_whole(self) -> None:
        """Check that no call broke off while it wrote.

        Raises:
            DistcError: one did (`E-STATE`).
        """
        if self._torn:
            raise DistcError(
                f"the state is half-updated: {self._torn} broke off",
                help="load a checkpoint, or load the artifact again",
                code="E-STATE",
            )

    @contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """Write state inside; if that breaks off, nothing uses the state until it is replaced."""
        self._torn = what
        yield
        self._torn = ""

    @contextmanager
    def step(self, point: EntryPoint) -> Iterator[None]:
        """Run an entry point inside, which may update state.

        Raises:
            DistcError: an earlier call broke off while it wrote.
        """
        self.check_whole()
        if not point.donated:
            yield
            return
        with self.writing(f"a call of {point.name!r}"):
            yield
