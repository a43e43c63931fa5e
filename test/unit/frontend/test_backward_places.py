"""Ops of the backward pass and of the optimizer say which module they belong to."""

from __future__ import annotations

from collections import Counter

import torch
from torch import Tensor, nn

from distc.compiler.frontend.optimizers import parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.dialect import stablehlo
from distc.dialect.context import make_context
from distc.dialect.locations import module_path


class Block(nn.Module):
    """A residual block: its input's gradient is the sum of two."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up = nn.LayerNorm(6), nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 6] → the same."""
        return x + self.up(self.norm(x)).relu()


def paths() -> list[str]:
    """Module paths of all ops of a training step of three blocks."""
    model = nn.Sequential(nn.Linear(4, 6), *(Block() for _ in range(3)), nn.Linear(6, 1))
    options = TrainingOptions((parse_optimizer("adamw"),))
    made = export_training(
        model,
        (torch.zeros(8, 4),),
        lambda m, x: m(x).square().mean(),
        options,
        context=make_context(),
        source="test",
    )
    func = next(f for f in stablehlo.functions(made.module) if stablehlo.is_public(f))
    return [
        module_path(op.location) or ""
        for op in stablehlo.walk(func)
        if op.name not in ("stablehlo.constant", "func.return")
    ]


def test_equal_layers_have_equal_ops_forward_backward_and_update() -> None:
    found = paths()
    layers = [Counter(p[1:] for p in found if p.startswith(f"{n}")) for n in (1, 2, 3)]
    assert layers[0] == layers[1] == layers[2]
    assert layers[0][".up#bwd"] > 0
    assert layers[0][".norm#bwd"] > 0
    assert layers[0][".up.weight"] > 0
    outside = [p for p in found if p.partition("#")[0] in ("", "model")]
    assert len(outside) < len(found) / 4
