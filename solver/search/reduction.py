"""Variables with at most two neighbours are taken out exactly; what is left is the core.

    one neighbour a       u_a(y)    += min over x of u(x) + m(x, y)
    two neighbours a, b   m_ab(y, z) += min over x of u(x) + m_a(x, y) + m_b(x, z)

No table grows beyond a pair, so this is always cheap, and a real graph is mostly chains: of 280
variables of a transformer's layer it leaves a hundred. Tables are interned and steps remembered:
equal layers are reduced once.

Source: star and series reductions of weighted constraint networks (Larrosa and Dechter, Boosting
search with variable elimination, 2003); OneFlow's node and child elimination.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.tables import TableStore

_MOST_NEIGHBOURS = 2

Choice = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Core:
    """What is left of a network.

    Attributes:
        network: the problem over the variables that are left.
        constant: ticks to add to its costs.
        members: per variable of `network`, its number in the whole network.
        taken: variables taken out, in order: number, neighbours then, the best label by theirs.
    """

    network: CostNetwork
    constant: int
    members: tuple[int, ...]
    taken: tuple[tuple[int, tuple[int, ...], Choice], ...]

    def whole(self, labels: Sequence[int]) -> tuple[int, ...]:
        """Return the labels of the whole network from those of the core."""
        found = [0] * (len(self.members) + len(self.taken))
        for variable, label in zip(self.members, labels, strict=True):
            found[variable] = label
        for variable, near, choice in reversed(self.taken):
            found[variable] = int(choice[tuple(found[n] for n in near)])
        return tuple(found)


@dataclass(frozen=True, slots=True)
class _Step:
    choice: Choice
    message: int
    least: int


class Reducer:
    """Reduces networks; what it has met before it does not compute again."""

    def __init__(self) -> None:
        self.store = TableStore()
        self.steps: dict[tuple[object, ...], _Step] = {}
        self.sums: dict[tuple[int, int], int] = {}

    def reduce(self, network: CostNetwork) -> Core:
        """Return the core of a network."""
        return _Run(self, network).run()

    def add(self, first: int, second: int) -> int:
        """Return the number of the sum of two tables."""
        key = (first, second)
        if key not in self.sums:
            total = np.minimum(self.store[first] + self.store[second], FORBIDDEN)
            self.sums[key] = self.store.add(total)
        return self.sums[key]


class _Run:
    def __init__(self, reducer: Reducer, network: CostNetwork) -> None:
        self.reducer, self.store, self.network = reducer, reducer.store, network
        self.unary = [self.store.add(u) for u in network.unary]
        self.tables: dict[tuple[int, int], int] = {}
        self.links: list[set[int]] = [set() for _ in network.unary]
        self.taken: list[tuple[int, tuple[int, ...], Choice]] = []
        self.constant = 0
        for edge in network.edges:
            self._link(edge.first, edge.second, self.store.add(edge.costs))

    def run(self) -> Core:
        out = [False] * self.network.size
        waiting = list(range(self.network.size))
        while waiting:
            variable = waiting.pop()
            if out[variable] or len(self.links[variable]) > _MOST_NEIGHBOURS:
                continue
            out[variable] = True
            waiting += self._take_out(variable)
        return self._core([i for i in range(self.network.size) if not out[i]])

    def _take_out(self, variable: int) -> tuple[int, ...]:
        """Take a variable out; return the neighbours it had."""
        near = tuple(sorted(self.links[variable]))
        tables = tuple((self.tables[_key(variable, n)], variable < n) for n in near)
        key = (self.unary[variable], *tables)
        step = self.reducer.steps.get(key)
        if step is None:
            step = self.reducer.steps[key] = self._minimise(self.unary[variable], tables)
        self.constant += step.least
        self.taken.append((variable, near, step.choice))
        for other in near:
            self.links[other].discard(variable)
            del self.tables[_key(variable, other)]
        if len(near) == 1:
            self.unary[near[0]] = self.reducer.add(self.unary[near[0]], step.message)
        elif near:
            self._link(near[0], near[1], step.message)
        return near

    def _minimise(self, unary: int, tables: Sequence[tuple[int, bool]]) -> _Step:
        costs = [self.store[t] if upright else self.store[t].T for t, upright in tables]
        total = self.store[unary]
        match costs:
            case [a]:
                total = total[:, None] + a
            case [a, b]:
                total = (total[:, None] + a)[:, :, None] + b[:, None, :]
        choice = total.argmin(0).astype(np.int16)
        message = np.minimum(total.min(0), FORBIDDEN)
        least = int(message.min())
        rest = np.where(message >= FORBIDDEN, FORBIDDEN, message - least)
        return _Step(choice, self.store.add(rest) if costs else -1, least)

    def _link(self, first: int, second: int, table: int) -> None:
        """Put a table between two variables, `first` < `second`."""
        rows, columns = self.store[table].shape
        if rows == 1 or columns == 1:
            # A variable with one label links nothing: its pairs are costs of the other end.
            free = second if rows == 1 else first
            flat = self.store.add(self.store[table].reshape(-1))
            self.unary[free] = self.reducer.add(self.unary[free], flat)
            return
        key = (first, second)
        known = self.tables.get(key)
        self.tables[key] = table if known is None else self.reducer.add(known, table)
        self.links[first].add(second)
        self.links[second].add(first)

    def _core(self, left: list[int]) -> Core:
        number = {v: i for i, v in enumerate(left)}
        edges = tuple(
            Edge(number[i], number[j], self.store[t]) for (i, j), t in self.tables.items()
        )
        unary: tuple[Costs, ...] = tuple(self.store[self.unary[v]] for v in left)
        blocks = tuple(self.network.blocks[v] for v in left) if self.network.blocks else ()
        places = tuple(self.network.places[v] for v in left) if self.network.places else ()
        core = CostNetwork(unary, edges, (), blocks, places)
        return Core(core, self.constant, tuple(left), tuple(self.taken))


def _key(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
