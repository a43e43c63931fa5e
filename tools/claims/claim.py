"""A reported figure beside what the cost model says, and the one rule that judges all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RULE = """\
A gain is *within* where the prediction has its sign and half to twice its size; where the reports
leave the setting open, some setting of those listed must be. Statements without a number are within
where they hold."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one machine and pricing says: text, and whether the rule is met."""

    text: str
    is_within: bool

    def __str__(self) -> str:
        return f"{self.text}: {'within' if self.is_within else 'missed'}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of the page."""

    what: str
    reported: str
    source: str
    predicted: tuple[Prediction, ...]


def gain(reported: float, predicted: Sequence[float]) -> Prediction:
    """Judge relative gains (0.487 for +48.7 %), one per setting."""
    return Prediction(span(predicted), any(close(reported, value) for value in predicted))


def span(gains: Sequence[float]) -> str:
    """The smallest and the largest, once where they read the same."""
    low, high = (f"{round(g, 3) + 0.0:+.1%}" for g in (min(gains), max(gains)))
    return low if low == high else f"{low} … {high}"


def close(reported: float, predicted: float) -> bool:
    """The same sign, and a factor of two at most."""
    return predicted * reported > 0 and 0.5 <= predicted / reported <= 2


def row(claim: Claim) -> str:
    """A row of a Markdown table."""
    cells = (claim.what, claim.reported, claim.source, *map(str, claim.predicted))
    return "| " + " | ".join(cells) + " |"


def table(columns: Sequence[str], rows: Sequence[str]) -> str:
    """A Markdown table of rows that are written already."""
    head = "| " + " | ".join(columns) + " |"
    return "\n".join((head, "|" + "---|" * len(columns), *rows))
