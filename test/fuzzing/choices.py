"""Choices: every random decision is a whole number below a bound, 0 the simplest.

A program is a function of its list of choices. Who makes them may be a seed, a list that is played
back (shorter or smaller than it was: shrinking), or hypothesis.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Source(Protocol):
    """Makes decisions."""

    def below(self, count: int) -> int:
        """A number from 0 up to, not including, `count`."""
        ...


class Seeded:
    """Decisions of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, count: int) -> int:
        """A number below `count`."""
        return self.random.randrange(count)


class Played:
    """Decisions of a list; what exceeds its bound is cut down, what is missing is 0."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.left = list(reversed(numbers))

    def below(self, count: int) -> int:
        """The next number of the list."""
        return min(self.left.pop(), count - 1) if self.left else 0


class Choices:
    """Decisions in the words of a generator; keeps a record of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.made: list[int] = []

    def below(self, count: int) -> int:
        """A number from 0 up to, not including, `count`."""
        number = self.source.below(count) if count > 1 else 0
        if count > 1:
            self.made.append(number)
        return number

    def between(self, low: int, high: int) -> int:
        """A number from low to high, both included; low is the simplest."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.below(100) >= 100 - percent

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in some order."""
        left, result = list(items), []
        while left:
            result.append(left.pop(self.below(len(left))))
        return result

    def some(self, items: Sequence[T], percent: int = 50) -> list[T]:
        """Some of the items, in order."""
        return [item for item in items if self.chance(percent)]
