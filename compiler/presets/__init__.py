"""Presets: functions from a module's roles and a mesh to constraints.

* `data-parallel`: the batch over all axes, or over the axis called data
* `megatron`: column and row pairs, attention by key/value groups, vocabulary, channels
* `megatron-sp`: as megatron, and between blocks activations are cut along the sequence
* `fsdp[:AXIS,…]`: every large parameter cut in one dimension, the batch over the same axes
* `zero1`, `zero2`, `zero3`, `mics`, … and the codes `NNN` … `GGG`: where a training step keeps
  parameters, gradients and optimizer state (`compiler/presets/levels.py`); `NIG:node,gpu` and
  `NIG:data/4` say which ranks are a group

Joined with `+`, each adds to those before it: `megatron+NIG`.
"""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from distc.compiler.constraint_file import Constraints, State, Target
from distc.compiler.module_state import module_state
from distc.compiler.options import check_preset
from distc.compiler.presets.data_parallel import data_parallel
from distc.compiler.presets.fsdp import fsdp
from distc.compiler.presets.megatron import megatron, megatron_sp
from distc.compiler.presets.state import state_preset
from distc.compiler.presets.state_groups import parse_groups
from distc.compiler.roles import Roles, module_roles
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.solver.states.levels import parse_levels

PRESETS: dict[str, Callable[[Roles, Mesh], Constraints]] = {
    "data-parallel": data_parallel,
    "megatron": megatron,
    "megatron-sp": megatron_sp,
    "fsdp": fsdp,
}


def preset_constraints(
    text: str, module: ir.Module, mesh: Mesh, given: Constraints | None = None
) -> Constraints:
    """Return the constraints that presets, and a user's pins after them, give for a module.

    A preset for state adds to the user's pins on parameters, and yields to those that name a
    state; every other preset yields to all of them.

    Args:
        text: preset names joined by `+`.
        module: a program before planning, arguments named and of known kind.
        mesh: the mesh it will run on.
        given: the user's own pins.

    Raises:
        UsageError: no such preset, an option it does not take, or nothing in the program that it
            could shard on this mesh.
    """
    check_preset(text)
    given = given or Constraints()
    roles = module_roles(module)
    found, state_parts = Constraints(), []
    for part in text.split("+"):
        kind, _, axes = part.strip().partition(":")
        if kind == "fsdp":
            found += fsdp(roles, mesh, tuple(a.strip() for a in axes.split(",")) if axes else ())
        elif kind in PRESETS:
            found += PRESETS[kind](roles, mesh)
        else:
            state_parts.append((kind, axes))
    found += given
    for kind, axes in state_parts:
        groups = parse_groups(axes, mesh, _free_axes(found, mesh))
        state = module_state(module)
        found += state_preset(parse_levels(kind), groups, state, roles, mesh, found)
    if state_parts:
        found += Constraints(tuple(p for p in given.pins if _names_a_state(p.lines, p.state)))
    return found


def _free_axes(pins: Constraints, mesh: Mesh) -> list[str]:
    """Axes over which no parameter is cut, in mesh order."""
    used = {
        ref.name
        for pin in pins.pins
        if pin.target in (Target.PARAMETER, Target.MODULE) and pin.state is State.PARAMETER
        for ref in parse_sharding(pin.sharding, mesh).used_axes
    }
    return [a.name for a in mesh.axes if a.name not in used]


def _names_a_state(lines: object, state: State) -> bool:
    return state is not State.PARAMETER or (isinstance(lines, dict) and "state" in lines)
