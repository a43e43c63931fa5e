"""A search for a plan as plain data: what may be chosen, what each choice costs, what was chosen.

    cost(x) = Σ_i work_i(x_i) + Σ_l conversion_l(x_maker, x_user)        ticks

These are the terms of `search/network.py`, kept apart and named: a plan can be explained, and
searched for again, without the program that it is a plan of. Pure values: numpy alone.
    -> the sum is `Problem.network`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from distc.solver.hardware import Hardware
from distc.solver.search.network import FORBIDDEN, CostNetwork, Costs, make_network
from distc.solver.search.solution import Solution

ARGUMENT = "argument"
"""The op of a variable that is an argument: it lies, and does nothing."""

COPY = "copy"
"""The op of a variable that says how a value is held for several readers."""

NO_LIMIT = 1 << 62
"""Bytes that no plan takes."""


class Fixed(StrEnum):
    """Why a variable has one label only."""

    NO = ""
    PIN = "pinned"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Label:
    """One way to lie or to run, in the text form of shardings.

    Attributes:
        operands: what it needs of each operand; none of an argument.
        results: how it leaves each result; how an argument lies, or a copy.
        source: of a copy: `made` (there is none), `copy`, `kept` from the forward pass, `again`,
            `none`; `not run` of an op that may run a second time.
    """

    operands: tuple[str, ...]
    results: tuple[str, ...]
    source: str = ""

    @property
    def text(self) -> str:
        """`[S(t), R], [R, R] -> [S(t), R]`; of an argument its sharding alone; `copy [R, R]`."""
        left, right = ", ".join(self.operands), ", ".join(self.results)
        if self.source:
            return f"{self.source} {right}".strip(", ")
        return f"{left} -> {right}" if self.operands else right


@dataclass(frozen=True, slots=True)
class Variable:
    """An argument, an op, or a copy.

    Attributes:
        name: unique: an argument's own, an op's module path and kind with a number.
        kind: of an argument (`parameter`, `input`, …); `op` or `copy` otherwise.
        op: name of the op, `ARGUMENT` for an argument, `COPY` for a copy.
        module: module path, or "".
        source: `file:line:col`, or "".
        op_class: what an op's cost grows with (`OpClass`), "" for an argument.
        shapes: global shape of each result; of an argument its own.
        dtype: element type of the first result.
        labels: what may be chosen.
        work: ticks of the op under each label; zeros for an argument.
        fixed: why there is one label, where that is the user's doing or a rule of the search.
    """

    name: str
    kind: str
    op: str
    module: str
    source: str
    op_class: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    labels: tuple[Label, ...]
    work: Costs
    fixed: Fixed = Fixed.NO


@dataclass(frozen=True, slots=True)
class Link:
    """A value on its way from who makes it to who wants it.

    Attributes:
        maker, result: variable, and which of its results.
        user, operand: variable and which of its operands; operand -1 where the value becomes the
            state `user` or is held by that copy; user -1 where a pin or a region wants it as
            `wanted`.
        shape, dtype: of the value, global.
        wanted: sharding of the pin; "" where a result is finished as it lies.
        costs: ticks of the conversion [label of maker, label of user]; one column for a pin.
    """

    maker: int
    result: int
    user: int
    operand: int
    shape: tuple[int, ...]
    dtype: str
    wanted: str
    costs: Costs

    def ticks(self, labels: Sequence[int]) -> int:
        """What the conversion costs under an assignment."""
        return int(self.costs[labels[self.maker], labels[self.user] if self.user >= 0 else 0])


@dataclass(frozen=True)
class Problem:
    """The search of one entry point and what it found.

    Attributes:
        entry: name of the entry point.
        hardware: the machine that priced it.
        variables, links: the terms of the cost.
        solution: the plan.
        memory: per memory point, variable → bytes of each label, as in `CostNetwork`.
        limit: bytes per rank, `NO_LIMIT` without one.
        blocks, places: hints for the order of elimination, as in `CostNetwork`.
    """

    entry: str
    hardware: Hardware
    variables: tuple[Variable, ...]
    links: tuple[Link, ...]
    solution: Solution
    memory: tuple[Mapping[int, Costs], ...] = ()
    limit: int = NO_LIMIT
    blocks: tuple[int, ...] = ()
    places: tuple[str, ...] = field(default=())

    @cached_property
    def network(self) -> CostNetwork:
        """The cost network: the same, table for table, as was searched."""
        unary = [v.work for v in self.variables]
        pairs: list[tuple[int, int, Costs]] = []
        for link in self.links:
            if link.user >= 0:
                pairs.append((link.maker, link.user, link.costs))
                continue
            unary[link.maker] = np.minimum(unary[link.maker] + link.costs[:, 0], FORBIDDEN)
        return make_network(unary, pairs, self.memory, self.blocks, self.places)

    @cached_property
    def linked(self) -> tuple[tuple[int, ...], ...]:
        """Per variable, the links it is an end of."""
        found: list[list[int]] = [[] for _ in self.variables]
        for number, link in enumerate(self.links):
            for end in {link.maker, link.user} - {-1}:
                found[end].append(number)
        return tuple(map(tuple, found))

    def made(self, link: Link, label: int) -> str:
        """How label `label` of the maker leaves the value."""
        return self.variables[link.maker].labels[label].results[link.result]

    def needed(self, link: Link, label: int) -> str:
        """How label `label` of the user wants the value."""
        if link.user < 0:
            return link.wanted or "a finished value"
        wanted = self.variables[link.user].labels[label]
        return wanted.operands[link.operand] if link.operand >= 0 else wanted.results[0]

    def restricted(self, allowed: Mapping[int, frozenset[int]]) -> CostNetwork:
        """The network in which some variables may take the given labels only."""
        full = self.network
        unary = list(full.unary)
        for variable, labels in allowed.items():
            kept = sorted(labels)
            costs = np.full_like(unary[variable], FORBIDDEN)
            costs[kept] = unary[variable][kept]
            unary[variable] = costs
        return replace(full, unary=tuple(unary))
