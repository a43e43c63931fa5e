"""The groups of ranks that share state: which mesh axes cross groups, which stay within one.

"" (nothing given)   the axes called inter and intra; else the last free axis is the group
data                 one axis, all of it one group: levels I and G are the same
data/4               one axis, in groups of four neighbours
node,gpu             groups along the last axis, everything before it crosses groups
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from distc.dialect.mesh import AxisRef, Mesh
from distc.runtime.errors import UsageError
from distc.solver.states.levels import Level

_SIZED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)/([1-9][0-9]{0,5})\Z")


@dataclass(frozen=True, slots=True)
class StateGroups:
    """Axes over which state may be cut, each list outermost first."""

    inter: tuple[AxisRef, ...]
    intra: tuple[AxisRef, ...]

    def cut(self, level: Level) -> tuple[AxisRef, ...]:
        """Axes that cut state of a level: intra first, so that G is a slice of I."""
        match level:
            case Level.NONE:
                return ()
            case Level.INTRA:
                return self.intra
            case Level.GLOBAL:
                return self.intra + self.inter

    def rest(self, level: Level) -> tuple[AxisRef, ...]:
        """Axes over which gradients of a level are still partial between micro-batches."""
        cut = set(self.cut(level))
        return tuple(a for a in self.inter + self.intra if a not in cut)

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Names of the mesh axes, each once."""
        return tuple(dict.fromkeys(a.name for a in self.inter + self.intra))


def parse_groups(text: str, mesh: Mesh, free: Sequence[str]) -> StateGroups:
    """Return the groups that `text` asks for.

    Args:
        text: what follows the colon of a state preset; see the module.
        mesh: the ranks.
        free: axes that nothing else cuts parameters over, in mesh order.

    Raises:
        UsageError: an axis the mesh has not, one named twice, a group that does not divide its
            axis, or no axis left for state.
    """
    if sized := _SIZED.match(text.strip()):
        return _in_axis(sized.group(1), int(sized.group(2)), mesh)
    names = [n.strip() for n in text.split(",")] if text.strip() else _default(mesh, free)
    known = [a.name for a in mesh.axes]
    bad = next((n for n in names if n not in known or names.count(n) > 1), None)
    if bad is not None:
        what = "is named twice" if bad in known else f"is not in the mesh {mesh}"
        raise UsageError(f"axis {bad!r} {what}", help=f"use some of: {', '.join(known)}")
    if not names:
        raise UsageError(
            f"no axis of the mesh {mesh} is left to shard state over",
            help="add an axis, for example --mesh data=2,tensor=2",
        )
    refs = tuple(AxisRef(n) for n in names)
    return StateGroups(refs[:-1], refs[-1:])


def _default(mesh: Mesh, free: Sequence[str]) -> list[str]:
    names = {a.name for a in mesh.axes}
    if {"inter", "intra"} <= names:
        return ["inter", "intra"]
    return list(free)


def _in_axis(name: str, size: int, mesh: Mesh) -> StateGroups:
    if name not in {a.name for a in mesh.axes}:
        raise UsageError(
            f"axis {name!r} is not in the mesh {mesh}",
            help=f"use one of: {', '.join(a.name for a in mesh.axes)}",
        )
    whole = mesh.axis_size(name)
    if whole % size:
        divisors = [str(d) for d in range(1, whole + 1) if whole % d == 0]
        raise UsageError(
            f"groups of {size} do not divide axis {name} of {whole} ranks",
            help=f"use {name}/N with N one of {', '.join(divisors)}",
        )
    if size == whole:
        return StateGroups((), (AxisRef(name),))
    if size == 1:
        return StateGroups((AxisRef(name),), ())
    return StateGroups((AxisRef(name, 1, whole // size),), (AxisRef(name, whole // size, size),))
