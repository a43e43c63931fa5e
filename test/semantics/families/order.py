"""Operands that may not change places, and floats that must not be summed another way round."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import Program

_F = Family("order")
_A = np.arange(1, 16).reshape(5, 3) * 3 % 13 + 1
_B = np.arange(15).reshape(5, 3) % 4 + 1


def cases() -> Iterator[Case]:
    """Each operation with the left, the right or both operands cut."""
    why = "A op B is not B op A"
    for name in ("subtract", "divide", "remainder", "power", "shift_left", "shift_right_arithmetic",
                 "shift_right_logical", "atan2"):  # fmt: skip
        floats = ("subtract", "divide", "remainder", "power", "atan2")
        for dtype in ("i32", "f32"):
            if (dtype == "f32" and name not in floats) or (dtype == "i32" and name == "atan2"):
                continue
            p = Program()
            a, b = p.argument(_A, dtype), p.argument(_B, dtype)
            program = p.returning(p.same(name, a, b))
            for number, pins in enumerate(({0: 0}, {1: 0}, {0: 0, 1: 1})):
                yield from _F.over(f"{name} of {dtype}", why, program, pins,
                                   meshes=MESHES[number % 2 :: 2])  # fmt: skip
    p = Program()
    a, b = p.argument(_A), p.argument(_B)
    flag = p.compare(a, b, "GT")
    program = p.returning(p.select(flag, a, b), p.select(p.same("not", flag), b, a))
    for pins in ({0: 0}, {1: 1}, {0: 0, 1: 1}):
        yield from _F.over("select", why, program, pins)
    p = Program()
    a, b = p.argument(_A), p.argument(_B.T)
    program = p.returning(p.dot(a, b), p.dot(b, a))
    for pins in ({0: 0}, {0: 1}, {1: 0}, {0: 0, 1: 1}, {0: 1, 1: 0}):
        yield from _F.over("products both ways", "A B is not B A", program, pins)
    p = Program()
    a, b = p.argument(_A), p.argument(_B)
    program = p.returning(p.concatenate([a, b], 1), p.concatenate([b, a], 0))
    yield from _F.over("concatenate both ways", why, program, {0: 0, 1: 1})
    for first in (0, 1):
        p = Program()
        x = p.argument(np.arange(24).reshape(2, 4, 3))
        y = p.argument(np.arange(30).reshape(2, 3, 5))
        program = p.returning(p.dot(x, y, ((2,), (1,)), ((0,), (0,))))
        for pins in ({0: 0}, {first: 1}, {0: 2}, {1: 2}):
            yield from _F.over("batched product", "batch, then left, then right", program, pins,
                               meshes=MESHES[first::2])  # fmt: skip
    p = Program()
    a, b = p.argument(_A), p.argument(_B)
    left = p.reduce("add", a, (0,))
    right = p.reduce("add", b, (0,))
    program = p.returning(p.same("subtract", left, right), p.same("subtract", right, left))
    yield from _F.over("difference of pending sums", why, program, {0: 0, 1: 0})
    yield from _F.over("difference with one pending", "the finished side counts once", program,
                       {0: 0})  # fmt: skip
