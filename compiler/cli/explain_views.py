"""What `distc explain` prints for people."""

from __future__ import annotations

from collections.abc import Sequence

from distc.compiler.cli import console
from distc.compiler.explain import bodies
from distc.compiler.explain.alternatives import Alternative, Explained, Explainer, Resolved
from distc.compiler.explain.matching import matching
from distc.compiler.explain.summary import (
    Entry,
    costliest_alike,
    promise,
    slowest_alike,
    work_seconds,
)
from distc.compiler.explain.what_if import WhatIf
from distc.compiler.units import duration, size, tensor
from distc.solver.problem import ARGUMENT, Problem
from distc.solver.search.network import seconds
from distc.solver.search.solution import Solution

_SHOWN_VARIABLES = 40
_SHOWN_CHANGES = 60


def _plan_line(problem: Problem, solution: Solution) -> str:
    cost = duration(seconds(solution.cost))
    return f"plan of {problem.entry}: {cost} on {problem.hardware.name}, {promise(solution)}"


def show_summary(read: Entry, top: int, others: Sequence[str]) -> None:
    """Print a plan in short; `top` rows of a table, 0 for all."""
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


def show_variables(problem: Problem, pattern: str, resolve: bool, top: int, as_json: bool) -> None:
    """Print what a pattern matches: chosen, costs, alternatives and why not."""
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
        found[alternative.label] = explainer.resolved(number, alternative.label)
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
        "pinned": ": it is pinned, by a constraint or by an entry point before",
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


def show_what_if(problem: Problem, found: WhatIf, others: Sequence[str]) -> None:
    """Print two plans beside each other."""
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
    if others:
        print(f"\nnot searched again: {', '.join(others)}")
