"""The cheapest plan that there is, found by exact search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import BudgetSpent, ConfigError, DistcError, Infeasible
from distc.solver.byte_size import show_bytes
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.problem import Problem
from distc.solver.search.deadline import Deadline
from distc.solver.search.method import Method
from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Solution, Status
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import Conversion, build_with_conversions
from distc.transforms.plan.lifetimes import Lifetimes
from distc.transforms.plan.saved import save_problem
from distc.transforms.plan.shortage import shortage
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.within import Fitted, solve_fitting
from distc.transforms.plan.write import write_plan
from distc.transforms.state import pin_state


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """What the search found for one entry point.

    Attributes:
        entry: its name.
        method: how it was searched.
        solution: cost and bound.
        peak_bytes: the most that a rank holds at any point, by the search's account.
        limit_bytes: what it may hold.
        problem: what was searched.
    """

    entry: str
    method: Method
    solution: Solution
    peak_bytes: int
    limit_bytes: int
    problem: Problem


@dataclass(frozen=True)
class SearchPlan(Pass):
    """Choose how every argument lies and how every op runs, at the least cost.

    Needs a `dist.mesh`; what is pinned stays. `hardware` names the machine that prices the plan;
    `memory_bytes` is what a rank may hold at any time, by default the machine's memory; `method`
    says how it is searched, `budget_seconds` how long at most, shared by all functions; what is
    found by then is taken.
    Leaves `dist.sharding` on all arguments and `dist.factors` on all ops of public functions, for
    `propagate` to carry out. State that several entry points share is decided in the first. Fails
    when the module has no mesh, when no plan keeps to the pins, none fits in memory, or none is
    found in time.

    Example:
        ```mlir
        func.func @main(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) {
          %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        ```
        becomes
        ```mlir
        func.func @main(%x: … {dist.sharding = [S(t), R]}, %w: … {dist.sharding = [R, R]}) {
          %0 = stablehlo.dot_general %x, %w, … {dist.factors = ["t", "", ""]}
        ```

    All ops and all mesh axes are decided together; `docs/adr/0019-exact-search.md` says how. What
    was found, its cost and the bound that is proved stand in `plans` afterwards.
    """

    name: ClassVar[str] = "search-plan"
    hardware: str = DEFAULT
    memory_bytes: int = 0
    method: Method = Method.EXACT
    budget_seconds: float | None = None
    plans: list[FoundPlan] = field(default_factory=list, init=False, compare=False)

    def run(self, module: ir.Module) -> None:
        """Plan every public function."""
        mesh = module_mesh(module)
        if mesh is None:
            raise ConfigError(
                "the module declares no mesh", help="give --mesh, or a dist.mesh op in the module"
            )
        pricing = Pricing(load_hardware(self.hardware))
        limit = self.memory_bytes or pricing.hardware.memory_bytes
        decided: dict[str, Sharding] = {}
        with module.context, ir.Location.unknown():
            public = [f for f in stablehlo.functions(module) if stablehlo.is_public(f)]
            share = None if self.budget_seconds is None else self.budget_seconds / len(public)
            search = Search(pricing, limit, self.method, share)
            for func in public:
                pin_state(func, mesh, decided)
                self.plans.append(plan_function(func, mesh, search))
                pin_state(func, mesh, decided)


@dataclass(frozen=True, slots=True)
class Search:
    """How a function is planned.

    Attributes:
        pricing: of ops and conversions.
        limit_bytes: what a rank may hold.
        method: how it is searched.
        budget_seconds: how long at most; reading and pricing the function does not count.
    """

    pricing: Pricing
    limit_bytes: int
    method: Method = Method.EXACT
    budget_seconds: float | None = None


def plan_function(func: ir.Operation, mesh: Mesh, search: Search) -> FoundPlan:
    """Plan one function and write the plan on it.

    Where nothing fits, ops of the forward pass may run again in the backward pass.

    Raises:
        Infeasible: no plan keeps to the pins, or none fits.
        BudgetSpent: the search ended without a legal plan, and did not prove that there is none.
    """
    graph = FunctionGraph.read(func, mesh)
    plain = found = _Attempt.of(Space.of(graph, search.pricing), search)
    if plain.is_infeasible and plain.space.parts.has_backward:
        # Ops that run twice make the search an order of magnitude longer: only where needed.
        found = _Attempt.of(Space.of(graph, search.pricing, recompute=True), search)
    solution = found.fitted.solution
    if not solution.labels:
        raise _nothing(plain, search)
    problem = found.problem(search.limit_bytes)
    write_plan(found.space, solution.labels)
    peak = found.fitted.peak_bytes
    return FoundPlan(problem.entry, search.method, solution, peak, search.limit_bytes, problem)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A space, and what was found in it."""

    space: Space
    network: CostNetwork
    conversions: tuple[Conversion, ...]
    lifetimes: Lifetimes
    fitted: Fitted

    @classmethod
    def of(cls, space: Space, search: Search) -> _Attempt:
        """Search a space for a plan that fits."""
        network, conversions = build_with_conversions(space)
        lifetimes = Lifetimes(space)
        deadline = Deadline.after(search.budget_seconds)
        fitted = solve_fitting(
            network, lifetimes, search.limit_bytes, search.method, deadline=deadline
        )
        return cls(space, network, conversions, lifetimes, fitted)

    @property
    def is_infeasible(self) -> bool:
        """Nothing fits, and that is proved."""
        return self.fitted.solution.status is Status.INFEASIBLE

    def problem(self, limit: int) -> Problem:
        """What was searched, to be kept."""
        rows = self.lifetimes.rows(self.fitted.points)
        searched = replace(self.network, memory=rows)
        return save_problem(self.space, searched, self.conversions, self.fitted.solution, limit)


def _nothing(attempt: _Attempt, search: Search) -> DistcError:
    """Say why there is no plan."""
    found, graph = attempt.fitted.solution, attempt.space.graph
    name, limit = stablehlo.symbol(graph.func), search.limit_bytes
    if found.status is Status.UNKNOWN:
        seconds = search.budget_seconds
        within = "" if seconds is None else f" within {seconds:g} s"
        return BudgetSpent(
            f"--solver {search.method} found no legal plan of @{name} on {graph.mesh}{within}, "
            f"{show_bytes(limit)} on a rank",
            help="this proves nothing: give a larger --budget or --memory, or write --solver exact",
        )
    if found.least_bytes > limit:
        return shortage(attempt.space, attempt.fitted, limit)
    if attempt.fitted.points:
        return Infeasible(
            f"no plan of @{name} fits in {show_bytes(limit)} on a rank",
            help="write --solver exact to see what takes the memory, or give more with --memory",
        )
    return Infeasible(
        f"no plan of @{name} keeps to all pins on {graph.mesh}",
        help="take pins out one by one; distc inspect lists them",
    )
