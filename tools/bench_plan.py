"""Time the search for a plan on Llama-shaped training steps: `make bench-plan`.

    python tools/bench_plan.py [--shape llama-8b] [--mesh data=8,tensor=4] [--layers 4,32]
    python tools/bench_plan.py --beside ilp [--ilp-seconds 60] [--rounds 3]

A model of fake weights goes through the real front end (not counted); then CPU seconds of reading
the graph, listing strategies, pricing, and search. Last line: `llama-8b 8x4: 9.1 s, gap 0.05 %`.
With `--beside ilp` the same problem is also given to HiGHS, in turns with our search: CPU seconds
of both, and their ratio. By default that is one layer on `data=8`.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.solver.byte_size import parse_bytes, show_bytes
from distc.solver.hardware import load_hardware
from distc.solver.search.deadline import Deadline
from distc.solver.search.method import Method
from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Solution
from distc.solver.search.solve import solve
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.lifetimes import Lifetimes
from distc.transforms.plan.space import Pricing, Space
from distc.transforms.plan.within import solve_fitting

SHAPES: dict[str, dict[str, object]] = {
    "llama-8b": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
    },
    "llama-70b": {
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
    },
}


NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Row:
    """What one search took and found."""

    nodes: int
    strategies: int
    seconds: dict[str, float]
    found: str
    peak_mib: float

    @property
    def total(self) -> float:
        """CPU seconds of everything after the export."""
        return sum(self.seconds.values())


def step(shape: str, layers: int, batch: int, seq: int) -> ir.Module:
    """Return the cleaned AdamW step of a model of that shape."""
    import torch

    from distc.compiler.frontend.optimizers import parse_optimizer
    from distc.compiler.frontend.training import TrainingOptions, export_training
    from distc.compiler.frontend.training_spec import build_folder, next_token

    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "max_position_embeddings": 8192,
        "tie_word_embeddings": False,
        **SHAPES[shape],
        "num_hidden_layers": layers,
    }
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(config))
        _, model, _ = build_folder(Path(folder), seq)
    tokens = torch.zeros(batch, seq, dtype=torch.int64)
    options = TrainingOptions((parse_optimizer("adamw"),))
    exported = export_training(
        model, (tokens,), next_token, options, context=make_context(), source=shape
    )
    for name in CLEANUP:
        make_pass(name).run(exported.module)
    return exported.module


def problem(module: ir.Module, mesh: Mesh, hardware: str) -> CostNetwork:
    """Return the priced network of a module's function."""
    make_pass("copy-known").run(module)
    func = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    with module.context:
        graph = FunctionGraph.read(func, mesh)
        return build_network(Space.of(graph, Pricing(load_hardware(hardware))))


def compare(network: CostNetwork, limit_seconds: float, rounds: int) -> str:
    """Search with both in turns; return their least CPU seconds and the ratio."""
    spent: dict[Method, float] = {}
    found: dict[Method, Solution] = {}
    for _ in range(rounds):
        for method in (Method.EXACT, Method.ILP):
            deadline = Deadline.after(limit_seconds) if method is Method.ILP else None
            started = time.process_time()
            found[method] = solve(network, NO_LIMIT, method, deadline=deadline)
            took = time.process_time() - started
            spent[method] = min(took, spent.get(method, took))
    parts = ", ".join(
        f"{m} {spent[m]:.2f} s {found[m].status} {found[m].cost} (gap {found[m].gap:.3%})"
        for m in spent
    )
    ratio = spent[Method.ILP] / spent[Method.EXACT]
    return f"{network.size} variables: {parts}; HiGHS takes {ratio:.1f}x the CPU seconds of ours"


def measure(module: ir.Module, mesh: Mesh, hardware: str, memory: int) -> Row:
    """Search for a plan of a module within `memory` bytes on a rank, part by part."""
    seconds: dict[str, float] = {}
    started = time.process_time()

    def lap(name: str) -> None:
        nonlocal started
        now = time.process_time()
        seconds[name], started = now - started, now

    make_pass("copy-known").run(module)
    func = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    graph = FunctionGraph.read(func, mesh)
    lap("graph")
    with module.context:
        space = Space.of(graph, Pricing(load_hardware(hardware)))
        lap("strategies")
        network = build_network(space)
        lap("prices")
    found = solve_fitting(network, Lifetimes(space), memory).solution
    lap("search")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    strategies = sum(len(v.labels) for v in space.variables)
    return Row(len(graph.nodes), strategies, seconds, _found(found), peak)


def _found(solution: Solution) -> str:
    if solution.labels:
        return f"gap {solution.gap:.2%}"
    return f"{solution.status}, {show_bytes(solution.least_bytes)} are the least"


def main() -> int:
    """Run the sizes and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="llama-8b")
    parser.add_argument("--beside", choices=("ilp",), help="compare with HiGHS")
    parser.add_argument("--ilp-seconds", type=float, default=60.0, help="time limit of HiGHS")
    parser.add_argument("--rounds", type=int, default=3, help="of --beside; the least counts")
    parser.add_argument("--mesh", help="[data=8,tensor=4; with --beside data=8]")
    parser.add_argument("--layers", help="[4,8,32; with --beside 1]")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seq", type=int, default=2048)
    parser.add_argument("--hardware", default="h100-8x")
    parser.add_argument("--memory", default="1024TiB", help="of one rank; by default no limit")
    options = parser.parse_args()
    mesh = Mesh.parse(options.mesh or ("data=8" if options.beside else "data=8,tensor=4"))
    sizes = "x".join(str(a.size) for a in mesh.axes)
    last = ""
    for layers in map(int, (options.layers or ("1" if options.beside else "4,8,32")).split(",")):
        module = step(options.shape, layers, options.batch, options.seq)
        if options.beside:
            network = problem(module, mesh, options.hardware)
            shown = compare(network, options.ilp_seconds, options.rounds)
            last = f"{options.shape} {sizes}, {layers} layers: {shown}"
            last += f" (limit of HiGHS {options.ilp_seconds:g} s a run)"
            print(last, flush=True)
            continue
        row = measure(module, mesh, options.hardware, parse_bytes(options.memory))
        parts = ", ".join(f"{name} {s:.2f}" for name, s in row.seconds.items())
        print(
            f"{layers} layers: {row.nodes} nodes, {row.strategies} strategies, "
            f"{row.total:.1f} s ({parts}), {row.found}, {row.peak_mib:.0f} MiB in all",
            flush=True,
        )
        last = f"{options.shape} {sizes}: {row.total:.1f} s, {row.found}"
    if not options.beside:
        print(last)
    return 0


if __name__ == "__main__":
    sys.exit(main())
