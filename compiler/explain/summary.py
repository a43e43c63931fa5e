"""A plan in short: its cost and bound, what costs most, and every collective with its cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from distc.compiler.explain.alternatives import shares
from distc.compiler.explain.collectives import Collective, Place, collectives
from distc.compiler.problem import read_problem
from distc.runtime.artifact import Artifact
from distc.solver.hardware import DEFAULT, Hardware, load_hardware
from distc.solver.problem import Problem
from distc.solver.search.network import seconds
from distc.solver.search.solution import Solution
from distc.transforms.plan.layers import any_layer


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point of an artifact: its search, if there was one, and what it sends.

    Attributes:
        name: of the entry point.
        problem: what was searched, None where the plan follows pins alone.
        hardware: the machine that prices everything shown.
        collectives: of the rank program, in order.
    """

    name: str
    problem: Problem | None
    hardware: Hardware
    collectives: tuple[Collective, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """What a variable adds to the cost of the plan, in ticks."""

    number: int
    work: int
    conversions: int

    @property
    def total(self) -> int:
        """Both."""
        return self.work + self.conversions


@dataclass(frozen=True, slots=True)
class Alike:
    """Variables of equal layers that were given the same.

    Attributes:
        name: of all of them, `*` for the number of the layer.
        chosen: what they were given.
        source: line of the first.
        count, work, conversions: of all together; ticks.
    """

    name: str
    chosen: str
    source: str
    count: int
    work: int
    conversions: int


@dataclass(frozen=True, slots=True)
class AlikeCollectives:
    """Collectives of equal layers: the first of them, how many, and their seconds together."""

    first: Collective
    made: str
    wanted: str
    count: int
    seconds: float


def read_entry(artifact: Artifact, name: str, hardware: str | None = None) -> Entry:
    """Read an entry point.

    Args:
        artifact: an open artifact.
        name: of the entry point.
        hardware: a machine for plans that were not searched; searched ones name their own.

    Raises:
        ArtifactError: no such entry point, or a damaged member.
    """
    results = [r.updates or r.name for r in artifact.manifest.entry(name).results]
    problem = read_problem(artifact, name)
    machine = load_hardware(hardware or DEFAULT) if problem is None else problem.hardware
    found = collectives(artifact.program(name), artifact.manifest.mesh, results)
    return Entry(name, problem, machine, found)


def costliest(problem: Problem) -> list[Share]:
    """All variables that cost something, dearest first."""
    labels = problem.solution.labels
    found = []
    for number, total in enumerate(shares(problem).tolist()):
        work = int(problem.variables[number].work[labels[number]])
        found.append(Share(number, work, total - work))
    return sorted((s for s in found if s.total), key=lambda s: (-s.total, s.number))


def costliest_alike(problem: Problem) -> list[Alike]:
    """What costs something, equal layers together, dearest first."""
    found: dict[tuple[str, str], list[Share]] = {}
    for share in costliest(problem):
        variable = problem.variables[share.number]
        label = variable.labels[problem.solution.labels[share.number]]
        path, colon, op = variable.name.partition(":")
        key = (f"{any_layer(path)}{colon}{op}", label.results[0] if label.results else label.text)
        found.setdefault(key, []).append(share)
    rows = [
        Alike(
            name if len(shares) > 1 else problem.variables[shares[0].number].name,
            chosen,
            problem.variables[shares[0].number].source,
            len(shares),
            sum(s.work for s in shares),
            sum(s.conversions for s in shares),
        )
        for (name, chosen), shares in found.items()
    ]
    return sorted(rows, key=lambda r: -(r.work + r.conversions))


def slowest_alike(found: Sequence[Collective], hardware: Hardware) -> list[AlikeCollectives]:
    """Collectives, those of equal layers together, slowest first."""
    groups: dict[tuple[object, ...], list[Collective]] = {}
    for c in found:
        places = [(p.source, any_layer(p.module)) for p in (c.made, c.wanted)]
        groups.setdefault((c.kind, c.axes, c.dtype, c.shape, *places), []).append(c)
    rows = []
    for alike in groups.values():
        made, wanted = alike[0].made, alike[0].wanted
        if len(alike) > 1:
            made, wanted = (Place(p.source, any_layer(p.module)) for p in (made, wanted))
        seconds_ = sum(c.seconds(hardware) for c in alike)
        rows.append(AlikeCollectives(alike[0], made.text, wanted.text, len(alike), seconds_))
    return sorted(rows, key=lambda r: -r.seconds)


def promise(solution: Solution) -> str:
    """What is proved about a plan."""
    if not solution.gap:
        return "no plan is cheaper"
    return f"within {solution.gap:.2%} of the cheapest"


def work_seconds(problem: Problem) -> float:
    """Seconds of all ops; the rest of the cost is conversions."""
    rows = zip(problem.variables, problem.solution.labels, strict=True)
    return seconds(sum(int(v.work[x]) for v, x in rows))
