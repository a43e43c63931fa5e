"""Ties on the edge of a shard: the first wins on one device, so the first wins on many."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family
from semantics.text import Program

_F = Family("ties")
_PADDING = {
    "valid": (0, 0), "same": (1, 1), "low": (2, 0), "high": (0, 2), "negative": (-1, 0),
    "wide": (2, 2),
}  # fmt: skip
_TIED = np.array([[1, 3, 3, 3, 0, 3, 2, 3], [2, 2, 2, 2, 2, 2, 2, 2], [0, 0, 9, 9, 9, 9, 0, 0],
                  [-5, -1, -5, -1, -5, -1, -5, -1]])  # fmt: skip


def _pools() -> Iterator[Case]:
    why = "windows over the edge see ties in both shards: one element may get the gradient"
    x_values = np.maximum(np.array([0, -1, 2, 2, 2, 0, 0, 2, 2, -3] * 2).reshape(2, 10).T, 0)
    for mode, pads in _PADDING.items():
        for size, stride in ((2, 2), (3, 1), (3, 2), (2, 1), (2, 3)):
            out = (10 + sum(pads) - size) // stride + 1
            for direction in ("GE", "GT", "LE"):
                if direction != "GE" and (size, stride) not in ((3, 1), (3, 2)):
                    continue
                p = Program()
                x = p.argument(x_values, "f32")
                source = p.argument(np.arange(1, 2 * out + 1).reshape(out, 2), "f32")
                made = p.select_and_scatter(
                    x, source, (size, 1), (stride, 1), (pads, (0, 0)), direction
                )
                program = p.returning(made)
                meshes = ("x=2", "x=3", "x=4") if direction == "GE" else ("x=4",)
                yield from _F.over(
                    f"max-pool gradient {direction} {mode} {size}/{stride}", why, program, {0: 0},
                    {0: 0}, meshes=meshes, torch="",
                )  # fmt: skip


def _positions() -> Iterator[Case]:
    for dtype in ("i32", "f32"):
        for largest in (True, False):
            p = Program()
            program = p.returning(*p.arg_reduce(p.argument(_TIED, dtype), 1, largest=largest))
            name = "argmax" if largest else "argmin"
            yield from _F.over(
                f"{name} of {dtype}", "equal values: the smaller position", program, {0: 1},
                torch=name if dtype == "f32" else "",
            )  # fmt: skip
    p = Program()
    x = p.argument(np.full((2, 7), -np.inf), "f32")
    program = p.returning(*p.arg_reduce(x, 1))
    yield from _F.over("argmax of -inf", "nothing is better than the start value", program, {0: 1})
    for direction in ("LT", "GT"):
        p = Program()
        x = p.argument(_TIED)
        program = p.returning(*p.sort(x, p.iota(1, x.shape), dim=1, direction=direction))
        yield from _F.over(
            f"stable sort {direction}", "equal keys keep their order over shards", program, {0: 1},
            torch="sort_stable" if direction == "LT" else "",
        )  # fmt: skip
    for direction in ("LT", "GT"):
        p = Program()
        x = p.argument(_TIED[0])
        program = p.returning(*p.sort(x, p.iota(0, x.shape), dim=0, direction=direction))
        yield from _F.over(
            f"stable sort {direction} of one dimension", "neighbours merge, lower shards first",
            program, {0: 0}, {0: 0, 1: 0},
        )  # fmt: skip
    p = Program()
    program = p.returning(*p.top_k(p.argument(_TIED), 3, 1))
    yield _F.case("top-3 of cut rows", "each row has candidates of its own", program, "x=2,y=2",
                  {0: (0, 1)})  # fmt: skip
    p = Program()
    zeros = np.array([[0.0, -0.0, -0.0, 0.0, -0.0, 0.0, 0.0]])
    program = p.returning(*p.top_k(p.argument(zeros, "f32"), 4, 1))
    yield from _F.over(
        "top-4 of zeros", "in the total order +0 is before -0", program, {0: 1},
        interpreter="it takes the zeros as equal where the program asks for the total order",
    )  # fmt: skip
    for k in (1, 3, 8):
        p = Program()
        program = p.returning(*p.top_k(p.argument(_TIED), k, 1))
        yield from _F.over(
            f"top-{k}", "equal values come in the order of their positions", program, {0: 1},
            torch="",
        )  # fmt: skip


def cases() -> Iterator[Case]:
    """Pool gradients, positions of extremes, sorts."""
    yield from _pools()
    yield from _positions()
