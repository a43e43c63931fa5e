"""Problems cut from the strategy tables of real training steps.

A step (MLP, attention, convolution; forward, backward, AdamW) is exported by the front end once
and priced on a mesh; a problem is a connected part of its network, with bytes of results as memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.optimizers import parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.dialect import stablehlo
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.solver.hardware import load_hardware
from distc.solver.search.network import CostNetwork, Costs, make_network
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP
from distc.transforms.dataflow import FunctionGraph
from distc.transforms.plan.build import build_network
from distc.transforms.plan.space import OpVariable, Pricing, Space

_POINTS = 3


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(nn.functional.gelu(self.up(x)))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(128, 384), nn.Linear(128, 128)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, 4, 32)).permute(1, 2, 0, 3)
        scores = torch.softmax(q @ k.transpose(-1, -2) / 32**0.5, -1)
        return self.out((scores @ v).transpose(0, 1).flatten(-2))


class Convolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv1d(3, 32, 3, padding=1), nn.Conv1d(32, 64, 3, stride=2)
        self.head = nn.Linear(64, 16)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.relu(self.second(torch.relu(self.first(x)))).mean(2))


MODELS: Mapping[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (Mlp, (64, 256)),
    "attention": (Attention, (512, 128)),
    "convolution": (Convolution, (16, 3, 512)),
}


@dataclass(frozen=True)
class Step:
    """A training step on a mesh: its network, and bytes that each variable's labels make."""

    network: CostNetwork
    is_op: tuple[bool, ...]
    bytes_: tuple[Costs, ...]


@cache
def _module(model: str) -> ir.Module:
    torch.manual_seed(0)
    build, shape = MODELS[model]
    options = TrainingOptions((parse_optimizer("adamw"),))
    exported = export_training(
        build(),
        (torch.zeros(shape),),
        lambda m, x: m(x).square().mean(),
        options,
        context=make_context(),
        source=model,
    )
    for name in (*CLEANUP, "copy-known"):
        make_pass(name).run(exported.module)
    return exported.module


@cache
def step(model: str, mesh: str) -> Step:
    """Return the priced step of a model on a mesh, as `d=2,t=2`."""
    module = _module(model)
    func = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    with module.context:
        graph = FunctionGraph.read(func, Mesh.parse(mesh))
        space = Space.of(graph, Pricing(load_hardware("h100-8x")))
        network = build_network(space)
    made: list[list[int]] = [[] for _ in space.variables]
    for value, (variable, _) in space.maker.items():
        made[variable].append(value)
    return Step(
        network,
        tuple(isinstance(v, OpVariable) for v in space.variables),
        tuple(_bytes(space, variable, values) for variable, values in enumerate(made)),
    )


def _bytes(space: Space, variable: int, values: list[int]) -> Costs:
    total = np.zeros(len(space.variables[variable].labels), np.int64)
    for value in values:
        found = space.graph.values[value]
        shardings = space.made(variable, space.maker[value][1])
        elements = [space.local_elements(s, found.shape) for s in shardings]
        total += np.array(elements) * found.itemsize
    return total


def connected_part(found: Step, ops: int, seed: int) -> CostNetwork:
    """Return a random connected part with so many ops, and the arguments that were met."""
    network, chance = found.network, random.Random(seed)
    members: set[int] = set()
    border = {chance.choice([i for i, op in enumerate(found.is_op) if op])}
    while border and sum(found.is_op[i] for i in members) < ops:
        new = chance.choice(sorted(border))
        members.add(new)
        near = (network.edges[e] for e in network.neighbours[new])
        border = (border | {v for e in near for v in (e.first, e.second)}) - members
    return _restrict(found, sorted(members))


def _restrict(found: Step, members: list[int]) -> CostNetwork:
    number = {v: i for i, v in enumerate(members)}
    inner = [e for e in found.network.edges if e.first in number and e.second in number]
    pairs = [(number[e.first], number[e.second], e.costs) for e in inner]
    last = {v: v for v in members}
    for edge in inner:
        last[edge.first] = max(last[edge.first], edge.second)
    alive = [
        [v for v in members if not found.is_op[v] or v <= now <= last[v]]
        for now in members
        if found.is_op[now]
    ]
    points = [{number[v]: found.bytes_[v] for v in now} for now in (*alive, members)]
    points.sort(key=lambda p: -sum(int(b.max()) for b in p.values()))
    return make_network([found.network.unary[v] for v in members], pairs, points[:_POINTS])
