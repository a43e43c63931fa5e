"""Windowed ops: pooling and its gradient, convolutions of every attribute."""

from __future__ import annotations

from math import prod

from semantics.text import Shape, Value

from fuzzing.pool import MOST_ELEMENTS, Pool
from fuzzing.reduction import accumulated, kinds

_ARITHMETIC = ("f32", "i32", "f64", "i64")


def _padding(pool: Pool) -> tuple[int, int]:
    pad = pool.choices.pick
    return pad((0, 0, 1, 2, -1, 3)), pad((0, 0, 1, 2, -1, 3))


def _extent(n: int, k: int, s: int, padding: tuple[int, int], base: int, window: int) -> int:
    """Windows along one dimension; below 0 where padding takes more than there is."""
    wide = (n - 1) * base + 1 if n else 0
    padded = wide + sum(padding)
    if padded < 0 or wide + sum(min(p, 0) for p in padding) < 0:
        return -1
    reach = (k - 1) * window + 1
    return 0 if padded == 0 or reach > padded else (padded - reach) // s + 1


def reduce_window(pool: Pool) -> list[Value]:
    """Sizes, strides, both dilations, padding also negative."""
    x = pool.any(rank=1)
    sizes, strides, padding, base, window, result = [], [], [], [], [], []
    for n in x.shape:
        plain = pool.choices.chance(40)
        k = 1 if plain else pool.choices.between(1, 4)
        s = 1 if plain else pool.choices.pick((1, 1, 2, 3))
        p = (0, 0) if plain else _padding(pool)
        b = 1 if plain else pool.choices.pick((1, 1, 1, 2, 3))
        w = 1 if plain else pool.choices.pick((1, 1, 1, 2, 3))
        extent = _extent(n, k, s, p, b, w)
        if extent < 0:
            p, extent = (0, 0), _extent(n, k, s, (0, 0), b, w)
        sizes.append(k)
        strides.append(s)
        padding.append(p)
        base.append(b)
        window.append(w)
        result.append(extent)
    if prod(result) > MOST_ELEMENTS:
        return []
    kind = pool.choices.pick(kinds(x.dtype))
    x, bound = accumulated(pool, x, kind, prod(sizes))
    made = pool.text.reduce_window(kind, x, sizes, strides, padding, base, window)
    return [pool.keep(made, bound)]


def select_and_scatter(pool: Pool) -> list[Value]:
    """The gradient of a maximum or minimum pool; ties go to the first."""
    x = pool.any(*_ARITHMETIC, rank=1)
    if 0 in x.shape:
        return []
    sizes, strides, padding, result = [], [], [], []
    for n in x.shape:
        plain = pool.choices.chance(40)
        k = 1 if plain else pool.choices.between(1, min(3, n))
        s = 1 if plain else pool.choices.pick((1, 2, 3))
        # A window that lies in the padding alone selects nothing: keep it narrower than that.
        p = (0, 0) if plain else (pool.choices.below(k), pool.choices.below(k))
        sizes.append(k)
        strides.append(s)
        padding.append(p)
        result.append(_extent(n, k, s, p, 1, 1))
    source = pool.within(pool.argument(tuple(result), x.dtype), prod(sizes))
    direction = pool.choices.pick(("GE", "GT", "LE", "LT"))
    made = pool.text.select_and_scatter(x, source, sizes, strides, padding, direction)
    return [pool.keep(made, pool.bound(source) * prod(sizes))]


def convolution(pool: Pool) -> list[Value]:
    """Two spatial dimensions in any layout, with groups, dilations and reversal."""
    groups = pool.choices.pick((1, 1, 1, 2, 3))
    batches = pool.choices.pick((1, 1, 1, 1, 2)) if groups == 1 else 1
    x, layout = _image(pool, groups, batches)
    sizes = {d: x.shape[layout.index(d)] for d in layout}
    kernel_layout = pool.choices.shuffled(["o", "i", "0", "1"])
    kernel_sizes = {
        "o": groups * batches * pool.choices.between(1, 4),
        "i": sizes["f"] // groups,
        "0": pool.choices.between(1, 3),
        "1": pool.choices.between(1, 3),
    }
    strides, padding, base, window = [], [], [], []
    for d in ("0", "1"):
        s, p = pool.choices.pick((1, 1, 2, 3)), _padding(pool)
        b, w = pool.choices.pick((1, 1, 1, 2)), pool.choices.pick((1, 1, 1, 2))
        if _extent(sizes[d], kernel_sizes[d], s, p, b, w) < 0:
            p = (0, 0)
        strides.append(s)
        padding.append(p)
        base.append(b)
        window.append(w)
    out_layout = pool.choices.shuffled(["b", "f", "0", "1"])
    kernel = pool.argument(tuple(kernel_sizes[d] for d in kernel_layout), x.dtype)
    x = pool.small(x)
    kernel = pool.small(kernel)
    numbers = f"[{', '.join(layout)}]x[{', '.join(kernel_layout)}]->[{', '.join(out_layout)}]"
    made = pool.text.convolution(
        x, kernel, strides, padding, base, window, groups, batches, numbers,
        reverse=pool.choices.chance(15),
    )  # fmt: skip
    if prod(made.shape) > MOST_ELEMENTS:
        return []
    summands = kernel_sizes["i"] * kernel_sizes["0"] * kernel_sizes["1"]
    return [pool.keep(made, 9 * max(1, summands))]


def _image(pool: Pool, groups: int, batches: int) -> tuple[Value, list[str]]:
    """A value of four dimensions that groups divide, or a new one."""
    layout = pool.choices.shuffled(["b", "f", "0", "1"])
    fit = [
        v
        for v in pool.values
        if v.dtype in _ARITHMETIC
        and len(v.shape) == 4
        and v.shape[layout.index("f")] % groups == 0
        and v.shape[layout.index("b")] % batches == 0
        and v.shape[layout.index("f")] > 0
    ]
    if fit and pool.choices.chance(60):
        return pool.choices.pick(fit), layout
    sizes = {
        "b": batches * pool.choices.between(1, 4 // batches),
        "f": groups * pool.choices.between(1, 4 // groups or 1),
        "0": pool.choices.between(1, 9),
        "1": pool.choices.between(1, 5),
    }
    shape: Shape = tuple(sizes[d] for d in layout)
    return pool.argument(shape, pool.choices.pick(("f32", "f32", "i32", "f64"))), layout
