# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Random programs of the operations with the most attributes, valid by construction."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lowering_cases.case import Case


def _tensor(shape: Sequence[int], dtype: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def _array(values: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def _pairs(values: Sequence[tuple[int, int]]) -> str:
    rows = ", ".join(f"[{low}, {high}]" for low, high in values)
    return f"dense<[{rows}]> : tensor<{len(values)}x2xi64>"


class _Indexed:
    """Dimension numbers that gather and scatter share."""

    def __init__(self, rng: Random) -> None:
        rank = rng.randint(1, 4)
        self.shape = [rng.randint(1, 4) for _ in range(rank)]
        dims = list(range(rank))
        self.batching = sorted(rng.sample(dims, rng.randint(0, min(1, rank - 1))))
        rest = [d for d in dims if d not in self.batching]
        self.dropped = sorted(d for d in rest if rng.random() < 0.5)
        self.kept = [d for d in rest if d not in self.dropped]
        self.index_map = rng.sample(rest, rng.randint(1, len(rest)))
        self.window = [rng.randint(1, self.shape[d]) if d in self.kept else 1 for d in dims]
        self.batch = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
        places = []
        for dim in self.batching:
            place = rng.randint(0, len(self.batch))
            self.batch.insert(place, self.shape[dim])
            places.append(place)
        implicit = len(self.index_map) == 1 and rng.random() < 0.5
        self.vector_dim = len(self.batch) if implicit else rng.randint(0, len(self.batch))
        self.index_shape = list(self.batch)
        if not implicit:
            self.index_shape.insert(self.vector_dim, len(self.index_map))
        self.index_batching = [p + (not implicit and p >= self.vector_dim) for p in places]
        total = len(self.batch) + len(self.kept)
        self.offsets = sorted(rng.sample(range(total), len(self.kept)))
        window = iter(self.window[d] for d in self.kept)
        batch = iter(self.batch)
        self.result = [next(window) if d in self.offsets else next(batch) for d in range(total)]


def gather(seed: int) -> Case:
    """A gather of random dimension numbers; some starts lie outside."""
    x = _Indexed(Random(seed))
    types = [_tensor(x.shape, "i32"), _tensor(x.index_shape, "i64")]
    out = _tensor(x.result, "i32")
    body = (
        f'%r = "stablehlo.gather"(%a, %b) <{{dimension_numbers = #stablehlo.gather<offset_dims = {x.offsets}, '
        f"collapsed_slice_dims = {x.dropped}, operand_batching_dims = {x.batching}, "
        f"start_indices_batching_dims = {x.index_batching}, start_index_map = {x.index_map}, "
        f"index_vector_dim = {x.vector_dim}>, slice_sizes = {_array(x.window)}}}> : ({', '.join(types)}) -> {out}"
    )
    return Case("gather", f"random {seed}", ", ".join(types), out, body)


def scatter(seed: int) -> Case:
    """A scatter of random dimension numbers and combiner; some updates fall outside."""
    rng = Random(seed)
    x = _Indexed(rng)
    combine = rng.choice(["add", "maximum", "multiply", "subtract", "set"])
    types = [_tensor(x.shape, "i32"), _tensor(x.index_shape, "i64"), _tensor(x.result, "i32")]
    region = f"%s = stablehlo.{combine} %x, %y : tensor<i32>\nstablehlo.return %s : tensor<i32>"
    if combine == "set":
        region = "stablehlo.return %y : tensor<i32>"
    body = (
        f'%r = "stablehlo.scatter"(%a, %b, %c) <{{scatter_dimension_numbers = #stablehlo.scatter<'
        f"update_window_dims = {x.offsets}, inserted_window_dims = {x.dropped}, "
        f"input_batching_dims = {x.batching}, scatter_indices_batching_dims = {x.index_batching}, "
        f"scatter_dims_to_operand_dims = {x.index_map}, index_vector_dim = {x.vector_dim}>}}> ({{\n"
        f"^bb0(%x: tensor<i32>, %y: tensor<i32>):\n{region}\n}}) : ({', '.join(types)}) -> {types[0]}"
    )
    return Case("scatter", f"random {seed}", ", ".join(types), types[0], body)


def _spans(
    rng: Random, rank: int
) -> tuple[list[int], list[int], list[int], list[int], list[tuple[int, int]]]:
    sizes = [rng.randint(1, 3) for _ in range(rank)]
    strides = [rng.randint(1, 3) for _ in range(rank)]
    base = [rng.choice([1, 1, 2, 3]) for _ in range(rank)]
    inner = [rng.choice([1, 1, 2]) for _ in range(rank)]
    padding = [(rng.randint(-1, 2), rng.randint(-1, 2)) for _ in range(rank)]
    return sizes, strides, base, inner, padding


def _count(
    size: int, window: int, stride: int, base: int, inner: int, padding: tuple[int, int]
) -> int:
    full = (size - 1) * base + 1 + sum(padding)
    return max(0, (full - (window - 1) * inner - 1) // stride + 1)


def reduce_window(seed: int) -> Case:
    """A window of random strides, dilations and padding."""
    rng = Random(seed)
    rank = rng.randint(1, 3)
    shape = [rng.randint(3, 6) for _ in range(rank)]
    spans = _spans(rng, rank)
    out = [_count(n, *s) for n, s in zip(shape, zip(*spans, strict=True), strict=True)]
    sizes, strides, base, inner, padding = spans
    combine, init = rng.choice([("add", 0), ("maximum", -2147483648), ("xor", 0), ("add", 3)])
    kind, result = _tensor(shape, "i32"), _tensor(out, "i32")
    body = (
        f"%i = stablehlo.constant dense<{init}> : tensor<i32>\n"
        f'%r = "stablehlo.reduce_window"(%a, %i) <{{window_dimensions = {_array(sizes)}, '
        f"window_strides = {_array(strides)}, base_dilations = {_array(base)}, "
        f"window_dilations = {_array(inner)}, padding = {_pairs(padding)}}}> ({{\n"
        f"^bb0(%x: tensor<i32>, %y: tensor<i32>):\n%s = stablehlo.{combine} %x, %y : tensor<i32>\n"
        f"stablehlo.return %s : tensor<i32>\n}}) : ({kind}, tensor<i32>) -> {result}"
    )
    return Case("reduce_window", f"random {seed}", kind, result, body)


def convolution(seed: int) -> Case:
    """A convolution of random layout, window, dilation, padding, grouping and element type."""
    rng = Random(seed)
    rank = rng.randint(0, 3)
    shape = [rng.randint(3, 5) for _ in range(rank)]
    spans = _spans(rng, rank)
    # The interpreter dies on windows that padding has cut away.
    spans = (*spans[:4], [(abs(low), abs(high)) for low, high in spans[4]])
    out = (
        [_count(n, *s) for n, s in zip(shape, zip(*spans, strict=True), strict=True)]
        if rank
        else []
    )
    sizes, strides, base, inner, padding = spans
    groups, which = rng.choice([(1, "f"), (2, "f"), (2, "b"), (3, "f")])
    per_group, batch = rng.randint(1, 2), rng.randint(1, 2)
    features = groups * rng.randint(1, 2)
    inputs = {
        "b": batch * (groups if which == "b" else 1),
        "f": per_group * (groups if which == "f" else 1),
    }
    letters = [str(i) for i in range(rank)]
    sides = []
    for extra, dims in (
        (inputs, shape),
        ({"i": per_group, "o": features}, sizes),
        ({"b": batch, "f": features}, out),
    ):
        named = {**extra, **dict(zip(letters, dims, strict=True))}
        order = rng.sample(list(named), len(named))
        sides.append((order, [named[n] for n in order]))
    dtype = rng.choice(["f32", "i32"])
    types = [_tensor(s, dtype) for _, s in sides]
    layout = "x".join(f"[{', '.join(o)}]" for o, _ in sides[:2]) + f"->[{', '.join(sides[2][0])}]"
    flips = [rng.random() < 0.3 for _ in range(rank)]
    window = ", ".join(
        [] if not rank else [
            f"stride = {strides}", f"pad = {[list(p) for p in padding]}", f"lhs_dilate = {base}",
            f"rhs_dilate = {inner}", f"reverse = [{', '.join(str(f).lower() for f in flips)}]",
        ]
    )  # fmt: skip
    body = (
        f"%r = stablehlo.convolution(%a, %b) dim_numbers = {layout}, window = {{{window}}} "
        f"{{batch_group_count = {groups if which == 'b' else 1} : i64, "
        f"feature_group_count = {groups if which == 'f' else 1} : i64}} : ({types[0]}, {types[1]}) -> {types[2]}"
    )
    return Case("convolution", f"random {seed}", f"{types[0]}, {types[1]}", types[2], body)


def dot_general(seed: int) -> Case:
    """A contraction of random batching, contracting and free dimensions."""
    rng = Random(seed)
    sizes = {n: rng.randint(1, 4) for n in ("b0", "b1", "c0", "c1", "l0", "l1", "r0", "r1")}
    batch = ["b0", "b1"][: rng.randint(0, 2)]
    inner = ["c0", "c1"][: rng.randint(0, 2)]
    free = [["l0", "l1"][: rng.randint(0, 2)], ["r0", "r1"][: rng.randint(0, 2)]]
    sides = [rng.sample(batch + inner + f, len(batch + inner + f)) for f in free]
    batch, inner = rng.sample(batch, len(batch)), rng.sample(inner, len(inner))
    out = batch + [n for n in sides[0] if n in free[0]] + [n for n in sides[1] if n in free[1]]
    types = [_tensor([sizes[n] for n in names], "i32") for names in (*sides, out)]
    numbers = [[[side.index(n) for n in names] for side in sides] for names in (batch, inner)]
    body = (
        f"%r = stablehlo.dot_general %a, %b, batching_dims = {numbers[0][0]} x {numbers[0][1]}, "
        f"contracting_dims = {numbers[1][0]} x {numbers[1][1]} : ({types[0]}, {types[1]}) -> {types[2]}"
    )
    return Case("dot_general", f"random {seed}", f"{types[0]}, {types[1]}", types[2], body)


def pad(seed: int) -> Case:
    """Random padding, also negative and between elements."""
    rng = Random(seed)
    rank = rng.randint(1, 3)
    shape = [rng.randint(1, 4) for _ in range(rank)]
    low, high, interior, out = [], [], [], []
    for size in shape:
        between = rng.randint(0, 2)
        spread = size + (size - 1) * between
        below = rng.randint(-spread, 3)
        above = rng.randint(-(spread + below), 3)
        low.append(below)
        high.append(above)
        interior.append(between)
        out.append(spread + below + above)
    types = [_tensor(shape, "i32"), "tensor<i32>"]
    body = (
        f"%r = stablehlo.pad %a, %b, low = {low}, high = {high}, interior = {interior} : "
        f"({', '.join(types)}) -> {_tensor(out, 'i32')}"
    )
    return Case("pad", f"random {seed}", ", ".join(types), _tensor(out, "i32"), body, (None, 77))


# Seeds of convolutions that the interpreter survives: on some windows that reach past the input it
# dies ("Incompatible index and shape found while flattening index").
_CONVOLUTIONS = (
    0,
    2,
    3,
    4,
    5,
    6,
    7,
    9,
    10,
    11,
    12,
    13,
    14,
    17,
    18,
    19,
    20,
    21,
    23,
    24,
    25,
    26,
    27,
    28,
)

RANDOM_CASES = (
    *(convolution(seed) for seed in _CONVOLUTIONS),
    *(
        make(seed)
        for make in (dot_general, gather, pad, reduce_window, scatter)
        for seed in range(20)
    ),
)
