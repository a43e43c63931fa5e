"""Which variables of a problem does a user mean?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.runtime.errors import UsageError
from distc.solver.problem import ARGUMENT, Problem, Variable

_NEAR = 5
_LISTED = 40


def matching(problem: Problem, pattern: str, *, modules: bool = True) -> list[int]:
    """Return the variables that a glob matches; a name that is written out is itself alone.

    Args:
        problem: what was searched.
        pattern: of names.
        modules: also of module paths and of ops.

    Raises:
        UsageError: there is none; the help lists near names.
    """
    names = [v.name for v in problem.variables]
    if pattern in names:
        return [names.index(pattern)]
    found = [i for i, v in enumerate(problem.variables) if _matches(v, pattern, modules)]
    if found:
        return found
    near = get_close_matches(pattern, names, _NEAR, 0.4)
    raise UsageError(
        f"nothing in entry point {problem.entry!r} is called {pattern!r}",
        help=f"near it: {', '.join(near)}" if near else "distc explain ARTIFACT '*' lists all",
    )


def _matches(variable: Variable, pattern: str, modules: bool) -> bool:
    texts = (variable.name, variable.module, variable.op) if modules else (variable.name,)
    return any(fnmatchcase(text, pattern) for text in texts if text)


def labels_of(variable: Variable, text: str, mesh: Mesh) -> frozenset[int]:
    """Return the labels that a text means.

    A sharding alone means the way an argument lies, or how an op leaves its first result; all
    labels that do so are meant. `[…], […] -> […]` means one label of an op.

    Raises:
        UsageError: the variable cannot take it; the help lists what it can.
        IllegalSharding: the text is no sharding.
    """
    found = _by_label(variable, text) if "->" in text else _by_result(variable, text, mesh)
    if found:
        return found
    ways = dict.fromkeys(_shown(variable, "->" in text))
    shown = "; ".join(list(ways)[:_LISTED])
    more = f"; and {len(ways) - _LISTED} more" if len(ways) > _LISTED else ""
    because = f" (it is {variable.fixed})" if variable.fixed else ""
    raise UsageError(
        f"{variable.name} cannot be {text}{because}", help=f"it can be one of: {shown}{more}"
    )


def _by_label(variable: Variable, text: str) -> frozenset[int]:
    wanted = _bare(text)
    return frozenset(i for i, x in enumerate(variable.labels) if _bare(x.text) == wanted)


def _by_result(variable: Variable, text: str, mesh: Mesh) -> frozenset[int]:
    sharding = parse_sharding(text, mesh)
    if not variable.shapes or sharding.rank != len(variable.shapes[0]):
        return frozenset()
    wanted = str(sharding.normalize(variable.shapes[0]))
    return frozenset(
        i for i, x in enumerate(variable.labels) if x.results and x.results[0] == wanted
    )


def _shown(variable: Variable, whole: bool) -> Sequence[str]:
    if whole or variable.op == ARGUMENT:
        return [x.text for x in variable.labels]
    return [x.results[0] for x in variable.labels if x.results]


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)
