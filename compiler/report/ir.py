"""The IR that an artifact keeps: source, plan, partitioned; cut where the page would grow."""

from __future__ import annotations

from distc.compiler.report.markup import Markup, escape, join, note, tag
from distc.runtime.artifact import Artifact

MEMBERS = {
    "source.mlir": "what the front end made",
    "plan.mlir": "with the sharding of every value, and conversions as collectives",
    "partitioned.mlir": "the program of one rank, plain StableHLO",
}
_LONGEST_LINE = 600


def ir(artifact: Artifact, budget: int) -> Markup:
    """Return the section.

    Args:
        artifact: what holds the texts.
        budget: bytes of the page that are left for them all.
    """
    present = [m for m in MEMBERS if artifact.has(m)]
    parts = [note("distc compile --dump-ir DIR writes the module after every pass.")]
    for done, member in enumerate(present):
        each = budget // (len(present) - done)
        shown = _text(artifact.read_text(member), max(0, each))
        budget -= len(shown.encode())
        head = tag("summary", join((tag("code", member), f" — {MEMBERS[member]}")))
        parts.append(tag("details", join((head, tag("pre", shown)))))
    return join(parts, "\n")


def _text(text: str, budget: int) -> Markup:
    """As many whole lines as fit; very long ones (constants) are cut."""
    lines, used = [], 0
    every = text.splitlines()
    for line in every:
        cut = line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} … cut"
        shown = escape(cut)
        used += len(shown.encode()) + 1
        if used > budget:
            break
        lines.append(shown)
    left = len(every) - len(lines)
    if left:
        lines.append(escape(f"… {left} more lines of {len(every)}: the artifact has them"))
    return join(lines, "\n")
