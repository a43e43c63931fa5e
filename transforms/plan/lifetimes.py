"""How long values lie in memory, and how many bytes they take there, label by label.

    point      a node of the function, in program order: the schedule that is emitted
    argument   all the time; what updates it is written into it
    result     from the node that makes it to its last reader, the end where it is returned
    view       nothing of its own: what it is a view of lies until the view's last reader
    copy       from the first reader of its group to the last; a kept one in between as well
    saved      where ops may run again, what the backward pass reads is held for it from the last
               reader of the forward pass to the last of the backward pass, or not at all
    run again  from the first op of the backward pass that reads it to the last

    usage(x, p) = Σ over intervals that hold p of bytes(x)

A value lies until its last reader even where a copy has taken its place, and one that is converted
again in the backward pass lies until then as large as it may be: `usage` is never too small there.
What a single reader converts for itself is counted at that reader by `usage` alone.
    -> implemented in `Lifetimes.rows`, `Lifetimes.usage`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from distc.dialect.sharding import Sharding
from distc.solver.search.network import Costs
from distc.transforms.plan.copies import CopyVariable, Pass, Source, Use
from distc.transforms.plan.space import AgainVariable, ArgumentVariable, OpVariable, Space
from distc.transforms.state import updating_results

_VIEWS = ("stablehlo.transpose", "stablehlo.slice", "stablehlo.broadcast_in_dim")
_RESHAPE = "stablehlo.reshape"


@dataclass(frozen=True, slots=True)
class Interval:
    """Bytes of each label of a variable, from one point to another, both included."""

    variable: int
    bytes_: Costs
    first: int
    last: int


class Lifetimes:
    """The intervals of a function's plan."""

    def __init__(self, space: Space) -> None:
        self.space, self.graph, self.parts = space, space.graph, space.parts
        self.points = max(1, len(self.graph.nodes))
        self._made_by = {v: i for i, n in enumerate(self.graph.nodes) for v in n.results}
        self._last: dict[int, int] = {}
        self._last_backward: dict[int, int] = {}
        self._strided: dict[int, bool] = {}
        self._held = self._returned()
        self.intervals = tuple(
            interval
            for number in range(len(space.variables))
            for interval in self._intervals(number)
            if interval.bytes_.any()
        )

    def rows(self, points: Sequence[int]) -> tuple[Mapping[int, Costs], ...]:
        """Return per point the bytes of each label of the variables that take memory there."""
        found: list[dict[int, Costs]] = [{} for _ in points]
        for interval in self.intervals:
            for row, point in zip(found, points, strict=True):
                if interval.first <= point <= interval.last:
                    known = row.get(interval.variable)
                    bytes_ = interval.bytes_ if known is None else known + interval.bytes_
                    row[interval.variable] = bytes_
        return tuple(found)

    def usage(self, labels: Sequence[int]) -> NDArray[np.int64]:
        """Return the bytes at every point under a plan, conversions of single readers included."""
        change = np.zeros(self.points + 1, np.int64)
        taken = np.array([i.bytes_[labels[i.variable]] for i in self.intervals], np.int64)
        firsts, lasts = self._ends
        np.add.at(change, firsts, taken)
        np.subtract.at(change, lasts + 1, taken)
        return np.cumsum(change)[: self.points] + self._converted(labels)

    @cached_property
    def _ends(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        firsts = np.array([i.first for i in self.intervals], np.intp)
        return firsts, np.array([i.last for i in self.intervals], np.intp)

    def _converted(self, labels: Sequence[int]) -> NDArray[np.int64]:
        """Bytes that each node's operands take where they are not read as they are held."""
        found = np.zeros(self.points, np.int64)
        for number, variable in enumerate(self.space.variables):
            if not isinstance(variable, OpVariable | AgainVariable):
                continue
            chosen = variable.labels[labels[number]]
            if chosen is None:
                continue
            for position, value in enumerate(self.graph.nodes[variable.node].operands):
                if value not in self.space.maker:
                    continue
                maker, result = self.space.maker[value]
                use = Use(variable.node, position, isinstance(variable, AgainVariable))
                supplier = self.space.supplier.get(use, maker)
                held = self.space.made(supplier, result)[labels[supplier]]
                needed = chosen.operands[position]
                if held != needed:
                    found[self.parts.point(use)] += self._bytes(needed, value)
        return found

    def _returned(self) -> frozenset[int]:
        """Values that lie until the end: returned ones, not written into what they update."""
        updates = updating_results(self.graph.func)
        return frozenset(v for i, v in enumerate(self.graph.returned) if i not in updates)

    def _intervals(self, number: int) -> list[Interval]:
        variable = self.space.variables[number]
        match variable:
            case ArgumentVariable(value=value, labels=ways):
                bytes_ = np.array([self._bytes(s, value) for s in ways], np.int64)
                return [Interval(number, bytes_, 0, self.points - 1)]
            case OpVariable(node=node, labels=labels):
                results = enumerate(self.graph.nodes[node].results)
                return [
                    Interval(number, bytes_, node, self._lies_until(value))
                    for position, value in results
                    if not self._is_view(node)
                    for bytes_ in (self._made(tuple(s.results[position] for s in labels), value),)
                ]
            case AgainVariable(node=node) as again:
                results = enumerate(self.graph.nodes[node].results)
                return [
                    Interval(number, np.concatenate([np.zeros(1, np.int64), bytes_]), first, last)
                    for position, value in results
                    if not self._is_view(node) and value in self.space.saver
                    for bytes_ in (
                        self._made(tuple(s.results[position] for s in again.strategies), value),
                    )
                    for first, last in ((self.parts.runs_at[node], self._lies_backward(value)),)
                ]
            case CopyVariable(group=group) if group.saves:
                return [i for i in self._saved(number, variable) if i.first <= i.last]
            case CopyVariable():
                return [i for i in self._copies(number, variable) if i.first <= i.last]

    def _copies(self, number: int, variable: CopyVariable) -> Iterator[Interval]:
        group = variable.group
        first = self.parts.point(group.uses[0])
        last = max(self._read_until(use.node) for use in group.uses)
        whole = self._held_bytes(variable)
        source = np.array([h.source for h in variable.labels])
        yield Interval(number, np.where(source == Source.MADE, 0, whole), first, last)
        if group.keeps:
            kept = np.where(source == Source.KEPT, whole, 0)
            yield Interval(number, kept, min(self._kept_since(number), first), first - 1)

    def _saved(self, number: int, variable: CopyVariable) -> Iterator[Interval]:
        """What lies for the backward pass; an argument lies anyway."""
        group = variable.group
        first, last = self.parts.point(group.uses[0]), self._lies_backward(group.value)
        since = self._lies_until(group.value) + 1
        whole = self._held_bytes(variable)
        source = np.array([h.source for h in variable.labels])
        yield Interval(number, np.where(source == Source.COPY, whole, 0), first, last)
        if group.keeps:
            kept = np.where(source == Source.KEPT, whole, 0)
            yield Interval(number, kept, min(self._kept_since(number), first), last)
        if group.value in self._made_by:
            yield Interval(number, np.where(source == Source.MADE, whole, 0), since, last)
            largest = whole[source == Source.MADE].max()
            waits = np.where(source == Source.COPY, largest, 0)
            yield Interval(number, waits, since, first)

    def _kept_since(self, number: int) -> int:
        """The point after the last reader of the copy that the forward pass holds."""
        before = self.space.variables[number - 1]
        assert isinstance(before, CopyVariable)
        return max(self._read_until(use.node) for use in before.group.uses) + 1

    def _held_bytes(self, variable: CopyVariable) -> Costs:
        return self._made(tuple(h.sharding for h in variable.labels), variable.group.value)

    def _made(self, shardings: tuple[Sharding, ...], value: int) -> Costs:
        return np.array([self._bytes(s, value) for s in shardings], np.int64)

    def _bytes(self, sharding: Sharding, value: int) -> int:
        found = self.graph.values[value]
        return self.space.local_elements(sharding, found.shape) * found.itemsize

    def _lies_until(self, value: int) -> int:
        """The last point at which a value, or a view of it, is read.

        Of the forward pass only, where a copy says how it lies until the backward pass.
        """
        if value not in self._last:
            end = self.points - 1 if value in self._held else self._made_by.get(value, 0)
            saved = value in self.space.saver
            uses = (node for node, _ in self.graph.uses[value])
            read = [n for n in uses if not saved or self.parts.of(n) is not Pass.BACKWARD]
            self._last[value] = max((end, *map(self._read_until, read)))
        return self._last[value]

    def _lies_backward(self, value: int) -> int:
        """The last point at which the backward pass reads what is held for it."""
        if value not in self._last_backward:
            copy = self.space.variables[self.space.saver[value]]
            assert isinstance(copy, CopyVariable)
            self._last_backward[value] = max(map(self._used_until, copy.group.uses))
        return self._last_backward[value]

    def _used_until(self, use: Use) -> int:
        if not use.again:
            return self._read_until(use.node)
        point = self.parts.point(use)
        if not self._is_view(use.node):
            return point
        views = (v for v in self.graph.nodes[use.node].results if v in self.space.saver)
        return max((point, *map(self._lies_backward, views)))

    def _read_until(self, node: int) -> int:
        """A view reads on for as long as it is read itself."""
        if not self._is_view(node):
            return node
        return max((node, *(self._lies_until(v) for v in self.graph.nodes[node].results)))

    def _is_view(self, node: int) -> bool:
        found = self.graph.nodes[node]
        if found.op.name == _RESHAPE:
            return not self._is_strided(found.operands[0])
        return found.op.name in _VIEWS

    def _is_strided(self, value: int) -> bool:
        """True for views in another order: reshaping them copies."""
        if value not in self._strided:
            node = self._made_by.get(value)
            name = "" if node is None else self.graph.nodes[node].op.name
            self._strided[value] = name in _VIEWS or (
                name == _RESHAPE and self._is_strided(self.graph.nodes[node or 0].operands[0])
            )
        return self._strided[value]
