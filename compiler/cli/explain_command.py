"""`distc explain`: why a plan is what it is. Reads the artifact only; no torch, no MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from distc.compiler.cli import console
from distc.compiler.explain import bodies
from distc.compiler.explain.alternatives import Alternative, Explained, Explainer, Resolved
from distc.compiler.explain.matching import matching
from distc.compiler.explain.summary import (
    Entry,
    costliest_alike,
    promise,
    read_entry,
    slowest_alike,
    work_seconds,
)
from distc.compiler.explain.units import duration, size, tensor
from distc.compiler.explain.what_if import WhatIf, pins, what_if
from distc.compiler.reproducer import start_recorder
from distc.dialect.mesh import Mesh
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode, UsageError
from distc.solver.problem import ARGUMENT, Problem
from distc.solver.search.network import seconds
from distc.solver.search.solution import Solution

_SHOWN_VARIABLES = 40
_SHOWN_CHANGES = 60
_RESOLVE_TRIES = 3


@click.command("explain")
@click.argument("artifact", type=click.Path(path_type=Path))
@click.argument("pattern", required=False)
@click.option("--entry", metavar="NAME", help="The entry point [default: the first].")
@click.option(
    "--what-if",
    "what_ifs",
    multiple=True,
    metavar="NAME=SHARDING",
    help="Search again with this pinned (repeatable): 'h.0.attn.weight=[R, S(tensor)]'.",
)
@click.option(
    "--budget",
    type=float,
    default=0.3,
    show_default=True,
    metavar="SECONDS",
    help="What a search for --what-if may take before no larger tables are tried.",
)
@click.option("--resolve", is_flag=True, help="Search again for every alternative that is shown.")
@click.option("--top", type=int, default=20, show_default=True, help="Rows of a table; 0: all.")
@click.option(
    "--hardware", metavar="NAME|FILE", help="Prices collectives of a plan that was not searched."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    artifact: Path,
    pattern: str | None,
    entry: str | None,
    what_ifs: tuple[str, ...],
    budget: float,
    resolve: bool,
    top: int,
    hardware: str | None,
    as_json: bool,
) -> int:
    """Say why the plan of ARTIFACT is what it is.

    Without PATTERN: what costs most, and every collective with the line that caused it. PATTERN is
    a glob on parameters, module paths and ops: how each lies or runs, what that costs, what else
    there is, and why it was not chosen.
    """
    options: dict[str, object] = {
        "artifact": str(artifact),
        "pattern": pattern,
        "what_if": list(what_ifs),
    }
    start_recorder("explain", options)
    if top < 0:
        raise UsageError(f"--top is {top}, the least is 0", help="write --top 0 for all rows")
    opened = artifacts.read(artifact)
    read = read_entry(opened, entry or opened.manifest.entries[0].name, hardware)
    if pattern is None and not what_ifs:
        if as_json:
            console.print_json(bodies.summary(read))
        else:
            others = [e.name for e in opened.manifest.entries if e.name != read.name]
            _show_summary(read, top, others)
        return ExitCode.OK
    problem = _searched(read)
    if what_ifs:
        found = what_if(
            problem, pins(problem, what_ifs, Mesh.parse(opened.manifest.mesh_text)), budget
        )
        if as_json:
            console.print_json(bodies.what_if(problem, found))
        else:
            _show_what_if(problem, found)
            others = [e.name for e in opened.manifest.entries if e.name != read.name]
            if others:
                print(f"\nnot searched again: {', '.join(others)}")
        return ExitCode.OK
    _explain(problem, pattern or "*", resolve, top, as_json)
    return ExitCode.OK


def _searched(read: Entry) -> Problem:
    if read.problem is None:
        raise UsageError(
            f"the plan of {read.name} was not searched, so nothing else was weighed",
            help="compile with --solver exact; without PATTERN its collectives are shown",
        )
    return read.problem


def _plan_line(problem: Problem, solution: Solution) -> str:
    cost = duration(seconds(solution.cost))
    return f"plan of {problem.entry}: {cost} on {problem.hardware.name}, {promise(solution)}"


def _show_summary(read: Entry, top: int, others: Sequence[str]) -> None:
    if read.problem is None:
        print(f"the plan of {read.name} follows pins alone; nothing was searched")
    else:
        _show_costs(read.problem, top)
    _show_collectives(read, top)
    if others:
        print(f"\nother entry points: {', '.join(others)} (--entry NAME)")


def _show_costs(problem: Problem, top: int) -> None:
    print(_plan_line(problem, problem.solution))
    whole, work = seconds(problem.solution.cost), work_seconds(problem)
    print(f"work {duration(work)}, conversions {duration(whole - work)}")
    found = costliest_alike(problem)
    rows = [
        (
            row.count,
            row.name,
            row.chosen,
            duration(seconds(row.work)),
            duration(seconds(row.conversions)),
            f"{(row.work + row.conversions) / max(1, problem.solution.cost):.1%}",
            row.source,
        )
        for row in found[: top or None]
    ]
    columns = ("times", "what", "leaves", "work", "conversions", "share", "line")
    title = f"\nwhat costs most ({_of(len(rows), len(found))} rows; equal layers are one)"
    console.stdout().print(console.table(title, columns, rows))


def _show_collectives(read: Entry, top: int) -> None:
    if not read.collectives:
        print("\nno collectives")
        return
    slowest = slowest_alike(read.collectives, read.hardware)
    rows = [
        (
            row.count,
            str(row.first.kind),
            row.first.axes,
            tensor(row.first.dtype, row.first.shape),
            size(row.first.bytes_),
            duration(row.seconds),
            row.made,
            row.wanted,
        )
        for row in slowest[: top or None]
    ]
    columns = ("times", "collective", "over", "result", "bytes each", "time", "of", "for")
    title = (
        f"\n{console.count(len(read.collectives), 'collective')}: "
        f"{duration(sum(r.seconds for r in slowest))} on {read.hardware.name} "
        f"({_of(len(rows), len(slowest))} rows)"
    )
    console.stdout().print(console.table(title, columns, rows))


def _of(shown: int, all_: int) -> str:
    return f"{shown} of {all_}" if shown < all_ else f"all {all_}"


def _explain(problem: Problem, pattern: str, resolve: bool, top: int, as_json: bool) -> None:
    explainer, numbers = Explainer(problem), matching(problem, pattern)
    if as_json:
        console.print_json(
            [
                bodies.variable(explained, _resolved(explainer, n, explained, resolve, 0))
                for n in numbers
                for explained in (explainer.explain(n),)
            ]
        )
        return
    print(_plan_line(problem, problem.solution))
    for number in numbers[:_SHOWN_VARIABLES]:
        explained = explainer.explain(number)
        _show_variable(explained, _resolved(explainer, number, explained, resolve, top), top)
    if len(numbers) > _SHOWN_VARIABLES:
        left = len(numbers) - _SHOWN_VARIABLES
        print(f"\n{left} more match {pattern!r}: narrow it, or use --json")


def _resolved(
    explainer: Explainer, number: int, explained: Explained, resolve: bool, top: int
) -> dict[int, Resolved]:
    """Label → what the whole plan costs more with it; tables grow once, so it stays quick."""
    if not resolve:
        return {}
    found: dict[int, Resolved] = {}
    for alternative in explained.alternatives[: top or None]:
        found[alternative.label] = explainer.resolved(number, alternative.label, _RESOLVE_TRIES)
    return found


def _show_variable(explained: Explained, resolved: dict[int, Resolved], top: int) -> None:
    variable = explained.variable
    what = variable.kind if variable.op == ARGUMENT else variable.op
    shapes = ", ".join(tensor(variable.dtype, s) for s in variable.shapes)
    line = f" at {variable.source}" if variable.source else ""
    print(f"\n{variable.name}: {what} {shapes}{line}")
    print(f"  chosen       {explained.chosen}")
    if variable.op != ARGUMENT:
        print(f"  work         {duration(seconds(explained.work))} ({variable.op_class})")
    for move in explained.moves:
        way = "reads" if move.incoming else "gives"
        print(f"  {way} {duration(seconds(move.ticks)):>10}  {move.text}")
    if not explained.alternatives:
        print(f"  nothing else to choose from{_only(explained)}")
        return
    shown = explained.alternatives[: top or None]
    columns = ["instead", "others as they are", "why not"]
    if resolved:
        columns.insert(2, "searched again")
    rows = [_alternative(a, resolved) for a in shown]
    title = f"  {_of(len(shown), len(explained.alternatives))} alternatives"
    console.stdout().print(console.table(title, columns, rows))


def _only(explained: Explained) -> str:
    reasons = {
        "pinned": ": it is pinned",
        "small": ": small and not updated, so it lies whole",
    }
    return reasons.get(str(explained.variable.fixed), "")


def _alternative(a: Alternative, resolved: dict[int, Resolved]) -> list[str]:
    why = [str(a.verdict)]
    if a.because:
        why.append(a.because)
    if a.dominated:
        why.append("dominated")
    difference = "never" if a.verdict == "forbidden" else _more(a.difference)
    row = [a.text, difference, "; ".join(why)]
    if resolved:
        row.insert(2, _range(resolved[a.label]) if a.label in resolved else "")
    return row


def _more(ticks: int) -> str:
    return f"{'+' if ticks >= 0 else ''}{duration(seconds(ticks))}"


def _range(found: Resolved) -> str:
    if found.least is None or found.most is None:
        return "no plan"
    if found.least == found.most:
        return _more(found.most)
    return f"{_more(found.least)} … {_more(found.most)}"


def _show_what_if(problem: Problem, found: WhatIf) -> None:
    print(_plan_line(problem, found.before))
    for number, allowed in found.pinned.items():
        variable = problem.variables[number]
        ways = [variable.labels[x].text for x in sorted(allowed)]
        more = f" (one of {len(ways)})" if len(ways) > 1 else ""
        print(f"with {variable.name} = {ways[0]}{more}")
    after, before = found.after, found.before
    share = (after.cost - before.cost) / max(1, before.cost)
    print(
        f"cost {duration(seconds(before.cost))} -> {duration(seconds(after.cost))} "
        f"({_more(after.cost - before.cost)}, {share:+.2%}), {promise(after)}; "
        f"searched in {found.seconds:.2f} s"
    )
    if after.gap:
        low, high = after.lower_bound - before.cost, after.cost - before.cost
        print(f"the cheapest such plan costs {_more(low)} … {_more(high)}")
    tensors = sum(c.kind != "op" for c in found.changes)
    ops = len(found.changes) - tensors
    print(f"changed: {console.count(tensors, 'tensor')}, {console.count(ops, 'op')}")
    rows = [(c.name, c.kind, c.before, c.after) for c in found.changes[:_SHOWN_CHANGES]]
    if rows:
        columns = ("what", "kind", "before", "after")
        console.stdout().print(console.table("", columns, rows))
    if len(found.changes) > _SHOWN_CHANGES:
        print(f"{len(found.changes) - _SHOWN_CHANGES} more: --json lists all")
