"""Values made on each rank: positions, masks, encodings, tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import Program, Value

_F = Family("creation")
_WHY = "a rank must count from where its shard starts"


def _mask(p: Program, x: Value, direction: str) -> Value:
    rows, columns = p.iota(0, x.shape), p.iota(1, x.shape)
    return p.select(p.compare(rows, columns, direction), x, p.filled(-np.inf, x))


def cases() -> Iterator[Case]:
    """Iota in every type, masks, encodings, one-hot, constants."""
    for dtype in ("i32", "i64", "i8", "ui8", "f32", "f16", "bf16"):
        p = Program()
        program = p.returning(p.iota(0, (7, 3), dtype), p.iota(1, (7, 3), dtype))
        yield from _F.over(f"iota of {dtype}", _WHY, program, {}, {0: 0, 1: 0},
                           meshes=("x=3", "x=2,y=2"))  # fmt: skip
        yield from _F.over(f"iota of {dtype}", _WHY, program, {}, {0: 1, 1: 1}, meshes=("x=2",))
    for dtype in ("bf16", "f16"):
        p = Program()
        program = p.returning(p.iota(0, (3001 if dtype == "bf16" else 12001,), dtype))
        yield from _F.over(
            f"long iota of {dtype}", "positions round once, offset and count not each", program, {},
            {0: 0},
        )  # fmt: skip
    for dtype in ("i8", "ui8"):
        p = Program()
        program = p.returning(p.iota(0, (300,), dtype))
        yield from _F.over(f"long iota of {dtype}", "positions wrap", program, {}, {0: 0},
                           interpreter="positions past the type are not defined")  # fmt: skip
    for direction in ("GE", "GT", "EQ", "LE"):
        p = Program()
        x = p.argument(np.arange(49).reshape(7, 7) % 10, "f32")
        program = p.returning(_mask(p, x, direction))
        for pins in ({0: 0}, {0: 1}):
            yield from _F.over(f"mask {direction}", _WHY, program, pins,
                               torch="tril" if direction == "GE" and pins == {0: 0} else "")  # fmt: skip
        yield _F.case(f"mask {direction}", _WHY, program, "x=2,y=2", {0: (0, 1)})
    p = Program()
    x = p.argument(np.arange(28).reshape(7, 4) % 5, "f32")
    position = p.iota(0, x.shape, "f32")
    rate = p.spread(p.constant([1.0, 0.5, 0.25, 0.125], "f32"), x.shape, (1,))
    angle = p.same("multiply", position, rate)
    even = p.compare(p.same("remainder", p.iota(1, x.shape), p.constant(2, "i32", x.shape)),
                     p.constant(0, "i32", x.shape), "EQ")  # fmt: skip
    wave = p.select(even, p.same("sine", angle), p.same("cosine", angle))
    program = p.returning(p.same("add", x, wave))
    for pins in ({0: 0}, {0: 1}):
        yield from _F.over("positional encoding", _WHY, program, pins)
    p = Program()
    ids = p.argument([3, 0, 6, 2, 9, -1])
    wide = p.spread(ids, (6, 7), (0,))
    hot = p.compare(wide, p.iota(1, (6, 7)), "EQ")
    program = p.returning(p.convert(hot, "f32"))
    for pins, outs in (({0: 0}, {0: 0}), ({}, {0: 1}), ({0: 0}, {0: 1})):
        yield from _F.over("one-hot", _WHY, program, pins, outs, meshes=MESHES[::2])
    p = Program()
    table = p.constant(np.arange(21).reshape(7, 3) * 3, "i32")
    x = p.argument(np.arange(21).reshape(7, 3))
    program = p.returning(p.same("subtract", x, table), table)
    for pins in ({0: 0}, {0: 1}):
        yield from _F.over("constant table", "a rank takes its part of the constant", program, pins,
                           {1: 0})  # fmt: skip
    p = Program()
    x = p.argument(np.arange(5), "i32")
    program = p.returning(
        p.same("add", x, p.filled(3, x)), p.constant(4, "i32"), p.constant(True, "i1")
    )
    yield from _F.over("splats and scalars", "0-d results are replicated", program, {0: 0})
    p = Program()
    a, b = p.argument(5), p.argument(7)
    made = p.same("multiply", p.same("add", a, b), p.constant(2, "i32"))
    program = p.returning(made, p.spread(made, (5, 2)))
    yield from _F.over("0-d arithmetic", "scalars need no mesh", program, {}, {1: 0})
    yield from _F.over("0-d arithmetic, pending", "sum times two, once", program, {0: "P(sum)"},
                       {1: 0})  # fmt: skip
    p = Program()
    x = p.argument(np.arange(6).reshape(6, 1))
    program = p.returning(p.same("add", p.spread(x, (6, 5), (0, 1)), p.iota(0, (6, 5))))
    yield from _F.over("broadcast of size one", "a stretched dimension was not cut", program,
                       {0: 0}, {0: 1})  # fmt: skip
    yield from _F.over("broadcast of a cut size one", "one element over many ranks", program,
                       {0: 1}, {0: 1})  # fmt: skip
