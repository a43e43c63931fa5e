"""Sizes 0 to 9 on every mesh: shards that are empty, dimensions that are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from semantics.case import Case, Family, Spec
from semantics.text import Program, Value

_F = Family("sizes")
_WHY = "fewer elements than ranks: some hold nothing, and padding must not leak"
Make = Callable[[Program, Value, int], Value | tuple[Value, ...]]


def _starts(p: Program, first: int) -> list[Value]:
    return [p.constant(first, "i32"), p.constant(0, "i32")]


def _conv(p: Program, x: Value, n: int) -> Value:
    image = p.reshape(p.convert(x, "f32"), (1, 1, n, 3))
    kernel = p.constant(np.array([[[[1.0, 2.0], [3.0, 4.0]]]]), "f32")
    return p.convolution(image, kernel, padding=((1, 1), (0, 1)))


_OPS: dict[str, Make] = {
    "add": lambda p, x, n: p.same("add", x, x),
    "select": lambda p, x, n: p.select(p.compare(x, p.filled(3, x), "GT"), x, p.filled(-1, x)),
    "divide": lambda p, x, n: p.same("divide", p.filled(60, x), x),
    "sum": lambda p, x, n: p.reduce("add", x, (0,)),
    "product": lambda p, x, n: p.reduce("multiply", x, (0,)),
    "maximum": lambda p, x, n: p.reduce("maximum", x, (0,)),
    "minimum": lambda p, x, n: p.reduce("minimum", x, (0, 1)),
    "and": lambda p, x, n: p.reduce("and", x, (0,)),
    "argmax": lambda p, x, n: p.arg_reduce(x, 0),
    "sort": lambda p, x, n: tuple(p.sort(x, p.iota(0, x.shape), dim=0, direction="GT")),
    "top-k": lambda p, x, n: p.top_k(x, (n + 1) // 2, 0),
    "exclusive running sum": lambda p, x, n: p.reduce_window(
        "add", x, (n, 1), padding=((n, -1), (0, 0))) if n > 1 else x,
    "running sum": lambda p, x, n: p.running("add", x, 0) if n else x,
    "concatenate": lambda p, x, n: p.concatenate([x, p.filled(5, x), x], 0),
    "pad": lambda p, x, n: p.pad(x, p.constant(9, "i32"), (1, 0), (2, 1), (1, 0)),
    "slice": lambda p, x, n: p.part(x, 0, n // 3, n),
    "reverse": lambda p, x, n: p.reverse(x, (0,)),
    "dot": lambda p, x, n: p.dot(x, x, ((0,), (0,))),
    "outer product": lambda p, x, n: p.dot(x, x, ((1,), (1,))),
    "transpose": lambda p, x, n: p.transpose(x, (1, 0)),
    "reshape": lambda p, x, n: p.reshape(x, (3 * n,)),
    "broadcast": lambda p, x, n: p.spread(x, (2, n, 3), (1, 2)),
    "look-up": lambda p, x, n: p.take(p.filled(8, p.constant(0, "i32", (4, 2))),
                                      p.reshape(p.part(x, 1, 0, 1), (n,))),
    "scatter add": lambda p, x, n: p.scatter(
        "add", p.constant(0, "i32", (12, 3)), p.reshape(p.part(x, 1, 0, 1), (n,)), x),
    "dynamic slice": lambda p, x, n: p.dynamic_slice(x, _starts(p, 2), ((n + 1) // 2, 3)),
    "dynamic update": lambda p, x, n: p.dynamic_update_slice(
        x, p.constant(-7, "i32", ((n + 1) // 2, 3)), _starts(p, 1)),
    "pool": lambda p, x, n: p.reduce_window("maximum", x, (2, 1), padding=((1, 1), (0, 0))),
    "convolution": _conv,
    "iota": lambda p, x, n: p.same("add", x, p.iota(0, x.shape)),
}  # fmt: skip
# These cannot be written for an empty dimension.
_NOT_EMPTY = ("look-up", "argmax")
_EMPTY_DIES = ("dot",)
_DIES = "it dies on a contraction over nothing"


def cases() -> Iterator[Case]:
    """Each operation, size and mesh; and each conversion."""
    for name, make in _OPS.items():
        for size in range(10):
            if size == 0 and name in _NOT_EMPTY:
                continue
            p = Program()
            x = p.argument((np.arange(3 * size).reshape(size, 3) * 7) % 10 + 1)
            made = make(p, x, size)
            program = p.returning(*made) if isinstance(made, tuple) else p.returning(made)
            # Every mesh sees every operation; each size is seen on two.
            meshes = ("x=2", "x=4") if size % 2 else ("x=3", "x=2,y=2")
            if size in (1, 2, 3):
                meshes = ("x=2", "x=3", "x=4", "x=2,y=2")
            skipped = _DIES if size == 0 and name in _EMPTY_DIES else ""
            yield from _F.over(
                f"{name} of {size}", _WHY, program, {0: 0}, meshes=meshes, interpreter=skipped
            )
    conversions: list[tuple[Spec, Spec, tuple[str, ...]]] = [
        (0, 1, ("x=2", "x=3", "x=4", "x=2,y=2")),
        ("P(sum)", 0, ("x=3", "x=4")),
        ("P(max)", 1, ("x=3", "x=2,y=2")),
        ((0, 1), (1, 0), ("x=2,y=2",)),
        ("[S(y), R] P(sum: x)", "[S(x), S(y)]", ("x=2,y=2",)),
        ("[S(x,y), R]", "[S(y,x), R]", ("x=2,y=2",)),
    ]
    for size in range(10):
        p = Program()
        program = p.returning(p.argument(np.arange(3 * size).reshape(size, 3) + 1))
        for source, target, meshes in conversions:
            yield from _F.over(f"conversion of {size}", _WHY, program, {0: source}, {0: target},
                               meshes=meshes)  # fmt: skip
