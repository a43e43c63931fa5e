"""What differs between two artifacts: shardings, cost, collectives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from distc.compiler.explain.collectives import collectives
from distc.compiler.problem import read_problem
from distc.runtime.artifact import Artifact
from distc.runtime.errors import UsageError
from distc.runtime.manifest import EntryPoint
from distc.solver.problem import ARGUMENT, Problem
from distc.solver.search.network import seconds


@dataclass(frozen=True, slots=True)
class Difference:
    """A tensor or an op that is not the same; "" where one of the two has none of that name."""

    name: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Collectives of one kind: how many, and how many bytes a rank sends."""

    count: int = 0
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Differences:
    """Two entry points of one name.

    Attributes:
        entry: its name.
        tensors: arguments and results that lie differently.
        ops: ops that run differently; None where one of the plans was not searched.
        seconds: what the cost model says of both; None where they cannot be compared.
        why_no_seconds: why, "" where they can.
        sent: kind of collective → before, after.
    """

    entry: str
    tensors: tuple[Difference, ...]
    ops: tuple[Difference, ...] | None
    seconds: tuple[float, float] | None
    why_no_seconds: str
    sent: Mapping[str, tuple[Sent, Sent]]

    @property
    def equal(self) -> bool:
        """True where nothing differs."""
        is_sent = all(a == b for a, b in self.sent.values())
        return not self.tensors and not self.ops and is_sent


def differences(before: Artifact, after: Artifact) -> tuple[Differences, ...]:
    """Compare the entry points that both artifacts have.

    Raises:
        UsageError: they have none in common.
    """
    names = [e.name for e in before.manifest.entries]
    common = [n for n in names if any(e.name == n for e in after.manifest.entries)]
    if not common:
        others = ", ".join(e.name for e in after.manifest.entries)
        raise UsageError(
            f"no entry point is in both artifacts: {', '.join(names)} and {others}",
            help="compare two plans of one program",
        )
    return tuple(_compare(name, before, after) for name in common)


def _compare(name: str, before: Artifact, after: Artifact) -> Differences:
    problems = read_problem(before, name), read_problem(after, name)
    costs, why = _seconds(*problems)
    return Differences(
        entry=name,
        tensors=_different(
            _tensors(before.manifest.entry(name)), _tensors(after.manifest.entry(name))
        ),
        ops=_ops(*problems),
        seconds=costs,
        why_no_seconds=why,
        sent=_sent(before, after, name),
    )


def _tensors(entry: EntryPoint) -> dict[str, tuple[str, str]]:
    """Name → (kind, how it lies); results after arguments, told apart by their kind."""
    found = {a.name: (a.kind, a.sharding) for a in entry.arguments}
    for number, result in enumerate(entry.results):
        name = f"result {result.name or number}"
        found[name] = ("output", result.sharding)
    return found


def _ops(before: Problem | None, after: Problem | None) -> tuple[Difference, ...] | None:
    if before is None or after is None:
        return None
    return _different(_chosen(before), _chosen(after))


def _chosen(problem: Problem) -> dict[str, tuple[str, str]]:
    rows = zip(problem.variables, problem.solution.labels, strict=True)
    return {v.name: (v.op, v.labels[x].text) for v, x in rows if v.op != ARGUMENT}


def _different(
    before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]
) -> tuple[Difference, ...]:
    nothing = ("", "")
    found = []
    for name in dict.fromkeys((*before, *after)):
        (kind, a), (other, b) = before.get(name, nothing), after.get(name, nothing)
        if a != b:
            found.append(Difference(name, kind or other, a, b))
    return tuple(found)


def _seconds(
    before: Problem | None, after: Problem | None
) -> tuple[tuple[float, float] | None, str]:
    if before is None or after is None:
        which = [n for n, p in (("first", before), ("second", after)) if p is None]
        return None, f"the {' and the '.join(which)} plan was not searched, so it has no price"
    one, other = before.hardware.name, after.hardware.name
    if one != other:
        return None, f"they are priced on different machines, {one} and {other}"
    return (seconds(before.solution.cost), seconds(after.solution.cost)), ""


def _sent(before: Artifact, after: Artifact, name: str) -> dict[str, tuple[Sent, Sent]]:
    one, other = _totals(before, name), _totals(after, name)
    return {k: (one.get(k, Sent()), other.get(k, Sent())) for k in sorted({*one, *other})}


def _totals(artifact: Artifact, name: str) -> dict[str, Sent]:
    counts: Counter[str] = Counter()
    wire: Counter[str] = Counter()
    for found in collectives(artifact.program(name), artifact.manifest.mesh):
        counts[found.kind] += 1
        wire[found.kind] += round(found.wire_bytes)
    return {kind: Sent(counts[kind], wire[kind]) for kind in counts}
