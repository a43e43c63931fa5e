"""Pending results: which operation commutes with which reduction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family, Spec
from semantics.text import Program

_F = Family("partials")
_A = np.array([[4, -3, 2], [-6, 5, 8]])
_B = np.array([[2, 1, -5], [3, -2, 4]])
_UNARY = (
    "abs", "negate", "sign", "exponential", "logistic", "tanh", "floor", "cosine", "cbrt", "ceil",
    "exponential_minus_one", "round_nearest_even",
)  # fmt: skip
_BINARY = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "power",
    "remainder",
    "atan2",
)
_MESHES = ("x=2", "x=3", "x=2,y=2", "x=4")


def cases() -> Iterator[Case]:
    """Unary, binary, shape operations and conversions of pending values."""
    number = 0
    for kind in ("sum", "max", "min"):
        for name in _UNARY:
            p = Program()
            program = p.returning(p.same(name, p.argument(_A, "f32")))
            number += 1
            yield _F.case(
                f"{name} of a pending {kind}", f"{name} of parts is not {name} of the whole",
                program, _MESHES[number % 4], {0: f"P({kind})"}, {0: 0},
                torch=f"unary:{name}" if kind == "sum" else "",
            )  # fmt: skip
        for name in _BINARY:
            for pins in ({0: f"P({kind})"}, {1: f"P({kind})"}, {0: f"P({kind})", 1: f"P({kind})"}):
                p = Program()
                made = p.same(name, p.argument(_A, "f32"), p.argument(_B, "f32"))
                number += 1
                yield _F.case(
                    f"{name} with a pending {kind}", "a finished side must not count n times",
                    p.returning(made), _MESHES[number % 4], pins, {0: 1}, ulps=1.0,
                    torch=f"binary:{name}" if kind == "sum" else "",
                )  # fmt: skip
        p = Program()
        x = p.argument(_A, "f32")
        program = p.returning(p.same("add", x, p.filled(1.0, x)))
        yield from _F.over(f"pending {kind} plus a number", "the number is added once", program,
                           {0: f"P({kind})"}, torch="binary:number" if kind == "sum" else "")  # fmt: skip
    yield from _integers()
    yield from _shapes()
    yield from _conversions()


def _integers() -> Iterator[Case]:
    for kind in ("sum", "prod", "max", "min", "and", "or"):
        for name in ("add", "multiply", "divide", "maximum", "and", "or", "xor", "subtract"):
            p = Program()
            made = p.same(name, p.argument(_A), p.argument(_B))
            program = p.returning(made)
            for number, pins in enumerate(({0: f"P({kind})"}, {0: f"P({kind})", 1: f"P({kind})"})):
                yield _F.case(f"integer {name} with a pending {kind}",
                              "each pair of operation and reduction is its own law", program,
                              ("x=3", "x=2,y=2")[number], pins, {0: 0})  # fmt: skip
    for kind in ("and", "or", "max", "min"):
        for name in ("and", "or", "not", "xor", "add", "multiply"):
            p = Program()
            a, b = p.argument(_A > 0, "i1"), p.argument(_B > 0, "i1")
            program = p.returning(p.same(name, a) if name == "not" else p.same(name, a, b))
            if kind in ("and", "or"):
                yield _F.case(f"boolean {name} with a pending {kind}", "as De Morgan says", program,
                              "x=3", {0: f"P({kind})"}, {0: 0})  # fmt: skip
    p = Program()
    x = p.argument([[True, False, True], [False, False, True], [False, True, True]], "i1")
    program = p.returning(p.reduce("add", x, (0,)), p.reduce("multiply", x, (0,)),
                          p.reduce("or", x, (0,)), p.reduce("and", x, (0,)),
                          p.reduce("maximum", x, (0,)), p.reduce("minimum", x, (0,)))  # fmt: skip
    yield from _F.over("boolean reductions", "the sum of booleans is or, the product and", program,
                       {0: 0})  # fmt: skip


def _shapes() -> Iterator[Case]:
    for kind in ("sum", "max", "prod"):
        p = Program()
        x = p.argument(_A)
        program = p.returning(
            p.transpose(x, (1, 0)),
            p.reshape(x, (3, 2)),
            p.part(x, 1, 1, 3),
            p.concatenate([x, x], 0),
            p.concatenate([x, p.filled(1, x)], 0),
            p.pad(x, p.constant(5, "i32"), (1, 0), (0, 1), (0, 0)),
            p.reverse(x, (1,)),
            p.take(x, p.constant([1, 0, 1], "i32")),
            p.reduce("add", x, (0,)),
            p.reduce("maximum", x, (0,)),
            p.spread(x, (2, 2, 3), (0, 2)),
            p.dot(x, p.filled(2, p.transpose(x, (1, 0)))),
            p.convert(x, "i8"),
            p.sort(x, dim=1)[0],
        )
        yield from _F.over(f"shape operations on a pending {kind}", "what is filled in counts once",
                           program, {0: f"P({kind})"})  # fmt: skip
    p = Program()
    x, w = p.argument(np.arange(12).reshape(3, 4)), p.argument(np.arange(8).reshape(4, 2) - 3)
    product = p.dot(x, w)
    program = p.returning(
        p.same("add", product, p.filled(1, product)), p.same("multiply", product, product)
    )
    yield from _F.over("product with cut contraction, plus one", "the one is added once", program,
                       {0: 1, 1: 0})  # fmt: skip
    for numerator, divisor in ((1.0, 0.0), (3.0, 0.0), (-2.0, np.inf), (0.0, 0.0)):
        for name in ("divide", "multiply"):
            p = Program()
            x, y = p.argument([numerator, 1.0], "f32"), p.argument([divisor, 2.0], "f32")
            yield from _F.over(
                f"pending {numerator} {name} {divisor}",
                "parts of a sum over zero are infinities of both signs",
                p.returning(p.same(name, x, y)), {0: "P(sum)"},
            )  # fmt: skip
    for name, other in (("multiply", np.inf), ("divide", 0.0)):
        p = Program()
        table, y = p.argument(np.arange(1, 9), "f32"), p.argument([other, 2.0], "f32")
        rows = p.take(table, p.constant([1, 6], "i32"))
        yield from _F.over(
            f"looked-up rows {name} {other}", "ranks without the row hold zero, not the row",
            p.returning(p.same(name, rows, y)), {0: 0},
        )  # fmt: skip
    p = Program()
    x, w = p.argument([[1.0, 2.0]], "f32"), p.argument([[np.inf, 1.0], [0.0, -1.0]], "f32")
    yield from _F.over("product of a pending sum and an infinity",
                       "parts of both signs meet infinity", p.returning(p.dot(x, w)),
                       {0: "P(sum)"})  # fmt: skip


def _conversions() -> Iterator[Case]:
    p = Program()
    program = p.returning(p.argument(np.arange(15).reshape(5, 3) - 6))
    sources = ("[R, R] P({}: x)", "[S(y), R] P({}: x)", "[R, S(x)] P({}: y)", "[R, R] P({}: x,y)")
    targets: tuple[Spec, ...] = ("[S(x), R]", "[S(y), R]", "[S(x), S(y)]", "[R, S(y,x)]", "[R, R]")
    for kind in ("sum", "prod", "max", "min", "and", "or"):
        for source in sources:
            for target in targets:
                if kind in ("prod", "and", "min") and target == "[S(y), R]":
                    continue
                yield _F.case(
                    "conversion", "the reduction must not be lost when an axis moves", program,
                    "x=2,y=2", {0: source.format(kind)}, {0: target},
                )  # fmt: skip
