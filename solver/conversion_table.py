"""Prices of all conversions on a mesh at once, for values that divide evenly.

The planner asks for the price of every pair of shardings of every value: hundreds of thousands.
Where dimensions divide evenly and axes are whole, a conversion depends on few facts: which axes cut
which dimensions in which order, and which are partial. For dimensions of given divisors these
states form a graph; each edge is one collective and costs `a + c · T` seconds, T the global bytes.
One search from a state finds the cheapest paths to all others for values of one size.

Uneven dimensions, blocks and parts of axes are not in it (`conversion_search.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import count, permutations, product
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.solver.collective_cost import StepKind, collective_seconds
from distc.solver.hardware import Hardware
from distc.solver.step import Step

_MOST_STATES = 1500
_SCRATCH_AXES = 2

Axes = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Which axes cut each dimension, outermost first, and which are partial (in name order)."""

    dims: tuple[Axes, ...]
    partial: Axes = ()


@dataclass(frozen=True, slots=True)
class _Move:
    """One collective from a state, with its constant seconds and seconds per global byte."""

    kind: StepKind
    axes: Axes
    target: State
    constant: float
    per_byte: float
    source_dim: int | None = None
    target_dim: int | None = None


class ConversionTable:
    """Cheapest conversions on one mesh and machine, found as they are asked for."""

    def __init__(self, mesh: Mesh, hardware: Hardware) -> None:
        self.mesh, self.hardware = mesh, hardware
        self.axes = tuple(a.name for a in mesh.axes if a.size > 1)
        self._graphs: dict[tuple[int, ...], _Graph | None] = {}
        self._plain: dict[tuple[Sharding, tuple[int, ...]], bool] = {}

    def seconds(
        self, source: Sharding, target: Sharding, shape: tuple[int, ...], itemsize: int
    ) -> float | None:
        """Return the price of a conversion, None where it is not in the table."""
        if source == target:
            return 0.0
        found = self._find(source, target, shape)
        if found is None:
            return None
        graph, involved = found
        start, end = _state(source, involved), _state(target, involved)
        return graph.seconds(start, end, prod(shape) * itemsize)

    def all_seconds(
        self,
        sources: Sequence[Sharding],
        targets: Sequence[Sharding],
        shape: tuple[int, ...],
        itemsize: int,
    ) -> NDArray[np.float64]:
        """Return the price of every pair [source, target], NaN where it is not in the table.

        No two targets are equal.
        """
        result = np.full((len(sources), len(targets)), np.nan)
        goals = [(j, t, _cut(t)) for j, t in enumerate(targets) if self._is_plain(t, shape)]
        bytes_ = prod(shape) * itemsize
        for i, source in enumerate(sources):
            cut = _cut(source)
            plain = self._is_plain(source, shape)
            trees: dict[tuple[int, ...], tuple[list[int], dict[State, _Reached] | None]] = {}
            for j, target, other in goals:
                if not plain or not _one_kind(source, target):
                    continue
                dims = tuple(sorted(cut | other))
                if dims not in trees:
                    trees[dims] = self._tree(source, dims, shape, bytes_)
                involved, tree = trees[dims]
                if tree is not None:
                    result[i, j] = tree[_state(target, involved)].seconds
        places = {t: j for j, t in enumerate(targets)}
        for i, source in enumerate(sources):
            if source in places:
                result[i, places[source]] = 0.0
        return result

    def _tree(
        self, source: Sharding, cut: tuple[int, ...], shape: tuple[int, ...], bytes_: int
    ) -> tuple[list[int], dict[State, _Reached] | None]:
        """The dimensions that a conversion involves, and the cheapest ways within them."""
        found = self._within(list(cut), shape) if source.rank else None
        if found is None:
            return [], None
        graph, involved = found
        return involved, graph.reached(_state(source, involved), bytes_)

    def path(
        self, source: Sharding, target: Sharding, shape: tuple[int, ...], itemsize: int
    ) -> tuple[Step, ...] | None:
        """Return the steps of a conversion, None where it is not in the table."""
        if source == target:
            return ()
        found = self._find(source, target, shape)
        if found is None:
            return None
        graph, involved = found
        start, end = _state(source, involved), _state(target, involved)
        kinds = dict(source.partial) | dict(target.partial)
        return tuple(
            self._step(move, involved, source.rank, kinds)
            for move in graph.path(start, end, prod(shape) * itemsize)
        )

    def _find(
        self, source: Sharding, target: Sharding, shape: tuple[int, ...]
    ) -> tuple[_Graph, list[int]] | None:
        if not self._is_plain(source, shape) or not self._is_plain(target, shape):
            return None
        if not _one_kind(source, target):
            return None
        if not source.rank:
            return None
        return self._within(sorted(_cut(source) | _cut(target)), shape)

    def _within(
        self, involved: list[int], shape: tuple[int, ...]
    ) -> tuple[_Graph, list[int]] | None:
        """The graph of the dimensions that are cut and one more, and which dimensions it has."""
        involved += self._scratch(involved, shape)
        graph = self._graph(tuple(gcd(shape[i], self.mesh.size) for i in involved))
        return None if graph is None else (graph, involved)

    def _scratch(self, involved: Sequence[int], shape: tuple[int, ...]) -> list[int]:
        """A dimension neither side cuts, through which an axis may pass; on few axes only."""
        if involved and len(self.axes) > _SCRATCH_AXES:
            return []
        others = [i for i in range(len(shape)) if i not in involved]
        return sorted(others, key=lambda i: -gcd(shape[i], self.mesh.size))[:1]

    def _is_plain(self, sharding: Sharding, shape: tuple[int, ...]) -> bool:
        key = (sharding, shape)
        if key not in self._plain:
            whole = all(not ref.size for ref in sharding.used_axes)
            plain = whole and all(d.block == 1 for d in sharding.dims) and sharding.is_even(shape)
            self._plain[key] = plain
        return self._plain[key]

    def _graph(self, divisors: tuple[int, ...]) -> _Graph | None:
        """The states in which every dimension divides evenly, None where they are too many."""
        if divisors not in self._graphs:
            states = [
                s
                for s in _states(self.axes, len(divisors))
                if all(g % self._size(d) == 0 for g, d in zip(divisors, s.dims, strict=True))
            ]
            many = len(states) > _MOST_STATES
            self._graphs[divisors] = None if many else _Graph(self.mesh, self.hardware, states)
        return self._graphs[divisors]

    def _size(self, axes: Axes) -> int:
        return prod(self.mesh.axis_size(a) for a in axes)

    def _step(
        self,
        move: _Move,
        involved: Sequence[int],
        rank: int,
        kinds: Mapping[AxisRef, Reduction],
    ) -> Step:
        dims = [DimSharding()] * rank
        for dim, axes in zip(involved, move.target.dims, strict=True):
            dims[dim] = DimSharding(tuple(AxisRef(a) for a in axes))
        partial = tuple(
            (AxisRef(a.name), kinds[AxisRef(a.name)])
            for a in self.mesh.axes
            if a.name in move.target.partial
        )
        sharding = Sharding(self.mesh, tuple(dims), partial)
        refs = tuple(AxisRef(a) for a in move.axes)
        return Step(
            move.kind,
            refs,
            sharding,
            None if move.source_dim is None else involved[move.source_dim],
            None if move.target_dim is None else involved[move.target_dim],
            kinds[refs[0]] if move.kind in _REDUCING else None,
        )


