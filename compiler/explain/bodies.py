"""What `distc explain --json` and `distc diff --json` print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from distc.compiler.explain.alternatives import Explained, Resolved
from distc.compiler.explain.collectives import Collective
from distc.compiler.explain.differences import Differences
from distc.compiler.explain.summary import Entry, costliest, work_seconds
from distc.compiler.explain.what_if import WhatIf
from distc.solver.hardware import Hardware
from distc.solver.problem import Problem
from distc.solver.search.network import seconds
from distc.solver.search.solution import Solution


def summary(entry: Entry) -> dict[str, Any]:
    """A plan in short; costs of all variables, all collectives in order."""
    problem = entry.problem
    return {
        "entry": entry.name,
        "hardware": entry.hardware.name,
        "plan": None if problem is None else _plan(problem),
        "costs": [] if problem is None else _costs(problem),
        "collectives": [_collective(c, entry.hardware) for c in entry.collectives],
    }


def _plan(problem: Problem) -> dict[str, Any]:
    return {**_solution(problem.solution), "work_seconds": work_seconds(problem)}


def _solution(solution: Solution) -> dict[str, Any]:
    return {
        "status": str(solution.status),
        "seconds": seconds(solution.cost),
        "lower_bound_seconds": seconds(solution.lower_bound),
        "gap": solution.gap,
    }


def _costs(problem: Problem) -> list[dict[str, Any]]:
    rows = []
    for share in costliest(problem):
        variable = problem.variables[share.number]
        rows.append(
            {
                "name": variable.name,
                "kind": variable.kind,
                "op": variable.op,
                "chosen": variable.labels[problem.solution.labels[share.number]].text,
                "work_seconds": seconds(share.work),
                "conversion_seconds": seconds(share.conversions),
                "source": variable.source,
            }
        )
    return rows


def _collective(found: Collective, hardware: Hardware) -> dict[str, Any]:
    return {
        "call": found.number,
        "kind": str(found.kind),
        "axes": found.axes,
        "ranks": found.ranks,
        "dtype": found.dtype,
        "shape": list(found.shape),
        "bytes": found.bytes_,
        "wire_bytes": found.wire_bytes,
        "seconds": found.seconds(hardware),
        "made": asdict(found.made),
        "wanted": asdict(found.wanted),
        "nested": found.nested,
    }


def variable(explained: Explained, resolved: Mapping[int, Resolved]) -> dict[str, Any]:
    """One variable: chosen, costs, alternatives."""
    found = explained.variable
    return {
        "name": found.name,
        "kind": found.kind,
        "op": found.op,
        "module": found.module,
        "source": found.source,
        "shapes": [list(s) for s in found.shapes],
        "dtype": found.dtype,
        "chosen": explained.chosen,
        "fixed": str(found.fixed),
        "work_seconds": seconds(explained.work),
        "conversions": [
            {
                "other": m.other,
                "operand": m.operand,
                "incoming": m.incoming,
                "before": m.before,
                "after": m.after,
                "seconds": seconds(m.ticks),
            }
            for m in explained.moves
        ],
        "alternatives": [
            {
                "text": a.text,
                "others_held_seconds": None if a.verdict == "forbidden" else seconds(a.difference),
                "verdict": str(a.verdict),
                "dominated": a.dominated,
                "because": a.because,
                **_resolved(resolved.get(a.label)),
            }
            for a in explained.alternatives
        ],
    }


def _resolved(found: Resolved | None) -> dict[str, Any]:
    if found is None:
        return {}
    ends = (found.least, found.most)
    return {"searched_seconds": [None if t is None else seconds(t) for t in ends]}


def what_if(problem: Problem, found: WhatIf) -> dict[str, Any]:
    """Two plans, and what differs."""
    return {
        "entry": problem.entry,
        "hardware": problem.hardware.name,
        "pinned": {
            problem.variables[n].name: [problem.variables[n].labels[x].text for x in sorted(a)]
            for n, a in found.pinned.items()
        },
        "before": _solution(found.before),
        "after": _solution(found.after),
        "changes": [asdict(c) for c in found.changes],
        "search_seconds": found.seconds,
    }


def differences(found: Differences) -> dict[str, Any]:
    """One entry point of two artifacts."""
    return {
        "entry": found.entry,
        "equal": found.equal,
        "tensors": [asdict(d) for d in found.tensors],
        "ops": None if found.ops is None else [asdict(d) for d in found.ops],
        "seconds": None if found.seconds is None else list(found.seconds),
        "why_no_seconds": found.why_no_seconds,
        "collectives": {
            kind: {"before": asdict(a), "after": asdict(b)} for kind, (a, b) in found.sent.items()
        },
    }
