"""What would a plan cost, and what would change, with some shardings given?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from distc.compiler.explain.matching import labels_of, matching
from distc.dialect.mesh import Mesh
from distc.runtime.errors import Infeasible, UsageError
from distc.solver.problem import Problem
from distc.solver.search.again import solve_again
from distc.solver.search.solution import Solution


@dataclass(frozen=True, slots=True)
class Change:
    """A variable that the new plan gives something else.

    Attributes:
        name, kind: of the variable.
        before, after: its label as text.
    """

    name: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A plan with pins beside the plan without.

    Attributes:
        pinned: variable → its allowed labels, by number.
        before, after: what was found without and with them.
        changes: what differs, arguments before ops.
        seconds: what the search took.
    """

    pinned: Mapping[int, frozenset[int]]
    before: Solution
    after: Solution
    changes: tuple[Change, ...]
    seconds: float


def pins(problem: Problem, texts: Sequence[str], mesh: Mesh) -> dict[int, frozenset[int]]:
    """Return variable → labels of texts like `h.0.attn.weight=[R, S(tensor)]`; globs are fine.

    Raises:
        UsageError: not NAME=SHARDING, an unknown name, or a sharding that it cannot have.
        IllegalSharding: not a sharding.
    """
    found: dict[int, frozenset[int]] = {}
    for text in texts:
        name, equals, sharding = text.partition("=")
        if not equals or not sharding.strip():
            raise UsageError(
                f"--what-if {text!r} is not NAME=SHARDING",
                help="write --what-if 'h.0.attn.weight=[R, S(tensor)]'",
            )
        for number in matching(problem, name.strip(), modules=False):
            wanted = labels_of(problem.variables[number], sharding.strip(), mesh)
            found[number] = found.get(number, wanted) & wanted
            if not found[number]:
                name = problem.variables[number].name
                raise UsageError(
                    f"--what-if gives {name} two different shardings", help="keep one of them"
                )
    return found


def what_if(problem: Problem, pinned: Mapping[int, frozenset[int]], budget: float | None) -> WhatIf:
    """Search again with pins.

    Args:
        problem: what was searched.
        pinned: variable → the labels it may take.
        budget: seconds after which the search ends with what it has; None: it goes to its end.

    Raises:
        Infeasible: no plan keeps to the pins.
    """
    started = time.monotonic()
    before = problem.solution
    near = list(before.labels)
    for number, allowed in pinned.items():
        if near[number] not in allowed:
            near[number] = min(allowed)
    after = solve_again(
        problem.restricted(pinned),
        problem.limit,
        [tuple(near)],
        bound=before.lower_bound,
        stop=lambda: budget is not None and time.monotonic() - started > budget,
    )
    if not after.labels:
        raise Infeasible(
            f"no plan of {problem.entry} keeps to these pins", help="take them out one by one"
        )
    return WhatIf(pinned, before, after, _changes(problem, after), time.monotonic() - started)


def _changes(problem: Problem, after: Solution) -> tuple[Change, ...]:
    rows = zip(problem.variables, problem.solution.labels, after.labels, strict=True)
    found = [
        Change(v.name, v.kind, v.labels[a].text, v.labels[b].text) for v, a, b in rows if a != b
    ]
    return tuple(sorted(found, key=lambda c: c.kind == "op"))
