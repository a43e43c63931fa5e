"""State on its way through planning: one sharding per name, in all entry points, in and out."""

from __future__ import annotations

from collections.abc import Mapping

from torch_mlir import ir

from distc.dialect.attrs import (
    SHARDING,
    arg_attr,
    arg_sharding,
    result_attr,
    result_sharding,
    to_attr,
    update_arg_attrs,
    update_result_attrs,
)
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding

UPDATES = "dist.updates"


def state_arguments(func: ir.Operation) -> dict[str, int]:
    """Return name → number of the arguments that are kept between calls."""
    found: dict[str, int] = {}
    for index in range(len(func.attributes["function_type"].value.inputs)):
        kind, name = arg_attr(func, index, "dist.kind"), arg_attr(func, index, "dist.name")
        if name is not None and kind is not None and kind.value != "input":
            found[str(name.value)] = index
    return found


def updating_results(func: ir.Operation) -> dict[int, int]:
    """Return number of a result → number of the argument it updates."""
    arguments = state_arguments(func)
    found: dict[int, int] = {}
    for index in range(len(func.attributes["function_type"].value.results)):
        updates = result_attr(func, index, UPDATES)
        if updates is not None and updates.value in arguments:
            found[index] = arguments[str(updates.value)]
    return found


def open_state(func: ir.Operation, mesh: Mesh) -> bool:
    """True when some updated state of a function has no sharding yet."""
    updated = updating_results(func).values()
    return any(arg_sharding(func, argument, mesh) is None for argument in updated)


def pin_state(
    func: ir.Operation,
    mesh: Mesh,
    decided: dict[str, Sharding],
    planned: Mapping[int, Sharding] | None = None,
) -> None:
    """Pin state as it was decided, and results as the state they update.

    Args:
        func: an entry point.
        mesh: the mesh of the module.
        decided: name → sharding, of the entry points before; what is pinned here is added.
        planned: argument number → sharding, for updated state that nothing has decided.
    """
    ctx = func.context
    updated = set(updating_results(func).values())
    changes: dict[int, Mapping[str, ir.Attribute | None]] = {}
    for name, index in state_arguments(func).items():
        found = arg_sharding(func, index, mesh)
        if found is None:
            found = decided.get(name)
            if found is None and planned is not None and index in updated:
                found = planned[index]
            if found is not None:
                changes[index] = {SHARDING: to_attr(found, ctx)}
        if found is not None:
            decided.setdefault(name, found)
    if changes:
        update_arg_attrs(func, changes)
    pin_updates(func, mesh)


def pin_updates(func: ir.Operation, mesh: Mesh) -> None:
    """Pin results that carry no sharding as the state they update, where that has one."""
    changes: dict[int, Mapping[str, ir.Attribute | None]] = {}
    for result, argument in updating_results(func).items():
        found = arg_sharding(func, argument, mesh)
        if found is not None and result_sharding(func, result, mesh) is None:
            changes[result] = {SHARDING: to_attr(found, func.context)}
    if changes:
        update_result_attrs(func, changes)
