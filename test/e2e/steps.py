"""Training steps of a plan against plain PyTorch: losses, parameters, optimizer state, bytes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from models.training import make
from torch import Tensor

import distc
from distc.dialect.mesh import Mesh
from distc.runtime.manifest import OWNED_KINDS

SEARCHED = "searched"
"""In place of a preset: the plan that `--solver exact` finds."""

SLOW_CORES = Path(__file__).with_name("slow_cores.toml")
STEPS = 3
RATE = 0.01


@dataclass(frozen=True)
class StepCase:
    """A model under a plan on a mesh."""

    model: str
    mesh: str
    preset: str
    optimizer: str = "adamw"
    microbatches: int = 1
    clip_norm: float | None = None

    def __str__(self) -> str:
        parts = [self.model, self.mesh, self.preset, self.optimizer, f"k={self.microbatches}"]
        return " ".join(parts + ([f"clip={self.clip_norm}"] if self.clip_norm else []))


OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=RATE),
    "momentum": lambda p: torch.optim.SGD(
        p, lr=RATE, momentum=0.9, nesterov=True, weight_decay=0.01
    ),
    "adam": lambda p: torch.optim.Adam(p, lr=RATE, weight_decay=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=RATE),
    # The bias of attention's keys has the gradient zero. Torch's default eps, 2e-16 in float64,
    # makes steps of what rounding leaves of it, in PyTorch as here; Adam's does not.
    "adafactor": lambda p: torch.optim.Adafactor(p, lr=RATE, weight_decay=0.01, eps=(1e-8, 1e-3)),
}


@dataclass(frozen=True)
class Difference:
    """The largest difference over all tensors, in units of the allowed one, and where it is."""

    share: float
    what: str

    @property
    def equal(self) -> bool:
        """True within max|a − b| ≤ 1e-6 · max|b| + 1e-12."""
        return self.share <= 1


def run(case: StepCase, folder: Path) -> Difference:
    """Take three steps on all ranks in this process and in PyTorch."""
    training = make(case.model)
    reference = copy.deepcopy(training.model)
    optimizer = OPTIMIZERS[case.optimizer](reference.parameters())
    size = 4 * Mesh.parse(case.mesh).size // max(1, case.microbatches)
    compiled = distc.compile_training(
        training.model,
        training.loss,
        OPTIMIZERS[case.optimizer](training.model.parameters()),
        training.batch(size, 0),
        mesh=Mesh.parse(case.mesh),
        preset=None if case.preset == SEARCHED else case.preset,
        solver="exact" if case.preset == SEARCHED else None,
        hardware=str(SLOW_CORES) if case.preset == SEARCHED else None,
        microbatches=case.microbatches,
        clip_norm=case.clip_norm,
    )
    entry = "step" if case.microbatches == 1 else "accumulate"
    program: Any = distc.load(compiled.save(folder / "train.distc"), entry=entry, backend="sim")
    trainer = program.trainer(lr=RATE)
    found = Difference(0.0, "nothing")
    for step in range(STEPS):
        parts = [training.batch(size, 10 * step + i) for i in range(case.microbatches)]
        whole = tuple(torch.cat(tensors) for tensors in zip(*parts, strict=True))
        expected = _torch_step(reference, training.loss, parts, optimizer, case.clip_norm)
        found = _worse(found, _difference(f"loss {step}", trainer.step(*whole), expected))
    for name, (want, got) in _states(reference, optimizer, program).items():
        found = _worse(found, _difference(name, got, want))
    return found


def _torch_step(
    model: torch.nn.Module,
    loss: Callable[..., Tensor],
    parts: list[tuple[Tensor, ...]],
    optimizer: torch.optim.Optimizer,
    clip_norm: float | None,
) -> Tensor:
    optimizer.zero_grad()
    losses = []
    for part in parts:
        value = loss(model, *part)
        (value / len(parts)).backward()
        losses.append(value.detach())
    if clip_norm is not None:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
    optimizer.step()
    return torch.stack(losses).mean()


def _states(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, program: Any
) -> dict[str, tuple[Tensor, Tensor]]:
    """Parameters, buffers and optimizer state: (PyTorch's, ours), by name."""
    found = {}
    ours = program.state_dict()
    for name, value in model.state_dict().items():
        if name in ours:
            found[name] = (value, _whole(ours[name]))
    records = [r for r in program.point.arguments if r.kind in OWNED_KINDS]
    for entry in program.artifact.manifest.entries:
        records += [r for r in entry.arguments if r.kind == "optimizer"]
    parameters = dict(model.named_parameters())
    kept = {r.name: r for r in records if r.kind == "optimizer"}
    for record, value in zip(
        kept.values(), program.dtensors(list(kept.values())).values(), strict=True
    ):
        want = optimizer.state[parameters[record.parameter]].get(record.slot)
        if want is not None:
            found[record.name] = (want, _whole(value))
    return found


def _whole(value: Any) -> Tensor:
    whole: Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return whole


def _difference(name: str, got: Tensor, want: Tensor) -> Difference:
    distance = float((got.double() - want.double()).abs().max()) if want.numel() else 0.0
    largest = float(want.double().abs().max()) if want.numel() else 0.0
    return Difference(distance / (1e-6 * largest + 1e-12), name)


def _worse(a: Difference, b: Difference) -> Difference:
    return b if not b.share <= a.share else a
