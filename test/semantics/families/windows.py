"""Pools and running reductions: halos, strides, dilations, two dimensions at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import Finished, Program

_F = Family("windows")
_X = np.arange(42).reshape(7, 6) * 5 % 17 - 6


def _running() -> Iterator[Case]:
    why = "the totals of the shards before are carried, each once"
    for kind in ("add", "multiply", "maximum", "minimum", "and", "or"):
        for reverse in (False, True):
            p = Program()
            program = p.returning(p.running(kind, p.argument(_X), 0, reverse=reverse))
            name = f"running {kind}{' reversed' if reverse else ''}"
            yield from _F.over(name, why, program, {0: 0},
                               torch="cumsum" if kind == "add" and not reverse else "")  # fmt: skip
    for kind in ("add", "maximum", "or"):
        for name, pads in (("exclusive", (7, -1)), ("exclusive reversed", (-1, 7)),
                           ("from nothing to all", (7, 0))):  # fmt: skip
            p = Program()
            x = p.argument(_X)
            program = p.returning(p.reduce_window(kind, x, (7, 1), padding=(pads, (0, 0))))
            yield from _F.over(f"running {kind} {name}", "results stand beside what they reduce",
                               program, {0: 0}, {0: 0})  # fmt: skip
    for size in (1, 2, 5):
        p = Program()
        program = p.returning(p.running("add", p.argument(_X[:size]), 0))
        yield from _F.over(f"running add of {size}", why, program, {0: 0})
    p = Program()
    x = p.argument(_X)
    both = p.reduce_window("add", x, (7, 6), padding=((6, 0), (5, 0)))
    program = p.returning(both)
    for pins in ({0: 0}, {0: 1}):
        yield from _F.over("integral image", "two running dimensions", program, pins)
    yield _F.case("integral image", "two running dimensions", program, "x=2,y=2", {0: (0, 1)})
    p = Program()
    x = p.argument(_X)
    mixed = p.reduce_window("add", x, (7, 2), strides=(1, 2), padding=((6, 0), (0, 0)))
    program = p.returning(mixed)
    for pins in ({0: 0}, {0: 1}):
        yield from _F.over(
            "running one way, pooled the other", "two kinds of window", program, pins
        )
    yield _F.case("running one way, pooled the other", "two kinds of window", program, "x=2,y=2",
                  {0: (0, 1)})  # fmt: skip
    for start in (3, -2):
        p = Program()
        x = p.argument(_X)
        program = p.returning(p.reduce_window("add", x, (7, 1), padding=((6, 0), (0, 0)), start=start),
                              p.reduce("add", x, (0,), start))  # fmt: skip
        yield from _F.over(f"sums from {start}", "the start value counts once", program, {0: 0},
                           interpreter="how often a start value counts is not defined")  # fmt: skip


def _pools() -> Iterator[Case]:
    why = "a window over an edge reads the neighbour, and not its padding"
    settings = (
        ((2, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)),
        ((3, 1), (2, 1), ((1, 1), (0, 0)), (1, 1), (1, 1)),
        ((3, 1), (1, 1), ((1, 1), (0, 0)), (2, 1), (1, 1)),
        ((3, 1), (1, 1), ((2, 0), (0, 0)), (1, 1), (2, 1)),
        ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1), (1, 1)),
        ((3, 3), (3, 2), ((-1, 2), (1, -1)), (1, 1), (1, 1)),
        ((2, 3), (1, 1), ((3, 3), (0, 2)), (3, 1), (1, 2)),
    )
    for number, setting in enumerate(settings):
        for kind in ("add", "maximum", "minimum"):
            p = Program()
            program = p.returning(p.reduce_window(kind, p.argument(_X), *setting))
            name = f"pool {kind} {number}"
            yield from _F.over(name, why, program, {0: 0}, {0: 0}, meshes=MESHES[number % 2 :: 2])
            yield _F.case(name, why, program, "x=2,y=2", {0: (0, 1)}, {0: (1, 0)})
    p = Program()
    x = p.argument(_X, "f32")
    total = p.reduce_window("add", x, (3, 1), padding=((1, 1), (0, 0)))
    count = p.reduce_window("add", p.filled(1, x), (3, 1), padding=((1, 1), (0, 0)))
    program = p.returning(p.same("divide", total, count))
    yield from _F.over("average pool", "the count is that of true elements", program, {0: 0})
    yield from _F.over("pool of two", why, _two(), {0: 0, 1: 0})


def _two() -> Finished:
    """Two operands in one window: the smaller key takes its value along."""
    p = Program()
    x, y = p.argument(_X), p.argument(_X * 100)
    top, zero = p.constant(2**31 - 1, "i32"), p.constant(0, "i32")
    region = """ ({
  ^bb0(%p: tensor<i32>, %s: tensor<i32>, %q: tensor<i32>, %t: tensor<i32>):
    %c = "stablehlo.compare"(%p, %q) <{comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %c, %p, %q : tensor<i1>, tensor<i32>
    %n = stablehlo.select %c, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<i32>, tensor<i32>
  })"""
    attributes = (
        "window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, "
        "padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>"
    )
    results = [((4, 6), "i32"), ((4, 6), "i32")]
    return p.returning(*p.op("reduce_window", [x, y, top, zero], results, attributes, region))


def cases() -> Iterator[Case]:
    """Running reductions and pools."""
    yield from _running()
    yield from _pools()