_REDUCING = (StepKind.ALL_REDUCE, StepKind.REDUCE_SCATTER, StepKind.TO_PARTIAL)


def _one_kind(source: Sharding, target: Sharding) -> bool:
    """True when all partial axes of both combine in the same way: they are then one collective."""
    return len({kind for _, kind in (*source.partial, *target.partial)}) <= 1


def _cut(sharding: Sharding) -> frozenset[int]:
    """Dimensions that axes cut."""
    return frozenset(i for i, d in enumerate(sharding.dims) if d.axes)


def _state(sharding: Sharding, involved: Sequence[int]) -> State:
    dims = [tuple(a.name for a in sharding.dims[i].axes) for i in involved]
    return State(tuple(dims) or ((),), tuple(sorted(a.name for a, _ in sharding.partial)))


def _states(axes: Axes, rank: int) -> Iterator[State]:
    """All ways to put each axis on a dimension, on the partial side, or nowhere."""
    for places in product(range(rank + 2), repeat=len(axes)):
        on = [[a for a, p in zip(axes, places, strict=True) if p == d] for d in range(rank)]
        partial = tuple(sorted(a for a, p in zip(axes, places, strict=True) if p == rank))
        for dims in product(*(permutations(d) for d in on)):
            yield State(tuple(dims), partial)


