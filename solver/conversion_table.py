"""Prices of all conversions on a mesh at once, where axes are whole and dimensions plain.

The planner asks for the price of every pair of shardings of every value: hundreds of thousands.
Where axes are whole and there are no blocks, a conversion depends on few facts: which axes cut
which dimensions in which order, and which are partial. These states form a graph
(`conversion_graph.py`) that all values of like extents share.

Blocks, parts of axes and several kinds of partial values are not in it (`conversion_search.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.solver.collective_cost import StepKind
from distc.solver.conversion_graph import (
    Axes,
    ConversionGraph,
    Extent,
    Move,
    State,
    all_states,
)
from distc.solver.hardware import Hardware
from distc.solver.step import Step

_MOST_STATES = 1500
_SCRATCH_AXES = 2


class ConversionTable:
    """Cheapest conversions on one mesh and machine, found as they are asked for."""

    def __init__(self, mesh: Mesh, hardware: Hardware) -> None:
        self.mesh, self.hardware = mesh, hardware
        self.axes = tuple(a.name for a in mesh.axes if a.size > 1)
        self._graphs: dict[tuple[int, ...], ConversionGraph | None] = {}
        self._plain: dict[tuple[Sharding, tuple[int, ...]], bool] = {}
        self._rough: dict[tuple[Sharding, tuple[int, ...]], frozenset[int]] = {}

    def all_seconds(
        self,
        sources: Sequence[Sharding],
        targets: Sequence[Sharding],
        shape: tuple[int, ...],
        itemsize: int,
    ) -> NDArray[np.float64]:
        """Return the price of every pair [source, target], NaN where it is not in the table."""
        result = np.full((len(sources), len(targets)), np.nan)
        bytes_ = prod(shape) * itemsize
        groups = self._groups(targets, shape)
        for kind, rows in self._groups(sources, shape).items():
            for other, columns in groups.items():
                found = self._within((kind.cut | other.cut, kind.uneven | other.uneven), shape)
                if found is None:
                    continue
                graph, involved = found
                starts = [graph.number(_state(sources[i], involved)) for i in rows]
                ends = [graph.number(_state(targets[j], involved)) for j in columns]
                is_mixed = len(kind.kinds | other.kinds) > 1
                prices = graph.mixed_seconds(bytes_) if is_mixed else graph.all_seconds(bytes_)
                result[np.ix_(rows, columns)] = prices[np.ix_(starts, ends)]
        return result

    def _groups(
        self, shardings: Sequence[Sharding], shape: tuple[int, ...]
    ) -> dict[_Kind, list[int]]:
        """Positions of shardings that one graph holds."""
        found: dict[_Kind, list[int]] = defaultdict(list)
        for position, sharding in enumerate(shardings):
            if sharding.rank and self._is_plain(sharding, shape):
                kinds = _kinds(sharding)
                kind = _Kind(_cut(sharding), self._uneven(sharding, shape), kinds)
                found[kind].append(position)
        return found

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
        bytes_ = prod(shape) * itemsize
        first, second = dict(source.partial), dict(target.partial)
        if len(_kinds(source) | _kinds(target)) <= 1:
            moves = [(move, first | second) for move in graph.path(start, end, bytes_)]
        else:
            middle = graph.middle(start, end, bytes_)
            moves = [(move, first) for move in graph.path(start, middle, bytes_)]
            moves += [(move, second) for move in graph.path(middle, end, bytes_)]
        return tuple(self._step(move, involved, source.rank, kinds) for move, kinds in moves)

    def _find(
        self, source: Sharding, target: Sharding, shape: tuple[int, ...]
    ) -> tuple[ConversionGraph, list[int]] | None:
        if not self._is_plain(source, shape) or not self._is_plain(target, shape):
            return None
        if not source.rank:
            return None
        uneven = self._uneven(source, shape) | self._uneven(target, shape)
        return self._within((_cut(source) | _cut(target), uneven), shape)

    def _within(
        self, cuts: _Cut, shape: tuple[int, ...]
    ) -> tuple[ConversionGraph, list[int]] | None:
        """The graph of the dimensions that are cut and one more, and which dimensions it has."""
        cut, uneven = cuts
        involved = sorted(cut)
        involved += self._scratch(involved, shape)
        graph = self._graph(
            tuple(-shape[i] if i in uneven else gcd(shape[i], self.mesh.size) for i in involved)
        )
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
            whole = all(not ref.size for ref in sharding.used_axes) and len(_kinds(sharding)) <= 1
            plain = whole and all(d.block == 1 for d in sharding.dims)
            full = all(sharding.shards(i) <= n for i, n in enumerate(shape) if n)
            self._plain[key] = plain and full
        return self._plain[key]

    def _uneven(self, sharding: Sharding, shape: tuple[int, ...]) -> frozenset[int]:
        """Dimensions that a sharding cuts into unequal parts."""
        key = (sharding, shape)
        if key not in self._rough:
            self._rough[key] = frozenset(i for i, n in enumerate(shape) if n % sharding.shards(i))
        return self._rough[key]

    def _graph(self, extents: tuple[Extent, ...]) -> ConversionGraph | None:
        """The states that fit the extents, None where they are too many."""
        if extents not in self._graphs:
            states = [
                s
                for s in all_states(self.axes, len(extents))
                if all(self._fits(e, d) for e, d in zip(extents, s.dims, strict=True))
            ]
            many = len(states) > _MOST_STATES
            self._graphs[extents] = (
                None if many else ConversionGraph(self.mesh, self.hardware, states, extents)
            )
        return self._graphs[extents]

    def _fits(self, extent: Extent, axes: Axes) -> bool:
        shards = self._size(axes)
        return extent % shards == 0 if extent > 0 else shards <= -extent

    def _size(self, axes: Axes) -> int:
        return prod(self.mesh.axis_size(a) for a in axes)

    def _step(
        self,
        move: Move,
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


_Cut = tuple[frozenset[int], frozenset[int]]
"""Dimensions that axes cut, and those of them that are cut into unequal parts."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Dimensions that axes cut, those cut into unequal parts, and the kinds of partial values."""

    cut: frozenset[int]
    uneven: frozenset[int]
    kinds: frozenset[Reduction]


def _kinds(sharding: Sharding) -> frozenset[Reduction]:
    return frozenset(kind for _, kind in sharding.partial)


def _cut(sharding: Sharding) -> frozenset[int]:
    """Dimensions that axes cut."""
    return frozenset(i for i, d in enumerate(sharding.dims) if d.axes)


def _state(sharding: Sharding, involved: Sequence[int]) -> State:
    dims = [tuple(a.name for a in sharding.dims[i].axes) for i in involved]
    return State(tuple(dims) or ((),), tuple(sorted(a.name for a, _ in sharding.partial)))
