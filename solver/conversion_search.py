"""A cheapest path of collectives between any two shardings, searched from one to the other.

States are shardings, edges single collectives; Dijkstra finds the path of least time. What a step
may do (only the END of a dimension's axis list moves, so a shard stays one contiguous box):

    all_gather      pop the last axis of a dimension
    all_slice       push a free axis on a dimension (local)
    all_to_all      pop the last axis of one dimension, push it on another
    all_reduce      finish a partial axis
    reduce_scatter  finish a partial axis and push it on a dimension
    permute         every rank fetches the box it needs from the one rank that has it
    to_partial      a free axis becomes partial (local: one rank keeps the value)

The price of a step is that of its collective (`collective_cost.py`); a path costs what its real
steps cost, after neighbouring ones were joined. Steps of the path that are not proved (`legality/`)
are forbidden, and the search runs again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, pairwise
from math import prod

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.errors import InternalError
from distc.solver.collective_cost import StepKind
from distc.solver.hardware import Hardware
from distc.solver.legality import refusal
from distc.solver.step import Step, permutation, step_seconds

_MAX_STATES = 20_000


def search_path(
    source: Sharding,
    target: Sharding,
    shape: tuple[int, ...],
    itemsize: int,
    hardware: Hardware,
    only: StepKind | None = None,
) -> tuple[Step, ...] | None:
    """Return the cheapest steps between two normal shardings, None where there are none.

    Args:
        source, target: normal for `shape`.
        shape: global shape of the value.
        itemsize: bytes per element.
        hardware: prices the steps.
        only: take no other kind of step.

    Raises:
        InternalError: there are paths, and none that is proved.
    """
    search = _Search(source, target, shape, itemsize, hardware)
    while (path := search.run(only)) is not None:
        if not search.forbid_unproved(path):
            return _merge(source.mesh, path, source, shape)
    if search.refusals:
        raise InternalError(
            f"no conversion from {source} to {target} for {list(shape)} is proved; "
            + search.refusals[0],
            help="this is a defect of distc, please report it with the reproducer",
        )
    return None


@dataclass(frozen=True, slots=True)
class _Cut:
    """Axis units that cut a dimension, and the working block (normalised away in a Sharding)."""

    axes: tuple[AxisRef, ...] = ()
    block: int = 1


@dataclass(frozen=True, slots=True)
class _State:
    dims: tuple[_Cut, ...]
    partial: tuple[tuple[AxisRef, Reduction], ...]


class _Search:
    def __init__(
        self,
        source: Sharding,
        target: Sharding,
        shape: tuple[int, ...],
        itemsize: int,
        hardware: Hardware,
    ) -> None:
        self.mesh, self.shape, self.itemsize = source.mesh, shape, itemsize
        self.hardware = hardware
        self.cuts = self._cut_points(source, target)
        self.start = self._state(source)
        self.goal = self._state(target)
        self.target = target
        self._shardings: dict[_State, Sharding] = {}
        self._forbidden: set[tuple[Sharding, Step]] = set()
        self.refusals: list[str] = []

    def forbid_unproved(self, path: tuple[Step, ...]) -> bool:
        """Forbid the steps of a path that are not proved; True where there are some."""
        known, before = len(self.refusals), self.sharding(self.start)
        for step in path:
            why_not = refusal(step, before, self.shape)
            if why_not is not None:
                self._forbidden.add((before, step))
                self.refusals.append(why_not)
            before = step.sharding
        return len(self.refusals) > known

    def run(self, only: StepKind | None = None) -> tuple[Step, ...] | None:
        """Return the cheapest path, of steps of kind `only` where given; None where none is."""
        order = count()
        best: dict[_State, float] = {self.start: 0.0}
        queue: list[tuple[float, int, _State, tuple[Step, ...]]] = [
            (0.0, next(order), self.start, ())
        ]
        done: set[_State] = set()
        while queue and len(done) < _MAX_STATES:
            seconds, _, state, path = heappop(queue)
            if state in done:
                continue
            done.add(state)
            if self.sharding(state) == self.target:
                return path
            for step, after in self.moves(state):
                if only is not None and step.kind is not only:
                    continue
                if (self.sharding(state), step) in self._forbidden:
                    continue
                cost = seconds + step_seconds(
                    self.mesh, step, self.sharding(state), self.shape, self.itemsize, self.hardware
                )
                if cost < best.get(after, float("inf")):
                    best[after] = cost
                    heappush(queue, (cost, next(order), after, (*path, step)))
        return None

    def sharding(self, state: _State) -> Sharding:
        """Return the normal form of a state."""
        if state not in self._shardings:
            dims = tuple(DimSharding(c.axes, c.block if c.axes else 1) for c in state.dims)
            raw = Sharding(self.mesh, dims, state.partial)
            self._shardings[state] = raw.normalize(self.shape)
        return self._shardings[state]

    def _cut_points(self, source: Sharding, target: Sharding) -> dict[str, list[int]]:
        points: dict[str, set[int]] = {}
        for ref in (*source.used_axes, *target.used_axes):
            whole = self.mesh.axis_size(ref.name)
            ends = (ref.pre, ref.pre * ref.size) if ref.size else (1, whole)
            points.setdefault(ref.name, set()).update(ends)
        # Halves and thirds of an axis of six have no common parts: each stays what it is.
        return {
            name: sorted(p)
            for name, p in points.items()
            if all(b % a == 0 for a, b in pairwise(sorted(p)))
        }

    def _state(self, sharding: Sharding) -> _State:
        dims = []
        for dim, layout in zip(sharding.dims, sharding.layout(self.shape).dims, strict=True):
            axes = dim.axes
            if layout.is_even:
                axes = tuple(unit for ref in axes for unit in self._units(ref))
            dims.append(_Cut(axes, dim.block))
        partial = tuple((u, k) for ref, k in sharding.partial for u in self._units(ref))
        return _State(tuple(dims), partial)

    def _units(self, ref: AxisRef) -> Iterator[AxisRef]:
        """Cut an axis at every point where source or target cut it."""
        whole = self.mesh.axis_size(ref.name)
        low, high = (ref.pre, ref.pre * ref.size) if ref.size else (1, whole)
        points = [p for p in self.cuts.get(ref.name, (low, high)) if low <= p <= high]
        for a, b in pairwise(points):
            unit = AxisRef(ref.name, a, b // a)
            yield AxisRef(ref.name) if (a, b) == (1, whole) else unit

    def moves(self, state: _State) -> Iterator[tuple[Step, _State]]:
        yield from self._finish(state)
        yield from self._pops(state)
        yield from self._pushes(state)
        yield from self._permutes(state)

    def _step(
        self, kind: StepKind, axis: AxisRef, after: _State, **places: int | Reduction | None
    ) -> tuple[Step, _State]:
        return Step(kind, (axis,), self.sharding(after), **places), after  # type: ignore[arg-type]

    def _finish(self, state: _State) -> Iterator[tuple[Step, _State]]:
        wanted = set(self.goal.partial)
        for item in state.partial:
            if item in wanted:
                continue
            axis, kind = item
            rest = tuple(p for p in state.partial if p != item)
            yield self._step(StepKind.ALL_REDUCE, axis, _State(state.dims, rest), reduction=kind)
            for dim in range(len(state.dims)):
                if (dims := self._pushed(state.dims, dim, axis, exact=True)) is not None:
                    yield self._step(
                        StepKind.REDUCE_SCATTER,
                        axis,
                        _State(dims, rest),
                        target_dim=dim,
                        reduction=kind,
                    )

    def _pops(self, state: _State) -> Iterator[tuple[Step, _State]]:
        for dim, cut in enumerate(state.dims):
            if not cut.axes:
                continue
            axis = cut.axes[-1]
            popped = _replace(state.dims, dim, _Cut(cut.axes[:-1], cut.block))
            yield self._step(
                StepKind.ALL_GATHER, axis, _State(popped, state.partial), source_dim=dim
            )
            for other in range(len(state.dims)):
                if other == dim:
                    continue
                if (dims := self._pushed(popped, other, axis, exact=False)) is not None:
                    yield self._step(
                        StepKind.ALL_TO_ALL,
                        axis,
                        _State(dims, state.partial),
                        source_dim=dim,
                        target_dim=other,
                    )

    def _pushes(self, state: _State) -> Iterator[tuple[Step, _State]]:
        used = [a for c in state.dims for a in c.axes] + [a for a, _ in state.partial]
        for dim, goal in enumerate(self.goal.dims):
            held = len(state.dims[dim].axes)
            if held >= len(goal.axes):
                continue
            axis = goal.axes[held]
            if any(self.mesh.overlap(axis, u) for u in used):
                continue
            if (dims := self._pushed(state.dims, dim, axis, exact=True)) is not None:
                yield self._step(
                    StepKind.ALL_SLICE, axis, _State(dims, state.partial), target_dim=dim
                )
        for axis, kind in self.goal.partial:
            # A sum of what is neutral to a maximum overflows: finish the other kinds first.
            mixed = any(k is not kind and (a, k) not in self.goal.partial for a, k in state.partial)
            if not mixed and not any(self.mesh.overlap(axis, u) for u in used):
                after = _State(state.dims, (*state.partial, (axis, kind)))
                yield self._step(StepKind.TO_PARTIAL, axis, after, reduction=kind)

    def _pushed(
        self, dims: tuple[_Cut, ...], dim: int, axis: AxisRef, *, exact: bool
    ) -> tuple[_Cut, ...] | None:
        """Push `axis` on `dim`; with `exact` only where that is a prefix of the goal."""
        cut, goal = dims[dim], self.goal.dims[dim]
        axes = (*cut.axes, axis)
        on_the_way = goal.axes[: len(axes)] == axes and self._same_cut(dim, cut, goal.block)
        if exact and not on_the_way:
            return None
        block = goal.block if on_the_way else (cut.block if cut.axes else 1)
        return _replace(dims, dim, _Cut(axes, block))

    def _same_cut(self, dim: int, cut: _Cut, block: int) -> bool:
        """True when cutting in blocks of `block` gives the boxes that `cut` gives."""
        if not cut.axes or cut.block == block:
            return True
        shards = prod(self.mesh.ref_size(a) for a in cut.axes)
        size = self.shape[dim]
        return (size // cut.block) % shards == 0 and (size // block) % shards == 0

    def _permutes(self, state: _State) -> Iterator[tuple[Step, _State]]:
        if state.partial or self.goal.partial or state == self.goal:
            return
        here = self.sharding(state)
        if permutation(here, self.target, self.shape) is not None:
            names = {a.name for s in (here, self.target) for a in s.used_axes}
            axes = tuple(AxisRef(a.name) for a in self.mesh.axes if a.name in names)
            yield Step(StepKind.PERMUTE, axes, self.target), self.goal


def _replace(dims: tuple[_Cut, ...], index: int, cut: _Cut) -> tuple[_Cut, ...]:
    return (*dims[:index], cut if cut.axes else _Cut(), *dims[index + 1 :])


def _merge(
    mesh: Mesh, path: tuple[Step, ...], source: Sharding, shape: tuple[int, ...]
) -> tuple[Step, ...]:
    """Join neighbouring steps that one collective over several axes does: less latency."""
    merged: list[Step] = []
    starts: list[Sharding] = []
    current = source
    for step in path:
        start = current
        current = step.sharding
        joined = _join(merged[-1], step, starts[-1], shape) if merged else None
        if joined is not None and refusal(joined, starts[-1], shape) is None:
            merged[-1] = joined
            continue
        merged.append(step)
        starts.append(start)
    return tuple(merged)


def _join(first: Step, second: Step, start: Sharding, shape: tuple[int, ...]) -> Step | None:
    if first.kind is not second.kind or first.reduction is not second.reduction:
        return None
    match first.kind:
        case StepKind.ALL_REDUCE:
            axes = first.axes + second.axes
        case StepKind.ALL_GATHER if first.source_dim == second.source_dim:
            if not start.layout(shape).dims[first.source_dim or 0].is_even:
                return None
            axes = second.axes + first.axes
        case _:
            return None
    return Step(
        first.kind, axes, second.sharding, first.source_dim, second.target_dim, first.reduction
    )
