"""NaN in each shard in turn: a maximum that drops it loses it only on some meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from semantics.case import MESHES, Case, Family, ranks
from semantics.text import Array, Finished, Program, Value

_F = Family("nan")
_SIZE = 8
_UNORDERED = "it compares NaN as unordered where the program asks for the total order"


def _values(shard: int, count: int) -> Array:
    """[8, 3] whole numbers, NaN in one column of the shard."""
    values = np.arange(24, dtype=np.float32).reshape(_SIZE, 3) * 7 % 11 - 4
    values[min(_SIZE - 1, shard * -(-_SIZE // count)), 1] = np.nan
    return values


def _finish(make: Callable[[Program, Value], tuple[Value, ...]], values: Array) -> Finished:
    p = Program()
    return p.returning(*make(p, p.argument(values, "f32")))


def _pooled_gradient(p: Program, x: Value) -> tuple[Value, ...]:
    return (
        p.select_and_scatter(x, p.filled(1, p.part(x, 0, 0, 4)), (2, 1), (2, 1), ((0, 0),) * 2),
    )


_OPS: dict[str, Callable[[Program, Value], tuple[Value, ...]]] = {
    "reduce maximum": lambda p, x: (p.reduce("maximum", x, (0,)),),
    "reduce minimum": lambda p, x: (p.reduce("minimum", x, (0,)),),
    "reduce sum": lambda p, x: (p.reduce("add", x, (0,)),),
    "reduce product": lambda p, x: (p.reduce("multiply", x, (0,)),),
    "reduce all": lambda p, x: (p.reduce("maximum", x, (0, 1)),),
    "argmax": lambda p, x: p.arg_reduce(x, 0),
    "argmin": lambda p, x: p.arg_reduce(x, 0, largest=False),
    "sort": lambda p, x: tuple(p.sort(x, dim=0)),
    "top-k": lambda p, x: p.top_k(x, 3, 0),
    "clamp": lambda p, x: (p.clamp(p.constant(-1, "f32"), x, p.constant(2, "f32")),),
    "clamp bounds": lambda p, x: (p.clamp(x, p.filled(1, x), p.filled(9, x)),),
    "running maximum": lambda p, x: (p.running("maximum", x, 0),),
    "running minimum reversed": lambda p, x: (p.running("minimum", x, 0, reverse=True),),
    "running sum": lambda p, x: (p.running("add", x, 0),),
    "pool maximum": lambda p, x: (p.reduce_window("maximum", x, (3, 1), padding=((1, 1), (0, 0))),),
    "pool gradient": _pooled_gradient,
    "maximum": lambda p, x: (p.same("maximum", x, p.filled(0, x)),),
    "minimum of partial": lambda p, x: (
        p.spread(p.reduce("minimum", p.same("minimum", x, p.reverse(x, (0,))), (0,)), (4, 3), (1,)),
    ),
}


def cases() -> Iterator[Case]:
    """Each operation with NaN in each shard of each mesh."""
    for name, make in _OPS.items():
        programs: dict[int, Finished] = {}
        for mesh in MESHES:
            count = ranks(mesh)
            for shard in range(count):
                row = min(_SIZE - 1, shard * -(-_SIZE // count))
                if row not in programs:
                    programs[row] = _finish(make, _values(shard, count))
                yield _F.case(
                    f"{name} with NaN in row {row}",
                    "the NaN of one shard must reach the result on every rank",
                    programs[row],
                    mesh,
                    {0: 0},
                    interpreter=_UNORDERED if name in ("sort", "top-k") else "",
                    torch={"reduce maximum": "amax", "reduce minimum": "amin", "sort": "sort",
                           "reduce all": "max", "running maximum": "cummax"}.get(name, ""),
                )  # fmt: skip
    for kind in ("maximum", "minimum"):
        p = Program()
        x = p.argument([[1.0, np.nan, 3.0], [-2.0, 5.0, np.nan]], "f32")
        program = p.returning(x)
        short = {"maximum": "max", "minimum": "min"}[kind]
        yield from _F.over(
            f"pending {kind}",
            "completing a pending extremum must keep NaN; gloo's does not",
            program,
            {0: f"P({short})"},
            {0: 1},
        )
