"""The cheapest plan that there is, found by exact search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import ConfigError, Infeasible
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.problem import NO_LIMIT, Problem
from distc.solver.search.memory import solve_within
from distc.solver.search.solution import Solution
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_with_conversions
from distc.transforms.plan.saved import save_problem
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.write import write_plan
from distc.transforms.state import pin_state


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """What the search found for one entry point."""

    entry: str
    solution: Solution
    problem: Problem


@dataclass(frozen=True)
class SearchPlan(Pass):
    """Choose how every argument lies and how every op runs, at the least cost.

    Needs a `dist.mesh`; what is pinned stays. `hardware` names the machine that prices the plan.
    Leaves `dist.sharding` on all arguments and `dist.factors` on all ops of public functions, for
    `propagate` to carry out. State that several entry points share is decided in the first. Fails
    when the module has no mesh or when no plan keeps to the pins.

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
    plans: list[FoundPlan] = field(default_factory=list, init=False, compare=False)

    def run(self, module: ir.Module) -> None:
        """Plan every public function."""
        mesh = module_mesh(module)
        if mesh is None:
            raise ConfigError(
                "the module declares no mesh", help="give --mesh, or a dist.mesh op in the module"
            )
        pricing = Pricing(load_hardware(self.hardware))
        decided: dict[str, Sharding] = {}
        with module.context, ir.Location.unknown():
            for func in stablehlo.functions(module):
                if stablehlo.is_public(func):
                    pin_state(func, mesh, decided)
                    problem = plan_function(func, mesh, pricing)
                    self.plans.append(FoundPlan(problem.entry, problem.solution, problem))
                    pin_state(func, mesh, decided)


def plan_function(func: ir.Operation, mesh: Mesh, pricing: Pricing) -> Problem:
    """Plan one function, write the plan on it, return what was searched and found.

    Raises:
        Infeasible: no plan keeps to the pins.
    """
    space = Space.of(FunctionGraph.read(func, mesh), pricing)
    network, conversions = build_with_conversions(space)
    solution = solve_within(network, NO_LIMIT)
    if not solution.labels:
        raise Infeasible(
            f"no plan of @{stablehlo.symbol(func)} keeps to all pins on {mesh}",
            help="take pins out one by one; distc inspect lists them",
        )
    problem = save_problem(space, network, conversions, solution)
    write_plan(space, solution.labels)
    return problem
