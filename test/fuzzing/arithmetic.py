"""Elementwise ops that are exact on whole numbers."""

from __future__ import annotations

from semantics.text import Value

from fuzzing.data import is_float
from fuzzing.pool import Pool

_DIRECTIONS = ("LT", "LE", "EQ", "NE", "GE", "GT")
_CONVERTED = ("f32", "i32", "f64", "bf16", "i64", "f16", "i1", "i8", "ui8")
_LARGEST = 100


def add(pool: Pool) -> list[Value]:
    """Sums and differences."""
    x = pool.within(pool.number(), 2)
    y = pool.within(pool.like(x), 2)
    pair = pool.choices.shuffled([x, y])
    name = pool.choices.pick(("add", "subtract"))
    return [pool.keep(pool.text.same(name, *pair), pool.bound(x) + pool.bound(y))]


def extremum(pool: Pool) -> list[Value]:
    """Maximum and minimum, booleans too."""
    x = pool.any()
    y = pool.like(x)
    name = pool.choices.pick(("maximum", "minimum"))
    return [pool.keep(pool.text.same(name, x, y), max(pool.bound(x), pool.bound(y)))]


def multiply(pool: Pool) -> list[Value]:
    """By a constant or by another value."""
    x = pool.number()
    if pool.choices.chance(50):
        x = pool.within(x, 3)
        number = pool.choices.pick((1, 2, 0))
        y = pool.keep(pool.text.constant(number, x.dtype, x.shape), number)
    else:
        x = pool.small(x)
        y = pool.small(pool.like(x))
    pair = pool.choices.shuffled([x, y])
    return [pool.keep(pool.text.same("multiply", *pair), max(1, pool.bound(x) * pool.bound(y)))]


def unary(pool: Pool) -> list[Value]:
    """Negation, absolute value, sign, rounding."""
    x = pool.any(*(d for d in ("f32", "i32", "f64", "bf16", "i64", "f16", "i8")))
    names = ("negate", "abs", "sign", "floor", "ceil") if is_float(x.dtype) else ("negate", "abs")
    made = pool.text.same(pool.choices.pick(names), x)
    return [pool.keep(made, max(1, pool.bound(x)))]


def logic(pool: Pool) -> list[Value]:
    """and, or, xor, not of booleans and integers."""
    x = pool.any("i1", "i32", "i64", "i8", "ui8")
    if pool.choices.chance(20):
        made = pool.text.same("not", x)
    else:
        name = pool.choices.pick(("and", "or", "xor"))
        made = pool.text.same(name, x, pool.like(x))
    return [pool.keep(made, 2**70)]


def compare(pool: Pool) -> list[Value]:
    """A comparison, a boolean."""
    x = pool.any()
    made = pool.text.compare(x, pool.like(x), pool.choices.pick(_DIRECTIONS))
    return [pool.keep(made, 1)]


def select(pool: Pool) -> list[Value]:
    """One of two values by a mask, sometimes a scalar mask."""
    x = pool.any()
    y = pool.like(x)
    if pool.choices.chance(15):
        predicate = pool.argument((), "i1")
    else:
        other = pool.like(x)
        predicate = (
            pool.like(x, "i1")
            if pool.choices.chance(30)
            else pool.text.compare(x, other, pool.choices.pick(_DIRECTIONS))
        )
    made = pool.text.select(predicate, x, y)
    return [pool.keep(made, max(pool.bound(x), pool.bound(y)))]


def clamp(pool: Pool) -> list[Value]:
    """Between two scalars or two values."""
    x = pool.number()
    low, high = (
        (pool.text.constant(n, x.dtype) for n in (0, 2))
        if pool.choices.chance(60)
        else (pool.like(x) for _ in range(2))
    )
    return [pool.keep(pool.text.clamp(low, x, high), max(32, pool.bound(x)))]


def convert(pool: Pool) -> list[Value]:
    """To another element type; of floats only what the type has."""
    x = pool.any()
    dtype = pool.choices.pick([d for d in _CONVERTED if d != x.dtype])
    t = pool.text
    if is_float(x.dtype) and not is_float(dtype) and dtype != "i1":
        number = t.compare(x, x, "EQ")
        x = t.select(number, x, t.constant(0, x.dtype, x.shape))
    if dtype != "i1" and x.dtype not in ("i1", "ui8"):
        # What is below zero has no defined unsigned form.
        low = 0 if dtype == "ui8" else -_LARGEST
        x = t.clamp(t.constant(low, x.dtype), x, t.constant(_LARGEST, x.dtype))
    return [pool.keep(t.convert(x, dtype), 255)]


def divide(pool: Pool) -> list[Value]:
    """Integer quotient or remainder by numbers that are not zero."""
    x = pool.any("i32", "i64", "i8", "ui8")
    y = pool.text.same("or", pool.like(x), pool.text.constant(1, x.dtype, x.shape))
    made = pool.text.same(pool.choices.pick(("divide", "remainder")), x, y)
    return [pool.keep(made, 2**70)]


def halve(pool: Pool) -> list[Value]:
    """Means: a float divided by a power of two, rounded down to a whole number."""
    x = pool.any("f32", "f64")
    two = pool.text.constant(pool.choices.pick((2, 4)), x.dtype, x.shape)
    quotient = pool.text.same("divide", x, two)
    return [pool.keep(pool.text.same("floor", quotient), max(1, pool.bound(x)))]


def barrier(pool: Pool) -> list[Value]:
    """Two values through one barrier."""
    x, y = pool.any(), pool.any()
    made = pool.text.op("optimization_barrier", [x, y], [(v.shape, v.dtype) for v in (x, y)])
    return [pool.keep(m, pool.bound(v)) for m, v in zip(made, (x, y), strict=True)]


def bits(pool: Pool) -> list[Value]:
    """Shifts, powers and counts of integers."""
    x = pool.any("i32", "i64", "i8", "ui8")
    name = pool.choices.pick(
        ("shift_left", "shift_right_logical", "shift_right_arithmetic", "power", "popcnt")
    )
    if name == "popcnt":
        return [pool.keep(pool.text.same(name, x), 64)]
    amount = pool.text.constant(pool.choices.between(0, 3), x.dtype, x.shape)
    if pool.choices.chance(40):
        other = pool.like(x)
        amount = pool.text.same("and", other, pool.text.constant(3, x.dtype, x.shape))
    return [pool.keep(pool.text.same(name, x, amount), 2**70)]


def finite(pool: Pool) -> list[Value]:
    """Where a float is finite."""
    x = pool.any("f32", "f64", "bf16", "f16")
    return [pool.keep(pool.text.op("is_finite", [x], [(x.shape, "i1")])[0], 1)]
