"""Convolutions and their gradients, every dimension cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family, Spec
from semantics.text import Program

_F = Family("convolutions")
_IMAGE = (np.arange(3 * 4 * 7 * 5).reshape(3, 4, 7, 5) * 5 % 11 - 4).astype(np.float32)
_KERNEL = (np.arange(5 * 4 * 3 * 2).reshape(5, 4, 3, 2) * 3 % 7 - 2).astype(np.float32)
_CUTS: dict[str, tuple[dict[int, Spec], dict[int, Spec]]] = {
    "N": ({0: 0}, {0: 0}),
    "C_in": ({0: 1, 1: 1}, {0: 0}),
    "C_out": ({1: 0}, {0: 1}),
    "H": ({0: 2}, {0: 2}),
    "W": ({0: 3}, {0: 3}),
}
_WHY = "a wrong halo shows at the edges of shards and in how strides fall on them"


def _out(n: int, k: int, s: int, pads: tuple[int, int]) -> int:
    return (n + sum(pads) - k) // s + 1


def _forward(
    strides: tuple[int, int], padding: tuple[tuple[int, int], ...], **more: object
) -> Program:
    p = Program()
    x, k = p.argument(_IMAGE, "f32"), p.argument(_KERNEL, "f32")
    p.made = p.convolution(x, k, strides, padding, **more)  # type: ignore[attr-defined, arg-type]
    return p


def _gradients() -> Iterator[Case]:
    """As XLA and torch lower them: dilated by the stride, transposed kernels, images as kernels."""
    for stride in (1, 2, 3):
        pads = (1, 1)
        h, w = _out(7, 3, stride, pads), _out(5, 2, stride, pads)
        upstream = np.arange(3 * 5 * h * w).reshape(3, 5, h, w) % 5 - 2
        rest = [(n + 2 - k) % stride for n, k in ((7, 3), (5, 2))]
        p = Program()
        g, k = p.argument(upstream, "f32"), p.argument(_KERNEL, "f32")
        made = p.convolution(
            g, k, (1, 1), ((1, 1 + rest[0]), (0, 0 + rest[1])), (stride, stride),
            numbers="[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]", reverse=True,
        )  # fmt: skip
        program = p.returning(made)
        cuts: dict[str, dict[int, Spec]] = {"N": {0: 0}, "C_out": {0: 1, 1: 0}, "C_in": {1: 1},
                                            "H": {0: 2}, "W": {0: 3}}  # fmt: skip
        for name, pins in cuts.items():
            yield from _F.over(f"input gradient stride {stride}, {name}", _WHY, program, pins,
                               meshes=("x=3", "x=2,y=2"))  # fmt: skip
        p = Program()
        x, g = p.argument(_IMAGE, "f32"), p.argument(upstream, "f32")
        made = p.convolution(
            x, g, (1, 1), ((1, 1 - rest[0]), (1, 1 - rest[1])), (1, 1), (stride, stride),
            numbers="[f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
        )  # fmt: skip
        program = p.returning(p.transpose(made, (1, 0, 2, 3)))
        cuts = {
            "N": {0: 0, 1: 0},
            "C_out": {1: 1},
            "C_in": {0: 1},
            "H": {0: 2},
            "H both": {0: 2, 1: 2},
        }
        for name, pins in cuts.items():
            yield from _F.over(f"kernel gradient stride {stride}, {name}", _WHY, program, pins,
                               meshes=("x=3", "x=2,y=2"))  # fmt: skip


def _groups() -> Iterator[Case]:
    why = "a group's channels belong together"
    for name, groups, kernel in (
        ("depthwise", 4, (4, 1, 3, 2)),
        ("multiplied depthwise", 4, (8, 1, 3, 2)),
        ("two groups", 2, (6, 2, 3, 2)),
    ):
        p = Program()
        x = p.argument(_IMAGE, "f32")
        k = p.argument(np.arange(np.prod(kernel)).reshape(kernel) % 7 - 2, "f32")
        program = p.returning(p.convolution(x, k, (1, 2), ((1, 1), (0, 1)), groups=groups))
        for pins in ({0: 0}, {0: 1, 1: 0}, {0: 2}, {1: 0}):
            yield from _F.over(f"{name}", why, program, pins, meshes=("x=2", "x=4"))
    p = Program()
    x = p.argument(np.arange(4 * 2 * 5 * 3).reshape(4, 2, 5, 3) % 7 - 3, "f32")
    k = p.argument(np.arange(4 * 2 * 2 * 2).reshape(4, 2, 2, 2) % 5 - 1, "f32")
    program = p.returning(p.convolution(x, k, batches=2))
    for pins in ({0: 0}, {0: 1, 1: 1}, {1: 0}, {0: 2}):
        yield from _F.over("batch groups", why, program, pins, meshes=("x=2", "x=3"))


def cases() -> Iterator[Case]:
    """Forward with strides and dilations, both gradients, groups."""
    for stride in (1, 2, 3):
        for pads in (((0, 0), (0, 0)), ((1, 1), (1, 1)), ((2, 0), (-1, 1))):
            p = _forward((stride, stride), pads)
            program = p.returning(p.made)  # type: ignore[attr-defined]
            for name, (pins, outs) in _CUTS.items():
                meshes = ("x=3", "x=2,y=2") if pads[0] == (1, 1) else ("x=4",)
                yield from _F.over(
                    f"stride {stride} padding {pads[0]},{pads[1]}, {name}", _WHY, program, pins,
                    outs, meshes=meshes,
                    torch=f"conv:{stride}" if pads == ((1, 1), (1, 1)) else "",
                )  # fmt: skip
    for base, window in (((2, 1), (1, 1)), ((1, 1), (2, 2)), ((3, 2), (2, 1))):
        p = _forward((2, 1), ((2, 2), (2, 1)), base=base, window=window)
        program = p.returning(p.made)  # type: ignore[attr-defined]
        for name in ("H", "W", "C_in"):
            pins, outs = _CUTS[name]
            yield from _F.over(f"dilated {base},{window}, {name}", _WHY, program, pins, outs,
                               meshes=("x=2", "x=3"))  # fmt: skip
        yield _F.case(f"dilated {base},{window}, H and W", _WHY, program, "x=2,y=2", {0: (2, 3)},
                      {0: (2, 3)})  # fmt: skip
    values = _IMAGE.copy()
    values[0, 0, 3, 2] = np.nan
    p = Program()
    x, k = p.argument(values, "f32"), p.argument(_KERNEL, "f32")
    program = p.returning(p.convolution(x, k, padding=((1, 1), (1, 1))))
    for name in ("N", "C_in", "H"):
        pins, outs = _CUTS[name]
        yield from _F.over(f"NaN in the image, {name}", "NaN reaches its windows and no others",
                           program, pins, outs)  # fmt: skip
    yield from _gradients()
    yield from _groups()
