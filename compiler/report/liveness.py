"""Bytes that a rank program holds while each of its calls runs, by its static local types.

    held(c) = arguments + Σ of values v with made(v) ≤ c ≤ last read(v)

Arguments (weights, state, inputs) count from start to end, returned values from where they are
made to the end. A view (reshape, permute, expand, slice) takes nothing and keeps what it looks at
alive. A call with regions counts the fullest moment of one of them on top. Not counted: what a
kernel or a collective allocates for itself, and what an allocator loses between blocks.
    -> implemented in `liveness`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from distc.compiler.explain.collectives import references
from distc.compiler.inspection import BYTES
from distc.runtime.program import Call, Program, Ref, ValueType

VIEWS = tuple(f"aten.{n}." for n in ("reshape", "permute", "expand", "slice", "view", "select"))


@dataclass(frozen=True, slots=True)
class Alive:
    """A value that is alive at some call: its bytes and the call that made it."""

    made_by: int
    op: str
    location: str
    type: ValueType
    bytes_: int


@dataclass(frozen=True, slots=True)
class Liveness:
    """What a program holds over time.

    Attributes:
        arguments: bytes of arguments.
        values: per call, bytes of all other values while it runs.
        at_peak: what is alive besides arguments at the fullest call, largest first.
    """

    arguments: int
    values: tuple[int, ...]
    at_peak: tuple[Alive, ...]

    @property
    def peak_call(self) -> int:
        """The fullest call, the first of several; 0 where there is none."""
        return self.values.index(max(self.values)) if self.values else 0

    @property
    def peak(self) -> int:
        """Most bytes at any call, arguments included."""
        return self.arguments + max(self.values, default=0)


def liveness(program: Program) -> Liveness:
    """Return what a program holds while each of its calls runs."""
    count = len(program.inputs)
    types = [*program.inputs, *(t for c in program.calls for t in c.types)]
    owner = _owners(program)
    made = {out: n for n, c in enumerate(program.calls) for out in c.outs}
    last = _last_reads(program, owner)
    change = [0] * (len(program.calls) + 1)
    kept = [v for v in made if owner[v] == v]
    for value in kept:
        change[made[value]] += bytes_of(types[value])
        change[max(made[value], last.get(value, 0)) + 1] -= bytes_of(types[value])
    values, now = [], 0
    for number, call in enumerate(program.calls):
        now += change[number]
        values.append(now + _inside(call))
    arguments = sum(map(bytes_of, types[:count]))
    if not values:
        return Liveness(arguments, (), ())
    peak = values.index(max(values))
    alive = [v for v in kept if made[v] <= peak <= max(made[v], last.get(v, 0))]
    return Liveness(arguments, tuple(values), _described(program, types, made, alive))


def bytes_of(value: ValueType) -> int:
    """Bytes of a value on one rank."""
    return prod(value.shape) * BYTES[value.dtype]


def _owners(program: Program) -> list[int]:
    """Value → the value whose bytes it uses: itself, or what it is a view of."""
    owner = list(range(len(program.inputs)))
    for call in program.calls:
        source = call.args[0] if call.args else None
        is_view = call.op.startswith(VIEWS) and isinstance(source, Ref)
        for out in call.outs:
            owner.append(owner[source.id] if is_view and isinstance(source, Ref) else out)
    return owner


def _last_reads(program: Program, owner: Sequence[int]) -> dict[int, int]:
    last: dict[int, int] = {}
    for number, call in enumerate(program.calls):
        for value in references(call):
            last[owner[value]] = number
    last.update((owner[v], len(program.calls) - 1) for v in program.outputs)
    return last


def _inside(call: Call) -> int:
    """Bytes of the fullest moment in a region, what it is given left out."""
    return max((max(liveness(r).values, default=0) for r in call.regions), default=0)


def _described(
    program: Program, types: Sequence[ValueType], made: dict[int, int], alive: Sequence[int]
) -> tuple[Alive, ...]:
    found = [
        Alive(made[v], program.calls[made[v]].op, program.calls[made[v]].loc, types[v], n)
        for v in alive
        if (n := bytes_of(types[v]))
    ]
    return tuple(sorted(found, key=lambda a: (-a.bytes_, a.made_by)))
