"""What is trained, on how many ranks, and what one micro-step computes.

    FLOPs of a micro-step   tokens · (4 Ψ + 2 Ψ' [+ 2 Ψ with activation checkpointing])

Ψ parameters, Ψ' of them trainable: forward and the gradient of the input pass through every
parameter, 2 FLOPs per parameter and token each; the gradient of the weight through trainable ones
alone; checkpointing runs the forward twice. Ψ' = Ψ gives the usual 6 Ψ, with checkpointing 8 Ψ
(Narayanan et al., arXiv 2104.04473, appendix). Attention scores are not counted.
    -> implemented in `micro_step_flops`, `micro_step_seconds`
"""

from __future__ import annotations

from dataclasses import dataclass

from distc.runtime.errors import UsageError
from distc.solver.hardware import Hardware


@dataclass(frozen=True, slots=True)
class Job:
    """A data-parallel training step.

    Attributes:
        parameters: Ψ.
        trainable: Ψ', those with gradients and optimizer state.
        ranks: n.
        microbatches: s, micro-steps between two updates.
        value_bytes: of one parameter and one gradient as computed with and sent.
        optimizer_bytes: K, kept per trainable parameter: master copy and moments.
        compute_seconds: of one micro-step on one rank.
        activation_bytes: of one rank, the same under every state.
    """

    parameters: int
    trainable: int
    ranks: int
    microbatches: int = 1
    value_bytes: int = 2
    optimizer_bytes: int = 12
    compute_seconds: float = 0.0
    activation_bytes: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.trainable <= self.parameters:
            raise UsageError(
                f"{self.trainable} of {self.parameters} parameters are trainable",
                help="at least one parameter must be, and at most all",
            )
        for what, number in (("ranks", self.ranks), ("micro-batches", self.microbatches)):
            if number < 1:
                raise UsageError(f"{number} {what} are asked for", help="the least is 1")


def micro_step_flops(
    parameters: int, trainable: int, tokens: int, is_checkpointed: bool = False
) -> float:
    """Return the floating-point operations of forward and backward over `tokens` on one rank."""
    passes = 4 + 2 * is_checkpointed
    return float(tokens) * (passes * parameters + 2 * trainable)


def micro_step_seconds(flops: float, hardware: Hardware, dtype: str = "bf16") -> float:
    """Return the seconds of so many FLOPs at the reached speed of large matmuls."""
    return flops / hardware.flops_per_second(dtype)
