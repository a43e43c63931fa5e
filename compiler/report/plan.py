"""The plan as a table: how every tensor lies and every op runs, what it costs, what comes next."""

from __future__ import annotations

from distc.compiler.explain.alternatives import Explainer
from distc.compiler.explain.summary import Entry, Share, costliest
from distc.compiler.report.markup import Cell, Markup, fitting, join, note, table
from distc.compiler.units import duration, tensor
from distc.runtime.manifest import EntryPoint
from distc.solver.problem import ARGUMENT, Problem
from distc.solver.search.network import seconds

_COLUMNS = (
    "name",
    "kind",
    "value",
    "sharding",
    "work",
    "conversions",
    "line",
    "next best",
    "costs more",
)
COUNTED = (
    "Sharding: how an argument lies, or how an op leaves its first result. Conversions: of what "
    "an op reads. Next best: the cheapest other choice and what it costs more, all others as "
    "they are; distc explain lists all of them."
)


def plan(entry: Entry, record: EntryPoint, budget: int) -> Markup:
    """Return the section of one entry point.

    Args:
        entry: what was searched, if anything was.
        record: its arguments and results.
        budget: bytes of rows; what costs least is left out first.
    """
    if entry.problem is None:
        head = note("The plan follows pins alone: tensors as they lie.")
        return join((head, _tensors(record, budget)))
    return join((note(COUNTED), _searched(entry.problem, budget)))


def _tensors(record: EntryPoint, budget: int) -> Markup:
    rows = [
        (
            Cell(t.name, code=True),
            t.kind,
            Cell(tensor(t.dtype, t.shape), code=True),
            Cell(t.sharding, code=True),
            Cell(tensor(t.dtype, t.layout.local_shape), code=True),
        )
        for t in (*record.arguments, *record.results)
    ]
    made, left_out = fitting(rows, budget)
    columns = ("name", "kind", "value", "sharding", "on one rank")
    return join((_left_out(left_out, "last"), table(columns, made, search="search names")))


def _searched(problem: Problem, budget: int) -> Markup:
    explainer = Explainer(problem)
    found = {s.number: s for s in costliest(problem)}
    numbers = range(len(problem.variables))
    dearest = sorted(numbers, key=lambda n: -found[n].total if n in found else 0)
    rows = (_row(problem, explainer, n, found.get(n, Share(n, 0, 0))) for n in dearest)
    made, left_out = fitting(rows, budget)
    # What fits is shown in the order of the program.
    in_order = [row for _, row in sorted(zip(dearest, made, strict=False), key=lambda p: p[0])]
    shown = table(_COLUMNS, in_order, search="search names, kinds, shardings, lines")
    return join((_left_out(left_out, "cheapest"), shown))


def _left_out(count: int, which: str) -> Markup:
    if not count:
        return Markup("")
    return note(f"The {count} {which} rows are left out, so that the page stays small.")


def _row(
    problem: Problem, explainer: Explainer, number: int, share: Share
) -> tuple[Cell | object, ...]:
    variable = problem.variables[number]
    chosen = variable.labels[problem.solution.labels[number]]
    value = tensor(variable.dtype, variable.shapes[0]) if variable.shapes else ""
    other = explainer.next_best(number)
    next_text, more = "", Cell("", None)
    if other is not None:
        label, difference = other
        next_label = variable.labels[label]
        next_text = next_label.results[0] if next_label.results else next_label.text
        more = Cell(f"+{duration(seconds(difference))}", seconds(difference))
    return (
        Cell(variable.name, code=True),
        variable.kind if variable.op == ARGUMENT else variable.op,
        Cell(value, code=True),
        Cell(chosen.results[0] if chosen.results else chosen.text, code=True),
        Cell(duration(seconds(share.work)), seconds(share.work)),
        Cell(duration(seconds(share.conversions)), seconds(share.conversions)),
        Cell(variable.source, code=True),
        Cell(next_text or str(variable.fixed), code=True),
        more,
    )
