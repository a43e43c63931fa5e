"""Padding, joining, slicing, reversing along a cut dimension, down to one element a shard."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family
from semantics.text import Program

_F = Family("moving")


def _rows(count: int) -> np.ndarray:
    return np.arange(1, 2 * count + 1).reshape(count, 2)


def _pads() -> Iterator[Case]:
    why = "negative padding cuts off what may lie in another shard"
    for size, pads in (
        (8, ((1, 2, 0), (-1, -2, 0), (0, 0, 1), (2, -1, 2), (-3, 5, 0), (0, -7, 0), (-8, 1, 0),
             (-4, -4, 0), (5, 5, 3), (-2, -2, 1))),
        (4, ((-3, 0, 0), (0, -1, 0), (-1, 0, 0), (3, -2, 0))),
    ):  # fmt: skip
        for low, high, interior in pads:
            p = Program()
            x = p.argument(_rows(size))
            made = p.pad(x, p.constant(7, "i32"), (low, 0), (high, 0), (interior, 0))
            yield from _F.over(f"pad {size} by {low},{high},{interior}", why, p.returning(made),
                               {0: 0})  # fmt: skip
    p = Program()
    x = p.argument(_rows(6))
    made = p.pad(x, p.constant(7, "i32"), (-1, 2), (3, -1), (2, 1))
    for pins in ({0: (0, 1)}, {0: (1, 0)}, {0: 1}):
        yield _F.case("pad both dimensions", why, p.returning(made), "x=2,y=2", pins)


def _joins() -> Iterator[Case]:
    why = "with one element a shard every element moves"
    for size in (4, 5):
        for first, second in ((1, 1), (3, 1), (1, 3), (2, 3), (4, 4)):
            p = Program()
            x = p.argument(np.arange(size, dtype=np.float32), "f32")
            zero = p.constant(0, "f32")
            made = p.concatenate(
                [p.pad(x, zero, (-first,), (0,), (0,)), p.pad(x, zero, (0,), (-second,), (0,))], 0
            )
            yield from _F.over(
                f"roll {size} by pads {first},{second}", why, p.returning(made), {0: 0}
            )
    for sizes in ((1, 1), (3, 5), (5, 3), (1, 7, 2), (6, 1)):
        p = Program()
        parts = [p.argument(_rows(n) * 10**i) for i, n in enumerate(sizes)]
        program = p.returning(p.concatenate(parts, 0))
        everywhere = dict.fromkeys(range(len(sizes)), 0)
        name = f"concatenate {'+'.join(map(str, sizes))}"
        yield from _F.over(name, why, program, everywhere, {0: 0})
        yield from _F.over(name, "one side cut, the other whole", program, {0: 0},
                           meshes=("x=3",))  # fmt: skip


def _slices() -> Iterator[Case]:
    for row in (0, 3, 6):
        p = Program()
        program = p.returning(p.part(p.argument(_rows(7)), 0, row, row + 1))
        yield from _F.over(f"row {row}", "one row lies in one shard", program, {0: 0})
    for start, limit, stride in ((1, 7, 3), (0, 7, 2), (2, 3, 1), (5, 7, 1), (0, 6, 5), (6, 7, 4)):
        p = Program()
        program = p.returning(p.part(p.argument(_rows(7)), 0, start, limit, stride))
        yield from _F.over(
            f"slice {start}:{limit}:{stride}", "strides run over the edges of shards", program,
            {0: 0},
        )  # fmt: skip
    for size in (1, 4, 7):
        p = Program()
        program = p.returning(p.reverse(p.argument(_rows(size)), (0,)))
        yield from _F.over(f"reverse {size}", "uneven shards do not mirror", program, {0: 0})
        for shift in (1, 3):
            if shift >= size:
                continue
            p = Program()
            x = p.argument(_rows(size))
            rolled = p.concatenate(
                [p.part(x, 0, size - shift, size), p.part(x, 0, 0, size - shift)], 0
            )
            yield from _F.over(f"roll {size} by {shift}", "the last shard meets the first",
                               p.returning(rolled), {0: 0})  # fmt: skip
    p = Program()
    x = p.argument(_rows(7))
    rolled = p.concatenate([p.part(x, 0, 0, 3), p.part(x, 0, 5, 7), x], 0)
    yield from _F.over("concatenate of slices", "three moves into one", p.returning(rolled), {0: 0})


def cases() -> Iterator[Case]:
    """Pads, joins, slices."""
    yield from _pads()
    yield from _joins()
    yield from _slices()
