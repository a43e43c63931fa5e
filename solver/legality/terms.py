"""Arithmetic on whole numbers that are known, or are terms of Z3.

What is known is computed, so that a formula over known ranks stays small.
"""

from __future__ import annotations

from typing import Any

import z3

Number = Any
"""An int, or a z3.ArithRef of sort Int."""
Truth = Any
"""A bool, or a z3.BoolRef."""


def choose(condition: Truth, one: Number, other: Number) -> Number:
    """`one` where the condition holds, else `other`."""
    if isinstance(condition, bool):
        return one if condition else other
    return z3.If(condition, one, other)


def least(a: Number, b: Number) -> Number:
    """The smaller one."""
    return choose(a <= b, a, b)


def clamp(a: Number, high: Number) -> Number:
    """`a` within 0 … high."""
    return choose(a <= 0, 0, least(a, high))


def floor_div(a: Number, by: int) -> Number:
    """a / by rounded down; a is not negative."""
    return a if by == 1 else (a // by if isinstance(a, int) else a / by)


def ceil_div(a: Number, by: int) -> Number:
    """a / by rounded up; a is not negative."""
    return floor_div(a + (by - 1), by)


def times(count: Number, a: Number, bound: int) -> Number:
    """count * a for 0 <= count < bound, as a linear term."""
    if isinstance(count, int):
        return count * a
    return z3.Sum([z3.If(count >= i, a, 0) for i in range(1, bound)] or [z3.IntVal(0)])


def all_of(*conditions: Truth) -> Truth:
    """Whether all conditions hold."""
    open_ = [c for c in conditions if not isinstance(c, bool)]
    if not all(c for c in conditions if isinstance(c, bool)):
        return False
    return z3.And(*open_) if open_ else True


def implied(condition: Truth, claim: Truth) -> Truth:
    """Whether the claim holds where the condition does."""
    if isinstance(condition, bool):
        return claim if condition else True
    return z3.Implies(condition, claim)


def number_of(conditions: list[Truth]) -> Number:
    """How many conditions hold."""
    return sum((choose(c, 1, 0) for c in conditions), 0)
