"""Control flow over values that may be cut; regions read values from outside."""

from __future__ import annotations

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
{_step(pool, x, other)}
    stablehlo.return %j, %y : {counter}, {x.type}
  }})"""
    results = [((), "i32"), (x.shape, x.dtype)]
    made = pool.text.op("while", [first, x], results, "", regions)
    bound = max(pool.bound(x), pool.bound(other))
    return [pool.keep(made[0], 3), pool.keep(made[1], bound)]


def _step(pool: Pool, x: Value, other: Value) -> str:
    """One op on %x that gives %y and does not grow."""
    match pool.choices.below(3):
        case 0:
            name = pool.choices.pick(("maximum", "minimum"))
            return f"    %y = stablehlo.{name} %x, {other.name} : {x.type}"
        case 1:
            dims = array_attribute([pool.choices.below(len(x.shape))])
            return (
                f'    %y = "stablehlo.reverse"(%x) <{{dimensions = {dims}}}> '
                f": ({x.type}) -> {x.type}"
            )
        case _:
            flags = tensor_type(x.shape, "i1")
            return (
                f"    %c = stablehlo.compare LT, %x, {other.name} : ({x.type}, {x.type}) -> {flags}"
                f"\n    %y = stablehlo.select %c, {other.name}, %x : {flags}, {x.type}"
            )


def branch(pool: Pool) -> list[Value]:
    """An if or a case; an index out of range takes the last branch."""
    x = pool.any(rank=1)
    other = pool.like(x)
    count = pool.choices.between(2, 3)
    name = "case" if count == 3 or pool.choices.chance(40) else "if"
    index = pool.argument((), "i1") if name == "if" else pool.argument((), "i32", -1, count)
    bodies = []
    for _ in range(count):
        step = _step(pool, x, other).replace("%x", x.name)
        bodies.append(f"{{\n{step}\n    stablehlo.return %y : {x.type}\n  }}")
    made = pool.text.op(name, [index], [(x.shape, x.dtype)], "", f" ({', '.join(bodies)})")
    return [pool.keep(made[0], max(pool.bound(x), pool.bound(other)))]
