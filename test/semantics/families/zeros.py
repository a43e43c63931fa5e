"""Signs of zero: sums, look-ups and conversions must not turn -0.0 into +0.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from semantics.case import Case, Family
from semantics.text import Program, Value

_F = Family("zeros")
_NEGATIVE = np.full((5, 3), -0.0, np.float32)
_MIXED = np.array([[-0.0, 0.0, -0.0], [0.0, -0.0, -0.0], [-0.0, -0.0, 1.0], [-0.0, 0.0, -1.0],
                   [-0.0, -0.0, 0.0]], np.float32)  # fmt: skip


def _index(p: Program, *values: int) -> list[Value]:
    return [p.constant(v, "i32") for v in values]


_OPS: dict[str, Callable[[Program, Value], Value]] = {
    "identity": lambda p, x: x,
    "dynamic slice": lambda p, x: p.dynamic_slice(x, _index(p, 2, 0), (2, 3)),
    "dynamic update": lambda p, x: p.dynamic_update_slice(
        x, p.filled(-0.0, p.part(x, 0, 0, 2)), _index(p, 3, 0)
    ),
    "look-up": lambda p, x: p.take(x, p.constant([4, 0, 2], "i32")),
    "slice": lambda p, x: p.part(x, 0, 1, 4),
    "reverse": lambda p, x: p.reverse(x, (0,)),
    "pad with -0": lambda p, x: p.pad(x, p.constant(-0.0, "f32"), (1, 0), (2, 0), (1, 0)),
    "concatenate": lambda p, x: p.concatenate([x, p.part(x, 0, 0, 1)], 0),
    "negate": lambda p, x: p.same("negate", x),
    "multiply by -1": lambda p, x: p.same("multiply", x, p.filled(-1.0, x)),
    "abs": lambda p, x: p.same("abs", x),
    "sum from +0": lambda p, x: p.reduce("add", x, (0,), 0.0),
    "sum from -0": lambda p, x: p.reduce("add", x, (0,), -0.0),
    "product": lambda p, x: p.reduce("multiply", x, (0,)),
    "maximum": lambda p, x: p.reduce("maximum", x, (0,)),
    "minimum": lambda p, x: p.reduce("minimum", x, (0,)),
    "running sum": lambda p, x: p.running("add", x, 0),
    "running maximum": lambda p, x: p.running("maximum", x, 0),
    "pool sum": lambda p, x: p.reduce_window("add", x, (2, 1), start=-0.0),
    "sort": lambda p, x: p.sort(x, dim=0)[0],
    "scatter add": lambda p, x: p.scatter(
        "add", x, p.constant([1, 4], "i32"), p.constant(_NEGATIVE[:2], "f32")
    ),
    "scatter maximum": lambda p, x: p.scatter(
        "maximum", x, p.constant([1, 4, 1], "i32"), p.constant(-_MIXED[:3] * 0.0, "f32")
    ),
    "scatter minimum": lambda p, x: p.scatter(
        "minimum", x, p.constant([1, 4, 1], "i32"), p.constant(-_MIXED[:3] * 0.0, "f32")
    ),
    "clamp from 0": lambda p, x: p.clamp(p.constant(0.0, "f32"), x, p.constant(6.0, "f32")),
    "clamp to 0": lambda p, x: p.clamp(p.constant(-1.0, "f32"), x, p.constant(-0.0, "f32")),
    "dot": lambda p, x: p.dot(x, p.constant([[1.0], [1.0], [1.0]], "f32"), ((1,), (0,))),
    "reshape": lambda p, x: p.reshape(x, (3, 5)),
    "transpose": lambda p, x: p.transpose(x, (1, 0)),
    "elementwise maximum": lambda p, x: p.same("maximum", x, p.filled(0.0, x)),
    "elementwise minimum": lambda p, x: p.same("minimum", p.filled(0.0, x), x),
    "select": lambda p, x: p.select(p.compare(x, p.filled(0.0, x), "GE"), x, p.filled(7.0, x)),
}


def cases() -> Iterator[Case]:
    """Each operation on -0.0 alone and on both zeros."""
    for name, make in _OPS.items():
        for label, values in (("negative", _NEGATIVE), ("both", _MIXED)):
            p = Program()
            program = p.returning(make(p, p.argument(values, "f32")))
            meshes = ("x=2", "x=2,y=2") if label == "both" else ("x=3", "x=4")
            yield from _F.over(
                f"{name} of {label} zeros",
                "the sign of a zero is part of the value",
                program,
                {0: 0},
                meshes=meshes,
                interpreter="it takes the two zeros as equal where the total order is asked for"
                if name == "sort"
                else "",
            )
    p = Program()
    program = p.returning(p.argument(_NEGATIVE, "f32"))
    for target in (0, 1):
        yield from _F.over(
            "pending sum",
            "what completes a sum starts from -0.0, not from +0.0",
            program,
            {0: "P(sum)"},
            {0: target},
        )
