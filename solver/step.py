"""One collective of a conversion: what it moves, the sharding it leaves, its price."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import Reduction, Sharding
from distc.solver.collective_cost import StepKind, collective_seconds
from distc.solver.hardware import Hardware


@dataclass(frozen=True, slots=True)
class Step:
    """One collective: what it moves and the sharding it leaves.

    Attributes:
        kind: which collective.
        axes: the axes it works over, outermost first.
        source_dim: the dimension it pops from, for gathers and all-to-alls.
        target_dim: the dimension it pushes on.
        reduction: how partial values combine.
        sharding: of the value after the step.
    """

    kind: StepKind
    axes: tuple[AxisRef, ...]
    sharding: Sharding
    source_dim: int | None = None
    target_dim: int | None = None
    reduction: Reduction | None = None


def step_seconds(
    mesh: Mesh,
    step: Step,
    before: Sharding,
    shape: tuple[int, ...],
    itemsize: int,
    hardware: Hardware,
) -> float:
    """Return the seconds a step takes."""
    held, left = local_elements(before, shape), local_elements(step.sharding, shape)
    return collective_seconds(step.kind, mesh, step.axes, max(held, left) * itemsize, hardware)


@lru_cache(maxsize=65536)
def local_elements(sharding: Sharding, shape: tuple[int, ...]) -> int:
    """Return the elements of a value on one rank, padding included."""
    return prod(sharding.local_shape(shape))


@lru_cache(maxsize=4096)
def permutation(
    source: Sharding, target: Sharding, shape: tuple[int, ...]
) -> tuple[tuple[int, int], ...] | None:
    """Return (from, to) pairs that turn one device order into another.

    None where local shapes differ or some rank needs a box that no rank holds, or one rank would
    have to send to two.
    """
    if source.local_shape(shape) != target.local_shape(shape) or source == target:
        return None
    before, after = source.layout(shape), target.layout(shape)
    ranks = range(source.mesh.size)
    holders: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for rank in ranks:
        holders.setdefault(before.box(rank), []).append(rank)
    pairs: list[tuple[int, int]] = []
    for rank in ranks:
        box = after.box(rank)
        free = holders.get(box)
        if not free:
            return None
        giver = rank if rank in free else free[0]
        free.remove(giver)
        pairs.append((giver, rank))
    return tuple(pairs)
