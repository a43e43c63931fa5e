"""The head of the page: mesh, cost and what is proved of it, bytes of ranks, versions."""

from __future__ import annotations

from collections.abc import Sequence

from distc.compiler import certificate, inspection
from distc.compiler.explain.summary import Entry, promise, work_seconds
from distc.compiler.report.liveness import liveness
from distc.compiler.report.markup import Cell, Markup, join, note, table, tag
from distc.compiler.units import duration, size
from distc.runtime.artifact import Artifact
from distc.solver.search.network import seconds


def summary(artifact: Artifact, entries: Sequence[Entry]) -> Markup:
    """Return the section."""
    return join((_facts(artifact, entries), _entries(artifact, entries), _state(artifact)), "\n")


def _facts(artifact: Artifact, entries: Sequence[Entry]) -> Markup:
    manifest, first = artifact.manifest, entries[0]
    facts: list[tuple[str, object]] = [("mesh", f"{manifest.mesh_text} ({manifest.ranks} ranks)")]
    if first.problem is not None:
        found = first.problem.solution
        work = work_seconds(first.problem)
        cost = seconds(found.cost)
        facts += [
            (f"cost of {first.name}", f"{duration(cost)} on {first.hardware.name}"),
            ("proved of it", promise(found)),
            ("of that", f"work {duration(work)}, conversions {duration(cost - work)}"),
        ]
    else:
        facts.append(("plan", "follows pins, not searched"))
    if artifact.has(certificate.MEMBER):
        proved = certificate.proved(artifact.read_text(certificate.MEMBER))
        facts.append(("program", "proved" if proved else "checked, not proved"))
    cards = (tag("div", join((tag("dt", k), tag("dd", v)))) for k, v in facts)
    versions = ", ".join(f"{k} {v}" for k, v in sorted(manifest.versions.items()))
    return join((tag("dl", join(cards), class_="facts"), note(f"Made with {versions}.")))


def _entries(artifact: Artifact, entries: Sequence[Entry]) -> Markup:
    rows = []
    for entry in entries:
        record, program = artifact.manifest.entry(entry.name), artifact.program(entry.name)
        held = inspection.weight_bytes(record, artifact.manifest.ranks)
        sent = sum(c.wire_bytes for c in entry.collectives)
        peak = liveness(program).peak
        calls = inspection.call_count(program)
        rows.append(
            (
                Cell(entry.name, code=True),
                Cell(record.count, record.count),
                Cell(calls, calls),
                Cell(len(entry.collectives), len(entry.collectives)),
                Cell(size(sent), sent),
                Cell(f"{size(held.largest)} of {size(held.whole)}", held.largest),
                Cell(size(peak), peak),
            )
        )
    columns = (
        "entry point",
        "times a step",
        "calls",
        "collectives",
        "a rank sends",
        "weights of the largest rank",
        "most at once",
    )
    return table(columns, rows)


def _state(artifact: Artifact) -> Markup:
    rows = [
        (kind, Cell(size(held.whole), held.whole), Cell(size(held.largest), held.largest))
        for kind, held in inspection.state_bytes(artifact.manifest).items()
    ]
    if not rows:
        return Markup("")
    title = tag("h4", "Kept between calls")
    return join((title, table(("kind", "in all", "largest rank"), rows)))
