"""The cheapest plan that there is, found by exact search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import BudgetSpent, ConfigError, Infeasible
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.search.deadline import Deadline
from distc.solver.search.method import Method
from distc.solver.search.solution import Solution, Status
from distc.solver.search.solve import solve
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.write import write_plan
from distc.transforms.state import pin_state

_NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """What the search found for one entry point."""

    entry: str
    method: Method
    solution: Solution


@dataclass(frozen=True)
class SearchPlan(Pass):
    """Choose how every argument lies and how every op runs, at the least cost.

    Needs a `dist.mesh`; what is pinned stays. `hardware` names the machine that prices the plan,
    `method` how it is searched, `budget_seconds` how long at most, shared by all functions; what is
    found by then is taken.
    Leaves `dist.sharding` on all arguments and `dist.factors` on all ops of public functions, for
    `propagate` to carry out. State that several entry points share is decided in the first. Fails
    when the module has no mesh, when no plan keeps to the pins, or when none is found in time.

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
        decided: dict[str, Sharding] = {}
        with module.context, ir.Location.unknown():
            public = [f for f in stablehlo.functions(module) if stablehlo.is_public(f)]
            share = None if self.budget_seconds is None else self.budget_seconds / len(public)
            for func in public:
                pin_state(func, mesh, decided)
                solution = plan_function(func, mesh, pricing, self.method, share)
                self.plans.append(FoundPlan(stablehlo.symbol(func), self.method, solution))
                pin_state(func, mesh, decided)


def plan_function(
    func: ir.Operation,
    mesh: Mesh,
    pricing: Pricing,
    method: Method = Method.EXACT,
    budget_seconds: float | None = None,
) -> Solution:
    """Plan one function and write the plan on it.

    The time of the search alone counts, not that of reading and pricing the function.

    Raises:
        Infeasible: no plan keeps to the pins.
        BudgetSpent: the search ended without a legal plan, and did not prove that there is none.
    """
    space = Space.of(FunctionGraph.read(func, mesh), pricing)
    network = build_network(space)
    solution = solve(network, _NO_LIMIT, method, deadline=Deadline.after(budget_seconds))
    name = stablehlo.symbol(func)
    if solution.status is Status.UNKNOWN:
        within = "" if budget_seconds is None else f" within {budget_seconds:g} s"
        raise BudgetSpent(
            f"--solver {method} found no legal plan of @{name} on {mesh}{within}",
            help="this proves nothing: give a larger --budget, or write --solver exact",
        )
    if not solution.labels:
        raise Infeasible(
            f"no plan of @{name} keeps to all pins on {mesh}",
            help="take pins out one by one; distc inspect lists them",
        )
    write_plan(space, solution.labels)
    return solution
