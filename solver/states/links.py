"""Seconds of a collective within a group, across groups, and over all ranks.

n ranks in g groups of m, T bytes of the larger side on one rank, C = T/n a block:

    scope     ranks            flat ring (`collective_cost`)
    intra     m of a group     T (m-1)/m / b(intra) + latencies
    inter     g, one a group   T (g-1)/g / b(inter) + latencies     m such rings side by side
    global    all n            T (n-1)/n / b(ring)  + latencies     b(ring) ≤ m shares of a node

All-gather and reduce-scatter over all ranks may also go in two levels, t_x = C / b(inter) a step
between groups, t_y = (m-1) C / b(intra) a block within one:

    hcs       MiCS     (g-1) t_x + g t_y + rearranging T/m bytes, one phase after the other
    paro-cc   PaRO-CC  (g-1) max(t_x, t_y) + t_y, each block spreads while the next one travels

An all-reduce in two levels is reduce-scatter within, all-reduce between, all-gather within.
Source: PaRO (arXiv 2310.06003), MiCS (arXiv 2205.00119), sections on hierarchical communication.
    -> implemented in `HardwareLinks`

`TableLinks` is the pricing of PaRO's tables: bandwidth alone, B' within a group and B for whatever
leaves it, one ring or many.
    -> implemented in `TableLinks`
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from distc.dialect.mesh import AxisRef, Mesh
from distc.solver.collective_cost import StepKind, collective_seconds
from distc.solver.hardware import Hardware


class Scope(StrEnum):
    """Which ranks take part in a collective."""

    INTRA = "intra"
    INTER = "inter"
    GLOBAL = "global"


class Algorithm(StrEnum):
    """How a collective over all ranks crosses the network."""

    FLAT = "flat"
    HCS = "hcs"
    PARO_CC = "paro-cc"


class Links(Protocol):
    """Prices collectives of one split of the ranks into groups."""

    def seconds(self, kind: StepKind, scope: Scope, bytes_: float) -> float:
        """Return the seconds of one collective, `bytes_` of the larger side on one rank."""


@dataclass(frozen=True, slots=True)
class HardwareLinks:
    """Priced by the alpha-beta model of a machine; ranks of a group are consecutive.

    Attributes:
        hardware: the machine.
        ranks: n.
        group: m, divides n.
        algorithm: of collectives over all ranks.
    """

    hardware: Hardware
    ranks: int
    group: int
    algorithm: Algorithm = Algorithm.FLAT

    def seconds(self, kind: StepKind, scope: Scope, bytes_: float) -> float:
        """Return the seconds of one collective; see `Links`."""
        if scope is not Scope.GLOBAL or not 1 < self.group < self.ranks:
            return self._ring(kind, scope, bytes_)
        match self.algorithm:
            case Algorithm.FLAT:
                return self._ring(kind, scope, bytes_)
            case _ if kind is StepKind.ALL_REDUCE:
                return self._two_level_all_reduce(bytes_)
            case Algorithm.HCS:
                return self._hcs(bytes_)
            case Algorithm.PARO_CC:
                return self._paro_cc(bytes_)

    def _ring(self, kind: StepKind, scope: Scope, bytes_: float) -> float:
        mesh = Mesh.of(inter=self.ranks // self.group, intra=self.group)
        inter, intra = AxisRef("inter"), AxisRef("intra")
        axes = {Scope.INTRA: (intra,), Scope.INTER: (inter,), Scope.GLOBAL: (inter, intra)}[scope]
        return collective_seconds(kind, mesh, axes, bytes_, self.hardware)

    def _hcs(self, bytes_: float) -> float:
        part = bytes_ / self.group
        between = self._ring(StepKind.ALL_GATHER, Scope.INTER, part)
        within = self._ring(StepKind.ALL_GATHER, Scope.INTRA, bytes_)
        return between + within + 2 * part / self.hardware.memory_bytes_per_second

    def _paro_cc(self, bytes_: float) -> float:
        block, groups = bytes_ / self.ranks, self.ranks // self.group
        step = self._ring(StepKind.PERMUTE, Scope.INTER, block)
        spread = self._ring(StepKind.ALL_GATHER, Scope.INTRA, block * self.group)
        return (groups - 1) * max(step, spread) + spread

    def _two_level_all_reduce(self, bytes_: float) -> float:
        within = self._ring(StepKind.REDUCE_SCATTER, Scope.INTRA, bytes_)
        between = self._ring(StepKind.ALL_REDUCE, Scope.INTER, bytes_ / self.group)
        return within + between + self._ring(StepKind.ALL_GATHER, Scope.INTRA, bytes_)


@dataclass(frozen=True, slots=True)
class TableLinks:
    """PaRO's tables: bytes over bandwidth.

    Attributes:
        ranks: n.
        group: m, divides n.
        intra_bytes_per_second: B', within a group.
        inter_bytes_per_second: B, of each rank across groups.
    """

    ranks: int
    group: int
    intra_bytes_per_second: float
    inter_bytes_per_second: float

    def seconds(self, kind: StepKind, scope: Scope, bytes_: float) -> float:
        """Return the seconds of one collective; see `Links`."""
        ranks = {
            Scope.INTRA: self.group,
            Scope.INTER: self.ranks // self.group,
            Scope.GLOBAL: self.ranks,
        }[scope]
        inside = scope is Scope.INTRA
        speed = self.intra_bytes_per_second if inside else self.inter_bytes_per_second
        rounds = 2 if kind is StepKind.ALL_REDUCE else 1
        return rounds * bytes_ * (ranks - 1) / ranks / speed
