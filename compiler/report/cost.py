"""Where the time of a plan goes: by class of op and by op, by the cost model."""

from __future__ import annotations

from collections import defaultdict

from distc.compiler.explain.summary import Entry
from distc.compiler.report.markup import Cell, Markup, bar, join, note, table, tag
from distc.compiler.units import duration
from distc.solver.problem import ARGUMENT, Problem
from distc.solver.search.network import seconds

COUNTED = (
    "Work is a roofline per op: FLOPs of contractions, bytes of everything else, a launch each. "
    "Conversions are the collectives and slices between ops, priced once per reader; in the "
    "program readers that want a value alike share one. Nothing overlaps."
)
CONVERSIONS = "conversions"


def cost(entry: Entry) -> Markup:
    """Return the section of one entry point."""
    if entry.problem is None:
        whole = sum(c.seconds(entry.hardware) for c in entry.collectives)
        return tag(
            "p",
            f"The plan was not searched, so ops have no price; its collectives take "
            f"{duration(whole)} on {entry.hardware.name}.",
        )
    parts = [note(COUNTED), _by_class(entry.problem), tag("h4", "By op"), _by_op(entry.problem)]
    return join(parts, "\n")


def by_class(problem: Problem) -> dict[str, tuple[int, int]]:
    """Class of op → (ops, ticks); conversions under `CONVERSIONS`. They add up to the cost."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for variable, label in zip(problem.variables, problem.solution.labels, strict=True):
        if variable.op != ARGUMENT:
            found[variable.op_class][0] += 1
            found[variable.op_class][1] += int(variable.work[label])
    for link in problem.links:
        ticks = link.ticks(problem.solution.labels)
        found[CONVERSIONS][0] += ticks > 0
        found[CONVERSIONS][1] += ticks
    return {kind: (count, ticks) for kind, (count, ticks) in found.items()}


def _by_class(problem: Problem) -> Markup:
    whole = max(1, problem.solution.cost)
    rows = [
        (
            kind,
            Cell(count, count),
            Cell(duration(seconds(ticks)), seconds(ticks)),
            Cell(f"{ticks / whole:.1%}", ticks / whole),
            bar(ticks / whole),
        )
        for kind, (count, ticks) in sorted(by_class(problem).items(), key=lambda i: -i[1][1])
    ]
    return table(("class", "count", "time", "share", ""), rows)


def _by_op(problem: Problem) -> Markup:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for variable, label in zip(problem.variables, problem.solution.labels, strict=True):
        if variable.op != ARGUMENT:
            found[variable.op][0] += 1
            found[variable.op][1] += int(variable.work[label])
    whole = max(1, problem.solution.cost)
    rows = [
        (
            Cell(op, code=True),
            Cell(count, count),
            Cell(duration(seconds(ticks)), seconds(ticks)),
            Cell(f"{ticks / whole:.1%}", ticks / whole),
            bar(ticks / whole),
        )
        for op, (count, ticks) in sorted(found.items(), key=lambda i: (-i[1][1], i[0]))
    ]
    return table(("op", "count", "work", "share", ""), rows)
