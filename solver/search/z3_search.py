"""The whole problem in Z3, as weighted MaxSAT with pseudo-Boolean memory rows.

    x_ia                    variable i takes label a: exactly one per variable
    ¬x_ia                   weight u_i(a)
    ¬x_ia ∨ ¬x_jb           weight m_ij(a, b); hard where the pair is forbidden
    Σ r_pi(a) · x_ia ≤ limit            for every memory point p

    → implemented in `_Problem`

Weights are whole ticks, rationals to Z3, so its optimum is exact. It shares nothing with the
elimination but dominance; it is there to check it, and fit for some five hundred ops on one mesh
axis. Soft clauses over Booleans were measured 10 to 20 times faster than minimising an integer.

Source: maximal resolution (Narodytska and Bacchus, 2014), in Z3: νZ (Bjørner et al., 2015).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event
from typing import Any

import z3

from distc.solver.search.deadline import Deadline, run_until
from distc.solver.search.dominance import Dominance
from distc.solver.search.memory_rows import MemoryRow, memory_rows
from distc.solver.search.network import FORBIDDEN, CostNetwork, Edge
from distc.solver.search.shift import shift
from distc.solver.search.solution import Solution, Status

_LARGEST_COEFFICIENT = (1 << 31) - 1
"""Z3 reads coefficients of pseudo-Boolean rows as 32-bit integers."""


def search_z3(network: CostNetwork, limit: int, deadline: Deadline) -> Solution:
    """Return the cheapest assignment within `limit` bytes, or what Z3 has at the deadline.

    Raises:
        KeyboardInterrupt: at Ctrl-C, which Z3 itself would take for an answer of unknown.
    """
    reduced, kept = Dominance().reduce(network, memory=bool(network.memory))
    shifted = shift(reduced)
    if shifted.constant >= FORBIDDEN:
        return Solution(Status.INFEASIBLE)
    problem = _Problem(shifted.network, limit)
    answer = run_until(problem.solve, problem.cancel, deadline)
    if answer == z3.unsat:
        return Solution(Status.INFEASIBLE)
    if not problem.best.labels:
        return Solution(Status.UNKNOWN, lower_bound=shifted.constant)
    labels = tuple(k[x] for k, x in zip(kept, problem.best.labels, strict=True))
    cost = network.cost(labels)
    # Z3 and the network must agree on what the assignment costs; else nothing is claimed of it.
    if answer == z3.sat and problem.objective + shifted.constant == cost:
        return Solution(Status.OPTIMAL, labels, cost, cost)
    return Solution(Status.BOUNDED, labels, cost, min(shifted.constant, cost))


@dataclass
class _Best:
    """The cheapest model so far. It does not know the problem: Z3 keeps whom it reports models to.

    Attributes:
        network: the problem.
        limit: bytes per rank.
        choices: the Boolean of each label of each variable.
        labels: its labels, empty without one.
        cost: its cost in ticks.
    """

    network: CostNetwork
    limit: int
    choices: list[list[Any]]
    labels: tuple[int, ...] = ()
    cost: int = FORBIDDEN

    def take(self, model: Any) -> None:
        """Look at a model."""
        labels = tuple(
            next((a for a, x in enumerate(c) if z3.is_true(model.eval(x))), 0) for c in self.choices
        )
        cost = self.network.cost(labels)
        if cost < self.cost and self.network.peak_bytes(labels) <= self.limit:
            self.labels, self.cost = labels, cost


@dataclass
class _Problem:
    """One network as clauses, in a context of its own.

    Attributes:
        best: the cheapest model so far.
        objective: what Z3 says its optimum costs, in ticks.
    """

    network: CostNetwork
    limit: int
    best: _Best = field(init=False)
    objective: int = 0

    def __post_init__(self) -> None:
        self.best = _Best(self.network, self.limit, [])
        self._context = z3.Context()
        self._cancelled = Event()

    def cancel(self) -> None:
        """End `solve` soon."""
        self._cancelled.set()
        self._context.interrupt()

    def solve(self) -> Any:
        """Write the clauses and ask Z3; models that it finds on the way are kept.

        All of it runs in a thread that gets no signals: Ctrl-C in a call to Z3 is a wrong argument.
        """
        if not self._write():
            return z3.unknown
        answer = self._optimize.check()
        if answer == z3.sat:
            self.best.take(self._optimize.model())
            self.objective = 0 if self._goal is None else int(self._goal.value().as_long())
        return answer

    def _write(self) -> bool:
        """Write the clauses; False where that was cancelled."""
        self._choices = [
            [z3.Bool(f"x{i}_{a}", self._context) for a in range(len(u))]
            for i, u in enumerate(self.network.unary)
        ]
        self.best.choices = self._choices
        self._optimize = z3.Optimize(ctx=self._context)
        # Z3's own handler would swallow Ctrl-C.
        self._optimize.set("ctrl_c", False)
        self._optimize.set_on_model(self.best.take)
        self._goal: Any = None
        for variable in range(self.network.size):
            self._add_variable(variable)
        for edge in self.network.edges:
            if self._cancelled.is_set():
                return False
            self._add_edge(edge)
        for row in memory_rows(self.network, self.limit):
            self._add_memory(row)
        return True

    def _add_variable(self, variable: int) -> None:
        choices = self._choices[variable]
        self._optimize.add(z3.PbEq([(x, 1) for x in choices], 1))
        for x, cost in zip(choices, self.network.unary[variable], strict=True):
            self._add_cost(z3.Not(x), int(cost))

    def _add_edge(self, edge: Edge) -> None:
        for a, b in zip(*edge.costs.nonzero(), strict=True):
            together = (self._choices[edge.first][a], self._choices[edge.second][b])
            self._add_cost(z3.Or([z3.Not(x) for x in together]), int(edge.costs[a, b]))

    def _add_cost(self, clause: Any, cost: int) -> None:
        if cost >= FORBIDDEN:
            self._optimize.add(clause)
        elif cost:
            self._goal = self._optimize.add_soft(clause, str(cost))

    def _add_memory(self, row: MemoryRow) -> None:
        parts = [
            (x, int(units))
            for variable, column in row.units.items()
            for x, units in zip(self._choices[variable], column, strict=True)
            if units
        ]
        if row.limit < 0:
            self._optimize.add(z3.BoolVal(False, self._context))
        elif max(row.limit, *(u for _, u in parts)) <= _LARGEST_COEFFICIENT:
            self._optimize.add(z3.PbLe(parts, row.limit))
        else:
            zero = z3.IntVal(0, self._context)
            number = [z3.If(x, z3.IntVal(u, self._context), zero) for x, u in parts]
            self._optimize.add(z3.Sum(number) <= row.limit)
