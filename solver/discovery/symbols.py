"""Values of tensor elements as Z3 terms, and the functions that ops compute on one element each.

    float    a real number and whether it is NaN: equal to rounding, infinities left out
    ring     an integer for sums and products: they wrap, and Z -> Z/2^n keeps both
    bits     an integer of n bits for everything else
    bool     a truth value
    complex  two real numbers

A monotone function is any function that keeps the order: `exponential` is monotone on the reals
and to rounding in floats; the axiom is stated where it is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import z3

from distc.dialect.sharding import Reduction

ORDER = frozenset({Reduction.MAX, Reduction.MIN})
RING = frozenset({Reduction.SUM, Reduction.PROD})


class Domain(StrEnum):
    """What stands for an element."""

    FLOAT = "float"
    RING = "ring"
    BITS = "bits"
    BOOL = "bool"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class Element:
    """One element.

    Attributes:
        domain: what stands for it.
        value: its term; the real part of a complex one.
        other: whether a float is NaN; the imaginary part of a complex one; else nothing.
        signed: whether the order of bits is that of signed integers.
    """

    domain: Domain
    value: Any
    other: Any = None
    signed: bool = True


def symbol(name: str, dtype: str, kind: Reduction) -> Element | None:
    """A fresh element of a type, in the domain that suits `kind`; None for other types."""
    if dtype == "i1":
        return Element(Domain.BOOL, z3.Bool(name))
    if dtype in ("c64", "c128"):
        return Element(Domain.COMPLEX, z3.Real(name), z3.Real(f"{name}_imag"))
    if dtype in ("f16", "bf16", "f32", "f64"):
        return Element(Domain.FLOAT, z3.Real(name), z3.Bool(f"{name}_nan"))
    if dtype.lstrip("u").startswith("i"):
        signed = not dtype.startswith("u")
        if kind in RING:
            return Element(Domain.RING, z3.Int(name), signed=signed)
        return Element(Domain.BITS, z3.BitVec(name, int(dtype.lstrip("ui"))), signed=signed)
    return None


def same(a: Element, b: Element) -> z3.BoolRef:
    """Equal; NaN equals NaN."""
    if a.domain is Domain.FLOAT:
        return z3.And(a.other == b.other, z3.Or(a.other, a.value == b.value))
    if a.domain is Domain.COMPLEX:
        return z3.And(a.value == b.value, a.other == b.other)
    return a.value == b.value


def chosen(condition: z3.BoolRef, a: Element, b: Element) -> Element:
    """`a` where the condition holds, else `b`."""
    other = None if a.other is None else z3.If(condition, a.other, b.other)
    return Element(a.domain, z3.If(condition, a.value, b.value), other, a.signed)


def combine(kind: Reduction, a: Element, b: Element) -> Element | None:
    """Combine two elements as ranks combine partial values; None where the type does not."""
    return _COMBINERS[kind](a, b)


def _add(a: Element, b: Element) -> Element | None:
    return _arithmetic(a, b, a.value + b.value, lambda: a.other + b.other)


def _subtract(a: Element, b: Element) -> Element | None:
    return _arithmetic(a, b, a.value - b.value, lambda: a.other - b.other)


def _arithmetic(a: Element, b: Element, value: Any, imaginary: Callable[[], Any]) -> Element | None:
    match a.domain:
        case Domain.FLOAT:
            return Element(a.domain, value, z3.Or(a.other, b.other))
        case Domain.COMPLEX:
            return Element(a.domain, value, imaginary())
        case Domain.RING | Domain.BITS:
            return Element(a.domain, value, None, a.signed)
    return None


def _multiply(a: Element, b: Element) -> Element | None:
    if a.domain is Domain.BOOL:
        return None
    if a.domain is Domain.COMPLEX:
        real = a.value * b.value - a.other * b.other
        return Element(a.domain, real, a.value * b.other + a.other * b.value)
    return _arithmetic(a, b, a.value * b.value, lambda: None)


def _ordered(a: Element, b: Element, larger: bool) -> Element | None:
    match a.domain:
        case Domain.FLOAT:
            first = a.value >= b.value if larger else a.value <= b.value
            value = z3.If(first, a.value, b.value)
            return Element(a.domain, value, z3.Or(a.other, b.other))
        case Domain.BITS:
            least = z3.If(a.value <= b.value if a.signed else z3.ULE(a.value, b.value), 1, 0) == 1
            return chosen(z3.Not(least), a, b) if larger else chosen(least, a, b)
    return None


def _maximum(a: Element, b: Element) -> Element | None:
    return _ordered(a, b, larger=True)


def _minimum(a: Element, b: Element) -> Element | None:
    return _ordered(a, b, larger=False)


def _and(a: Element, b: Element) -> Element | None:
    if a.domain is Domain.BOOL:
        return Element(a.domain, z3.And(a.value, b.value))
    return Element(a.domain, a.value & b.value, None, a.signed) if _is_bits(a) else None


def _or(a: Element, b: Element) -> Element | None:
    if a.domain is Domain.BOOL:
        return Element(a.domain, z3.Or(a.value, b.value))
    return Element(a.domain, a.value | b.value, None, a.signed) if _is_bits(a) else None


def _is_bits(a: Element) -> bool:
    return a.domain is Domain.BITS


_COMBINERS: dict[Reduction, Callable[[Element, Element], Element | None]] = {
    Reduction.SUM: _add,
    Reduction.PROD: _multiply,
    Reduction.MAX: _maximum,
    Reduction.MIN: _minimum,
    Reduction.AND: _and,
    Reduction.OR: _or,
}


def _negate(a: Element) -> Element | None:
    other = -a.other if a.domain is Domain.COMPLEX else a.other
    return None if a.domain is Domain.BOOL else Element(a.domain, -a.value, other, a.signed)


def _absolute(a: Element) -> Element | None:
    if a.domain is not Domain.FLOAT:
        return None  # no function of Z/2^n
    return Element(a.domain, z3.If(a.value < 0, -a.value, a.value), a.other, a.signed)


def _sign(a: Element) -> Element | None:
    if a.domain is not Domain.FLOAT:
        return None
    sign = z3.If(a.value > 0, z3.RealVal(1), z3.If(a.value < 0, z3.RealVal(-1), z3.RealVal(0)))
    return Element(a.domain, sign, a.other)


def _select(predicate: Element, a: Element, b: Element) -> Element | None:
    return chosen(predicate.value, a, b)


def _clamp(low: Element, a: Element, high: Element) -> Element | None:
    above = _maximum(low, a)
    return _minimum(above, high) if above is not None else None


def _real(a: Element) -> Element | None:
    if a.domain is not Domain.COMPLEX:
        return a
    return Element(Domain.FLOAT, a.value, z3.BoolVal(False))


def _imaginary(a: Element) -> Element | None:
    if a.domain is not Domain.COMPLEX:
        return None
    return Element(Domain.FLOAT, a.other, z3.BoolVal(False))


def _complex(real: Element, imaginary: Element) -> Element | None:
    return Element(Domain.COMPLEX, real.value, imaginary.value)


FUNCTIONS: dict[str, Callable[..., Element | None]] = {
    "stablehlo.abs": _absolute,
    "stablehlo.add": _add,
    "stablehlo.and": _and,
    "stablehlo.clamp": _clamp,
    "stablehlo.complex": _complex,
    "stablehlo.imag": _imaginary,
    "stablehlo.maximum": _maximum,
    "stablehlo.minimum": _minimum,
    "stablehlo.multiply": _multiply,
    "stablehlo.negate": _negate,
    "stablehlo.or": _or,
    "stablehlo.real": _real,
    "stablehlo.select": _select,
    "stablehlo.sign": _sign,
    "stablehlo.subtract": _subtract,
}
"""What an op computes on one element; None where it is not expressed in that domain."""

_BELOW_NAN = {"stablehlo.log": 0, "stablehlo.log_plus_one": -1, "stablehlo.sqrt": 0}
"""Increasing functions that are NaN below a bound."""
_INCREASING = frozenset(
    f"stablehlo.{name}"
    for name in (
        "cbrt ceil exponential exponential_minus_one floor logistic reduce_precision "
        "round_nearest_afz round_nearest_even tanh"
    ).split()
)
"""Functions that keep the order of all real numbers, and NaN."""
MONOTONE = _INCREASING | set(_BELOW_NAN)
"""Ops for which nothing but their order, and where they are NaN, is stated."""


def function_of(name: str, axioms: list[z3.BoolRef]) -> Callable[..., Element | None] | None:
    """Return what op `name` computes on one element, None where it is not known.

    Args:
        name: of the op.
        axioms: receives the order axioms of a monotone function.
    """
    if name not in MONOTONE:
        return FUNCTIONS.get(name)
    curve = z3.Function(name, z3.RealSort(), z3.RealSort())
    bound = _BELOW_NAN.get(name)
    seen: list[Any] = []

    def monotone(a: Element) -> Element | None:
        if a.domain is not Domain.FLOAT:
            return None
        for b in seen:
            axioms.append(z3.Implies(a.value <= b, curve(a.value) <= curve(b)))
            axioms.append(z3.Implies(b <= a.value, curve(b) <= curve(a.value)))
        seen.append(a.value)
        undefined = a.value < bound if bound is not None else z3.BoolVal(False)
        return Element(a.domain, curve(a.value), z3.Or(a.other, undefined))

    return monotone


def arguments(
    dtypes: Sequence[str], partial: frozenset[int], kind: Reduction, name: str = "a"
) -> tuple[list[Element], list[Element], list[Element]] | None:
    """Elements of all operands for one rank, for another, and combined.

    Operands outside `partial` are the same for both ranks. None where a type has no domain.
    """
    one, two, both = [], [], []
    for i, dtype in enumerate(dtypes):
        a = symbol(f"{name}{i}", dtype, kind)
        b = symbol(f"{name}{i}_other", dtype, kind) if i in partial else a
        c = combine(kind, a, b) if i in partial and a is not None and b is not None else a
        if a is None or b is None or c is None:
            return None
        one.append(a)
        two.append(b)
        both.append(c)
    return one, two, both
