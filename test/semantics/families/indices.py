"""Start indices outside the operand: they are clamped (slices, look-ups) or skipped (scatter).

The index is global: clamping it in a shard's own range, or computing the owner from the unclamped
index, gives wrong rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family
from semantics.text import Program

_F = Family("indices")
_STARTS = (-9, 0, 7, 8, 100)
_SIZES = (1, 2, 3)
_ROWS = np.arange(24, dtype=np.int32).reshape(8, 3) + 1
_OUTSIDE = [0, 7, 9, -1, -3, 3]
_WHY = "the start is clamped to the whole dimension, not to the shard"


def _slices() -> Iterator[Case]:
    for start in _STARTS:
        for size in _SIZES:
            p = Program()
            x, at = p.argument(_ROWS), p.argument(start, "i32")
            zero = p.constant(0, "i32")
            program = p.returning(p.dynamic_slice(x, [at, zero], (size, 3)))
            yield from _F.over(f"slice of {size} at {start}", _WHY, program, {0: 0}, torch="")
            p = Program()
            x, at = p.argument(_ROWS), p.argument(start, "i32")
            update = p.argument(np.full((size, 3), 99), "i32")
            program = p.returning(p.dynamic_update_slice(x, update, [at, p.constant(0, "i32")]))
            yield from _F.over(f"update of {size} at {start}", _WHY, program, {0: 0}, {0: 0})
    for start in (-9, 100):
        p = Program()
        x = p.argument(_ROWS)
        at, along = p.argument(start, "i64"), p.argument(-start, "i64")
        program = p.returning(p.dynamic_slice(x, [at, along], (3, 2)))
        yield _F.case(f"slice both ways at {start}", _WHY, program, "x=2,y=2", {0: (0, 1)})
        p = Program()
        x = p.argument(_ROWS)
        at, along = p.argument(start, "i64"), p.argument(-start, "i64")
        update = p.argument(np.full((3, 2), 99), "i32")
        program = p.returning(p.dynamic_update_slice(x, update, [at, along]))
        for rows in ({0: (0, 1)}, {0: (0, 1), 3: (0, 1)}, {0: (1, 0)}):
            yield _F.case(f"update both ways at {start}", _WHY, program, "x=2,y=2", rows)
    p = Program()
    x, at = p.argument(_ROWS), p.argument(200, "ui8")
    program = p.returning(p.dynamic_slice(x, [at, p.constant(0, "ui8")], (2, 3)))
    yield from _F.over(
        "slice at an unsigned start", "200 is above, not -56", program, {0: 0},
        interpreter="it reads unsigned indices as signed",
    )  # fmt: skip


def _look_ups() -> Iterator[Case]:
    for size in _SIZES:
        p = Program()
        x, at = p.argument(_ROWS), p.argument(_OUTSIDE)
        program = p.returning(p.take(x, at, size))
        for pins in ({0: 0}, {1: 0}, {0: 1}):
            yield from _F.over(f"look-up of {size} rows", _WHY, program, pins)
        yield _F.case(f"look-up of {size} rows", _WHY, program, "x=2,y=2",
                      {0: "[S(x), R]", 1: "[S(y)]"})  # fmt: skip
    p = Program()
    x, at = (
        p.argument(_ROWS.astype(np.float32) - 0.5, "f32"),
        p.argument([_OUTSIDE, _OUTSIDE[::-1]]),
    )
    program = p.returning(p.take(x, at))
    for pins in ({0: 0}, {0: 0, 1: 1}, {1: 1}):
        meshes = ("x=2,y=2",) if len(pins) > 1 else ("x=3", "x=4")
        if len(pins) > 1:
            pins = {0: "[S(x), R]", 1: "[R, S(y)]"}
        yield from _F.over("look-up by a matrix", _WHY, program, pins, meshes=meshes)
    p = Program()
    x, at = p.argument(_ROWS > 12, "i1"), p.argument(_OUTSIDE)
    yield from _F.over(
        "look-up of booleans", "booleans have no sum to look up by", p.returning(p.take(x, at)),
        {0: 0},
    )  # fmt: skip
    p = Program()
    x, at = p.argument(_ROWS), p.argument([0, 200, 7], "ui8")
    yield from _F.over(
        "look-up by unsigned indices", "200 is above, not -56", p.returning(p.take(x, at)), {0: 0},
        interpreter="it reads unsigned indices as signed",
    )  # fmt: skip


def _scatters() -> Iterator[Case]:
    why = "an index outside skips the whole window, on every rank"
    for kind in ("add", "maximum", "minimum", "multiply", "set", "and"):
        for size in (1, 2):
            p = Program()
            x, at = p.argument(_ROWS), p.argument([0, 7, 9, -1, 6, 3])
            shape = (6, 3) if size == 1 else (6, size, 3)
            updates = p.argument(np.arange(np.prod(shape)).reshape(shape) * 5 % 23 - 7)
            program = p.returning(p.scatter(kind, x, at, updates, size))
            pins = [{0: 0}, {1: 0, 2: 0}, {0: 0, 1: 0, 2: 0}] if size == 1 else [{0: 0}, {2: 0}]
            for number, pin in enumerate(pins):
                meshes = ("x=2", "x=3", "x=4", "x=2,y=2")
                chosen = meshes if kind in ("add", "set") else meshes[number::2]
                yield from _F.over(f"scatter {kind} windows of {size}", why, program, pin, {0: 0},
                                   meshes=chosen)  # fmt: skip
            if size == 1:
                yield _F.case(f"scatter {kind} on two axes", why, program, "x=2,y=2",
                              {0: "[S(x), R]", 1: "[S(y)]", 2: "[S(y), R]"}, {0: (0,)})  # fmt: skip
    p = Program()
    x, at = p.argument(_ROWS), p.argument([3, 3, 0, 3, 3, 0])
    updates = p.argument(np.arange(18).reshape(6, 3))
    program = p.returning(p.scatter("set", x, at, updates))
    yield from _F.over(
        "scatter set repeats", "the last of equal indices wins", program, {0: 0, 1: 0, 2: 0}
    )


def cases() -> Iterator[Case]:
    """Slices, updates, look-ups and scatters."""
    yield from _slices()
    yield from _look_ups()
    yield from _scatters()