class _Graph:
    """All states of one number of dimensions, the collectives between them, cheapest paths."""

    def __init__(self, mesh: Mesh, hardware: Hardware, states: Sequence[State]) -> None:
        self.mesh, self.hardware = mesh, hardware
        self.states = dict.fromkeys(states)
        self._moves_from: dict[State, list[_Move]] = {}
        self._trees: dict[tuple[State, int], dict[State, _Reached]] = {}

    def seconds(self, source: State, target: State, bytes_: int) -> float:
        """Return the least seconds for a value of so many global bytes."""
        return self.reached(source, bytes_)[target].seconds

    def path(self, source: State, target: State, bytes_: int) -> list[_Move]:
        """Return the collectives of the path that `seconds` prices."""
        tree = self.reached(source, bytes_)
        moves: list[_Move] = []
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

    def _moves_of(self, state: State) -> list[_Move]:
        if state not in self._moves_from:
            self._moves_from[state] = list(self._moves(state))
        return self._moves_from[state]

    def _shards(self, state: State) -> int:
        return prod(self.mesh.axis_size(a) for d in state.dims for a in d)

    def _move(
        self,
        kind: StepKind,
        axes: Axes,
        state: State,
        target: State,
        source_dim: int | None = None,
        target_dim: int | None = None,
    ) -> _Move:
        share = 1 / min(self._shards(state), self._shards(target))
        refs = tuple(AxisRef(a) for a in axes)
        constant = collective_seconds(kind, self.mesh, refs, 0.0, self.hardware)
        at_a_gigabyte = collective_seconds(kind, self.mesh, refs, 1e9, self.hardware)
        slope = (at_a_gigabyte - constant) / 1e9 * share
        return _Move(kind, axes, target, constant, slope, source_dim, target_dim)

    def _moves(self, state: State) -> Iterator[_Move]:
        yield from self._finish(state)
        yield from self._pops(state)
        yield from self._pushes(state)
        yield from self._permutes(state)

    def _finish(self, state: State) -> Iterator[_Move]:
        for number in range(1, len(state.partial) + 1):
            for axes in _subsets(state.partial, number):
                rest = tuple(a for a in state.partial if a not in axes)
                yield self._move(StepKind.ALL_REDUCE, axes, state, State(state.dims, rest))
        for axis in state.partial:
            rest = tuple(a for a in state.partial if a != axis)
            for dim in range(len(state.dims)):
                target = State(_pushed(state.dims, dim, axis), rest)
                yield self._move(StepKind.REDUCE_SCATTER, (axis,), state, target, None, dim)

    def _pops(self, state: State) -> Iterator[_Move]:
        for dim, axes in enumerate(state.dims):
            for number in range(1, len(axes) + 1):
                left = _replaced(state.dims, dim, axes[:-number])
                target = State(left, state.partial)
                yield self._move(StepKind.ALL_GATHER, axes[-number:], state, target, dim)
            for other in range(len(state.dims)):
                if axes and other != dim:
                    left = _pushed(_replaced(state.dims, dim, axes[:-1]), other, axes[-1])
                    target = State(left, state.partial)
                    yield self._move(StepKind.ALL_TO_ALL, axes[-1:], state, target, dim, other)

    def _pushes(self, state: State) -> Iterator[_Move]:
        used = {a for d in state.dims for a in d} | set(state.partial)
        for axis in (a.name for a in self.mesh.axes if a.size > 1 and a.name not in used):
            for dim in range(len(state.dims)):
                target = State(_pushed(state.dims, dim, axis), state.partial)
                yield self._move(StepKind.ALL_SLICE, (axis,), state, target, None, dim)
            partial = tuple(sorted((*state.partial, axis)))
            yield self._move(StepKind.TO_PARTIAL, (axis,), state, State(state.dims, partial))

    def _permutes(self, state: State) -> Iterator[_Move]:
        """Any state with as many shards of each dimension: every box is held as often."""
        if state.partial:
            return
        counts = self._counts(state)
        for other in self.states:
            if other != state and not other.partial and self._counts(other) == counts:
                names = {a for s in (state, other) for d in s.dims for a in d}
                axes = tuple(a.name for a in self.mesh.axes if a.name in names)
                yield self._move(StepKind.PERMUTE, axes, state, other)

    def _counts(self, state: State) -> tuple[int, ...]:
        return tuple(prod(self.mesh.axis_size(a) for a in d) for d in state.dims)


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
    move: _Move | None
    before: State | None


@cache
def _subsets(axes: Axes, number: int) -> tuple[Axes, ...]:
    chosen = product((False, True), repeat=len(axes))
    return tuple(
        tuple(a for a, c in zip(axes, row, strict=True) if c)
        for row in chosen
        if sum(row) == number
    )
