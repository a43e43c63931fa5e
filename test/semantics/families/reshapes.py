"""Reshapes that split and merge cut dimensions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family, Spec
from semantics.text import Program

_F = Family("reshapes")
_SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 30 * 4), (2, 30, 4)),
    ((2, 6, 4), (2, 24)),
    ((12, 7), (84,)),
    ((84,), (12, 7)),
    ((3, 8), (24,)),
    ((24,), (2, 3, 4)),
    ((8, 8), (4, 16)),
    ((6, 4), (4, 6)),
    ((5, 1, 3), (5, 3)),
    ((5, 3), (1, 5, 3, 1)),
    ((2, 9, 4), (18, 4)),
    ((18, 4), (2, 9, 4)),
    ((7, 5), (5, 7)),
    ((1, 1), (1,)),
)


def cases() -> Iterator[Case]:
    """Each reshape with each dimension cut on each side."""
    why = "the borders of shards are not the borders of the new dimensions"
    for source, target in _SHAPES:
        p = Program()
        x = p.argument(np.arange(np.prod(source)).reshape(source))
        made = p.reshape(x, target)
        program = p.returning(p.same("add", made, made))
        name = f"{'x'.join(map(str, source))} to {'x'.join(map(str, target))}"
        for number, dim in enumerate(range(len(source))):
            meshes = ("x=4", "x=8") if number % 2 else ("x=3", "x=2,y=2")
            yield from _F.over(name, why, program, {0: dim}, meshes=meshes)
        for dim in range(len(target)):
            yield _F.case(name, why, program, "x=4", {0: 0}, {0: dim})
    p = Program()
    x = p.argument(np.arange(2 * 120).reshape(2, 120))
    heads = p.reshape(x, (2, 30, 4))
    program = p.returning(p.reduce("add", p.same("multiply", heads, heads), (2,)))
    for mesh in ("x=4", "x=8"):
        yield _F.case("30 heads of 4, summed", "30 is not divided by 4 or 8", program, mesh, {0: 1})
        yield _F.case(
            "30 heads of 4, summed, in blocks", "shards of whole heads", program, mesh,
            {0: "[R, S(x)/4]"}, {0: 1},
        )  # fmt: skip
    pins: tuple[tuple[str, dict[int, Spec]], ...] = (
        ("blocks of three", {0: "[S(x)/3, R]"}),
        ("parts of an axis", {0: "[S(x:(1)2), S(x:(2)2)]"}),
    )
    p = Program()
    x = p.argument(np.arange(12 * 4).reshape(12, 4))
    program = p.returning(p.reshape(p.same("add", x, x), (4, 3, 4)), p.transpose(x, (1, 0)))
    for name, pin in pins:
        yield _F.case(name, why, program, "x=4", pin)
