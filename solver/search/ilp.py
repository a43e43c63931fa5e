"""The problem as a mixed-integer program in HiGHS: the local polytope.

    minimise    Σ u_i(a) x_ia + Σ m_ij(a, b) y_ijab
    subject to  Σ_a x_ia = 1                            x binary
                Σ_b y_ijab = x_ia,  Σ_a y_ijab = x_jb   0 ≤ y ≤ 1, none for forbidden pairs
                Σ r_pi(a) x_ia ≤ limit                  for every memory point p

HiGHS computes in floating point. Costs reach it in ticks, whole numbers that a double holds
exactly, less the constant that `shift` takes out; its labels are priced again by the network and
checked against the limit in bytes. Of its bound b only this much is believed:

    lower bound = ceil(b − tolerance),      tolerance = columns · 10⁻⁷ + 2⁻⁴⁰ · |b|

(10⁻⁷ is what a reduced cost may be off, and a column is at most 1; no assignment costs a part of a
tick, hence ceil.) A plan is optimal where that is its cost; else it is bounded.

Source: Wainwright and Jordan 2008, section 4; HiGHS: Huangfu and Hall 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, isfinite

import highspy
import numpy as np
from numpy.typing import NDArray

from distc.solver.search.deadline import Deadline, run_until
from distc.solver.search.dominance import Dominance
from distc.solver.search.memory_rows import memory_rows
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, Edge
from distc.solver.search.shift import shift
from distc.solver.search.solution import Solution, Status

Columns = NDArray[np.int64]
"""Numbers of columns."""

_REDUCED_COST = 1e-7
_RELATIVE = 2.0**-40
_GAP_TICKS = 0.5
"""HiGHS stops where best and bound are as near: whole ticks tell the rest."""


def search_ilp(network: CostNetwork, limit: int, deadline: Deadline, gap: float = 0.0) -> Solution:
    """Return the cheapest assignment within `limit` bytes, or what HiGHS has at the deadline.

    Args:
        network: the problem.
        limit: bytes per rank.
        deadline: when to stop.
        gap: stop within this share of the optimum.

    Raises:
        KeyboardInterrupt: at Ctrl-C.
    """
    solver = _highs(deadline, gap)
    reduced, kept = Dominance().reduce(network, memory=bool(network.memory))
    shifted = shift(reduced)
    if shifted.constant >= FORBIDDEN:
        return Solution(Status.INFEASIBLE)
    columns = _Program(shifted.network, limit).load(solver)
    run_until(solver.run, solver.cancelSolve, deadline)
    found = _read(solver, shifted.network)
    bound = shifted.constant + _sound(solver.getInfo().mip_dual_bound, columns)
    if _proved_empty(solver):
        return Solution(Status.INFEASIBLE)
    if not found or shifted.network.peak_bytes(found) > limit:
        return Solution(Status.UNKNOWN, lower_bound=bound)
    labels = tuple(k[x] for k, x in zip(kept, found, strict=True))
    cost = network.cost(labels)
    status = Status.OPTIMAL if bound >= cost else Status.BOUNDED
    return Solution(status, labels, cost, min(bound, cost))


class _Highs(highspy.Highs):
    """HiGHS that prints nothing: its banner comes as soon as callbacks are there."""

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def _highs(deadline: Deadline, gap: float) -> highspy.Highs:
    solver = _Highs()  # type: ignore[no-untyped-call]
    options: dict[str, bool | int | float] = {
        "threads": 1,
        "random_seed": 0,
        "mip_rel_gap": gap,
        "mip_abs_gap": _GAP_TICKS,
    }
    if isfinite(deadline.at_seconds):
        options["time_limit"] = deadline.left_seconds
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.HandleUserInterrupt = True
    return solver


@dataclass
class _Program:
    """Columns and rows, row by row as HiGHS takes them."""

    network: CostNetwork
    limit: int
    costs: list[Costs] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    indices: list[Columns] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    columns: int = 0

    def load(self, solver: highspy.Highs) -> int:
        """Give the program to HiGHS; return its number of columns."""
        choices = [self._add_variable(u) for u in self.network.unary]
        binary = self.columns
        for edge in self.network.edges:
            self._add_edge(edge, choices[edge.first], choices[edge.second])
        for memory in memory_rows(self.network, self.limit):
            columns = np.concatenate([choices[i] for i in memory.units] or [choices[0][:0]])
            units = np.concatenate([u for u in memory.units.values()] or [columns])
            self._add_row(columns, units.astype(np.float64), -np.inf, memory.limit)
        solver.passModel(self._model(binary))
        return self.columns

    def _add_variable(self, costs: Costs) -> Columns:
        columns = self._add_columns(costs)
        self._add_row(columns, np.ones(len(columns)), 1.0, 1.0)
        return columns

    def _add_columns(self, costs: Costs) -> Columns:
        first = self.columns
        self.columns += len(costs)
        self.costs.append(costs)
        return np.arange(first, self.columns)

    def _add_edge(self, edge: Edge, first: Columns, second: Columns) -> None:
        legal = edge.costs < FORBIDDEN
        pairs = np.full(legal.shape, -1)
        pairs[legal] = self._add_columns(edge.costs[legal])
        for labels, table in ((first, pairs), (second, pairs.T)):
            for label, row in zip(labels, table, strict=True):
                columns = row[row >= 0]
                values = np.append(np.ones(len(columns)), -1.0)
                self._add_row(np.append(columns, label), values, 0.0, 0.0)

    def _add_row(
        self, columns: Columns, values: NDArray[np.float64], lower: float, upper: float
    ) -> None:
        self.indices.append(columns)
        self.values.append(values)
        self.starts.append(self.starts[-1] + len(columns))
        self.lower.append(lower)
        self.upper.append(upper)

    def _model(self, binary: int) -> highspy.HighsLp:
        costs = np.concatenate(self.costs)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = self.columns, len(self.lower)
        lp.col_cost_ = np.where(costs < FORBIDDEN, costs, 0).astype(np.float64)
        lp.col_lower_ = np.zeros(self.columns)
        lp.col_upper_ = (costs < FORBIDDEN).astype(np.float64)
        lp.row_lower_, lp.row_upper_ = np.array(self.lower), np.array(self.upper)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.array(self.starts)
        lp.a_matrix_.index_ = np.concatenate(self.indices)
        lp.a_matrix_.value_ = np.concatenate(self.values)
        kinds = (highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous)
        lp.integrality_ = [kinds[i >= binary] for i in range(self.columns)]
        return lp


def _read(solver: highspy.Highs, network: CostNetwork) -> tuple[int, ...]:
    """Return the label with the largest column of each variable, nothing without a solution."""
    if solver.getInfo().primal_solution_status != highspy.kSolutionStatusFeasible:
        return ()
    values = np.array(solver.getSolution().col_value)
    ends = np.cumsum([len(u) for u in network.unary])
    return tuple(
        int(values[end - len(u) : end].argmax()) for u, end in zip(network.unary, ends, strict=True)
    )


def _proved_empty(solver: highspy.Highs) -> bool:
    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible)


def _sound(bound: float, columns: int) -> int:
    """Return whole ticks above the constant that no assignment is below."""
    if not isfinite(bound):
        return 0
    return max(0, ceil(bound - columns * _REDUCED_COST - abs(bound) * _RELATIVE))
