"""Fully sharded data parallelism: parameters cut at rest, gathered before use, batch sharded."""

from __future__ import annotations

from math import prod

from distc.compiler.constraint_file import Constraints, Pin, Target
from distc.compiler.presets.data_parallel import describe_batch
from distc.compiler.presets.pins import batch_pins, escaped, folded, sharded_text
from distc.compiler.roles import Roles
from distc.dialect.mesh import Mesh
from distc.runtime.errors import UsageError

SMALL = 1 << 10
"""Parameters with fewer elements stay whole: gathering them costs latency and saves nothing."""

_SOURCE = "preset fsdp"


def fsdp(roles: Roles, mesh: Mesh, axes: tuple[str, ...] = ()) -> Constraints:
    """Shard every large parameter, and the batch, over `axes` (all axes by default).

    Raises:
        UsageError: an axis that the mesh has not or that is named twice; neither a parameter nor
            a batch to shard.
    """
    axes = axes or tuple(a.name for a in mesh.axes)
    _check_axes(axes, mesh)
    shards = prod(mesh.axis_size(a) for a in axes)
    pins = []
    for name in roles.state:
        shape = roles.shapes.get(name, ())
        dim = sharded_dim(shape, shards)
        if dim is not None:
            text = sharded_text(len(shape), dim, axes)
            pins.append(Pin(Target.PARAMETER, escaped(name), text, source=_SOURCE))
    batch = batch_pins(roles, axes, _SOURCE)
    if not pins and not batch:
        raise UsageError(
            f"preset fsdp finds nothing to shard: no parameter has {SMALL} elements and a "
            f"dimension of {shards}, and {describe_batch(roles)}",
            help="run a model this small on one rank, or compile it with a batch (--batch N)",
        )
    return Constraints((*folded(pins, roles.state), *batch))


def sharded_dim(shape: tuple[int, ...], shards: int) -> int | None:
    """Return the dimension to cut into `shards`: the first that is even, else the largest.

    None for a small parameter and where no dimension has an element for every rank.
    """
    if prod(shape) < SMALL:
        return None
    suitable = [d for d, n in enumerate(shape) if n >= shards]
    even = [d for d in suitable if shape[d] % shards == 0]
    if even:
        return even[0]
    return max(suitable, key=lambda d: shape[d], default=None)


def _check_axes(axes: tuple[str, ...], mesh: Mesh) -> None:
    names = [a.name for a in mesh.axes]
    bad = next((a for a in axes if a not in names or axes.count(a) > 1), None)
    if bad is not None:
        problem = "is named twice" if bad in names else f"is not in the mesh {mesh}"
        raise UsageError(
            f"axis {bad!r} of preset fsdp {problem}", help=f"use some of: {', '.join(names)}"
        )
