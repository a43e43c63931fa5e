"""What the commands print: tables on stdout, progress and notices on stderr.

Progress is shown on a terminal only; colours obey NO_COLOR. Tables of a pipe are plain text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 160


def stdout() -> Console:
    """Return the console for results."""
    return _console(stderr=False)


def stderr() -> Console:
    """Return the console for progress and notices."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=True, markup=False)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table; columns whose name ends in a unit or a count are right-aligned."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    body = [[str(cell) for cell in row] for row in rows]
    for index, name in enumerate(columns):
        numeric = bool(body) and all(_is_number(row[index]) for row in body)
        made.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in body:
        made.add_row(*row)
    return made


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace(",", "").strip(" %-").isdigit() or text == "—"


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows what is being done; it shows nothing where stderr is a pipe."""
    console = stderr()
    if not console.is_terminal:
        yield lambda stage: None
        return
    with console.status("starting") as status:
        yield lambda stage: status.update(stage)


def print_json(body: object) -> None:
    """Print one JSON document on stdout."""
    print(json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False))


def notice(text: str) -> None:
    """Print a line on stderr."""
    print(text, file=sys.stderr, flush=True)


def count(number: int, what: str) -> str:
    """Return `1 op` or `3 ops`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
