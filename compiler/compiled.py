"""A compiled program: what it holds, and how it is written and reported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from distc.compiler import certificate, inspection
from distc.compiler.reproducer import versions
from distc.compiler.timing import Timings
from distc.compiler.weights import WeightSource
from distc.dialect.mesh import Mesh
from distc.runtime import artifact as artifacts
from distc.runtime.manifest import EntryPoint, Manifest
from distc.runtime.program import Program
from distc.solver.byte_size import show_bytes
from distc.solver.search.network import seconds
from distc.solver.search.solution import Status
from distc.transforms.search_plan import FoundPlan

_LISTED = 10


@dataclass(frozen=True, slots=True)
class Replicated:
    """An op that runs on whole values on every rank because it has no sharding rule."""

    op: str
    where: str


@dataclass(frozen=True)
class Compiled:
    """A compiled program, not written yet.

    Attributes:
        mesh: the ranks.
        entries: the record of each entry point.
        programs: the rank program of each entry point.
        members: the members of the artifact but the manifest.
        weights: where the weights lie.
        replicated: ops without a rule.
        plans: what a search found for each entry point, empty where none was made.
        hardware: the machine that priced it.
        verified: whether `verify-partitioned` has passed.
        timings: what each stage took.
        notices: what the front end left out, one sentence each.
    """

    mesh: Mesh
    entries: tuple[EntryPoint, ...]
    programs: Mapping[str, Program]
    members: Mapping[str, artifacts.Content]
    weights: WeightSource
    replicated: tuple[Replicated, ...]
    verified: bool
    timings: Timings
    notices: tuple[str, ...] = ()
    plans: tuple[FoundPlan, ...] = ()
    hardware: str | None = None

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the artifact whole or not at all, a zip where `path` ends in `.zip`.

        Raises:
            UsageError: something that is no artifact is in the way.
        """
        where_ = Path(path)
        manifest = Manifest(
            mesh=tuple((a.name, a.size, str(a.link)) for a in self.mesh.axes),
            entries=self.entries,
            versions=versions(),
            weights=self.weights.record(where_.resolve().parent),
        )
        with self.timings.measure("package"):
            artifacts.write(where_, self.members, manifest)
        return where_

    def report(self) -> dict[str, object]:
        """Return what `distc compile --json` prints."""
        return {
            "mesh": str(self.mesh),
            "ranks": self.mesh.size,
            "proved": False,
            "verify-partitioned": "passed" if self.verified else "not run",
            "replicated": [{"op": r.op, "where": r.where} for r in self.replicated],
            "plans": [_plan(p) for p in self.plans],
            "entries": [self._entry(e) for e in self.entries],
            "timing": [
                {"stage": s.name, "seconds": round(s.seconds, 4), "peak_mib": round(s.peak_mib, 1)}
                for s in self.timings.stages
            ],
        }

    def _entry(self, entry: EntryPoint) -> dict[str, object]:
        held = inspection.weight_bytes(entry, self.mesh.size)
        program = self.programs[entry.name]
        return {
            "name": entry.name,
            "calls": inspection.call_count(program),
            "collectives": inspection.collective_counts(program),
            "weight_bytes": held.whole,
            "largest_rank_bytes": held.largest,
        }

    def report_lines(self) -> list[str]:
        """Return what `distc compile` prints."""
        lines = []
        for entry in self.entries:
            held = inspection.weight_bytes(entry, self.mesh.size)
            counts = inspection.collective_counts(self.programs[entry.name])
            shown = ", ".join(f"{n} {name}" for name, n in counts.items()) or "no collectives"
            lines.append(
                f"{entry.name} on {self.mesh}: {shown}; the largest rank holds {held.largest} of "
                f"{held.whole} weight bytes"
            )
        lines += [_plan_line(p, self.hardware or "") for p in self.plans]
        kinds = sorted({r.op for r in self.replicated})
        number = len(self.replicated)
        detail = f" ({', '.join(kinds)})" if kinds else ""
        what = "op" if number == 1 else "ops"
        lines += [f"note: {n}" for n in self.notices]
        lines.append(f"{number} {what} replicated for lack of a rule{detail}")
        lines += [f"  {r.op} at {r.where}" for r in self.replicated[:_LISTED]]
        lines.append(certificate.NOT_PROVED if self.verified else "this plan is not checked")
        return lines


def _plan(plan: FoundPlan) -> dict[str, object]:
    found = plan.solution
    return {
        "entry": plan.entry,
        "solver": str(plan.method),
        "status": str(found.status),
        "seconds": seconds(found.cost),
        "lower_bound_seconds": seconds(found.lower_bound),
        "gap": found.gap,
        "peak_bytes": plan.peak_bytes,
        "limit_bytes": plan.limit_bytes,
    }


def _plan_line(plan: FoundPlan, hardware: str) -> str:
    found = plan.solution
    proved = (
        "no plan is cheaper"
        if found.status is Status.OPTIMAL
        else f"not proved: within {found.gap:.2%} of the cheapest"
    )
    cost = f"{seconds(found.cost):.3g} s by the cost model on {hardware}"
    memory = f"{show_bytes(plan.peak_bytes)} of {show_bytes(plan.limit_bytes)} on a rank"
    return f"plan of {plan.entry}: {cost}, {memory}, {proved}"
