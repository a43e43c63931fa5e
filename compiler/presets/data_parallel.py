"""Data parallelism: every rank holds the model and a part of the batch."""

from __future__ import annotations

from distc.compiler.constraint_file import Constraints
from distc.compiler.presets.pins import batch_pins, data_axes
from distc.compiler.roles import Roles
from distc.dialect.mesh import Mesh
from distc.runtime.errors import UsageError

_SOURCE = "preset data-parallel"


def data_parallel(roles: Roles, mesh: Mesh) -> Constraints:
    """Shard the batch of every input over the axis called data, or over all axes.

    Raises:
        UsageError: no input has a batch dimension, or the batch is one.
    """
    pins = batch_pins(roles, data_axes(mesh), _SOURCE)
    if not pins:
        raise UsageError(
            f"preset data-parallel finds nothing to shard: {describe_batch(roles)}",
            help="compile with a batch of at least two (--batch N), or use --preset megatron",
        )
    return Constraints(tuple(pins))


def describe_batch(roles: Roles) -> str:
    """Say what is known of the batch, for an error message."""
    if roles.batch:
        return f"the batch is {roles.batch_size}"
    inputs = [f"{n} {list(s)}" for n, s in roles.shapes.items() if n not in set(roles.state)]
    return (
        f"no input leads with a batch that reaches an output ({', '.join(inputs) or 'no inputs'})"
    )
