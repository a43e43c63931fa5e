"""What a tensor-parallel training step moves: sums between blocks, nothing of weights or state."""

from __future__ import annotations

import pytest
import torch
from models.training import make

import distc
from distc.compiler.inspection import collective_counts

# Two layers: four sums of blocks forward, four backward, the embedding and the first gradient;
# three of the loss over a cut vocabulary. An encoder has no such loss, and sums of its pooler.
SUMS = {"gpt2": 13, "llama": 13, "bert": 13}
CUT = {"gpt2": (10, 10), "llama": (10, 10), "bert": (13, 9)}
"""Reduce-scatters and all-gathers of `megatron-sp`."""


def counts(name: str, mesh: str, preset: str) -> dict[str, int]:
    """Collectives of one step, with what AdamW keeps lying as its parameter."""
    training = make(name)
    compiled = distc.compile_training(
        training.model,
        training.loss,
        torch.optim.AdamW(training.model.parameters(), lr=0.01),
        training.batch(4, 0),
        mesh=distc.Mesh.parse(mesh),
        preset=preset,
    )
    return collective_counts(compiled.programs["step"])


@pytest.mark.parametrize("mesh", ["tensor=2", "tensor=3"])
@pytest.mark.parametrize("name", SUMS)
def test_tensor_parallelism_sends_sums_alone(name: str, mesh: str) -> None:
    """Also where heads do not divide, and where one weight makes queries, keys and values."""
    assert counts(name, mesh, "megatron") == {"all_reduce": SUMS[name]}


@pytest.mark.parametrize("name", SUMS)
def test_sums_along_the_sequence(name: str) -> None:
    found = counts(name, "tensor=2", "megatron-sp")
    scattered, gathered = CUT[name]
    assert (found["reduce_scatter"], found["all_gather"]) == (scattered, gathered)
    assert set(found) == {"reduce_scatter", "all_gather", "all_reduce"}
