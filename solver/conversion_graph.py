"""States of a value and the collectives between them, with the cheapest way from any to any.

A state says which axes cut which dimensions in which order, and which are partial. Each edge is one
collective and costs `a + c · T` seconds, T the global bytes. Of a dimension that every state cuts
evenly only the divisors count, of one that some cut unevenly its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from heapq import heappop, heappush
from itertools import count, permutations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.solver.collective_cost import StepKind, collective_seconds
from distc.solver.hardware import Hardware
from distc.solver.step import permutation

Axes = tuple[str, ...]
Prices = NDArray[np.float64]

Extent = int
"""Of a dimension that every state cuts evenly its common divisor with the mesh; of one that some
state cuts unevenly its size, negative."""


@dataclass(frozen=True, slots=True)
class State:
    """Which axes cut each dimension, outermost first, and which are partial (in name order)."""

    dims: tuple[Axes, ...]
    partial: Axes = ()


@dataclass(frozen=True, slots=True)
class Move:
    """One collective from a state, with its constant seconds and seconds per global byte."""

    kind: StepKind
    axes: Axes
    target: State
    constant: float
    per_byte: float
    source_dim: int | None = None
    target_dim: int | None = None


class ConversionGraph:
    """All states of one number of dimensions, the collectives between them, cheapest paths."""

    def __init__(
        self, mesh: Mesh, hardware: Hardware, states: Sequence[State], extents: tuple[Extent, ...]
    ) -> None:
        self.mesh, self.hardware, self.extents = mesh, hardware, extents
        self.states = {s: i for i, s in enumerate(states)}
        self._moves_from: dict[State, list[Move]] = {}
        self._prices: dict[tuple[StepKind, Axes], tuple[float, float]] = {}
        self._all: dict[int, Prices] = {}
        self._mixed: dict[int, Prices] = {}
        self._trees: dict[tuple[State, int], dict[State, _Reached]] = {}

    def number(self, state: State) -> int:
        """Return the place of a state in `all_seconds`."""
        return self.states[state]

    def all_seconds(self, bytes_: int) -> Prices:
        """Return the least seconds from every state to every other (Floyd and Warshall)."""
        if bytes_ not in self._all:
            best = np.full((len(self.states),) * 2, np.inf)
            np.fill_diagonal(best, 0.0)
            sources, targets, constants, slopes = self._edges
            np.minimum.at(best, (sources, targets), constants + slopes * bytes_)
            for middle in range(len(self.states)):
                np.minimum(best, best[:, middle, None] + best[None, middle, :], out=best)
            self._all[bytes_] = best
        return self._all[bytes_]

    def mixed_seconds(self, bytes_: int) -> Prices:
        """Return least seconds where partial values are of one kind before and another after.

        All of the first kind are finished before any of the second begins: a sum of what is neutral
        to a maximum would overflow.
        """
        if bytes_ not in self._mixed:
            prices = self.all_seconds(bytes_)
            whole = [i for s, i in self.states.items() if not s.partial]
            best = np.full_like(prices, np.inf)
            for middle in whole:
                np.minimum(best, prices[:, middle, None] + prices[None, middle, :], out=best)
            self._mixed[bytes_] = best
        return self._mixed[bytes_]

    def middle(self, source: State, target: State, bytes_: int) -> State:
        """Return the state without partial values by which `mixed_seconds` goes."""
        prices = self.all_seconds(bytes_)
        before, after = prices[self.states[source]], prices[:, self.states[target]]
        whole = [s for s in self.states if not s.partial]
        return min(whole, key=lambda s: float(before[self.states[s]] + after[self.states[s]]))

    @cached_property
    def _edges(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Prices, Prices]:
        """Source, target, constant seconds and seconds per byte of every move."""
        rows = [
            (self.states[state], self.states[move.target], move.constant, move.per_byte)
            for state in self.states
            for move in self._moves_of(state)
            if move.target in self.states
        ]
        sources, targets, constants, slopes = zip(*rows, strict=True) if rows else ((),) * 4
        return (
            np.array(sources, np.intp),
            np.array(targets, np.intp),
            np.array(constants, np.float64),
            np.array(slopes, np.float64),
        )

    def path(self, source: State, target: State, bytes_: int) -> list[Move]:
        """Return the collectives of the path that `all_seconds` prices."""
        tree = self.reached(source, bytes_)
        moves: list[Move] = []
        here = target
        while here != source:
            reached = tree[here]
            assert reached.move is not None and reached.before is not None
            moves.append(reached.move)
            here = reached.before
        return moves[::-1]

    def reached(self, source: State, bytes_: int) -> dict[State, _Reached]:
        """How every state is reached from one, for a value of so many global bytes."""
        if (source, bytes_) not in self._trees:
            self._trees[source, bytes_] = self._search(source, bytes_)
        return self._trees[source, bytes_]

    def _search(self, source: State, bytes_: int) -> dict[State, _Reached]:
        """Dijkstra from one state; ties go to fewer steps, then to the first found."""
        reached = {source: _Reached(0.0, 0, None, None)}
        number = count()
        queue: list[tuple[float, int, int, State]] = [(0.0, 0, next(number), source)]
        done: set[State] = set()
        while queue:
            _, _, _, here = heappop(queue)
            if here in done:
                continue
            done.add(here)
            way = reached[here]
            for move in self._moves_of(here):
                if move.target not in self.states:
                    continue
                seconds = way.seconds + move.constant + move.per_byte * bytes_
                steps = way.steps + (2 if move.kind is StepKind.PERMUTE else 1)
                known = reached.get(move.target)
                if known is None or (seconds, steps) < (known.seconds, known.steps):
                    reached[move.target] = _Reached(seconds, steps, move, here)
                    heappush(queue, (seconds, steps, next(number), move.target))
        return reached

    def _moves_of(self, state: State) -> list[Move]:
        if state not in self._moves_from:
            self._moves_from[state] = list(self._moves(state))
        return self._moves_from[state]

    def _share(self, state: State) -> float:
        """The part of a value that a rank holds, padding included."""
        return prod(
            self._local(extent, axes) / abs(extent) if extent < 0 else 1 / self._parts(axes)
            for extent, axes in zip(self.extents, state.dims, strict=True)
        )

    def _parts(self, axes: Axes) -> int:
        return prod(self.mesh.axis_size(a) for a in axes)

    def _local(self, extent: Extent, axes: Axes) -> int:
        """Elements of an uneven dimension on one rank: ceil after ceil."""
        size = -extent
        for axis in axes:
            size = -(-size // self.mesh.axis_size(axis))
        return size

    def _move(
        self,
        kind: StepKind,
        axes: Axes,
        state: State,
        target: State,
        source_dim: int | None = None,
        target_dim: int | None = None,
    ) -> Move:
        share = max(self._share(state), self._share(target))
        constant, slope = self._price(kind, axes)
        return Move(kind, axes, target, constant, slope * share, source_dim, target_dim)

    def _price(self, kind: StepKind, axes: Axes) -> tuple[float, float]:
        """Constant seconds of a collective, and seconds per byte on a rank."""
        if (kind, axes) not in self._prices:
            refs = tuple(AxisRef(a) for a in axes)
            constant = collective_seconds(kind, self.mesh, refs, 0.0, self.hardware)
            at_a_gigabyte = collective_seconds(kind, self.mesh, refs, 1e9, self.hardware)
            self._prices[kind, axes] = constant, (at_a_gigabyte - constant) / 1e9
        return self._prices[kind, axes]

    def _moves(self, state: State) -> Iterator[Move]:
        yield from self._finish(state)
        yield from self._pops(state)
        yield from self._pushes(state)
        yield from self._permutes(state)

    def _finish(self, state: State) -> Iterator[Move]:
        for number in range(1, len(state.partial) + 1):
            for axes in _subsets(state.partial, number):
                rest = tuple(a for a in state.partial if a not in axes)
                yield self._move(StepKind.ALL_REDUCE, axes, state, State(state.dims, rest))
        for axis in state.partial:
            rest = tuple(a for a in state.partial if a != axis)
            for dim in range(len(state.dims)):
                target = State(_pushed(state.dims, dim, axis), rest)
                yield self._move(StepKind.REDUCE_SCATTER, (axis,), state, target, None, dim)

    def _pops(self, state: State) -> Iterator[Move]:
        for dim, axes in enumerate(state.dims):
            # Unequal parts are put together one axis after another.
            most = len(axes) if self.extents[dim] > 0 else min(1, len(axes))
            for number in range(1, most + 1):
                left = _replaced(state.dims, dim, axes[:-number])
                target = State(left, state.partial)
                yield self._move(StepKind.ALL_GATHER, axes[-number:], state, target, dim)
            for other in range(len(state.dims)):
                if axes and other != dim:
                    left = _pushed(_replaced(state.dims, dim, axes[:-1]), other, axes[-1])
                    target = State(left, state.partial)
                    yield self._move(StepKind.ALL_TO_ALL, axes[-1:], state, target, dim, other)

    def _pushes(self, state: State) -> Iterator[Move]:
        used = {a for d in state.dims for a in d} | set(state.partial)
        for axis in (a.name for a in self.mesh.axes if a.size > 1 and a.name not in used):
            for dim in range(len(state.dims)):
                target = State(_pushed(state.dims, dim, axis), state.partial)
                yield self._move(StepKind.ALL_SLICE, (axis,), state, target, None, dim)
            partial = tuple(sorted((*state.partial, axis)))
            yield self._move(StepKind.TO_PARTIAL, (axis,), state, State(state.dims, partial))

    def _permutes(self, state: State) -> Iterator[Move]:
        """Any state with the same boxes, every one held as often."""
        if state.partial:
            return
        counts = self._counts(state)
        for other in self.states:
            if other == state or other.partial or self._counts(other) != counts:
                continue
            if self._has_equal_boxes(state, other):
                names = {a for s in (state, other) for d in s.dims for a in d}
                axes = tuple(a.name for a in self.mesh.axes if a.name in names)
                yield self._move(StepKind.PERMUTE, axes, state, other)

    def _counts(self, state: State) -> tuple[int, ...]:
        return tuple(self._parts(d) for d in state.dims)

    def _has_equal_boxes(self, state: State, other: State) -> bool:
        """True where even parts are as many, and unequal parts of two states the same."""
        if min(self.extents) > 0:
            return True
        shape = tuple(-e if e < 0 else self.mesh.size for e in self.extents)
        return permutation(self._sharding(state), self._sharding(other), shape) is not None

    def _sharding(self, state: State) -> Sharding:
        dims = (DimSharding(tuple(AxisRef(a) for a in axes)) for axes in state.dims)
        return Sharding(self.mesh, tuple(dims))


def _pushed(dims: tuple[Axes, ...], dim: int, axis: str) -> tuple[Axes, ...]:
    return _replaced(dims, dim, (*dims[dim], axis))


def _replaced(dims: tuple[Axes, ...], dim: int, axes: Axes) -> tuple[Axes, ...]:
    return (*dims[:dim], axes, *dims[dim + 1 :])


@dataclass(frozen=True, slots=True)
class _Reached:
    """How a state is reached: seconds, the last collective and the state before it.

    Of equal prices the one with fewer steps is taken; a permutation counts two, since it sends to
    arbitrary ranks what an all-to-all sends to neighbours.
    """

    seconds: float
    steps: int
    move: Move | None
    before: State | None


@cache
def _subsets(axes: Axes, number: int) -> tuple[Axes, ...]:
    chosen = product((False, True), repeat=len(axes))
    return tuple(
        tuple(a for a, c in zip(axes, row, strict=True) if c)
        for row in chosen
        if sum(row) == number
    )


def all_states(axes: Axes, rank: int) -> Iterator[State]:
    """All ways to put each axis on a dimension, on the partial side, or nowhere."""
    for places in product(range(rank + 2), repeat=len(axes)):
        on = [[a for a, p in zip(axes, places, strict=True) if p == d] for d in range(rank)]
        partial = tuple(sorted(a for a, p in zip(axes, places, strict=True) if p == rank))
        for dims in product(*(permutations(d) for d in on)):
            yield State(tuple(dims), partial)
