"""gather, scatter and dynamic slices in all their generality, indices also out of range."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from semantics.text import Shape, Value, array_attribute, combining, replacing

from fuzzing.data import is_float
from fuzzing.pool import MOST_ELEMENTS, Pool
from fuzzing.reduction import accumulated


def dynamic_slice(pool: Pool) -> list[Value]:
    """A slice from anywhere, clamped."""
    x = pool.any(rank=1)
    sizes = tuple(pool.choices.between(0, n) if pool.choices.chance(50) else n for n in x.shape)
    made = pool.text.dynamic_slice(x, _starts(pool, x), sizes)
    return [pool.keep(made, pool.bound(x))]


def dynamic_update_slice(pool: Pool) -> list[Value]:
    """An update anywhere, clamped."""
    x = pool.any(rank=1)
    sizes = tuple(pool.choices.between(0, n) if pool.choices.chance(50) else n for n in x.shape)
    update = pool.argument(sizes, x.dtype)
    same = [v for v in pool.values if v.dtype == x.dtype and _inside(v.shape, x.shape)]
    update = pool.choices.pick(same) if same and pool.choices.chance(50) else update
    made = pool.text.dynamic_update_slice(x, update, _starts(pool, x))
    return [pool.keep(made, max(pool.bound(x), pool.bound(update)))]


def _inside(small: Shape, large: Shape) -> bool:
    return len(small) == len(large) and all(a <= b for a, b in zip(small, large, strict=True))


def _starts(pool: Pool, x: Value) -> list[Value]:
    dtype = pool.choices.pick(("i32", "i64"))
    starts = []
    for n in x.shape:
        if pool.choices.chance(40):
            starts.append(pool.argument((), dtype, -2, n + 2))
        else:
            starts.append(pool.text.constant(pool.choices.between(-1, n + 1), dtype))
    return starts


@dataclass
class _Numbers:
    """Dimension numbers of a gather; a scatter has the same under other names."""

    collapsed: list[int]
    batching: list[int]
    indices_batching: list[int]
    index_map: list[int]
    vector_dim: int
    sizes: list[int]
    offsets: list[int]
    indices: Shape
    result: Shape

    def gather(self) -> str:
        return (
            f"dimension_numbers = #stablehlo.gather<offset_dims = {self.offsets}, "
            f"collapsed_slice_dims = {self.collapsed}, operand_batching_dims = {self.batching}, "
            f"start_indices_batching_dims = {self.indices_batching}, "
            f"start_index_map = {self.index_map}, index_vector_dim = {self.vector_dim}>, "
            f"slice_sizes = {array_attribute(self.sizes)}"
        )

    def scatter(self) -> str:
        return (
            f"scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = {self.offsets}, "
            f"inserted_window_dims = {self.collapsed}, input_batching_dims = {self.batching}, "
            f"scatter_indices_batching_dims = {self.indices_batching}, "
            f"scatter_dims_to_operand_dims = {self.index_map}, "
            f"index_vector_dim = {self.vector_dim}>"
        )


def _numbers(pool: Pool, shape: Shape) -> _Numbers:
    """Any valid dimension numbers for an operand of this shape."""
    choices = pool.choices
    dims = list(range(len(shape)))
    batching = [d for d in dims if choices.chance(15)][: len(dims) - 1]
    rest = [d for d in dims if d not in batching]
    collapsed = [d for d in rest if shape[d] > 0 and choices.chance(40)]
    kept = [d for d in rest if d not in collapsed]
    index_map = [d for d in choices.shuffled(rest) if choices.chance(60)] or [rest[0]]
    sizes = [
        1
        if d in collapsed or (d in batching and shape[d])
        else 0
        if d in batching
        else choices.between(0, shape[d])
        if choices.chance(35)
        else shape[d]
        for d in dims
    ]
    batch = [choices.between(1, 5) for _ in range(choices.between(0, 2))]
    places: list[int] = []
    for d in batching:
        place = len(batch) if choices.chance(50) else (max(places) + 1 if places else 0)
        batch.insert(place, shape[d])
        places.append(place)
    implicit = len(index_map) == 1 and choices.chance(50)
    vector_dim = len(batch) if implicit or choices.chance(70) else choices.below(len(batch) + 1)
    indices = list(batch)
    if not implicit:
        indices.insert(vector_dim, len(index_map))
    indices_batching = [p + (not implicit and p >= vector_dim) for p in places]
    total = len(batch) + len(kept)
    if choices.chance(70):
        offsets = list(range(len(batch), total))
    else:
        offsets = sorted(choices.shuffled(range(total))[: len(kept)])
    window, outer = iter(sizes[d] for d in kept), iter(batch)
    result = tuple(next(window) if d in offsets else next(outer) for d in range(total))
    return _Numbers(
        collapsed, batching, indices_batching, index_map, vector_dim, sizes, offsets,
        tuple(indices), result,
    )  # fmt: skip


def _indices(pool: Pool, numbers: _Numbers, shape: Shape) -> Value:
    """An argument of indices, or an integer value that has their shape."""
    same = [v for v in pool.values if v.shape == numbers.indices and v.dtype in ("i32", "i64")]
    if same and pool.choices.chance(40):
        return pool.choices.pick(same)
    high = max(shape[d] for d in numbers.index_map)
    return pool.argument(numbers.indices, pool.choices.pick(("i32", "i64")), -2, high + 1)


def gather(pool: Pool) -> list[Value]:
    """Windows of an operand."""
    x = pool.any(rank=1)
    numbers = _numbers(pool, x.shape)
    if prod(numbers.result) > MOST_ELEMENTS or len(numbers.result) > 6:
        return []
    indices = _indices(pool, numbers, x.shape)
    made = pool.text.op("gather", [x, indices], [(numbers.result, x.dtype)], numbers.gather())
    return [pool.keep(made[0], pool.bound(x))]


def scatter(pool: Pool) -> list[Value]:
    """Windows into an operand: sums, extrema, products, or an overwrite."""
    x = pool.any(rank=1)
    numbers = _numbers(pool, x.shape)
    if prod(numbers.result) > MOST_ELEMENTS // 2 or len(numbers.result) > 6:
        return []
    indices = _indices(pool, numbers, x.shape)
    kind = pool.choices.pick(("add", "add", "set", "maximum", "minimum", "multiply"))
    if x.dtype == "i1":
        kind = pool.choices.pick(("or", "and", "set"))
    count = prod(numbers.result) + 1
    same = [v for v in pool.values if v.shape == numbers.result and v.dtype == x.dtype]
    updates = (
        pool.choices.pick(same)
        if same and pool.choices.chance(50)
        else pool.argument(numbers.result, x.dtype)
    )
    if kind != "set":
        x, first = accumulated(pool, x, kind, count)
        updates, second = accumulated(pool, updates, kind, count)
        bound = min(max(first, second) * 2, 2**70)
    else:
        bound = max(pool.bound(x), pool.bound(updates))
    if kind == "multiply" and is_float(x.dtype):
        x, updates = pool.small(x, 1), pool.small(updates, 1)
        bound = 1
    region = replacing(x.dtype) if kind == "set" else combining(kind, x.dtype)
    made = pool.text.op(
        "scatter", [x, indices, updates], [(x.shape, x.dtype)], numbers.scatter(), region
    )
    return [pool.keep(made[0], bound)]
