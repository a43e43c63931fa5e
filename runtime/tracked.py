"""Collectives that say what they are doing and turn broken connections into located errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from torch import Tensor

from distc.runtime.collectives import Collectives, GroupList
from distc.runtime.errors import PeerLost
from distc.runtime.program import Call, Program
from distc.runtime.progress import Progress

_BROKEN = re.compile(
    r"[Cc]onnection (closed|reset|refused|was)|Timed out|timed out|[Bb]roken pipe|"
    r"Socket|remote process exited|NCCL|recv|Application timeout",
)


class TrackedCollectives:
    """Forwards to other collectives; notes each in `progress` before it starts.

    For eager execution only: torch.compile traces the plain ones.
    """

    def __init__(self, inner: Collectives, program: Program, progress: Progress) -> None:
        self._inner, self._progress = inner, progress
        self._labels = _labels(program)
        self._step, self._count = 0, 0

    def begin(self) -> None:
        """Start the next run of the program."""
        self._step += 1
        self._count = 0
        self._progress.note(f"step {self._step}, before its first collective")

    def end(self) -> None:
        """Say that the run is over."""
        self._progress.note(f"the end of step {self._step}")

    def all_reduce(self, x: Tensor, kind: str, groups: GroupList) -> Tensor:
        """See `Collectives`."""
        return self._run("all_reduce", lambda: self._inner.all_reduce(x, kind, groups))

    def all_gather(self, x: Tensor, dim: int, groups: GroupList) -> Tensor:
        """See `Collectives`."""
        return self._run("all_gather", lambda: self._inner.all_gather(x, dim, groups))

    def reduce_scatter(self, x: Tensor, dim: int, kind: str, groups: GroupList) -> Tensor:
        """See `Collectives`."""
        return self._run("reduce_scatter", lambda: self._inner.reduce_scatter(x, dim, kind, groups))

    def all_to_all(self, x: Tensor, split_dim: int, concat_dim: int, groups: GroupList) -> Tensor:
        """See `Collectives`."""
        return self._run(
            "all_to_all", lambda: self._inner.all_to_all(x, split_dim, concat_dim, groups)
        )

    def permute(self, x: Tensor, pairs: Sequence[Sequence[int]]) -> Tensor:
        """See `Collectives`."""
        return self._run("permute", lambda: self._inner.permute(x, pairs))

    def _run(self, name: str, call: Callable[[], Tensor]) -> Tensor:
        label = self._label(name)
        self._count += 1
        self._progress.note(f"step {self._step}, {label}")
        result = unbroken(label, call)
        self._progress.note(f"step {self._step}, after {label}")
        return result

    def _label(self, name: str) -> str:
        if self._count < len(self._labels):
            return self._labels[self._count]
        return f"{name} {self._count + 1}"


def unbroken(label: str, call: Callable[[], Tensor]) -> Tensor:
    """Return what a collective returns.

    Raises:
        PeerLost: the connection to another rank broke in it.
    """
    try:
        return call()
    except RuntimeError as error:
        if not _BROKEN.search(str(error)):
            raise
        raise PeerLost(
            f"the connection broke in {label}: {str(error).splitlines()[0][:120]}",
            help="look for the rank that left first",
        ) from error


def collective_calls(program: Program) -> list[Call]:
    """Return the collective calls in order, those of regions included."""
    found: list[Call] = []
    for call in program.calls:
        if call.op.startswith("collective."):
            found.append(call)
        for region in call.regions:
            found += collective_calls(region)
    return found


def _labels(program: Program) -> list[str]:
    """Name each collective of a run; where regions hold some, their number is not known."""
    flat = [c for c in program.calls if c.op.startswith("collective.")]
    if len(collective_calls(program)) != len(flat):
        return []
    return [
        f"{c.op.partition('.')[2]} {i + 1} of {len(flat)}" + (f" at {c.loc}" if c.loc else "")
        for i, c in enumerate(flat)
    ]
