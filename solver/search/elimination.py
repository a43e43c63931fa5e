"""Exact min-sum by eliminating variables one after another (bucket elimination).

    message_v(scope) = min over x_v of the sum of all tables that mention v
    x_v              = the argmin, looked up when the scope is known, in reverse order

Every table is kept with its smallest value taken out. Where a scope holds variables outside
layers, the smallest value for each of their labels is taken out as a table of its own: then the
message from layer to layer reaches a fixed point, and `TableStore` finds the rest of the layers.

Where a bucket is too large a bound is what is left: its tables are minimised in groups, apart from
each other (mini-buckets); min Σ_g f_g ≥ Σ_g min f_g.

Source: Dechter, Bucket elimination, 1999; Dechter and Rish, Mini-buckets, 2003, costs shifted
between groups as in Ihler et al. 2012; fixed point over repeated layers: measured, see
docs/adr/0019-exact-search.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.tables import TableStore

MAX_CELLS = 200_000_000
"""Cells of the largest table; beyond it the order was bad and memory would run out."""

Choice = NDArray[np.int16]


class TableTooLarge(Exception):
    """An order of elimination makes a table of more than `MAX_CELLS` cells."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A table over variables, one axis each."""

    table: int
    scope: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """What eliminating one pattern of tables gives, whatever the variables are called."""

    choice: Choice
    message: int
    outside: int
    least: int


