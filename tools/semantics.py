"""Run the whole semantics suite, and the same cases on JAX and DTensor where these are at hand.

    python tools/semantics.py [--jobs N] [--peers jax,dtensor] [--peers-every N] [--only TEXT]

Writes docs/semantics.md (with --write) and build/reports/semantics.json. Last line:

    semantics: 3452/3452, jax 0.10.2: 2801/2890, dtensor 2.13: 201/240
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "src")]

from semantics.case import Case  # noqa: E402
from semantics.families import all_cases  # noqa: E402
from semantics.page import page  # noqa: E402

_CHUNK = 20
PEERS_PYTHON = ROOT / "build" / "peers-venv" / "bin" / "python"
_PATIENCE = 120.0


@dataclass
class Column:
    """What one system did: per case number its status and detail."""

    title: str
    outcomes: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def score(self) -> str:
        """`ok/run`, or `not run`."""
        if not self.outcomes:
            return "not run"
        good = sum(status == "ok" for status, _ in self.outcomes.values())
        return f"{good}/{len(self.outcomes)}"


def _chunk(numbers: Sequence[int]) -> list[tuple[int, str]]:
    import torch
    from semantics.check import check

    torch.set_num_threads(1)
    cases = all_cases()
    return [(n, check(cases[n])) for n in numbers]


def run_ours(numbers: Sequence[int], jobs: int) -> Column:
    """Every case here, on `jobs` processes; failures are printed as they come."""
    column = Column("distc")
    chunks = [numbers[i : i + _CHUNK] for i in range(0, len(numbers), _CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(_chunk, chunks):
            for number, wrong in found:
                column.outcomes[number] = ("wrong", wrong) if wrong else ("ok", "")
                if wrong:
                    print(f"{all_cases()[number].id}: {wrong}", flush=True)
    return column


def run_peer(title: str, command: Sequence[str]) -> Column:
    """A tool that prints `NUMBER begin` and `NUMBER STATUS DETAIL` until `end`.

    Where it stops before, the case begun is one of a crash; it is started again after that one.
    """
    column = Column(title)
    first = 0
    while True:
        last, begun = first - 1, None
        for line in _lines([*command, "--first", str(first)]):
            number, _, rest = line.partition(" ")
            if number == "end":
                return column
            if not number.isdigit():
                continue
            status, _, detail = rest.partition(" ")
            last, begun = int(number), int(number) if status == "begin" else None
            if status != "begin":
                column.outcomes[last] = (status, detail)
        if last < first:
            print(f"{title}: ended without a word from case {first} on", flush=True)
            return column
        if begun is not None:
            column.outcomes[begun] = ("crashed", "the process died or hung")
        first = last + 1


def _lines(command: Sequence[str]) -> Iterator[str]:
    """Lines of a child until it ends or says nothing for two minutes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as child:
        assert child.stdout is not None
        buffer, last = b"", time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while time.monotonic() - last < _PATIENCE:
                if not selector.select(1.0):
                    continue
                piece = os.read(child.stdout.fileno(), 65536)
                if not piece:
                    break
                last = time.monotonic()
                *whole, buffer = (buffer + piece).split(b"\n")
                yield from (line.decode(errors="replace") for line in whole)
        child.kill()


def _jax(every: int) -> Column:
    title = "jax"
    if not PEERS_PYTHON.exists():
        return Column(title)
    version = subprocess.run(
        [PEERS_PYTHON, "-c", "import importlib.metadata as m; print(m.version('jax'))"],
        capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    if not version:
        return Column(title)
    tool = str(ROOT / "tools" / "semantics_jax.py")
    return run_peer(f"jax {version}", [str(PEERS_PYTHON), tool, "--every", str(every)])


def _dtensor(every: int) -> Column:
    import torch

    version = ".".join(torch.__version__.split("+")[0].split(".")[:2])
    tool = str(ROOT / "tools" / "semantics_dtensor.py")
    column = Column(f"dtensor {version}")
    for size in (2, 3, 4):
        command = [sys.executable, tool, "--every", str(every), "--size", str(size)]
        column.outcomes |= run_peer(column.title, command).outcomes
    return column


def table(columns: Sequence[Column], cases: Sequence[Case]) -> str:
    """One line per family, `ok/run` per system."""
    families = list(dict.fromkeys(c.family for c in cases))
    lines = [f"{'family':14}" + "".join(f"{c.title:>16}" for c in columns)]
    for family in families:
        cells = []
        for column in columns:
            mine = [s for n, (s, _) in column.outcomes.items() if cases[n].family == family]
            cells.append(f"{mine.count('ok')}/{len(mine)}" if mine else "-")
        lines.append(f"{family:14}" + "".join(f"{c:>16}" for c in cells))
    return "\n".join(lines)


def main() -> int:
    """Run, print the table, write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--peers", default="jax,dtensor", help="which of jax, dtensor to run")
    parser.add_argument("--peers-every", type=int, default=1, help="run every N-th case on peers")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--write", action="store_true", help="write docs/semantics.md")
    options = parser.parse_args()
    cases = all_cases()
    numbers = [n for n, c in enumerate(cases) if options.only in c.id]
    started = time.monotonic()
    columns = [run_ours(numbers, options.jobs)]
    print(f"{len(numbers)} cases in {time.monotonic() - started:.0f} s", flush=True)
    for name, runner in (("jax", _jax), ("dtensor", _dtensor)):
        wanted = name in options.peers.split(",")
        columns.append(runner(options.peers_every) if wanted else Column(name))
    print(table(columns, cases))
    report = ROOT / "build" / "reports" / "semantics.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text(json.dumps([asdict(c) for c in columns], indent=0))
    if options.write:
        (ROOT / "docs" / "semantics.md").write_text(
            page(cases, [(c.title, c.outcomes) for c in columns]), encoding="utf-8"
        )
    scores = [f"semantics: {columns[0].score}", *(f"{c.title}: {c.score}" for c in columns[1:])]
    print(", ".join(scores))
    return 0 if all(s == "ok" for s, _ in columns[0].outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
