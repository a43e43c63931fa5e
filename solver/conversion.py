"""Conversions: from any sharding to any other on one mesh, as a cheapest path of collectives.

Values that divide evenly take the path of the table of all pairs (`conversion_table.py`); uneven
dimensions, blocks and parts of axes are searched one by one (`conversion_search.py`). Both price
the same collectives alike (`collective_cost.py`), and what is priced is what is emitted. Both take
only collectives that are proved (`legality/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import InternalError
from distc.solver.collective_cost import StepKind
from distc.solver.conversion_search import search_path
from distc.solver.conversion_table import ConversionTable
from distc.solver.hardware import Hardware, default_hardware
from distc.solver.legality import refusal
from distc.solver.step import Step, permutation, step_seconds

__all__ = [
    "Step",
    "StepKind",
    "conversion_path",
    "conversion_seconds",
    "direct_step",
    "path_seconds",
    "permutation",
    "step_seconds",
]


@lru_cache(maxsize=32)
def _table(mesh: Mesh, hardware: Hardware) -> ConversionTable:
    return ConversionTable(mesh, hardware)


@lru_cache(maxsize=65536)
def conversion_path(
    source: Sharding,
    target: Sharding,
    shape: tuple[int, ...],
    itemsize: int = 4,
    hardware: Hardware | None = None,
) -> tuple[Step, ...]:
    """Return the cheapest steps from `source` to `target` for a value of `shape`.

    Args:
        source, target: shardings on one mesh.
        shape: global shape of the value.
        itemsize: bytes per element.
        hardware: the machine that prices steps; by default the generic one.

    Raises:
        InternalError: no proved path exists, which would be a defect: gathering everything and
            slicing always is one.
    """
    machine = hardware or default_hardware()
    before, after = source.normalize(shape), target.normalize(shape)
    table = _table(source.mesh, machine)
    path = table.path(before, after, shape, itemsize)
    if path is None or not _is_proved(path, before, shape):
        path = search_path(before, after, shape, itemsize, machine)
    if path is None:
        raise InternalError(
            f"no conversion from {source} to {target} for {list(shape)}",
            help="this is a defect of distc, please report it with the reproducer",
        )
    return path


def _is_proved(path: Sequence[Step], source: Sharding, shape: tuple[int, ...]) -> bool:
    """Whether every step is proved: each leaves what the next one takes, so the path is too."""
    starts = (source, *(step.sharding for step in path))
    return all(
        refusal(step, start, shape) is None for start, step in zip(starts, path, strict=False)
    )


def path_seconds(
    source: Sharding,
    target: Sharding,
    shape: tuple[int, ...],
    itemsize: int = 4,
    hardware: Hardware | None = None,
) -> float:
    """Return the price of the cheapest conversion in seconds."""
    machine = hardware or default_hardware()
    total, current = 0.0, source.normalize(shape)
    for step in conversion_path(source, target, shape, itemsize, machine):
        total += step_seconds(source.mesh, step, current, shape, itemsize, machine)
        current = step.sharding
    return total


def conversion_seconds(
    sources: Sequence[Sharding],
    targets: Sequence[Sharding],
    shape: tuple[int, ...],
    itemsize: int,
    hardware: Hardware,
) -> NDArray[np.float64]:
    """Return the price of every pair [source, target] of normal shardings in seconds."""
    if not sources or prod(shape) == 0:
        return np.zeros((len(sources), len(targets)))
    result = _table(sources[0].mesh, hardware).all_seconds(sources, targets, shape, itemsize)
    for i, j in np.argwhere(np.isnan(result)):
        result[i, j] = path_seconds(sources[i], targets[j], shape, itemsize, hardware)
    return result


@lru_cache(maxsize=65536)
def direct_step(
    kind: StepKind, source: Sharding, target: Sharding, shape: tuple[int, ...], itemsize: int = 4
) -> Step | None:
    """Return the one collective of `kind` that leads from `source` to `target`, or None."""
    before, after = source.normalize(shape), target.normalize(shape)
    path = search_path(before, after, shape, itemsize, default_hardware(), only=kind)
    return path[0] if path is not None and len(path) == 1 else None
