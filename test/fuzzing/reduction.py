"""Reductions, cumulative ops, sorts, windows over whole dimensions."""

from __future__ import annotations

from math import prod

from semantics.text import Value, array_attribute, combining, start_of

from fuzzing.data import is_float
from fuzzing.pool import Pool

ORDERED = ("f32", "i32", "f64", "bf16", "i64", "f16", "i8", "ui8")


def reduce(pool: Pool) -> list[Value]:
    """Some dimensions by any kind, from the neutral element or another start."""
    x = pool.any(rank=1)
    dims = pool.choices.some(range(len(x.shape))) or [pool.choices.below(len(x.shape))]
    count = prod(x.shape[d] for d in dims)
    kind = pool.choices.pick(kinds(x.dtype))
    x, bound = accumulated(pool, x, kind, count)
    start = pool.choices.pick((1, 2)) if x.dtype != "i1" and pool.choices.chance(10) else None
    return [pool.keep(pool.text.reduce(kind, x, dims, start), bound * (start or 1) + (start or 0))]


def kinds(dtype: str) -> tuple[str, ...]:
    """What a type can be reduced by."""
    if dtype == "i1":
        return ("or", "and")
    common = ("add", "maximum", "minimum", "multiply")
    return common if is_float(dtype) else (*common, "and", "or")


def accumulated(pool: Pool, x: Value, kind: str, count: int) -> tuple[Value, int]:
    """`x` small enough for `count` of it to combine exactly, and the bound of the result."""
    match kind:
        case "add":
            x = pool.within(x, count + 3)
            return x, pool.bound(x) * max(1, count)
        case "multiply" if is_float(x.dtype):
            x = pool.small(x, 1 if count > 6 else 2)
            return x, 2 ** min(count, 6)
        case "multiply" | "and" | "or" | "xor":
            return x, 2**70
    # The neutral element of nothing is infinite or the end of the type.
    return x, pool.bound(x) if is_float(x.dtype) else 2**70


def argument_of_extremum(pool: Pool) -> list[Value]:
    """argmax and argmin with their values, ties and NaN included."""
    x = pool.any(*ORDERED, rank=1)
    dim = pool.choices.below(len(x.shape))
    made = pool.text.arg_reduce(x, dim, largest=pool.choices.chance(60))
    return [pool.keep(made[0], pool.bound(x)), pool.keep(made[1], 9)]


def pairs(pool: Pool) -> list[Value]:
    """Two values reduced at once by two kinds, or one by a combination that has no name."""
    x = pool.any(*ORDERED, rank=1)
    dims = pool.choices.some(range(len(x.shape))) or [pool.choices.below(len(x.shape))]
    shape = tuple(n for d, n in enumerate(x.shape) if d not in dims)
    attributes = f"dimensions = {array_attribute(dims)}"
    t = pool.text
    if not is_float(x.dtype) and pool.choices.chance(50):
        # a + b + ab is associative, starts from 0 and wraps; xor is no kind of partial value.
        zero = t.constant(0, x.dtype)
        body = _combining_by(pool.choices.pick(("xor", "both")), x.dtype)
        made = t.op("reduce", [x, zero], [(shape, x.dtype)], attributes, body)
        return [pool.keep(made[0], 2**70)]
    count = prod(x.shape[d] for d in dims)
    first, second = pool.choices.pick(
        (("add", "maximum"), ("maximum", "minimum"), ("minimum", "add"), ("add", "add"))
    )
    x, bound = accumulated(pool, x, "add", count)
    y, other = accumulated(pool, pool.like(x), "add", count)
    inits = [t.constant(start_of(kind, x.dtype), x.dtype) for kind in (first, second)]
    made = t.op(
        "reduce", [x, y, *inits], [(shape, x.dtype)] * 2, attributes,
        _two_bodies(first, second, x.dtype),
    )  # fmt: skip
    return [pool.keep(made[0], bound), pool.keep(made[1], other)]


def _combining_by(kind: str, dtype: str) -> str:
    e = f"tensor<{dtype}>"
    if kind == "xor":
        return combining("xor", dtype)
    return f""" ({{
  ^bb0(%x: {e}, %y: {e}):
    %s = stablehlo.add %x, %y : {e}
    %p = stablehlo.multiply %x, %y : {e}
    %z = stablehlo.add %s, %p : {e}
    stablehlo.return %z : {e}
  }})"""


def _two_bodies(first: str, second: str, dtype: str) -> str:
    e = f"tensor<{dtype}>"
    return f""" ({{
  ^bb0(%x: {e}, %u: {e}, %y: {e}, %v: {e}):
    %z = stablehlo.{first} %x, %y : {e}
    %w = stablehlo.{second} %u, %v : {e}
    stablehlo.return %z, %w : {e}, {e}
  }})"""


def cumulative(pool: Pool) -> list[Value]:
    """Running sums, products and extrema along one dimension, also from its end."""
    x = pool.any(rank=1)
    dims = [d for d, n in enumerate(x.shape) if n > 0]
    if not dims:
        return []
    dim = pool.choices.pick(dims)
    kind = pool.choices.pick(kinds(x.dtype))
    x, bound = accumulated(pool, x, kind, x.shape[dim])
    made = pool.text.running(kind, x, dim, reverse=pool.choices.chance(30))
    return [pool.keep(made, bound)]


def sort(pool: Pool) -> list[Value]:
    """Keys with their positions or another value; stable."""
    x = _comparable(pool, pool.any(*ORDERED, rank=1))
    dim = pool.choices.below(len(x.shape))
    direction = pool.choices.pick(("LT", "GT", "LE", "GE"))
    if direction in ("LE", "GE"):
        # Not a strict order: what equal keys do is not defined. Keys alone.
        direction = direction.replace("E", "T")
        return [pool.keep(pool.text.sort(x, dim=dim, direction=direction)[0], pool.bound(x))]
    other = pool.text.iota(dim, x.shape) if pool.choices.chance(60) else pool.like(x)
    bound = pool.bounds.get(other.name, 9)
    made = pool.text.sort(x, other, dim=dim, direction=direction)
    return [pool.keep(made[0], pool.bound(x)), pool.keep(made[1], bound)]


def _comparable(pool: Pool, x: Value) -> Value:
    """`x` as JAX sorts it: a total order tells -0.0 from 0.0 and NaN from -NaN.

    No arithmetic says which of them it makes; what an argument holds is compared as it is.
    """
    if not is_float(x.dtype) or x.name.startswith("%a"):
        return x
    t = pool.text
    y = t.same("add", x, t.constant(0, x.dtype, x.shape))
    number = t.compare(y, y, "EQ")
    y = t.select(number, y, t.constant(float("nan"), x.dtype, x.shape))
    return pool.keep(y, pool.bound(x))


def top_k(pool: Pool) -> list[Value]:
    """The largest and their positions."""
    x = _comparable(pool, pool.any(*ORDERED, rank=1))
    dim = pool.choices.below(len(x.shape))
    k = pool.choices.between(0, x.shape[dim])
    made = pool.text.top_k(x, k, dim)
    return [pool.keep(made[0], pool.bound(x)), pool.keep(made[1], 9)]
