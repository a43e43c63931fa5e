"""What a compiled step keeps and sends in each PaRO state is what the table of states says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import distc
from distc.compiler.compiled import Compiled
from distc.runtime.program import Call
from distc.solver.states.communication import state_communication
from distc.solver.states.job import Job
from distc.solver.states.levels import POINTS, StateLevels
from distc.solver.states.links import TableLinks
from distc.solver.states.memory import state_memory

ROWS, COLUMNS = 1024, 2048
RANKS, GROUP, STEPS = 4, 2, 2
F32 = 4
COUNT = 2 * ROWS * COLUMNS
JOB = Job(COUNT, COUNT, RANKS, STEPS, value_bytes=F32, optimizer_bytes=2 * F32)
SMALL = 4096
"""Bytes below which a collective is of the loss, not of weights."""


def loss(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(model(x), y)


def compiled(levels: StateLevels) -> Compiled:
    """Two large layers, so that bytes and not latencies decide which collectives there are."""
    model = nn.Sequential(
        nn.Linear(ROWS, COLUMNS, bias=False), nn.Tanh(), nn.Linear(COLUMNS, ROWS, bias=False)
    )
    batch = (torch.zeros(8, ROWS), torch.zeros(8, ROWS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    mesh = distc.Mesh.of(inter=RANKS // GROUP, intra=GROUP)
    return distc.compile_training(
        model, loss, optimizer, batch, mesh=mesh, preset=str(levels), microbatches=STEPS
    )


def wire_bytes(call: Call) -> float:
    """What one rank sends: DistPar's conversion table."""
    groups = call.kwargs["groups"]
    assert isinstance(groups, list) and isinstance(groups[0], list)
    ranks = len(groups[0])
    result = sum(prod(t.shape) * F32 for t in call.types)
    match call.op:
        case "collective.all_gather":
            return result * (ranks - 1) / ranks
        case "collective.reduce_scatter":
            return float(result * (ranks - 1))
        case "collective.all_reduce":
            return 2 * result * (ranks - 1) / ranks
    raise AssertionError(f"{call.op} moves no state")


def of_weights(made: Compiled, entry: str) -> Iterator[Call]:
    """Collectives of more than the loss."""
    for call in made.programs[entry].calls:
        large = sum(prod(t.shape) * F32 for t in call.types) >= SMALL
        if call.op.startswith("collective.") and large:
            yield call


@pytest.mark.parametrize("levels", POINTS, ids=str)
def test_a_compiled_step_keeps_and_sends_what_the_table_says(levels: StateLevels) -> None:
    """Bytes of state on a rank, and bytes sent in a step of two micro-steps.

    distc's programs keep what they have gathered for the backward pass: of the table's two gathers
    of parameters there is one.
    """
    made = compiled(levels)
    sent = STEPS * sum(map(wire_bytes, of_weights(made, "accumulate")))
    sent += sum(map(wire_bytes, of_weights(made, "update")))
    terms = state_communication(levels, JOB, GROUP, TableLinks(RANKS, GROUP, 1.0, 1.0))
    assert sent == terms.total - STEPS * terms.parameter / 2

    expected = state_memory(levels, JOB, GROUP)
    kept: Counter[str] = Counter()
    seen = {(a.kind, a.name): a for e in made.entries for a in e.arguments}
    for (kind, _), record in seen.items():
        kept[kind] += max(record.layout.bytes_held(rank, F32) for rank in range(RANKS))
    assert kept["parameter"] == expected.parameter
    assert kept["gradient"] == expected.gradient
    assert kept["optimizer"] == expected.optimizer
