"""One variable of a plan: what it was given, what that costs, what else it could have and why not.

    d(a) = work(a) − work(x) + Σ over its links of ( conversion(a) − conversion(x) )

is what label a in place of the chosen x costs more while all others stay as they are. It is never
less than what the whole plan would cost more: others may adapt. `resolved` searches again.
    -> implemented in `explain` and `resolved`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from distc.compiler.units import duration
from distc.solver.problem import Link, Problem, Variable
from distc.solver.search.again import solve_again
from distc.solver.search.dominance import Dominance, Kept
from distc.solver.search.network import FORBIDDEN, Costs, seconds


class Verdict(StrEnum):
    """Why a label was not chosen."""

    DEARER = "dearer"
    SAME = "same cost"
    CHEAPER = "cheaper"
    FORBIDDEN = "forbidden"
    OVER_LIMIT = "over the memory limit"


@dataclass(frozen=True, slots=True)
class Move:
    """A conversion at one end of a variable.

    Attributes:
        other: name of the variable at the other end, "" for a pin.
        operand: the operand that is converted; -1 for state and pins.
        incoming: whether the variable is the user.
        before, after: shardings.
        ticks: price.
    """

    other: str
    operand: int
    incoming: bool
    before: str
    after: str
    ticks: int

    @property
    def text(self) -> str:
        """`h.0.up: [S(t), R] -> [R, R]`."""
        return f"{self.other or 'the pin'}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True)
class Alternative:
    """A label that was not chosen.

    Attributes:
        label: its number.
        text: what it is.
        difference: ticks that it costs more with all others as they are.
        verdict: why it was not chosen.
        dominated: another label is never dearer, whatever the others take.
        because: the largest part of the difference, in words.
    """

    label: int
    text: str
    difference: int
    verdict: Verdict
    dominated: bool
    because: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A variable of the plan.

    Attributes:
        variable: what it is.
        chosen: its label as text.
        work: ticks of the op.
        moves: conversions that cost something.
        alternatives: all other labels, cheapest first.
    """

    variable: Variable
    chosen: str
    work: int
    moves: tuple[Move, ...]
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The whole plan searched again with one label given.

    Attributes:
        least, most: the plan costs so many ticks more, at least and at most; equal where proved.
            None where no plan has the label.
    """

    least: int | None
    most: int | None


class Explainer:
    """Explains variables of one problem; what they share is computed once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.labels = problem.solution.labels

    @cached_property
    def kept(self) -> list[Kept]:
        """Per variable, the labels that no other dominates."""
        has_memory = bool(self.problem.memory)
        return Dominance().reduce(self.problem.network, memory=has_memory)[1]

    def differences(self, number: int) -> Costs:
        """Ticks that each label costs more than the chosen one, all others as they are."""
        total = self.problem.variables[number].work.copy()
        for index in self.problem.linked[number]:
            link = self.problem.links[index]
            if link.maker == link.user:
                total += np.diag(link.costs)
            elif link.maker == number:
                total += link.costs[:, self.labels[link.user] if link.user >= 0 else 0]
            else:
                total += link.costs[self.labels[link.maker]]
        difference: Costs = np.minimum(total - total[self.labels[number]], FORBIDDEN)
        return difference

    def next_best(self, number: int) -> tuple[int, int] | None:
        """The cheapest label but the chosen one, and its difference; None where there is none."""
        found = self.differences(number)
        found[self.labels[number]] = FORBIDDEN
        label = int(found.argmin())
        return (label, int(found[label])) if found[label] < FORBIDDEN // 2 else None

    def explain(self, number: int) -> Explained:
        """Explain one variable."""
        variable, chosen = self.problem.variables[number], self.labels[number]
        links = [self.problem.links[n] for n in self.problem.linked[number]]
        moves = [self._move(link, number, self.labels) for link in links]
        others = [x for x in range(len(variable.labels)) if x != chosen]
        costs = self.differences(number).tolist()
        found = [self._alternative(number, links, label, costs[label]) for label in others]
        return Explained(
            variable=variable,
            chosen=variable.labels[chosen].text,
            work=int(variable.work[chosen]),
            moves=tuple(m for m in moves if m.ticks),
            alternatives=tuple(sorted(found, key=lambda a: (a.difference, a.label))),
        )

    def resolved(self, number: int, label: int) -> Resolved:
        """Search the whole plan again with a label given.

        Args:
            number: the variable.
            label: what it must take.
        """
        problem, before = self.problem, self.problem.solution
        network = problem.restricted({number: frozenset({label})})
        near = (*self.labels[:number], label, *self.labels[number + 1 :])
        bound = before.lower_bound
        found = solve_again(network, problem.limit, [near], bound=bound)
        if not found.labels:
            return Resolved(None, None)
        return Resolved(found.lower_bound - before.cost, found.cost - before.cost)

    def _move(self, link: Link, number: int, labels: Sequence[int]) -> Move:
        """A link seen from a variable; one to itself is told as what goes out."""
        incoming = link.user == number and link.maker != number
        other = link.maker if incoming else link.user
        made = self.problem.made(link, labels[link.maker])
        needed = self.problem.needed(link, labels[link.user] if link.user >= 0 else 0)
        name = self.problem.variables[other].name if other >= 0 else ""
        return Move(name, link.operand, incoming, made, needed, link.ticks(labels))

    def _alternative(
        self, number: int, links: Sequence[Link], label: int, difference: int
    ) -> Alternative:
        variable = self.problem.variables[number]
        changed = (*self.labels[:number], label, *self.labels[number + 1 :])
        parts: list[tuple[int, str]] = [
            (int(variable.work[label] - variable.work[self.labels[number]]), "its own work")
        ]
        for link in links:
            move = self._move(link, number, changed)
            way = "from" if move.incoming else "to"
            parts.append(
                (link.ticks(changed) - link.ticks(self.labels), f"conversion {way} {move.text}")
            )
        most, what = max(parts, key=lambda p: p[0])
        return Alternative(
            label=label,
            text=variable.labels[label].text,
            difference=difference,
            verdict=self._verdict(difference, changed),
            dominated=label not in self.kept[number],
            because=f"{what}: {_signed(most)}" if 0 < most < FORBIDDEN else "",
        )

    def _verdict(self, difference: int, changed: Sequence[int]) -> Verdict:
        if difference >= FORBIDDEN // 2:
            return Verdict.FORBIDDEN
        if self.problem.memory and self.problem.network.peak_bytes(changed) > self.problem.limit:
            return Verdict.OVER_LIMIT
        if difference > 0:
            return Verdict.DEARER
        return Verdict.SAME if difference == 0 else Verdict.CHEAPER


def _signed(ticks: int) -> str:
    return f"+{duration(seconds(ticks))}"


def shares(problem: Problem) -> Costs:
    """Ticks per variable: its work, and the conversions of what it reads; pins count for makers.

    They add up to the cost of the plan.
    """
    labels = problem.solution.labels
    total = np.array([v.work[x] for v, x in zip(problem.variables, labels, strict=True)], np.int64)
    for link in problem.links:
        total[link.user if link.user >= 0 else link.maker] += link.ticks(labels)
    return total
