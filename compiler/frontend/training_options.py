"""What a training step does beside forward and backward."""

from __future__ import annotations

from dataclasses import dataclass

from distc.compiler.frontend.optimizers import OptimizerGroup
from distc.compiler.frontend.precision import ComputeType
from distc.compiler.frontend.scaling import LossScale
from distc.runtime.errors import UsageError


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What a step does beside forward and backward.

    Attributes:
        groups: optimizers with the parameters they train; None for the rest.
        microbatches: into how many parts a batch is cut.
        clip_norm: the largest norm of all gradients together, None for any.
        evaluate: whether to add the entry point `evaluate`.
        compute: the type that forward and backward compute in, None for the model's own.
        loss_scale: how the loss is scaled, None for not at all.
        seed: what masks of dropout are drawn from.
    """

    groups: tuple[OptimizerGroup, ...]
    microbatches: int = 1
    clip_norm: float | None = None
    evaluate: bool = True
    compute: ComputeType | None = None
    loss_scale: LossScale | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.microbatches < 1:
            raise UsageError(
                f"{self.microbatches} micro-batches are asked for, the least is 1",
                help="write --microbatches 1",
            )
        if not 0 <= self.seed < 1 << 63:
            raise UsageError(
                f"the seed is {self.seed}, not a number of 63 bits", help="write --seed 0"
            )
        if self.clip_norm is not None and not self.clip_norm > 0:
            raise UsageError(
                f"clip_norm is {self.clip_norm}, a positive number is needed",
                help="leave it out to clip nothing",
            )
