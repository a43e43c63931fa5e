"""What is known about a class of steps: proved, refuted with a counter-example, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a proof ended."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A slot that does not hold what it should.

    Attributes:
        claim: what does not hold of it.
        rank: one coordinate per mesh axis of the class.
        index: the slot, one local index per dimension of the class.
        element: the global element that the target layout has there, within the class.
        sizes: length of every dimension of the class.
    """

    claim: str
    rank: tuple[int, ...]
    index: tuple[int, ...]
    element: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a proof ended, and the counter-example where there is one."""

    status: Status
    example: Counterexample | None = None

    @property
    def proved(self) -> bool:
        """True when it is proved; `unknown` is not."""
        return self.status is Status.PROVED
