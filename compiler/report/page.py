"""The page: sections in order, style and script inline, small enough to mail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template

from distc.compiler.explain.summary import Entry, read_entry
from distc.compiler.report.communication import communication
from distc.compiler.report.cost import cost
from distc.compiler.report.ir import ir
from distc.compiler.report.markup import Markup, escape, join, tag
from distc.compiler.report.memory import memory
from distc.compiler.report.plan import plan
from distc.compiler.report.summary import summary
from distc.runtime.artifact import Artifact

FOLDER = Path(__file__).parent
MAX_BYTES = 2_000_000
"""Size of a page; IR takes what the other sections leave."""

_PLAN_BYTES, _CAUSE_BYTES = 900_000, 300_000
"""What the rows of the plan and of the causes of collectives may take."""

_SPARE = 20_000


def build_report(artifact: Artifact, hardware: str | None = None) -> str:
    """Return the page of an artifact: HTML with everything inline, less than `MAX_BYTES`.

    Args:
        artifact: an open artifact.
        hardware: a machine that prices collectives of plans that were not searched.

    Raises:
        ArtifactError: a member is damaged.
    """
    manifest = artifact.manifest
    entries = [read_entry(artifact, e.name, hardware) for e in manifest.entries]
    rows, causes = _PLAN_BYTES // len(entries), _CAUSE_BYTES // len(entries)
    plans = _each(entries, lambda e: plan(e, manifest.entry(e.name), rows))
    memories = _each(entries, lambda e: memory(artifact.program(e.name)))
    sent = _each(entries, lambda e: communication(e, manifest.ranks, causes))
    sections = [
        _section("summary", "Summary", summary(artifact, entries)),
        _section("plan", "Plan", plans),
        _section("memory", "Memory over time", memories),
        _section("communication", "Communication", sent),
        _section("cost", "Cost by class of op", _each(entries, cost)),
    ]
    used = sum(len(s.encode()) for s in sections)
    sections.append(_section("ir", "IR", ir(artifact, MAX_BYTES - used - _SPARE)))
    return _filled(artifact.path.name, sections)


def _section(name: str, title: str, body: Markup) -> Markup:
    return tag("section", join((tag("h2", title), body), "\n"), id=name)


def _each(entries: Sequence[Entry], section: Callable[[Entry], Markup]) -> Markup:
    """A part per entry point; named where there are several."""
    if len(entries) == 1:
        return section(entries[0])
    parts = ((tag("h3", join(("entry point ", tag("code", e.name)))), section(e)) for e in entries)
    return join((piece for part in parts for piece in part), "\n")


def _filled(title: str, sections: Sequence[Markup]) -> str:
    read = {
        name: (FOLDER / f"page.{name}").read_text(encoding="utf-8")
        for name in ("html", "css", "js")
    }
    return Template(read["html"]).substitute(
        title=escape(title), style=read["css"], script=read["js"], sections=join(sections, "\n")
    )
