"""Control flow over values that may be cut; regions read values from outside."""

from __future__ import annotations

from itertools import pairwise

from semantics.text import Value, array_attribute, tensor_type

from fuzzing.pool import Pool


def loop(pool: Pool) -> list[Value]:
    """A while that runs a number of times known or unknown, on a value and one it captures."""
    x = pool.any(rank=1)
    other = pool.like(x)
    times = (
        pool.argument((), "i32", 0, 3)
        if pool.choices.chance(50)
        else pool.text.constant(pool.choices.between(0, 3), "i32")
    )
    first = pool.text.constant(0, "i32")
    one = pool.text.constant(1, "i32")
    counter, flag = tensor_type((), "i32"), tensor_type((), "i1")
    regions = f""" ({{
  ^bb0(%i: {counter}, %x: {x.type}):
    %p = stablehlo.compare LT, %i, {times.name} : ({counter}, {counter}) -> {flag}
    stablehlo.return %p : {flag}
  }}, {{
  ^bb0(%i: {counter}, %x: {x.type}):
    %j = stablehlo.add %i, {one.name} : {counter}
{_steps(pool, x, other, "%x")}
    stablehlo.return %j, %y : {counter}, {x.type}
  }})"""
    results = [((), "i32"), (x.shape, x.dtype)]
    made = pool.text.op("while", [first, x], results, "", regions)
    bound = max(pool.bound(x), pool.bound(other))
    return [pool.keep(made[0], 3), pool.keep(made[1], bound)]


def _steps(pool: Pool, x: Value, other: Value, first: str) -> str:
    """One to three ops that lead from `first`, a value like `x`, to %y."""
    count = pool.choices.between(1, 3)
    names = [first, *(f"%y{n}" for n in range(1, count)), "%y"]
    lines = []
    for source, target in pairwise(names):
        lines += _step(pool, x, other, source, target)
    return "\n".join(f"    {line}" for line in lines)


def _step(pool: Pool, x: Value, other: Value, source: str, target: str) -> list[str]:
    """One op on `source`, of the type of `x`, that gives `target` and does not grow."""
    dim = pool.choices.below(len(x.shape))
    size = x.shape[dim]
    flags, places = tensor_type(x.shape, "i1"), tensor_type(x.shape, "i32")
    chosen = f"{target} = stablehlo.select {target}c, {other.name}, {source} : {flags}, {x.type}"
    match pool.choices.below(7):
        case 0:
            name = pool.choices.pick(("maximum", "minimum"))
            return [f"{target} = stablehlo.{name} {source}, {other.name} : {x.type}"]
        case 1:
            return [
                f'{target} = "stablehlo.reverse"({source}) '
                f"<{{dimensions = {array_attribute([dim])}}}> : ({x.type}) -> {x.type}"
            ]
        case 2:
            types = f"({x.type}, {x.type}) -> {flags}"
            return [
                f"{target}c = stablehlo.compare LT, {source}, {other.name} : {types}",
                chosen,
            ]
        case 3:
            limit = pool.choices.between(0, size)
            return [
                f"{target}i = stablehlo.iota dim = {dim} : {places}",
                f"{target}l = stablehlo.constant dense<{limit}> : {places}",
                f"{target}c = stablehlo.compare LT, {target}i, {target}l "
                f": ({places}, {places}) -> {flags}",
                chosen,
            ]
        case 4 if size > 1:
            at = pool.choices.between(1, size - 1)
            front, back = _part(x, dim, at), _part(x, dim, size - at)
            return [
                f"{target}a = {_sliced(source, x, dim, 0, at)} -> {front}",
                f"{target}b = {_sliced(source, x, dim, at, size)} -> {back}",
                f"{target} = stablehlo.concatenate {target}b, {target}a, dim = {dim} "
                f": ({back}, {front}) -> {x.type}",
            ]
        case 5 if size:
            at = pool.choices.below(size)
            row, mapping = _part(x, dim, 1), list(range(len(x.shape)))
            return [
                f"{target}r = {_sliced(source, x, dim, at, at + 1)} -> {row}",
                f"{target} = stablehlo.broadcast_in_dim {target}r, dims = {mapping} "
                f": ({row}) -> {x.type}",
            ]
        case 6 if x.shape[0] == x.shape[-1] and len(x.shape) > 1:
            order = list(range(len(x.shape)))
            order[0], order[-1] = order[-1], order[0]
            return [
                f"{target} = stablehlo.transpose {source}, dims = {order} : ({x.type}) -> {x.type}"
            ]
        case _:
            return [f"{target} = stablehlo.maximum {source}, {source} : {x.type}"]


def _part(x: Value, dim: int, size: int) -> str:
    return tensor_type((*x.shape[:dim], size, *x.shape[dim + 1 :]), x.dtype)


def _sliced(source: str, x: Value, dim: int, start: int, limit: int) -> str:
    ranges = [f"{start}:{limit}" if d == dim else f"0:{n}" for d, n in enumerate(x.shape)]
    return f"stablehlo.slice {source} [{', '.join(ranges)}] : ({x.type})"


def branch(pool: Pool) -> list[Value]:
    """An if or a case; an index out of range takes the last branch."""
    x = pool.any(rank=1)
    other = pool.like(x)
    count = pool.choices.between(2, 3)
    name = "case" if count == 3 or pool.choices.chance(40) else "if"
    index = pool.argument((), "i1") if name == "if" else pool.argument((), "i32", -1, count)
    bodies = []
    for _ in range(count):
        step = _steps(pool, x, other, x.name)
        bodies.append(f"{{\n{step}\n    stablehlo.return %y : {x.type}\n  }}")
    made = pool.text.op(name, [index], [(x.shape, x.dtype)], "", f" ({', '.join(bodies)})")
    return [pool.keep(made[0], max(pool.bound(x), pool.bound(other)))]
