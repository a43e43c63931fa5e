"""Seconds of one collective on a group of ranks: the one price of communication.

n ranks, B the bytes of the larger side on one rank, b the link's bytes per second (per-rank wire
bytes, DistPar's conversion table; latencies of a ring):

    all_gather, reduce_scatter, all_to_all   base + (n-1) hop + B (n-1)/n / b
    all_reduce                               base + 2 (n-1) hop + 2 B (n-1)/n / b
    collective_permute                       base + hop + B / b

A group within a node uses the link between devices. One that takes a single rank of each node uses
that rank's share of the network. A group of k > 1 ranks on each of several nodes runs rings that
cross nodes side by side, k shares of the network together, never faster than the device link.
    -> implemented in `group_seconds`
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from distc.dialect.mesh import AxisRef, Mesh
from distc.solver.hardware import Hardware


class StepKind(StrEnum):
    """One collective, named as its op in the `dist` dialect."""

    ALL_GATHER = "all_gather"
    ALL_SLICE = "all_slice"
    ALL_TO_ALL = "all_to_all"
    ALL_REDUCE = "all_reduce"
    REDUCE_SCATTER = "reduce_scatter"
    PERMUTE = "collective_permute"
    TO_PARTIAL = "to_partial"


LOCAL = (StepKind.ALL_SLICE, StepKind.TO_PARTIAL)
"""Steps that move nothing between ranks."""


@dataclass(frozen=True, slots=True)
class Group:
    """Size of a replica group, and how many of its ranks share a node."""

    ranks: int
    per_node: int


@lru_cache(maxsize=4096)
def group_of(mesh: Mesh, axes: tuple[AxisRef, ...], devices_per_node: int) -> Group:
    """Return the shape of the groups along `axes`, the one of rank 0 standing for all."""
    members = [0]
    for ref in axes:
        split = mesh.split(ref)
        members = [m + c * split.stride for m in members for c in range(split.size)]
    nodes = [m // devices_per_node for m in members]
    return Group(len(members), max(nodes.count(n) for n in set(nodes)))


def collective_seconds(
    kind: StepKind, mesh: Mesh, axes: tuple[AxisRef, ...], bytes_: float, hardware: Hardware
) -> float:
    """Return the seconds of one collective.

    Args:
        kind: which.
        mesh: the ranks.
        axes: the axes it works over.
        bytes_: of the larger of operand and result on one rank.
        hardware: the machine.
    """
    if kind in LOCAL:
        return bytes_ / hardware.memory_bytes_per_second
    return group_seconds(kind, group_of(mesh, axes, hardware.devices_per_node), bytes_, hardware)


def group_seconds(kind: StepKind, group: Group, bytes_: float, hardware: Hardware) -> float:
    """Return the seconds of one collective that is not local, in groups of one shape.

    Args:
        kind: which.
        group: the shape of its groups.
        bytes_: of the larger of operand and result on one rank.
        hardware: the machine.
    """
    base, hop, speed = _link(group, hardware)
    n = group.ranks
    match kind:
        case StepKind.ALL_REDUCE:
            return base + 2 * (n - 1) * hop + 2 * bytes_ * (n - 1) / n / speed
        case StepKind.PERMUTE:
            return base + hop + bytes_ / speed
        case _:
            return base + (n - 1) * hop + bytes_ * (n - 1) / n / speed


def _link(group: Group, hardware: Hardware) -> tuple[float, float, float]:
    """Base seconds, seconds per hop, bytes per second."""
    device, node = hardware.device, hardware.node
    if group.per_node == group.ranks:
        return device.base_seconds, device.hop_seconds, device.bytes_per_second
    if group.per_node == 1:
        return node.base_seconds, node.hop_seconds, node.bytes_per_second
    # Of a ring through k ranks per node one hop in k crosses nodes.
    hop = (device.hop_seconds * (group.per_node - 1) + node.hop_seconds) / group.per_node
    speed = min(device.bytes_per_second, group.per_node * node.bytes_per_second)
    return node.base_seconds, hop, speed
