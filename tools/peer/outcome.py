"""How test programs went, and the table of it. No torch is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How one program went.

    `refused` is a located error of distc, `outside` a program beyond what distc promises (dynamic
    shapes, queues and channels, replicas of partitions), `crash` a process that died.
    """

    OK = "ok"
    WRONG = "wrong"
    REFUSED = "refused"
    ERROR = "error"
    SLOW = "slow"
    CRASH = "crash"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one program went."""

    name: str
    family: str
    status: Status
    detail: str = ""

    def as_row(self) -> list[str]:
        """The outcome as JSON."""
        return [self.name, self.family, str(self.status), self.detail]

    @classmethod
    def from_row(cls, row: Sequence[str]) -> Outcome:
        """The outcome that `as_row` wrote."""
        name, family, status, detail = row
        return cls(name, family, Status(status), detail)


def table(outcomes: Sequence[Outcome]) -> str:
    """One line per family: how many of each status."""
    statuses = [s for s in Status if any(o.status is s for o in outcomes)]
    families = sorted({o.family for o in outcomes})
    counts = Counter((o.family, o.status) for o in outcomes)
    width = max((len(f) for f in (*families, "family")), default=6)
    lines = [f"{'family':{width}} " + " ".join(f"{s:>8}" for s in statuses)]
    for family in families:
        cells = (f"{counts[family, s] or '':>8}" for s in statuses)
        lines.append(f"{family:{width}} " + " ".join(cells))
    totals = Counter(o.status for o in outcomes)
    lines.append(f"{'all':{width}} " + " ".join(f"{totals[s]:>8}" for s in statuses))
    return "\n".join(lines)


def failures(outcomes: Sequence[Outcome]) -> list[str]:
    """One line per program that is neither right nor outside."""
    return [
        f"{o.status:8} {o.name}: {o.detail}"
        for o in outcomes
        if o.status not in (Status.OK, Status.OUTSIDE)
    ]


def summary(outcomes: Sequence[Outcome]) -> str:
    """Files that agree, the mean over families, crashes; programs outside are not counted."""
    inside = [o for o in outcomes if o.status is not Status.OUTSIDE]
    passed = Counter(o.family for o in inside if o.status is Status.OK)
    total = Counter(o.family for o in inside)
    mean = 100 * sum(passed[f] / total[f] for f in total) / max(len(total), 1)
    crashes = sum(o.status is Status.CRASH for o in inside)
    return (
        f"conformance: {sum(passed.values())}/{len(inside)} files, {mean:.1f} % over "
        f"{len(total)} families, {crashes} crashes"
    )
