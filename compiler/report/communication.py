"""Who sends how much to whom, along which axes, and which lines cause it.

Ranks of a group form a ring in group order: each sends its wire bytes (explain/collectives.py) to
the next one. In an all-to-all each sends an equal part to every other; a permute sends as its
pairs say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from distc.compiler.explain.collectives import Collective
from distc.compiler.explain.summary import Entry, slowest_alike
from distc.compiler.report.markup import Cell, Markup, fitting, join, note, table, tag
from distc.compiler.units import duration, size, tensor
from distc.solver.collective_cost import StepKind

MOST_RANKS = 64
_CELL, _EDGE = 18, 34

COUNTED = (
    "One call of the entry point. Groups are rings in group order: a rank sends B (n-1)/n bytes "
    "to its neighbour in an all-gather or a reduce-scatter, twice that in an all-reduce, B/n to "
    "each other rank in an all-to-all, B in a permute; B is the larger of operand and result on "
    "one rank, n the ranks of a group. What loops and branches send counts once. Other "
    "algorithms (trees, hierarchies) send along other ways."
)


def communication(entry: Entry, ranks: int, budget: int) -> Markup:
    """Return the section of one entry point.

    Args:
        entry: what it sends.
        ranks: of the mesh.
        budget: bytes of the rows of causes; the fastest are left out first.
    """
    found = entry.collectives
    if not found:
        return tag("p", "No rank sends anything.")
    parts = [note(COUNTED)]
    if ranks <= MOST_RANKS:
        parts.append(_picture(traffic(found), ranks))
    else:
        parts.append(note(f"{ranks} ranks are too many for a matrix: by axis instead."))
    parts += [tag("h4", "By axis and kind"), _by_axis(entry)]
    parts += [tag("h4", "By cause"), _by_cause(entry, budget)]
    return join(parts, "\n")


def traffic(found: Sequence[Collective]) -> dict[tuple[int, int], float]:
    """Return (from, to) → bytes of one call of the entry point."""
    sent: Counter[tuple[int, int]] = Counter()
    for collective in found:
        for pair, bytes_ in _pairs(collective):
            sent[pair] += bytes_  # type: ignore[assignment]
    return dict(sent)


def _pairs(found: Collective) -> list[tuple[tuple[int, int], float]]:
    if found.kind is StepKind.PERMUTE:
        ways = [(g[0], g[1]) for g in found.groups if len(g) == 2]
        return [((a, b), float(found.bytes_)) for a, b in ways if a != b]
    pairs: list[tuple[tuple[int, int], float]] = []
    for group in found.groups:
        if len(group) < 2:
            continue
        if found.kind is StepKind.ALL_TO_ALL:
            part = found.bytes_ / len(group)
            pairs += [((a, b), part) for a in group for b in group if a != b]
            continue
        ring = zip(group, (*group[1:], group[0]), strict=True)
        pairs += [((a, b), found.wire_bytes) for a, b in ring]
    return pairs


def _picture(sent: dict[tuple[int, int], float], ranks: int) -> Markup:
    """A square: row sends to column, the darker the more."""
    most = max(sent.values(), default=1.0)
    parts = []
    for (source, target), bytes_ in sorted(sent.items()):
        title = tag("title", f"rank {source} to rank {target}: {size(bytes_)}")
        parts.append(
            tag(
                "rect",
                title,
                x=_EDGE + target * _CELL,
                y=_EDGE + source * _CELL,
                width=_CELL - 1,
                height=_CELL - 1,
                fill_opacity=f"{0.12 + 0.88 * bytes_ / most:.2f}",
            )
        )
    every = max(1, ranks // 16)
    for rank in range(0, ranks, every):
        middle = _EDGE + (rank + 0.7) * _CELL
        parts.append(tag("text", rank, x=_EDGE - 6, y=middle, text_anchor="end"))
        x = _EDGE + (rank + 0.5) * _CELL
        parts.append(tag("text", rank, x=x, y=_EDGE - 6, text_anchor="middle"))
    side = _EDGE + ranks * _CELL + 2
    frame = tag(
        "rect", class_="frame", x=_EDGE - 1, y=_EDGE - 1, width=side - _EDGE, height=side - _EDGE
    )
    drawn = tag(
        "svg",
        join((frame, *parts)),
        class_="matrix",
        viewBox=f"0 0 {side} {side}",
        width=side,
        height=side,
        role="img",
        aria_label="bytes from each rank (row) to each rank (column)",
    )
    whole = sum(sent.values())
    caption = f"Row sends to column; most: {size(most)}, all together: {size(whole)}."
    return join((drawn, note(caption)))


def _by_axis(entry: Entry) -> Markup:
    groups: dict[tuple[str, str], list[Collective]] = {}
    for found in entry.collectives:
        groups.setdefault((found.axes, str(found.kind)), []).append(found)
    rows = []
    for (axes, kind), alike in sorted(groups.items()):
        sent = sum(c.wire_bytes for c in alike)
        seconds = sum(c.seconds(entry.hardware) for c in alike)
        rows.append(
            (
                Cell(axes, code=True),
                kind,
                Cell(len(alike), len(alike)),
                Cell(size(sent), sent),
                Cell(duration(seconds), seconds),
            )
        )
    return table(("over", "collective", "count", "a rank sends", "time"), rows)


def _by_cause(entry: Entry, budget: int) -> Markup:
    found = slowest_alike(entry.collectives, entry.hardware)
    rows = [
        (
            Cell(row.count, row.count),
            str(row.first.kind),
            Cell(row.first.axes, code=True),
            Cell(tensor(row.first.dtype, row.first.shape), code=True),
            Cell(size(row.first.bytes_), row.first.bytes_),
            Cell(duration(row.seconds), row.seconds),
            Cell(row.made, code=True),
            Cell(row.wanted, code=True),
        )
        for row in found
    ]
    columns = ("times", "collective", "over", "result", "bytes each", "time", "of", "for")
    made, left_out = fitting(rows, budget)
    shown = table(columns, made, search="search lines and modules")
    return shown if not left_out else join((note(f"The slowest; {left_out} are left out."), shown))
