"""Bytes of a rank under each state.

    M = v Ψ / x(p) + v Ψ' / x(g) + K Ψ' / x(os) + activations      x(N) = 1, x(I) = m, x(G) = n

v bytes of a value as computed with, K bytes of optimizer state per trainable parameter (Adam with
a master copy: 4 + 4 + 4). A shard is whole elements, so x divides upwards. Source: PaRO (arXiv
2310.06003, section 3), ZeRO's accounting (arXiv 1910.02054, section 3.1).
    -> implemented in `state_memory`
"""

from __future__ import annotations

from dataclasses import dataclass

from distc.solver.states.job import Job
from distc.solver.states.levels import Level, StateLevels


@dataclass(frozen=True, slots=True)
class StateMemory:
    """What one rank holds, in bytes."""

    parameter: int
    gradient: int
    optimizer: int
    activations: int

    @property
    def total(self) -> int:
        """All of it together."""
        return self.parameter + self.gradient + self.optimizer + self.activations


def state_memory(levels: StateLevels, job: Job, group: int) -> StateMemory:
    """Return the bytes of the fullest rank.

    Args:
        levels: of parameters, gradients and optimizer state.
        job: what is trained.
        group: m, ranks of a group.
    """
    shards = {Level.NONE: 1, Level.INTRA: group, Level.GLOBAL: job.ranks}

    def held(elements: int, level: Level) -> int:
        return -(-elements // shards[level])

    return StateMemory(
        job.value_bytes * held(job.parameters, levels.parameter),
        job.value_bytes * held(job.trainable, levels.gradient),
        job.optimizer_bytes * held(job.trainable, levels.optimizer),
        job.activation_bytes,
    )
