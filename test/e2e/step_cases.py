"""Which models, plans and meshes training steps are compared on."""

from __future__ import annotations

from collections.abc import Iterator

from e2e.steps import SEARCHED, StepCase
from models.training import NAMES

from distc.solver.states.levels import POINTS

GRID = "inter=2,intra=2"
COMPOSED = (
    *("megatron", "megatron+zero1", "megatron+zero2", "megatron+zero3"),
    *("megatron-sp", "megatron-sp+zero1", "megatron-sp+zero3"),
)
"""Plans of tensor parallelism beside data parallelism and sharded state."""
WITHOUT_PAIRS = ("gat",)
"""Models in which no linear layer feeds another one."""
SEQUENCES = ("bert", "gpt2", "llama")
"""Models with a sequence to cut."""


def sample() -> tuple[StepCase, ...]:
    """A few seconds' worth: every model, every optimizer, micro-batches, clipping, both meshes."""
    return (
        StepCase("mlp", GRID, "NIG", "momentum", 2, 0.1),
        StepCase("mlp", "data=2,tensor=2", "megatron+zero3", "adam"),
        StepCase("mlp", "data=4", "NIG:data/2", "adamw", 2),
        StepCase("resnet", "data=2", "zero1", "momentum"),
        StepCase("bert", "data=3", "zero3"),
        StepCase("gpt2", "data=2,tensor=2", "megatron+zero1"),
        StepCase("llama", "data=2,tensor=2", "megatron+zero3", "adamw", 2, 0.5),
        StepCase("gpt2", "tensor=3", "megatron-sp"),
        StepCase("llama", "data=2,tensor=2", "megatron-sp+zero1", "adamw", 2, 0.5),
        StepCase("bert", "data=2,tensor=2", "megatron-sp+zero3", "momentum"),
        StepCase("moe", "data=2", "zero2", "adam"),
        StepCase("gat", "data=3", "zero1"),
        StepCase("arcface", "data=2,tensor=2", "megatron+zero1", "sgd"),
        StepCase("lora", "data=2,tensor=2", "megatron+zero1"),
        StepCase("lora", "data=3", "zero3", "adamw", 2, 0.5),
        StepCase("frozen", "data=2,tensor=2", "megatron+zero3", "momentum"),
        *(StepCase(model, "data=2,tensor=2", SEARCHED) for model in ("mlp", "gpt2", "arcface")),
        StepCase("mlp", "data=2", "zero1", "adafactor"),
        StepCase("mlp", "data=3", "zero3", "adafactor"),
        StepCase("mlp", "data=2,tensor=2", "megatron+zero1", "adafactor", 2, 0.1),
        StepCase("gpt2", "data=2", "zero1", "adafactor"),
        StepCase("gpt2", "data=2", "zero3", "adafactor"),
        StepCase("gpt2", "data=2,tensor=2", "megatron+zero3", "adafactor"),
    )


def every_point() -> tuple[StepCase, ...]:
    """All legal points of sharded state on four ranks, with two micro-batches."""
    return tuple(StepCase("mlp", GRID, str(p), "adamw", 2) for p in POINTS)


def everything() -> Iterator[StepCase]:
    """Every model with every preset on 2, 3, 4 and 2 x 2 ranks."""
    for model in NAMES:
        for mesh in ("data=2", "data=3", "data=4"):
            for preset in ("data-parallel", "zero1", "zero2", "zero3"):
                yield StepCase(model, mesh, preset)
        for point in POINTS:
            yield StepCase(model, GRID, str(point), "adamw", 2)
        for mesh in ("data=4", "data=2,tensor=2"):
            yield StepCase(model, mesh, SEARCHED)
        for preset in () if model in WITHOUT_PAIRS else COMPOSED:
            if "-sp" in preset and model not in SEQUENCES:
                continue
            yield StepCase(model, "data=2,tensor=2", preset, "momentum", 1, 0.5)
