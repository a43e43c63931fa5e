"""Shardings of dimensions and shardings of factors: the algebra between them.

A dimension is the product of its factors, major to minor. It is cut where its major factor is
cut, in blocks of the minor product; a minor factor is cut only when everything before it is cut
down to single elements.

    compose: factors of one dimension -> sharding of the dimension, None where it cannot be said
    project: sharding of a dimension  -> sharding of its factors, as far as they can follow
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding


@dataclass(frozen=True, slots=True)
class FactorSharding:
    """The axes that cut a factor, outermost first, in whole blocks of it."""

    axes: tuple[AxisRef, ...] = ()
    block: int = 1


UNCUT = FactorSharding()


def compose(
    mesh: Mesh, sizes: Sequence[int], factors: Sequence[FactorSharding]
) -> DimSharding | None:
    """Return the sharding of the dimension made of `factors`, major to minor.

    None where a minor factor is cut while something before it is not single elements.
    """
    axes: tuple[AxisRef, ...] = ()
    block = 1
    single = True
    for i, (size, factor) in enumerate(zip(sizes, factors, strict=True)):
        if factor.axes:
            if not single:
                return None
            axes += factor.axes
            minor = prod(sizes[i + 1 :])
            block = factor.block * minor
            single = prod(mesh.ref_size(a) for a in factor.axes) == size and factor.block == 1
        elif size != 1:
            single = False
    return DimSharding(axes, block) if axes else DimSharding()


def project(mesh: Mesh, sizes: Sequence[int], dim: DimSharding) -> tuple[FactorSharding, ...]:
    """Return how each factor, major to minor, follows the sharding of its dimension.

    Where the dimension's shards do not fall on borders of the major factor, the factor is still
    proposed with all axes (uneven): composing it again gives another block, a reshard moves data.
    """
    if len(sizes) == 1:
        return (FactorSharding(dim.axes, dim.block),)
    result = [UNCUT] * len(sizes)
    axes, block = dim.axes, dim.block
    for i, size in enumerate(sizes):
        if not axes:
            break
        if size == 1:
            continue
        minor = prod(sizes[i + 1 :])
        taken, axes = _take(mesh, size, minor, axes, block)
        result[i] = taken
        if prod(mesh.ref_size(a) for a in taken.axes) != size:
            break
        block = 1
    return tuple(result)


def _take(
    mesh: Mesh, size: int, minor: int, axes: tuple[AxisRef, ...], block: int
) -> tuple[FactorSharding, tuple[AxisRef, ...]]:
    """What the major factor of `size` takes of `axes`, and the axes left for the minor ones."""
    shards = prod(mesh.ref_size(a) for a in axes)
    even = (size * minor // block) % shards == 0
    if not even:
        blocked = block // minor if block % minor == 0 else 1
        return FactorSharding(axes, blocked), ()
    if size % shards == 0:
        return FactorSharding(axes), ()
    taken: list[AxisRef] = []
    left = size
    for i, ref in enumerate(axes):
        count = mesh.ref_size(ref)
        if left % count == 0:
            taken.append(ref)
            left //= count
            continue
        if left > 1 and count % left == 0:
            head, tail = _split(mesh, ref, left)
            return FactorSharding((*taken, head)), (tail, *axes[i + 1 :])
        if left == 1:
            return FactorSharding(tuple(taken)), axes[i:]
        return FactorSharding(axes), ()
    return FactorSharding(tuple(taken)), ()


def _split(mesh: Mesh, ref: AxisRef, size: int) -> tuple[AxisRef, AxisRef]:
    """Cut `ref` into its first `size` coordinates and the rest."""
    count = mesh.ref_size(ref)
    return (
        AxisRef(ref.name, ref.pre, size),
        AxisRef(ref.name, ref.pre * size, count // size),
    )
