"""Memory over time: a chart of what a rank holds while each call runs, and what fills the peak."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from distc.compiler.report.liveness import Liveness, liveness
from distc.compiler.report.markup import Cell, Markup, escape, join, note, table, tag
from distc.compiler.units import size, tensor
from distc.runtime.program import Program

WIDTH, HEIGHT = 960, 220
_TOP, _LEFT = 14, 76
_LINES = 4
_LISTED = 20

COUNTED = (
    "Counted from program.json by static local types, padding included: arguments (weights, state, "
    "inputs) from start to end, every other value from the call that makes it to the last that "
    "reads it, results to the end. Views take nothing and keep what they look at alive. Not "
    "counted: workspace of kernels and collectives, and what an allocator loses."
)


def memory(program: Program) -> Markup:
    """Return the section of one entry point."""
    found = liveness(program)
    if not found.values:
        return note(f"The program makes no calls; its arguments take {size(found.arguments)}.")
    peak = (
        f"Most at call {found.peak_call} of {len(found.values)}: {size(found.peak)}, of which "
        f"arguments {size(found.arguments)}."
    )
    return join((tag("p", peak), _chart(found), note(COUNTED), _largest(found)), "\n")


def _chart(found: Liveness) -> Markup:
    """Arguments as a band, other values on top; of calls that share a pixel the fullest."""
    points = _thinned(found.values, WIDTH)
    scale = HEIGHT / max(1, found.peak)
    base = _TOP + HEIGHT
    step = WIDTH / len(points)
    tops = [base - (found.arguments + p) * scale for p in points]
    path = "".join(
        f"L{_LEFT + i * step:.1f},{y:.1f}H{_LEFT + (i + 1) * step:.1f}" for i, y in enumerate(tops)
    )
    floor = base - found.arguments * scale
    at = _LEFT + WIDTH * (found.peak_call + 0.5) / len(found.values)
    parts = [
        *_grid(found.peak, scale, base),
        tag("path", class_="held", d=f"M{_LEFT},{floor:.1f}h{WIDTH}V{base}h{-WIDTH}z"),
        tag("path", class_="live", d=f"M{_LEFT},{floor:.1f}{path}V{floor:.1f}Z"),
        tag("circle", class_="peak", cx=f"{at:.1f}", cy=_TOP, r=4),
        _text(_LEFT + 6, base - 6, f"arguments {size(found.arguments)}", "start"),
        _text(_LEFT + WIDTH, base + 16, f"call {len(found.values)}", "end"),
        _text(_LEFT, base + 16, "call 0", "start"),
    ]
    return tag(
        "svg",
        join(parts),
        class_="chart",
        viewBox=f"0 0 {_LEFT + WIDTH + 8} {base + 24}",
        role="img",
        aria_label="bytes held over time",
    )


def _thinned(values: Sequence[int], most: int) -> list[int]:
    if len(values) <= most:
        return list(values)
    edges = [i * len(values) // most for i in range(most + 1)]
    return [max(values[a:b]) for a, b in pairwise(edges)]


def _grid(peak: int, scale: float, base: float) -> list[Markup]:
    parts = []
    for i in range(_LINES + 1):
        bytes_ = peak * i / _LINES
        y = base - bytes_ * scale
        parts.append(tag("path", class_="grid", d=f"M{_LEFT},{y:.1f}h{WIDTH}"))
        parts.append(_text(_LEFT - 6, y + 4, size(bytes_), "end"))
    return parts


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return tag("text", escape(text), x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)


def _largest(found: Liveness) -> Markup:
    rows = [
        (
            Cell(size(a.bytes_), a.bytes_),
            Cell(tensor(a.type.dtype, a.type.shape), code=True),
            Cell(a.op, code=True),
            Cell(a.made_by, a.made_by),
            Cell(a.location, code=True),
        )
        for a in found.at_peak[:_LISTED]
    ]
    title = f"Largest of {len(found.at_peak)} values besides arguments at the fullest call"
    columns = ("bytes", "value on one rank", "made by", "call", "line and module")
    return join((tag("h4", title), table(columns, rows)))
