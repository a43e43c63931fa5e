"""Ops that move elements: reshape, transpose, broadcast, slice, pad, join, reverse, iota masks."""

from __future__ import annotations

from math import prod

from semantics.text import Shape, Value

from fuzzing.pool import MOST_ELEMENTS, Pool


def reshape(pool: Pool) -> list[Value]:
    """Split and merge dimensions, sometimes into anything of as many elements."""
    x = pool.any()
    return [pool.keep(pool.text.reshape(x, _regrouped(pool, x.shape)), pool.bound(x))]


def _regrouped(pool: Pool, shape: Shape) -> Shape:
    if 0 in shape:
        return tuple(pool.choices.shuffled(shape))
    primes: list[int] = []
    for size in shape:
        for p in (2, 3, 5, 7):
            while size % p == 0:
                primes.append(p)
                size //= p
        if size > 1:
            primes.append(size)
    if pool.choices.chance(15):
        primes.insert(pool.choices.below(len(primes) + 1), 1)
    if pool.choices.chance(15):
        primes = pool.choices.shuffled(primes)
    groups: list[int] = []
    for p in primes:
        if groups and (len(groups) > 4 or pool.choices.chance(50)):
            groups[-1] *= p
        else:
            groups.append(p)
    return tuple(groups)


def transpose(pool: Pool) -> list[Value]:
    """Dimensions in another order."""
    x = pool.any(rank=1)
    order = pool.choices.shuffled(range(len(x.shape)))
    return [pool.keep(pool.text.transpose(x, order), pool.bound(x))]


def broadcast(pool: Pool) -> list[Value]:
    """A new dimension, ones widened."""
    x = pool.any()
    shape = [pool.choices.between(2, 4) if n == 1 and pool.choices.chance(60) else n
             for n in x.shape]  # fmt: skip
    place = pool.choices.below(len(shape) + 1)
    shape.insert(place, pool.choices.between(1, 5))
    if prod(shape) > MOST_ELEMENTS or len(shape) > 6:
        return []
    dims = [d + (d >= place) for d in range(len(x.shape))]
    return [pool.keep(pool.text.spread(x, tuple(shape), dims), pool.bound(x))]


def slice_(pool: Pool) -> list[Value]:
    """Any bounds and strides, one row and nothing included."""
    x = pool.any(rank=1)
    start, limit, strides = [], [], []
    for n in x.shape:
        if pool.choices.chance(40):
            a = pool.choices.below(n + 1)
            b = n - pool.choices.below(n - a + 1)
        else:
            a, b = 0, n
        start.append(a)
        limit.append(b)
        strides.append(pool.choices.pick((1, 1, 1, 1, 2, 3)))
    return [pool.keep(pool.text.slice(x, start, limit, strides), pool.bound(x))]


def pad(pool: Pool) -> list[Value]:
    """Low, high and interior; low and high also negative."""
    x = pool.any(rank=1)
    low, high, interior = [], [], []
    for n in x.shape:
        between = pool.choices.pick((0, 0, 0, 0, 1, 2))
        wide = n + max(n - 1, 0) * between
        a = pool.choices.pick((0, 0, 0, 1, 2, -1, -2, n, 5))
        b = pool.choices.pick((0, 0, 0, 1, 2, -1, -2, n, 5))
        if wide + a + b < 0 or wide + min(a, 0) + min(b, 0) < 0:
            a = b = 0
        low.append(a)
        high.append(b)
        interior.append(between)
    sizes = [n + a + b + max(n - 1, 0) * i
             for n, a, b, i in zip(x.shape, low, high, interior, strict=True)]  # fmt: skip
    if prod(sizes) > MOST_ELEMENTS:
        return []
    filler = scalar(pool, x.dtype)
    made = pool.text.pad(x, filler, low, high, interior)
    return [pool.keep(made, max(pool.bound(x), pool.bound(filler)))]


def scalar(pool: Pool, dtype: str) -> Value:
    """A constant, rarely an argument."""
    if pool.choices.chance(15):
        return pool.argument((), dtype)
    number = pool.choices.pick((0, 1, 2))
    return pool.keep(pool.text.constant(number, dtype), number)


def concatenate(pool: Pool) -> list[Value]:
    """Two or three values, also of different sizes."""
    x = pool.any(rank=1)
    dim = pool.choices.below(len(x.shape))
    parts = [x]
    for _ in range(pool.choices.between(1, 2)):
        if pool.choices.chance(40):
            size = pool.choices.between(0, 9)
            shape = tuple(size if d == dim else n for d, n in enumerate(x.shape))
            same = [v for v in pool.values if v.dtype == x.dtype and _fits(v, x, dim)]
            parts.append(pool.choices.pick(same) if same else pool.argument(shape, x.dtype))
        else:
            parts.append(pool.like(x))
    parts = pool.choices.shuffled(parts)
    if sum(prod(p.shape) for p in parts) > MOST_ELEMENTS:
        return []
    made = pool.text.concatenate(parts, dim)
    return [pool.keep(made, max(pool.bound(p) for p in parts))]


def _fits(a: Value, b: Value, dim: int) -> bool:
    return len(a.shape) == len(b.shape) and all(
        n == m or d == dim for d, (n, m) in enumerate(zip(a.shape, b.shape, strict=True))
    )


def reverse(pool: Pool) -> list[Value]:
    """Some dimensions flipped."""
    x = pool.any(rank=1)
    dims = pool.choices.some(range(len(x.shape))) or [0]
    return [pool.keep(pool.text.reverse(x, dims), pool.bound(x))]


def iota(pool: Pool) -> list[Value]:
    """Counters of the shape of a value."""
    x = pool.any(rank=1)
    dim = pool.choices.below(len(x.shape))
    dtype = pool.choices.pick(("i32", "i64", "f32"))
    return [pool.keep(pool.text.iota(dim, x.shape, dtype), x.shape[dim])]


def mask(pool: Pool) -> list[Value]:
    """A causal or a length mask made of counters, applied."""
    x = pool.any(rank=1)
    t, dim = pool.text, pool.choices.below(len(x.shape))
    rows = t.iota(dim, x.shape)
    if len(x.shape) > 1 and pool.choices.chance(60):
        other = pool.choices.pick([d for d in range(len(x.shape)) if d != dim])
        columns = t.iota(other, x.shape)
    else:
        columns = t.constant(pool.choices.below(x.shape[dim] + 1), "i32", x.shape)
    kept = t.compare(rows, columns, pool.choices.pick(("LT", "LE", "GE", "GT", "EQ", "NE")))
    other_value = pool.like(x)
    return [pool.keep(t.select(kept, x, other_value), max(pool.bound(x), pool.bound(other_value)))]


def roll(pool: Pool) -> list[Value]:
    """Two slices joined the other way round."""
    x = pool.any(rank=1)
    dim = pool.choices.below(len(x.shape))
    at = pool.choices.below(x.shape[dim] + 1)
    parts = [pool.text.part(x, dim, at, x.shape[dim]), pool.text.part(x, dim, 0, at)]
    return [pool.keep(pool.text.concatenate(parts, dim), pool.bound(x))]