@dataclass(frozen=True, slots=True)
class Optimum:
    """A cheapest assignment, its cost in ticks, and the largest table it took."""

    cost: int
    labels: tuple[int, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class Approximation:
    """Ticks that no assignment is below, and an assignment."""

    bound: int
    labels: tuple[int, ...]


class Eliminator:
    """Eliminates variables of networks; what it has met before it does not compute again."""

    def __init__(self) -> None:
        self.store = TableStore()
        self.steps: dict[tuple[object, ...], _Step] = {}
        self.marginals: dict[tuple[object, ...], Costs] = {}

    def solve(self, network: CostNetwork, order: Sequence[int]) -> Optimum:
        """Return a cheapest assignment without regard to memory.

        Args:
            network: the problem; labels of cost `FORBIDDEN` are never part of a legal optimum.
            order: every variable once.

        Raises:
            TableTooLarge: the order needs a larger table than there is room for.
        """
        return _Run(self, network).solve(order)

    def approximate(self, network: CostNetwork, order: Sequence[int], cells: int) -> Approximation:
        """Return an assignment and a bound, with tables of at most `cells` cells.

        Args:
            network: the problem.
            order: every variable once.
            cells: the more, the tighter; a single table of the network may be larger.
        """
        return _Run(self, network).approximate(order, cells)


class _Run:
    def __init__(self, eliminator: Eliminator, network: CostNetwork) -> None:
        self.store, self.steps = eliminator.store, eliminator.steps
        self.marginals = eliminator.marginals
        self.network = network
        self.outside = [b < 0 for b in network.blocks] or [False] * network.size
        self.factors: dict[int, Factor] = {}
        self.of: list[dict[int, None]] = [{} for _ in range(network.size)]
        self.constant = 0
        self.cells = 0
        self.made = 0
        for i, costs in enumerate(network.unary):
            self._add(self.store.add(costs), (i,))
        for edge in network.edges:
            self._add_edge(edge)

    def _add_edge(self, edge: Edge) -> None:
        """A variable with one label left links nothing: its edges are costs of the other end."""
        rows, columns = edge.costs.shape
        if rows > 1 and columns > 1:
            self._add(self.store.add(edge.costs), (edge.first, edge.second))
            return
        free = edge.second if rows == 1 else edge.first
        self._add(self.store.add(edge.costs.reshape(-1)), (free,))

    def _add(self, table: int, scope: tuple[int, ...]) -> None:
        self.factors[self.made] = Factor(table, scope)
        for variable in scope:
            self.of[variable][self.made] = None
        self.made += 1

    def solve(self, order: Sequence[int]) -> Optimum:
        trace = [(v, *self._eliminate(v)) for v in order]
        labels = [0] * self.network.size
        for variable, scope, choice in reversed(trace):
            labels[variable] = int(choice[tuple(labels[s] for s in scope)])
        return Optimum(self.constant, tuple(labels), self.cells)

    def approximate(self, order: Sequence[int], cells: int) -> Approximation:
        trace: list[tuple[int, list[Factor]]] = []
        for variable in order:
            trace.append((variable, [self.factors[n] for n in self.of[variable]]))
            for group in self._agreed(variable, self._groups(variable, cells)):
                self._minimise(variable, group)
        labels = [0] * self.network.size
        for variable, factors in reversed(trace):
            labels[variable] = self._cheapest(variable, factors, labels)
        return Approximation(self.constant, tuple(labels))

    def _cheapest(self, variable: int, factors: Sequence[Factor], labels: Sequence[int]) -> int:
        """The label of least cost by all tables of a bucket, the rest of their scopes decided."""
        total = np.zeros(len(self.network.unary[variable]), np.int64)
        for factor in factors:
            at = tuple(slice(None) if v == variable else labels[v] for v in factor.scope)
            total = np.minimum(total + self.store[factor.table][at], FORBIDDEN)
        return int(total.argmin())

    def _groups(self, variable: int, cells: int) -> list[list[int]]:
        """Tables of a variable in groups, the widest first, each of at most `cells` cells."""
        groups: list[tuple[set[int], list[int]]] = []
        numbers = sorted(self.of[variable], key=lambda n: -len(self.factors[n].scope))
        for number in numbers:
            scope = set(self.factors[number].scope)
            for known, group in groups:
                if prod(len(self.network.unary[v]) for v in known | scope) <= cells:
                    known |= scope
                    group.append(number)
                    break
            else:
                groups.append((scope, [number]))
        return [group for _, group in groups]

    def _agreed(self, variable: int, groups: list[list[int]]) -> list[list[int]]:
        """Shift costs between groups until each has the same to say about the variable.

        A group gets a table of its own over the variable, all of which sum to zero.
        """
        if len(groups) == 1:
            return groups
        says = np.stack([self._marginal(variable, group) for group in groups])
        legal = (says < FORBIDDEN).all(0)
        shifts = np.where(legal, says.sum(0) // len(groups) - says, 0)
        shifts[-1] = -shifts[:-1].sum(0)
        for group, shift in zip(groups, shifts, strict=True):
            group.append(self.made)
            self._add(self.store.add(shift), (variable,))
        return groups

    def _marginal(self, variable: int, numbers: Sequence[int]) -> Costs:
        """Least cost of a group for each label of a variable."""
        taken = [self.factors[n] for n in numbers]
        scope = dict.fromkeys(v for f in taken for v in f.scope if v != variable)
        names = {variable: 0} | {v: i + 1 for i, v in enumerate(scope)}
        key = tuple((f.table, tuple(names[v] for v in f.scope)) for f in taken)
        if key not in self.marginals:
            total = self._total(taken, names)
            self.marginals[key] = total.reshape(len(total), -1).min(1)
        return self.marginals[key]

    def _eliminate(self, variable: int) -> tuple[tuple[int, ...], Choice]:
        return self._minimise(variable, list(self.of[variable]))

    def _minimise(self, variable: int, numbers: list[int]) -> tuple[tuple[int, ...], Choice]:
        """Take tables of a variable out, and put in what is left of them without it."""
        taken = [self.factors.pop(n) for n in numbers]
        scope: dict[int, None] = {}
        for number, factor in zip(numbers, taken, strict=True):
            for other in factor.scope:
                self.of[other].pop(number, None)
                if other != variable:
                    scope[other] = None
        names = {variable: 0} | {v: i + 1 for i, v in enumerate(scope)}
        key = (
            tuple((f.table, tuple(names[v] for v in f.scope)) for f in taken),
            tuple(self.outside[v] for v in scope),
        )
        step = self.steps.get(key)
        if step is None:
            step = self.steps[key] = self._compute(taken, names, list(scope))
        self._keep(step, tuple(scope))
        return tuple(scope), step.choice

    def _keep(self, step: _Step, scope: tuple[int, ...]) -> None:
        self.constant += step.least
        if step.message >= 0:
            self._add(step.message, scope)
        if step.outside >= 0:
            self._add(step.outside, tuple(v for v in scope if self.outside[v]))

    def _total(self, taken: Sequence[Factor], names: dict[int, int]) -> Costs:
        """The sum of tables over `names`, one axis each."""
        sizes = [len(self.network.unary[v]) for v in names]
        spread = (
            _spread(self.store[f.table], [names[v] for v in f.scope], len(sizes)) for f in taken
        )
        return np.broadcast_to(_sum(spread), sizes)

    def _compute(self, taken: Sequence[Factor], names: dict[int, int], scope: list[int]) -> _Step:
        sizes = [len(self.network.unary[v]) for v in names]
        cells = int(np.prod([float(s) for s in sizes]))
        self.cells = max(self.cells, cells)
        if cells > MAX_CELLS:
            raise TableTooLarge(f"a table of {cells} cells over {len(sizes)} variables")
        total = self._total(taken, names)
        choice = total.argmin(0).astype(np.int16)
        message = np.minimum(
            np.take_along_axis(total, choice[None].astype(np.int64), 0)[0], FORBIDDEN
        )
        least = int(message.min()) if message.size else 0
        if not scope:
            return _Step(choice, -1, -1, least)
        message = np.where(message >= FORBIDDEN, FORBIDDEN, message - least)
        outer = [self.outside[v] for v in scope]
        if all(outer) or not any(outer):
            return _Step(choice, self.store.add(message), -1, least)
        inner = tuple(i for i, is_outside in enumerate(outer) if not is_outside)
        rest = message.min(axis=inner, keepdims=True)
        message = np.where(
            message >= FORBIDDEN, FORBIDDEN, message - np.where(rest >= FORBIDDEN, 0, rest)
        )
        return _Step(choice, self.store.add(message), self.store.add(rest.squeeze(inner)), least)


def _spread(table: Costs, axes: Sequence[int], rank: int) -> Costs:
    """Return `table` with its axes at the given places of `rank` axes, the others of size one."""
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    shape = [1] * rank
    for i in order:
        shape[axes[i]] = table.shape[i]
    return table.transpose(order).reshape(shape)


def _sum(tables: Iterable[Costs]) -> Costs:
    """Add tables, small ones first: the large one is passed over only once."""
    ordered = sorted(tables, key=lambda t: t.size)
    total = ordered[0]
    for table in ordered[1:]:
        total = total + table
    return np.minimum(total, FORBIDDEN)
