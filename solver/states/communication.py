"""What a step communicates under each state: PaRO's four terms.

W = v Ψ' bytes of gradients, V = v Ψ bytes of parameters (v of one value), s micro-steps:

    t_comm = s (t_param + t_gradient) + t_sync_g + t_sync_p

    per micro-step    N    I                          G
    t_param           0    2 all-gathers of V, intra  2 all-gathers of V, global
    t_gradient        0    reduce-scatter W, intra    reduce-scatter W, global

    t_sync_g   os = N                  os = I                             os = G
    g = N      all-reduce W, global    reduce-scatter W, intra, then      reduce-scatter W, global
                                       all-reduce W/m, inter
    g = I      -                       all-reduce W/m, inter              reduce-scatter W/m, inter
    g = G      -                       -                                  0

    t_sync_p   p = N                   p = I                              p = G
    os = N     0                       -                                  -
    os = I     all-gather W, intra     0                                  -
    os = G     all-gather W, global    all-gather W/m, inter              0

The second all-gather of t_param is the backward pass's. Each entry is one collective over all
bytes: the count of buckets, and so of latencies, is not in the table. Source: PaRO (arXiv
2310.06003, section 3.2), entries derived from what each state keeps.
    -> implemented in `state_communication`
"""

from __future__ import annotations

from dataclasses import dataclass

from distc.solver.collective_cost import StepKind
from distc.solver.states.job import Job
from distc.solver.states.levels import Level, StateLevels
from distc.solver.states.links import Links, Scope


@dataclass(frozen=True, slots=True)
class StateCommunication:
    """Seconds of communication: two terms per micro-step, two per step.

    Attributes:
        parameter: parameters gathered for forward and backward, per micro-step.
        gradient: gradients reduced to where they are kept, per micro-step.
        sync_gradient: kept gradients brought to the optimizer's shards.
        sync_parameter: updated parameters brought to where they are kept.
        microbatches: s.
    """

    parameter: float
    gradient: float
    sync_gradient: float
    sync_parameter: float
    microbatches: int

    @property
    def total(self) -> float:
        """Seconds of a whole step."""
        each = self.parameter + self.gradient
        return self.microbatches * each + self.sync_gradient + self.sync_parameter


def state_communication(
    levels: StateLevels, job: Job, group: int, links: Links
) -> StateCommunication:
    """Return what a step communicates.

    Args:
        levels: a legal point.
        job: what is trained.
        group: m, ranks of a group.
        links: prices the collectives of this split into groups.
    """
    parameters = float(job.value_bytes * job.parameters)
    trained = float(job.value_bytes * job.trainable)
    return StateCommunication(
        2 * _moved(StepKind.ALL_GATHER, levels.parameter, parameters, links),
        _moved(StepKind.REDUCE_SCATTER, levels.gradient, trained, links),
        _sync_gradient(levels, trained, group, links),
        _sync_parameter(levels, trained, group, links),
        job.microbatches,
    )


def _moved(kind: StepKind, level: Level, bytes_: float, links: Links) -> float:
    """A collective between whole tensors and their shards at `level`."""
    match level:
        case Level.NONE:
            return 0.0
        case Level.INTRA:
            return links.seconds(kind, Scope.INTRA, bytes_)
        case Level.GLOBAL:
            return links.seconds(kind, Scope.GLOBAL, bytes_)


def _sync_gradient(levels: StateLevels, bytes_: float, group: int, links: Links) -> float:
    match levels.gradient, levels.optimizer:
        case Level.NONE, Level.NONE:
            return links.seconds(StepKind.ALL_REDUCE, Scope.GLOBAL, bytes_)
        case Level.NONE, Level.INTRA:
            within = links.seconds(StepKind.REDUCE_SCATTER, Scope.INTRA, bytes_)
            return within + links.seconds(StepKind.ALL_REDUCE, Scope.INTER, bytes_ / group)
        case Level.NONE, Level.GLOBAL:
            return links.seconds(StepKind.REDUCE_SCATTER, Scope.GLOBAL, bytes_)
        case Level.INTRA, Level.INTRA:
            return links.seconds(StepKind.ALL_REDUCE, Scope.INTER, bytes_ / group)
        case Level.INTRA, Level.GLOBAL:
            return links.seconds(StepKind.REDUCE_SCATTER, Scope.INTER, bytes_ / group)
        case _:
            return 0.0


def _sync_parameter(levels: StateLevels, bytes_: float, group: int, links: Links) -> float:
    match levels.optimizer, levels.parameter:
        case optimizer, Level.NONE:
            return _moved(StepKind.ALL_GATHER, optimizer, bytes_, links)
        case Level.GLOBAL, Level.INTRA:
            return links.seconds(StepKind.ALL_GATHER, Scope.INTER, bytes_ / group)
        case _:
            return 0.0
