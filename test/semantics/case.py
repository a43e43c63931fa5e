"""A case: a program, a mesh, where arguments and results lie, and why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from semantics.text import Finished

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2")

Spec = int | str | tuple[int, ...]
"""Where a value lies: a dimension cut by all axes, (dimension of the first axis, of the second),
`P(sum)` for partial over all axes, or a sharding as text."""


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        family: the class of fault it belongs to.
        name: unique in its family.
        reason: what goes wrong elsewhere, or would.
        program: the program and the values of its arguments.
        mesh: the mesh as text.
        arguments: shardings as text by argument, the others are free.
        results: shardings as text by result.
        ulps: how far floats may be off, in units of the last place of the largest value; 0 means
            bit by bit.
        interpreter: why StableHLO's interpreter cannot judge it, empty where it can.
        torch: the torch function of `tools/semantics_dtensor.py` that computes the same.
    """

    family: str
    name: str
    reason: str
    program: Finished
    mesh: str
    arguments: tuple[tuple[int, str], ...]
    results: tuple[tuple[int, str], ...] = ()
    ulps: float = 0.0
    interpreter: str = ""
    torch: str = ""

    @property
    def id(self) -> str:
        """Name over all families."""
        return f"{self.family}/{self.name}"


def axes(mesh: str) -> list[str]:
    """Names of the axes of a mesh."""
    return [part.partition("=")[0] for part in mesh.split(",")]


def ranks(mesh: str) -> int:
    """Ranks of a mesh."""
    count = 1
    for part in mesh.split(","):
        count *= int(part.partition("=")[2])
    return count


def sharding(spec: Spec, rank: int, mesh: str) -> str:
    """The text form of `spec` for a value of `rank` dimensions."""
    names = axes(mesh)
    if isinstance(spec, str) and spec.startswith("["):
        return spec
    dims = [[] for _ in range(rank)]  # type: list[list[str]]
    if isinstance(spec, str):
        kind = spec.removeprefix("P(").removesuffix(")")
        return f"[{', '.join(['R'] * rank)}] P({kind}: {','.join(names)})"
    places = spec if isinstance(spec, tuple) else (spec,) * len(names)
    for name, dim in zip(names, places, strict=False):
        dims[dim].append(name)
    return "[" + ", ".join(f"S({','.join(d)})" if d else "R" for d in dims) + "]"


@dataclass(frozen=True)
class Family:
    """Makes the cases of one family."""

    name: str

    def case(
        self,
        name: str,
        reason: str,
        program: Finished,
        mesh: str,
        arguments: Mapping[int, Spec],
        results: Mapping[int, Spec] | None = None,
        *,
        ulps: float = 0.0,
        interpreter: str = "",
        torch: str = "",
    ) -> Case:
        """One case."""
        pins = tuple(
            (i, sharding(s, program.inputs[i].ndim, mesh)) for i, s in sorted(arguments.items())
        )
        outs = tuple(
            (i, sharding(s, len(program.shapes[i]), mesh))
            for i, s in sorted((results or {}).items())
        )
        where = " ".join(f"{i}:{s}" for i, s in pins)
        where += "".join(f" ->{i}:{s}" for i, s in outs)
        label = f"{name} {where} on {mesh}".replace(", ", ",")
        return Case(
            self.name, label, reason, program, mesh, pins, outs, ulps, interpreter, torch
        )  # fmt: skip

    def over(
        self,
        name: str,
        reason: str,
        program: Finished,
        arguments: Mapping[int, Spec],
        results: Mapping[int, Spec] | None = None,
        meshes: Sequence[str] = MESHES,
        *,
        ulps: float = 0.0,
        interpreter: str = "",
        torch: str = "",
    ) -> Iterator[Case]:
        """The same on several meshes."""
        for mesh in meshes:
            yield self.case(
                name, reason, program, mesh, arguments, results,
                ulps=ulps, interpreter=interpreter, torch=torch,
            )  # fmt: skip
