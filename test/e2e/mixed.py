"""Mixed precision in plain PyTorch: a rounded twin computes, masters in the own type are updated.

The reference is written out, so that it says what a step of a plan has to be.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import distc
from distc.dialect.mesh import Mesh

RATE = 0.0625
Batch = tuple[Tensor, ...]
Loss = Callable[..., Tensor]
Make = Callable[[Any], torch.optim.Optimizer]


@dataclass
class Reference:
    """Single-device mixed precision.

    Attributes:
        model: the masters; its parameters are what is compared.
        loss: loss(model, *batch).
        make: the optimizer of parameters.
        compute: the type of the rounded twin.
        scaler: scales the loss; a disabled one does not.
    """

    model: nn.Module
    loss: Loss
    make: Make
    compute: torch.dtype
    scaler: torch.amp.GradScaler = field(
        default_factory=lambda: torch.amp.GradScaler("cpu", enabled=False)
    )

    def __post_init__(self) -> None:
        self.twin = copy.deepcopy(self.model)
        self.optimizer = self.make(self.model.parameters())

    def step(self, parts: Sequence[Batch], clip_norm: float | None = None) -> Tensor:
        """Take a step on micro-batches; return the mean loss."""
        for master in self.model.parameters():
            master.grad = torch.zeros_like(master)
        losses = []
        for part in parts:
            for narrow, master in zip(self.twin.parameters(), self.model.parameters(), strict=True):
                narrow.data, narrow.grad = master.data.to(self.compute), None
            value = self.loss(self._rounded, *part)
            losses.append(value.detach())
            scaled: Tensor = self.scaler.scale(value)
            scaled.backward()  # type: ignore[no-untyped-call]
            for narrow, master in zip(self.twin.parameters(), self.model.parameters(), strict=True):
                assert master.grad is not None and narrow.grad is not None
                master.grad += narrow.grad.to(master.dtype) * (1 / len(parts))
        self.scaler.unscale_(self.optimizer)
        if clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), clip_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return torch.stack(losses).mean()

    def _rounded(self, *inputs: Tensor) -> Tensor:
        wide = next(self.model.parameters()).dtype
        inputs = tuple(x.to(self.compute) if x.is_floating_point() else x for x in inputs)
        found: Tensor = self.twin(*inputs)
        return found.to(wide) if found.dtype == self.compute else found


def trainer_of(
    folder: Path, model: nn.Module, loss: Loss, make: Make, batch: Batch, plan: str, **options: Any
) -> Any:
    """Compile under a plan, `MESH PRESET`, and load all ranks in this process."""
    mesh, preset = plan.split()
    compiled = distc.compile_training(
        model,
        loss,
        make(model.parameters()),
        batch,
        mesh=Mesh.parse(mesh),
        preset=preset,
        **options,
    )
    entry = "accumulate" if options.get("microbatches", 1) > 1 else "step"
    program: Any = distc.load(compiled.save(folder / "t.distc"), entry=entry, backend="sim")
    return program.trainer(lr=RATE)


def masters(trainer: Any) -> dict[str, Tensor]:
    """Return the master weights by parameter."""
    return {r.parameter: v for r, v in kept(trainer) if r.slot == "master"}


def kept(trainer: Any) -> list[tuple[Any, Tensor]]:
    """Return the records and whole values of the optimizer's state."""
    records = [r for r in trainer.program.store.records.values() if r.kind == "optimizer"]
    values = trainer.program.dtensors(records)
    return [
        (r, v.full_tensor() if hasattr(v, "full_tensor") else v)
        for r, v in ((r, values[r.name]) for r in records)
    ]


def optimizer_state(reference: Reference) -> dict[str, Tensor]:
    """Return the state of the reference's optimizer, masters included, by its name in distc."""
    found = {}
    for name, master in reference.model.named_parameters():
        found[f"{name}@master"] = master.detach()
        for slot, value in reference.optimizer.state[master].items():
            if isinstance(value, Tensor) and slot != "step":
                found[f"{name}@{slot}"] = value
    return found


class OneTerm(nn.Module):
    """A layer in whose sums one term is not zero, so that their order rounds nothing.

    Samples are unit vectors of different directions; whatever is cut, each number of the step is
    rounded as on one device.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 8] → the same."""
        return self.layer(x).relu()


def one_term(dtype: torch.dtype) -> nn.Module:
    """Return the model, the same every time."""
    torch.manual_seed(0)
    return OneTerm().to(dtype)


def squares(model: Callable[..., Tensor], x: Tensor, y: Tensor) -> Tensor:
    """Mean squared error, of a number of terms that is a power of two."""
    return (model(x) - y).square().mean()


def unit_vectors(size: int, seed: int, dtype: torch.dtype) -> Batch:
    """`size` ≤ 8 samples along different directions, and targets."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(8, generator=generator)[:size]
    length = torch.randint(1, 4, (size, 1), generator=generator).to(dtype)
    x = torch.eye(8, dtype=dtype)[order] * length
    return x, torch.randn(size, 8, generator=generator, dtype=dtype)
