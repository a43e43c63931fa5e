"""Integers wrap the same way on one device and on many."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import NUMPY, Program, Value

_F = Family("wrap")
_OPS: dict[str, Callable[[Program, Value], Value]] = {
    "sum": lambda p, x: p.reduce("add", x, (0,)),
    "product": lambda p, x: p.reduce("multiply", x, (0,)),
    "running sum": lambda p, x: p.running("add", x, 0),
    "running product": lambda p, x: p.running("multiply", x, 0),
    "pool sum": lambda p, x: p.reduce_window("add", x, (3, 1), padding=((1, 1), (0, 0))),
    "dot": lambda p, x: p.dot(x, x, ((0,), (0,))),
    "scatter add": lambda p, x: p.scatter("add", x, p.constant([0, 0, 4, 0], "i32"),
                                          p.part(x, 0, 1, 5)),
    "negate": lambda p, x: p.same("negate", x),
    "maximum": lambda p, x: p.reduce("maximum", x, (0,)),
    "minimum": lambda p, x: p.reduce("minimum", x, (0,)),
    "sum of squares": lambda p, x: p.reduce("add", p.same("multiply", x, x), (0, 1)),
}  # fmt: skip


def cases() -> Iterator[Case]:
    """Each operation near the ends of each type."""
    for number, (name, make) in enumerate(_OPS.items()):
        for shift, dtype in enumerate(("i8", "ui8", "i16", "i32", "i64")):
            limits = np.iinfo(NUMPY[dtype])  # type: ignore[type-var]
            ends = [limits.max, limits.max - 1, limits.min, 3, 2, limits.max // 2 + 1]
            values = np.array([ends[i * 5 % 6] for i in range(14)], NUMPY[dtype]).reshape(7, 2)
            p = Program()
            program = p.returning(make(p, p.argument(values, dtype)))
            meshes = MESHES if dtype in ("i8", "ui8") else MESHES[(number + shift) % 2 :: 2]
            yield from _F.over(
                f"{name} of {dtype}", "partial results wrap as the whole does", program, {0: 0},
                meshes=meshes,
            )  # fmt: skip
    for dtype in ("i8", "ui8"):
        p = Program()
        program = p.returning(p.argument([[100, 127], [3, 64], [90, 1]], dtype))
        for kind in ("sum", "max", "min"):
            yield from _F.over(
                f"pending {kind} of {dtype}", "a narrow type has no wider sum", program,
                {0: f"P({kind})"}, {0: 0}, meshes=("x=3", "x=2,y=2"),
            )  # fmt: skip
    p = Program()
    x = p.argument([[100, 100], [100, 100], [100, 100]], "i8")
    program = p.returning(p.convert(p.reduce("add", p.convert(x, "i32"), (0,)), "i8"))
    yield from _F.over("sum in a wider type", "widened before it is summed", program, {0: 0})
