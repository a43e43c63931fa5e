"""Plans found by search beside the plans that people write: `make grid`.

    python tools/grid.py [--models mlp,llama-1b] [--devices 8,32] [--hardware h100-8x]

A row per model and cluster: seconds of the plan by the cost model, its gap, seconds of every
baseline, and the factor gained over the best of them. A baseline is its constraint file in the same
space with all that it leaves open searched, within the same memory: the best that it can be. Exits
1 where a plan is dearer than a baseline.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from torch_mlir import ir

from distc.compiler.constraints import apply_constraints
from distc.compiler.pipeline import module_text
from distc.compiler.presets import preset_constraints
from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.runtime.errors import DistcError
from distc.solver.hardware import load_hardware
from distc.solver.search.network import seconds
from distc.solver.search.solution import Solution
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.lifetimes import Lifetimes
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.within import solve_fitting
from distc.transforms.shard_sequence import ShardSequence
from distc.transforms.state import pin_state

BASELINES = {
    "data-parallel": "NNN",
    "zero1": "zero1",
    "zero2": "zero2",
    "zero3": "zero3",
    "fsdp": "fsdp",
    "megatron": "megatron",
    "megatron-sp": "megatron-sp",
    "megatron+zero1": "megatron+zero1",
}
"""Name → preset: constraint files in the space that is searched."""
PER_NODE = 8


@dataclass(frozen=True)
class Cell:
    """One model on one cluster: the plan, and baselines or why there is none."""

    plan: Solution | str
    baselines: dict[str, Solution | str]

    @property
    def best(self) -> int:
        """Ticks of the cheapest baseline, 0 where none fits."""
        costs = [b.cost for b in self.baselines.values() if isinstance(b, Solution)]
        return min(costs, default=0)

    @property
    def gained(self) -> str:
        """The factor of the best baseline over the plan, and the plan's gap."""
        if isinstance(self.plan, str):
            return "no plan"
        factor = f"{self.best / self.plan.cost:.2f} x over the best" if self.best else "alone"
        return f"gap {self.plan.gap:.2%}, {factor}"

    @property
    def is_below(self) -> bool:
        """A baseline is cheaper than the plan."""
        return self.best > 0 and (isinstance(self.plan, str) or self.plan.cost > self.best)


def mesh_of(devices: int) -> Mesh:
    """Nodes of eight, by name: presets take `gpu` for tensor parallelism."""
    if devices <= PER_NODE:
        return Mesh.of(node=2, gpu=devices // 2)
    return Mesh.of(node=devices // PER_NODE, gpu=PER_NODE)


def search(text: str, mesh: Mesh, hardware: str, preset: str | None) -> Solution | str:
    """Return the cheapest plan with the pins of a preset, or why there is none."""
    module = parse_module(text, make_context(), "grid")
    try:
        _pin(module, mesh, preset)
        func = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
        pricing = Pricing(load_hardware(hardware))
        with module.context, ir.Location.unknown():
            pin_state(func, mesh, {})
            space = Space.of(FunctionGraph.read(func, mesh), pricing)
            network, lifetimes = build_network(space), Lifetimes(space)
        found = solve_fitting(network, lifetimes, pricing.hardware.memory_bytes)
    except DistcError as error:
        return f"none: {error.message.splitlines()[0]}"
    return found.solution if found.solution.labels else "does not fit"


def _pin(module: ir.Module, mesh: Mesh, preset: str | None) -> None:
    if preset is None:
        return
    constraints = preset_constraints(preset, module, mesh)
    apply_constraints(module, constraints, mesh)
    if constraints.sequence is not None:
        ShardSequence(constraints.sequence).run(module)


def cell(text: str, mesh: Mesh, hardware: str) -> Cell:
    """Search for the plan and for all baselines."""
    plan = search(text, mesh, hardware, None)
    return Cell(
        plan, {name: search(text, mesh, hardware, preset) for name, preset in BASELINES.items()}
    )


def shown(found: Solution | str) -> str:
    """Seconds, or why there is none."""
    return found if isinstance(found, str) else f"{seconds(found.cost):.4g} s"


def main() -> int:
    """Print the grid."""
    from grid_models import MODELS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default=",".join(m.name for m in MODELS))
    parser.add_argument("--devices", default="8,32,128,1024")
    parser.add_argument("--hardware", default="h100-8x")
    options = parser.parse_args()
    wanted = options.models.split(",")
    below = cells = 0
    for model in (m for m in MODELS if m.name in wanted):
        for devices in map(int, options.devices.split(",")):
            started, mesh = time.process_time(), mesh_of(devices)
            found = cell(module_text(model.step(devices)), mesh, options.hardware)
            cells += 1
            below += found.is_below
            parts = ", ".join(f"{name} {shown(b)}" for name, b in found.baselines.items())
            print(
                f"{model.name} on {devices} {options.hardware} ({mesh}): {shown(found.plan)}, "
                f"{found.gained}; {parts} "
                f"[{time.process_time() - started:.0f} s]",
                flush=True,
            )
    print(f"grid: {cells} cells, {below} below the best baseline")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
