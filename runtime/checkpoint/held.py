"""What saving and loading need of a program: its ranks here, and a way to hear from the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from torch import Tensor

from distc.runtime.artifact import Artifact, TensorRecord
from distc.runtime.errors import DistcError, InputError, PeerLost, UsageError
from distc.runtime.store import StateStore

_T = TypeVar("_T")


class Held(Protocol):
    """A loaded program: `RankProgram`, or `SimProgram` with all ranks."""

    artifact: Artifact
    store: StateStore

    def finished(self, record: TensorRecord) -> dict[int, Tensor]:
        """Return rank → local tensor of a state, its parts added up where it is partial."""
        ...

    def exchange(self, texts: Mapping[int, str]) -> list[str]:
        """Tell all ranks a text and return every rank's; a barrier too."""
        ...


def saved_records(held: Held) -> dict[str, TensorRecord]:
    """Return what a checkpoint holds: all state but constants that nothing changes."""
    manifest = held.artifact.manifest
    return {
        name: record
        for name, record in manifest.state.items()
        if record.kind != "constant" or name in manifest.updated
    }


def together(held: Held, work: Callable[[], _T]) -> _T:
    """Do something on every rank; if it fails on one, every rank raises that rank's error.

    Raises:
        DistcError: what any rank raised.
    """
    problem: DistcError | None = None
    result: list[_T] = []
    try:
        result.append(work())
    except PeerLost:
        raise
    except DistcError as error:
        problem = error
    except OSError as error:
        problem = UsageError(
            f"{error.filename or 'a file'}: {error.strerror or error}",
            help="make room, or name a folder that every rank may use",
            code="E-FILE",
        )
    said = "" if problem is None else f"{problem.code}\n{problem}"
    answers = held.exchange(dict.fromkeys(held.store.ranks, said))
    if problem is not None:
        raise problem
    failed = next(((r, a) for r, a in enumerate(answers) if a), None)
    if failed is not None:
        code, _, text = failed[1].partition("\n")
        first = text.splitlines()[0].partition("]: ")[2]
        raise InputError(
            f"rank {failed[0]}: {first}", help="the error of that rank says more", code=code
        )
    return result[0]
