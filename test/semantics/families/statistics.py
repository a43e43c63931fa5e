"""Mean, variance, norms, softmax of uneven shards: counts are those of true elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from semantics.case import MESHES, Case, Family
from semantics.text import Program, Value

_F = Family("statistics")


def _mean(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    total = p.reduce("add", x, dims)
    count = 1
    for d in dims:
        count *= x.shape[d]
    return p.same("divide", total, p.filled(count, total))


def _along(p: Program, small: Value, x: Value, dims: tuple[int, ...]) -> Value:
    return p.spread(small, x.shape, [d for d in range(len(x.shape)) if d not in dims])


def _centred(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    return p.same("subtract", x, _along(p, _mean(p, x, dims), x, dims))


def _variance(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    c = _centred(p, x, dims)
    return _mean(p, p.same("multiply", c, c), dims)


def _log_sum_exp(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    """As torch: a maximum that is not finite counts as zero."""
    top = p.reduce("maximum", x, dims)
    finite = p.op("is_finite", [top], [(top.shape, "i1")])[0]
    safe = p.select(finite, top, p.filled(0, top))
    shifted = p.same("exponential", p.same("subtract", x, _along(p, safe, x, dims)))
    return p.same("add", p.same("log", p.reduce("add", shifted, dims)), safe)


def _softmax(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    top = _along(p, p.reduce("maximum", x, dims), x, dims)
    e = p.same("exponential", p.same("subtract", x, top))
    return p.same("divide", e, _along(p, p.reduce("add", e, dims), x, dims))


def _norm(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    return p.same("sqrt", p.reduce("add", p.same("multiply", x, x), dims))


def _layer_norm(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    variance = _variance(p, x, dims)
    scale = p.same("rsqrt", p.same("add", variance, p.filled(1e-5, variance)))
    return p.same("multiply", _centred(p, x, dims), _along(p, scale, x, dims))


def _median(p: Program, x: Value, dims: tuple[int, ...]) -> Value:
    ordered = p.sort(x, dim=dims[0])[0]
    middle = (x.shape[dims[0]] - 1) // 2
    return p.part(ordered, dims[0], middle, middle + 1)


_OPS: dict[str, tuple[Callable[[Program, Value, tuple[int, ...]], Value], float]] = {
    "mean": (_mean, 2),
    "variance": (_variance, 4),
    "deviation": (lambda p, x, d: p.same("sqrt", _variance(p, x, d)), 4),
    "norm": (_norm, 2),
    "absolute sum": (lambda p, x, d: p.reduce("add", p.same("abs", x), d), 0),
    "largest absolute": (lambda p, x, d: p.reduce("maximum", p.same("abs", x), d), 0),
    "median": (_median, 0),
    "softmax": (_softmax, 4),
    "log-sum-exp": (_log_sum_exp, 4),
    "layer norm": (_layer_norm, 8),
}


def cases() -> Iterator[Case]:
    """Each statistic over cut rows and over everything."""
    for name, (make, ulps) in _OPS.items():
        for rows in (1, 3, 5):
            values = np.arange(4 * rows).reshape(rows, 4) * 3 % 8 - 2
            for dims in ((0,), (0, 1)):
                if dims == (0, 1) and (name == "median" or rows == 5):
                    continue
                p = Program()
                program = p.returning(make(p, p.argument(values, "f32"), dims))
                meshes = MESHES if rows != 5 else MESHES[1::2]
                yield from _F.over(
                    f"{name} of {rows} rows over {'all' if len(dims) > 1 else 'rows'}",
                    "a mean of means counts small shards too much; empty ones divide by zero",
                    program, {0: 0}, meshes=meshes, ulps=ulps,
                    torch=f"{name}:{'all' if len(dims) > 1 else 0}",
                )  # fmt: skip
    values = np.array([[-np.inf] * 5, [0, -np.inf, 1, 2, -np.inf], [np.inf, 0, 1, 2, 3]])
    for name in ("log-sum-exp", "softmax", "mean", "largest absolute"):
        make, ulps = _OPS[name]
        p = Program()
        program = p.returning(make(p, p.argument(values, "f32"), (1,)))
        yield from _F.over(
            f"{name} with infinities", "rows of -inf: the shift must be the whole row's", program,
            {0: 1}, ulps=ulps, torch=f"{name}:1" if name == "log-sum-exp" else "",
        )  # fmt: skip
    for name in ("mean", "variance", "log-sum-exp", "softmax"):
        make, ulps = _OPS[name]
        for row in range(5):
            values = np.arange(10, dtype=np.float32).reshape(5, 2) % 7
            values[row, 1] = np.nan
            p = Program()
            program = p.returning(make(p, p.argument(values, "f32"), (0,)))
            yield from _F.over(
                f"{name} with NaN in row {row}", "NaN of one shard, and of no other column",
                program, {0: 0}, meshes=MESHES[row % 2 :: 2], ulps=ulps,
            )  # fmt: skip
    for dtype, ulps in (("bf16", 2.0), ("f16", 2.0)):
        p = Program()
        x = p.argument(np.arange(28).reshape(7, 4) % 9 - 3, dtype)
        program = p.returning(p.reduce("add", x, (0,)), p.dot(x, x, ((0,), (0,))))
        yield from _F.over(
            f"{dtype} sums", "sums of small whole numbers are exact in any order", program, {0: 0}
        )
        p = Program()
        quarter = np.arange(28).reshape(7, 4) / 64 + 1
        program = p.returning(p.reduce("add", p.argument(quarter, dtype), (0,)))
        yield from _F.over(
            f"rounded {dtype} sums", "each rank rounds once, so does each step of the sum", program,
            {0: 0}, ulps=ulps, interpreter="it rounds after every addition",
        )  # fmt: skip
