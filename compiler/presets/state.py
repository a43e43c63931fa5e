"""Sharded state: parameters, gradients and optimizer state at one point of PaRO's space.

`zero1`, `zero3`, `mics`, `NIG` … are pins on the state of every parameter, on top of whatever
already cuts it (tensor parallelism, a constraint file): one dimension takes the axes of the
level, all kinds of state of a parameter the same dimension. The batch goes over the same axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import prod

from distc.compiler.constraint_file import Constraints, Pin, State, Target
from distc.compiler.module_state import StateArgument
from distc.compiler.presets.pins import batch_pins, escaped, folded
from distc.compiler.presets.state_groups import StateGroups
from distc.compiler.roles import Roles
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.dialect.text import parse_sharding
from distc.solver.states.levels import Level, StateLevels

_SOURCE = "preset for state"


@dataclass(frozen=True, slots=True)
class _Base:
    """How a parameter lies before its state is cut further."""

    sharding: Sharding
    shape: tuple[int, ...]
    view: tuple[int, ...] | None


def state_preset(
    levels: StateLevels,
    groups: StateGroups,
    state: Mapping[str, StateArgument],
    roles: Roles,
    mesh: Mesh,
    base: Constraints,
) -> Constraints:
    """Return the pins that put all parameters of a program at `levels`.

    Args:
        levels: the point of the space.
        groups: axes across and within groups.
        state: the program's state by name.
        roles: for the batch.
        mesh: the ranks.
        base: pins that already cut parameters; the result adds to them and comes after them.
    """
    names = [s.name for s in state.values() if s.kind == "parameter"]
    owned = {(s.parameter, s.kind) for s in state.values()}
    pins: dict[State, list[Pin]] = {kind: [] for kind in State}
    for name in names:
        lying = _base(state[name], mesh, base)
        dim = state_dim(lying.sharding, lying.shape, groups, mesh)
        for kind, sharding in _shardings(lying, dim, levels, groups):
            if kind is State.PARAMETER or (name, kind.value) in owned:
                text = str(sharding)
                pins[kind].append(
                    Pin(Target.PARAMETER, escaped(name), text, lying.view, kind, _SOURCE)
                )
    batch = [] if _cuts_batch(base) else batch_pins(roles, groups.axis_names, _SOURCE)
    return Constraints(
        (*(p for kind in State for p in folded(pins[kind], names)), *batch),
    )


def state_dim(
    sharding: Sharding, shape: Sequence[int], groups: StateGroups, mesh: Mesh
) -> int | None:
    """Return the dimension of a parameter that its state is cut along.

    A dimension that nothing cuts yet, the first that divides evenly over all ranks of the groups,
    else the largest that has an element for each; else one that is cut already and whose local
    part has; None where there is none: the state of such a parameter stays whole.
    """
    shards = prod(mesh.ref_size(a) for a in groups.cut(Level.GLOBAL))
    taken = {a for d in sharding.dims for a in d.axes}
    if any(mesh.overlap(a, b) for a in taken for b in groups.cut(Level.GLOBAL)):
        return None
    units = [
        n // d.block // prod(mesh.ref_size(a) for a in d.axes)
        for n, d in zip(shape, sharding.dims, strict=True)
    ]
    free = [i for i, d in enumerate(sharding.dims) if not d.axes and units[i] >= shards]
    even = [i for i in free if units[i] % shards == 0]
    if even:
        return even[0]
    cut = [i for i, d in enumerate(sharding.dims) if d.axes and units[i] >= shards]
    return max(free or cut, key=lambda i: units[i], default=None)


def _shardings(
    base: _Base, dim: int | None, levels: StateLevels, groups: StateGroups
) -> Iterator[tuple[State, Sharding]]:
    yield State.PARAMETER, _cut(base.sharding, dim, groups.cut(levels.parameter))
    gradient = _cut(base.sharding, dim, groups.cut(levels.gradient))
    waiting = groups.rest(Level.NONE if dim is None else levels.gradient)
    yield State.GRADIENT, _partial(gradient, waiting)
    yield State.OPTIMIZER, _cut(base.sharding, dim, groups.cut(levels.optimizer))


def _cut(sharding: Sharding, dim: int | None, axes: tuple[AxisRef, ...]) -> Sharding:
    if dim is None or not axes:
        return sharding
    held = sharding.dims[dim]
    return sharding.with_dim(dim, DimSharding(held.axes + axes, held.block))


def _partial(sharding: Sharding, axes: tuple[AxisRef, ...]) -> Sharding:
    used = sharding.used_axes
    free = tuple(a for a in axes if not any(sharding.mesh.overlap(a, u) for u in used))
    return Sharding(sharding.mesh, sharding.dims, tuple((a, Reduction.SUM) for a in free))


def _base(argument: StateArgument, mesh: Mesh, base: Constraints) -> _Base:
    """The last pin on the parameter itself decides; without one it lies whole."""
    matching = [
        p
        for p in base.pins
        if p.target is Target.PARAMETER
        and p.state is State.PARAMETER
        and fnmatchcase(argument.name, p.pattern)
    ]
    if not matching:
        whole = Sharding.replicated(mesh, len(argument.shape))
        return _Base(whole, argument.shape, None)
    pin = matching[-1]
    return _Base(parse_sharding(pin.sharding, mesh), pin.view or argument.shape, pin.view)


def _cuts_batch(base: Constraints) -> bool:
    return any(p.target is Target.INPUT for p in base.pins)
