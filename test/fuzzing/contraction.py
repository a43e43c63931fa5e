"""Contractions of values that share sizes."""

from __future__ import annotations

from math import prod

from semantics.text import Value, tensor_type

from fuzzing.data import is_float
from fuzzing.pool import MOST_ELEMENTS, Pool


def dot(pool: Pool) -> list[Value]:
    """dot_general with any batch and contracting dimensions."""
    x = pool.any("f32", "i32", "f64", "bf16", "i64", "f16", "i8")
    y = _partner(pool, x)
    pairs = pool.choices.shuffled(
        [(i, j) for i, n in enumerate(x.shape) for j, m in enumerate(y.shape) if n == m]
    )
    batch: list[tuple[int, int]] = []
    contract: list[tuple[int, int]] = []
    for i, j in pairs:
        taken = batch + contract
        if any(i == a or j == b for a, b in taken) or len(taken) == 4:
            continue
        (batch if pool.choices.chance(35) else contract).append((i, j))
        if taken and pool.choices.chance(40):
            break
    left = [n for d, n in enumerate(x.shape) if d not in [i for i, _ in batch + contract]]
    right = [n for d, n in enumerate(y.shape) if d not in [j for _, j in batch + contract]]
    sizes = [x.shape[i] for i, _ in batch] + left + right
    if prod(sizes) > MOST_ELEMENTS or len(sizes) > 6:
        return []
    count = prod(x.shape[i] for i, _ in contract)
    bound = 1 if x.dtype in ("bf16", "f16") else 3
    x, y = pool.small(x, bound), pool.small(y, bound)
    if is_float(x.dtype) and count > 200:
        return []
    numbers = (([i for i, _ in contract], [j for _, j in contract]),
               ([i for i, _ in batch], [j for _, j in batch]))  # fmt: skip
    wider = {"bf16": "f32", "f16": "f32", "i8": "i32", "ui8": "i32"}.get(x.dtype)
    made = pool.text.dot(x, y, *numbers)
    if wider is not None and pool.choices.chance(60):
        line = pool.text.lines.pop()
        pool.text.lines.append(f"{line.rpartition('-> (')[0]}-> ({tensor_type(made.shape, wider)})")
        made = Value(made.name, made.shape, wider)
    return [pool.keep(made, max(1, bound * bound * count))]


def _partner(pool: Pool, x: Value) -> Value:
    """Another value of the type, or a new argument that shares a dimension."""
    same = [v for v in pool.values if v.dtype == x.dtype and set(v.shape) & set(x.shape)]
    if same and pool.choices.chance(50):
        return pool.choices.pick(same)
    shared = pool.choices.some(x.shape) or list(x.shape[-1:])
    rest = [pool.size() for _ in range(pool.choices.below(3))]
    shape = pool.choices.shuffled([*shared, *rest])
    if prod(shape) > MOST_ELEMENTS // 2:
        shape = shared
    return pool.argument(tuple(shape), x.dtype)
