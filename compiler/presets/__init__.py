"""Presets: functions from a module's roles and a mesh to constraints.

* `data-parallel`: the batch over all axes, or over the axis called data
* `megatron`: column and row pairs, attention by key/value groups, vocabulary, channels
* `fsdp[:AXIS,…]`: every large parameter cut in one dimension, the batch over the same axes
"""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from distc.compiler.constraint_file import Constraints
from distc.compiler.options import check_preset
from distc.compiler.presets.data_parallel import data_parallel
from distc.compiler.presets.fsdp import fsdp
from distc.compiler.presets.megatron import megatron
from distc.compiler.roles import Roles, module_roles
from distc.dialect.mesh import Mesh

PRESETS: dict[str, Callable[[Roles, Mesh], Constraints]] = {
    "data-parallel": data_parallel,
    "megatron": megatron,
    "fsdp": fsdp,
}


def preset_constraints(name: str, module: ir.Module, mesh: Mesh) -> Constraints:
    """Return the constraints a preset gives for a module on a mesh.

    Args:
        name: `data-parallel`, `megatron`, `fsdp` or `fsdp:AXIS,…`.
        module: a program before planning, arguments named and of known kind.
        mesh: the mesh it will run on.

    Raises:
        UsageError: no such preset, an option it does not take, or nothing in the program that it
            could shard on this mesh.
    """
    check_preset(name)
    kind, _, axes = name.partition(":")
    roles = module_roles(module)
    if not axes:
        return PRESETS[kind](roles, mesh)
    return fsdp(roles, mesh, tuple(a.strip() for a in axes.split(",")))
