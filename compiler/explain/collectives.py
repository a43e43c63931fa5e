"""The collectives that a rank program sends: what, how much, for how long, and who caused it.

Bytes are those of the larger of operand and result on one rank, as the cost model counts them.
What a rank puts on the wire, in a ring of n ranks (all-to-all: to each of the others alike):

    all_gather, reduce_scatter, all_to_all   B (n-1)/n
    all_reduce                               2 B (n-1)/n
    permute                                  B
    -> implemented in `Collective.wire_bytes`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod

from distc.compiler.inspection import BYTES, COLLECTIVE
from distc.runtime.errors import ArtifactError
from distc.runtime.program import Arg, Call, Program, Ref, ValueType
from distc.runtime.strict_json import RECOMPILE
from distc.solver.collective_cost import Group, StepKind, group_seconds
from distc.solver.hardware import Hardware

Groups = tuple[tuple[int, ...], ...]
MeshAxes = tuple[tuple[str, int, str], ...]

_KINDS = {
    "all_gather": StepKind.ALL_GATHER,
    "all_reduce": StepKind.ALL_REDUCE,
    "all_to_all": StepKind.ALL_TO_ALL,
    "permute": StepKind.PERMUTE,
    "reduce_scatter": StepKind.REDUCE_SCATTER,
}
_PASSED = ("aten.reshape.", "aten.permute.", "aten.expand.", "aten.slice.", "aten._to_copy.")
"""Calls that only hand a value on: who reads what they make is looked for behind them."""

_FARTHEST = 64
"""Calls to look behind."""

_MOST_AXES = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where something comes from: `file:line:col`, module path; either may be empty."""

    source: str
    module: str

    @classmethod
    def of(cls, location: str) -> Place:
        """Read the location of a call: `model.py:12:7 in h.0.attn`."""
        source, inside, module = location.rpartition(" in ")
        return cls(source, module) if inside else cls(location, "")

    @property
    def text(self) -> str:
        """Both, as far as known."""
        return " in ".join(filter(None, (self.source, self.module))) or "unknown"


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective of a program.

    Attributes:
        number: of its call in the program; of the outer call where it is nested.
        kind: which.
        groups: its ranks; (from, to) pairs of a permute.
        axes: the mesh axes that make these groups, or how many ranks a group has.
        dtype, shape: of its result on one rank.
        bytes_: of the larger of operand and result on one rank.
        made: what made the value: the op whose result is moved.
        wanted: what reads it first afterwards.
        nested: in a loop or a branch: how often it runs is not known.
    """

    number: int
    kind: StepKind
    groups: Groups
    axes: str
    dtype: str
    shape: tuple[int, ...]
    bytes_: int
    made: Place
    wanted: Place
    nested: bool

    @property
    def ranks(self) -> int:
        """Ranks of a group."""
        return len(self.groups[0]) if self.groups else 0

    @property
    def wire_bytes(self) -> float:
        """Bytes that a rank sends."""
        n = max(1, self.ranks)
        match self.kind:
            case StepKind.PERMUTE:
                return float(self.bytes_)
            case StepKind.ALL_REDUCE:
                return 2 * self.bytes_ * (n - 1) / n
            case _:
                return self.bytes_ * (n - 1) / n

    def seconds(self, hardware: Hardware) -> float:
        """Price by the cost model."""
        nodes = [r // hardware.devices_per_node for r in (self.groups[0] if self.groups else ())]
        together = max((nodes.count(n) for n in set(nodes)), default=0)
        return group_seconds(self.kind, Group(len(nodes), together), self.bytes_, hardware)


def collectives(
    program: Program, mesh: MeshAxes, results: Sequence[str] = ()
) -> tuple[Collective, ...]:
    """Return the collectives of a program in order, nested ones with their outer call's number.

    Args:
        program: of a rank.
        mesh: (axis name, size, link class), outermost first.
        results: what its results are called.

    Raises:
        ArtifactError: one of an unknown kind or without groups.
    """
    return tuple(_of(program, mesh, results, None))


def _of(
    program: Program, mesh: MeshAxes, results: Sequence[str], outer: int | None
) -> Iterator[Collective]:
    types = [*program.inputs, *(t for c in program.calls for t in c.types)]
    readers = _first_readers(program)
    for number, call in enumerate(program.calls):
        at = number if outer is None else outer
        if call.op.startswith(COLLECTIVE):
            wanted = _wanted(program, results, readers, call)
            yield _collective(call, types, mesh, at, wanted, outer is not None)
        for region in call.regions:
            yield from _of(region, mesh, (), at)


def _collective(
    call: Call,
    types: Sequence[ValueType],
    mesh: MeshAxes,
    number: int,
    wanted: Place,
    nested: bool,
) -> Collective:
    kind = _KINDS.get(call.op.removeprefix(COLLECTIVE))
    raw = call.kwargs.get("pairs" if kind is StepKind.PERMUTE else "groups")
    if kind is None or not isinstance(raw, list):
        raise ArtifactError(f"{call.op} is not a collective with groups", help=RECOMPILE)
    groups = tuple(tuple(r for r in g if isinstance(r, int)) for g in raw if isinstance(g, list))
    sizes = [_bytes(types[r.id]) for r in call.args if isinstance(r, Ref)]
    return Collective(
        number=number,
        kind=kind,
        groups=groups,
        axes="pairs" if kind is StepKind.PERMUTE else axes_of(groups, mesh),
        dtype=call.types[0].dtype,
        shape=call.types[0].shape,
        bytes_=max([*sizes, *map(_bytes, call.types)]),
        made=Place.of(call.loc),
        wanted=wanted,
        nested=nested,
    )


def _bytes(value: ValueType) -> int:
    return prod(value.shape) * BYTES[value.dtype]


@lru_cache(maxsize=4096)
def axes_of(groups: Groups, mesh: MeshAxes) -> str:
    """Return the axes along which ranks are grouped so, `4 ranks` where no axes do that."""
    wanted = {frozenset(g) for g in groups}
    total = prod(size for _, size, _ in mesh)
    axes = [i for i, (_, size, _) in enumerate(mesh) if size > 1][:_MOST_AXES]
    for count in range(1, len(axes) + 1):
        for chosen in combinations(axes, count):
            if _grouped(mesh, chosen, total) == wanted:
                return ",".join(mesh[i][0] for i in chosen)
    return f"{max(map(len, groups), default=0)} ranks"


def _grouped(mesh: MeshAxes, chosen: Sequence[int], total: int) -> set[frozenset[int]]:
    groups: dict[tuple[int, ...], list[int]] = {}
    for rank in range(total):
        rest = rank
        coordinates: list[int] = []
        for _, size, _ in reversed(mesh):
            rest, here = divmod(rest, size)
            coordinates.insert(0, here)
        key = tuple(c for i, c in enumerate(coordinates) if i not in chosen)
        groups.setdefault(key, []).append(rank)
    return {frozenset(g) for g in groups.values()}


def _first_readers(program: Program) -> dict[int, int]:
    """Value → the first call that reads it."""
    found: dict[int, int] = {}
    for number, call in enumerate(program.calls):
        for value in references(call):
            found.setdefault(value, number)
    return found


def _wanted(program: Program, results: Sequence[str], readers: dict[int, int], call: Call) -> Place:
    """Who reads a collective's result, behind calls that hand it on or come from nowhere."""
    value = call.outs[0]
    for _ in range(_FARTHEST):
        if value not in readers:
            break
        found = program.calls[readers[value]]
        if found.loc and not found.op.startswith((*_PASSED, COLLECTIVE)):
            return Place.of(found.loc)
        value = found.outs[0]
    if value not in program.outputs:
        return Place("", "")
    number = program.outputs.index(value)
    return Place("", f"result {results[number] if number < len(results) else number}")


def references(call: Call) -> Iterator[int]:
    """Yield the values that a call reads."""
    waiting: list[Arg] = [*call.args, *call.kwargs.values()]
    while waiting:
        match waiting.pop():
            case Ref(id=value):
                yield value
            case list() as items:
                waiting += items
