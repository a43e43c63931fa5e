"""HTML that is safe by type: plain text is escaped wherever it is put in, `Markup` is taken as is.

Names of modules and paths come from users' models: nothing else may reach the page unescaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WIDE = 36
"""Letters of fixed width that a cell shows; the rest is in its title."""

_LONGEST = 300
"""Letters of a cell that are kept."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(thing: object) -> Markup:
    """Return anything as HTML text."""
    return thing if isinstance(thing, Markup) else Markup(html.escape(str(thing), quote=True))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Put pieces together, each escaped where it is plain."""
    return Markup(between.join(map(escape, parts)))


def tag(name: str, content: object = "", **attributes: object) -> Markup:
    """Return an element; `class_` is written `class`, other underscores become dashes."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{given}>{escape(content)}</{name}>")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        content: what is shown.
        value: what it is sorted by where that is a number; such cells are right-aligned.
        code: plain text in letters of a fixed width.
    """

    content: object
    value: float | None = None
    code: bool = False


Row = Sequence["Cell | object"]


def table(columns: Sequence[str], rows: Iterable[Row | Markup], *, search: str = "") -> Markup:
    """Return a table that is sorted by a click on a column's head.

    Args:
        columns: heads.
        rows: cells, plain things are cells of text; or rows that are made already.
        search: what its search field asks for; no field where empty.
    """
    head = join(tag("th", c) for c in columns)
    body = join((r if isinstance(r, Markup) else table_row(r) for r in rows), "\n")
    inner = tag("table", join((tag("thead", tag("tr", head)), tag("tbody", body))))
    made = tag("div", inner, class_="scroll")
    if not search:
        return made
    field = tag("input", type="search", placeholder=search, aria_label=search)
    return tag("div", join((field, made)), class_="searched")


def table_row(cells: Row) -> Markup:
    """Return one row of a table."""
    return tag("tr", join(_cell(c if isinstance(c, Cell) else Cell(c)) for c in cells))


def _cell(cell: Cell) -> Markup:
    if cell.value is not None:
        return tag("td", cell.content, class_="n", data_v=f"{cell.value:.6g}")
    if not cell.code:
        return tag("td", cell.content)
    text = str(cell.content)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]} …"
    if len(text) <= _WIDE:
        return tag("td", text, class_="c")
    return tag("td", text, class_="c", title=text)


def fitting(rows: Iterable[Row], budget: int) -> tuple[list[Markup], int]:
    """Make rows until their bytes are spent; return them, and how many are left out."""
    made: list[Markup] = []
    left_out = 0
    for row in rows:
        markup = table_row(row)
        budget -= len(markup.encode())
        if left_out or budget < 0:
            left_out += 1
        else:
            made.append(markup)
    return made, left_out


def note(text: object) -> Markup:
    """Return a paragraph that says what is counted."""
    return tag("p", text, class_="note")


def bar(share: float) -> Markup:
    """Return a bar of 0 … 1 of the width."""
    width = f"width:{100 * max(0.0, min(1.0, share)):.1f}%"
    return tag("span", tag("span", style=width), class_="bar")
