"""The cheapest plan that there is, found by exact search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import ConfigError, Infeasible
from distc.solver.byte_size import show_bytes
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.problem import Problem
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
        solution: cost and bound.
        peak_bytes: the most that a rank holds at any point, by the search's account.
        limit_bytes: what it may hold.
        problem: what was searched.
    """

    entry: str
    solution: Solution
    peak_bytes: int
    limit_bytes: int
    problem: Problem


@dataclass(frozen=True)
class SearchPlan(Pass):
    """Choose how every argument lies and how every op runs, at the least cost.

    Needs a `dist.mesh`; what is pinned stays. `hardware` names the machine that prices the plan;
    `memory_bytes` is what a rank may hold at any time, by default the machine's memory.
    Leaves `dist.sharding` on all arguments and `dist.factors` on all ops of public functions, for
    `propagate` to carry out. State that several entry points share is decided in the first. Fails
    when the module has no mesh, when no plan keeps to the pins, or none fits in memory.

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
            for func in stablehlo.functions(module):
                if stablehlo.is_public(func):
                    pin_state(func, mesh, decided)
                    self.plans.append(plan_function(func, mesh, pricing, limit))
                    pin_state(func, mesh, decided)


def plan_function(func: ir.Operation, mesh: Mesh, pricing: Pricing, limit: int) -> FoundPlan:
    """Plan one function within `limit` bytes per rank and write the plan on it.

    Where nothing fits, ops of the forward pass may run again in the backward pass.

    Raises:
        Infeasible: no plan keeps to the pins, or none fits.
    """
    graph = FunctionGraph.read(func, mesh)
    plain = _Attempt.of(Space.of(graph, pricing), limit)
    found = plain
    if not plain.fitted.solution.labels and plain.space.parts.has_backward:
        # Ops that run twice make the search an order of magnitude longer: only where needed.
        found = _Attempt.of(Space.of(graph, pricing, recompute=True), limit)
    fitted = found.fitted
    if not fitted.solution.labels:
        raise _nothing(plain.space, plain.fitted, limit)
    problem = found.problem(limit)
    write_plan(found.space, fitted.solution.labels)
    return FoundPlan(problem.entry, fitted.solution, fitted.peak_bytes, limit, problem)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A space, and what was found in it."""

    space: Space
    network: CostNetwork
    conversions: tuple[Conversion, ...]
    lifetimes: Lifetimes
    fitted: Fitted

    @classmethod
    def of(cls, space: Space, limit: int) -> _Attempt:
        """Search a space for a plan within `limit` bytes."""
        network, conversions = build_with_conversions(space)
        lifetimes = Lifetimes(space)
        return cls(space, network, conversions, lifetimes, solve_fitting(network, lifetimes, limit))

    def problem(self, limit: int) -> Problem:
        """What was searched, to be kept."""
        rows = self.lifetimes.rows(self.fitted.points)
        searched = replace(self.network, memory=rows)
        return save_problem(self.space, searched, self.conversions, self.fitted.solution, limit)


def _nothing(space: Space, fitted: Fitted, limit: int) -> Infeasible:
    """Say why there is no plan."""
    found = fitted.solution
    if found.status is Status.INFEASIBLE and found.least_bytes > limit:
        return shortage(space, fitted, limit)
    name = stablehlo.symbol(space.graph.func)
    if found.status is Status.INFEASIBLE:
        return Infeasible(
            f"no plan of @{name} keeps to all pins on {space.graph.mesh}",
            help="take pins out one by one; distc inspect lists them",
        )
    return Infeasible(
        f"no plan of @{name} was found within {show_bytes(limit)} on a rank; none is ruled out",
        help="give more with --memory",
    )
