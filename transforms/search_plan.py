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
from distc.solver.byte_size import show_bytes
from distc.solver.hardware import DEFAULT, load_hardware
from distc.solver.search.solution import Solution, Status
from distc.transforms.base import Pass
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.lifetimes import Lifetimes
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
    """

    entry: str
    solution: Solution
    peak_bytes: int
    limit_bytes: int


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
                    fitted = plan_function(func, mesh, pricing, limit)
                    found = FoundPlan(
                        stablehlo.symbol(func), fitted.solution, fitted.peak_bytes, limit
                    )
                    self.plans.append(found)
                    pin_state(func, mesh, decided)


def plan_function(func: ir.Operation, mesh: Mesh, pricing: Pricing, limit: int) -> Fitted:
    """Plan one function within `limit` bytes per rank and write the plan on it.

    Raises:
        Infeasible: no plan keeps to the pins, or none fits.
    """
    space = Space.of(FunctionGraph.read(func, mesh), pricing)
    fitted = solve_fitting(build_network(space), Lifetimes(space), limit)
    found = fitted.solution
    if found.labels:
        write_plan(space, found.labels)
        return fitted
    if found.status is Status.INFEASIBLE and found.least_bytes > limit:
        raise shortage(space, fitted, limit)
    name = stablehlo.symbol(func)
    if found.status is Status.INFEASIBLE:
        raise Infeasible(
            f"no plan of @{name} keeps to all pins on {mesh}",
            help="take pins out one by one; distc inspect lists them",
        )
    raise Infeasible(
        f"no plan of @{name} was found within {show_bytes(limit)} on a rank; none is ruled out",
        help="give more with --memory",
    )
