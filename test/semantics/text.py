"""StableHLO programs as text: one method per kind of operation, types inferred.

    p = Program()
    x = p.argument([[1.0, 2.0], [3.0, 4.0]], "f32")
    program = p.returning(p.reduce("maximum", x, (0,)))

bf16 and f16 arguments are given as float32 arrays of values that the type has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

NUMPY = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "f16": np.float32, "bf16": np.float32, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
_FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True)
class Value:
    """An SSA value."""

    name: str
    shape: Shape
    dtype: str

    @property
    def type(self) -> str:
        """Its tensor type."""
        return tensor_type(self.shape, self.dtype)


@dataclass(frozen=True, eq=False)
class Finished:
    """A program with the values of its arguments; the same object serves many cases."""

    text: str
    inputs: tuple[Array, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[Shape, ...]


def tensor_type(shape: Sequence[int], dtype: str) -> str:
    """`tensor<2x3xf32>`."""
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def array_attribute(values: Sequence[int]) -> str:
    """`array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def _pairs(values: Sequence[Sequence[int]]) -> str:
    if not values:
        return "dense<> : tensor<0x2xi64>"
    rows = ", ".join(f"[{a}, {b}]" for a, b in values)
    return f"dense<[{rows}]> : tensor<{len(values)}x2xi64>"


def literal(value: float | int | bool, dtype: str) -> str:
    """A number as StableHLO writes it; NaN and infinities as bits."""
    if dtype == "i1":
        return "true" if value else "false"
    if dtype not in _FLOATS:
        return str(int(value))
    number = float(value)
    if np.isfinite(number):
        return f"{number:.17e}"
    bits = {
        "f16": ("0x7E00", "0x7C00", "0xFC00"),
        "bf16": ("0x7FC0", "0x7F80", "0xFF80"),
        "f32": ("0x7FC00000", "0x7F800000", "0xFF800000"),
        "f64": ("0x7FF8000000000000", "0x7FF0000000000000", "0xFFF0000000000000"),
    }[dtype]
    return bits[0] if np.isnan(number) else bits[1 if number > 0 else 2]


def lowest(dtype: str) -> float | int | bool:
    """What a maximum starts from."""
    if dtype == "i1":
        return False
    return -np.inf if dtype in _FLOATS else int(np.iinfo(NUMPY[dtype]).min)  # type: ignore[type-var]


def highest(dtype: str) -> float | int | bool:
    """What a minimum starts from."""
    if dtype == "i1":
        return True
    return np.inf if dtype in _FLOATS else int(np.iinfo(NUMPY[dtype]).max)  # type: ignore[type-var]


def start_of(kind: str, dtype: str) -> float | int | bool:
    """The neutral element that a reduction by `kind` is written with."""
    match kind:
        case "add" | "or" | "xor":
            return 0
        case "multiply":
            return 1
        case "and":
            return highest(dtype) if dtype in ("i1", "ui8") else -1
        case "maximum":
            return lowest(dtype)
        case _:
            return highest(dtype)


@dataclass
class Program:
    """A function under construction."""

    arguments: list[Value] = field(default_factory=list)
    inputs: list[Array] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def argument(self, values: Any, dtype: str = "i32", shape: Shape | None = None) -> Value:
        """Add an argument that holds `values`."""
        array = np.asarray(values, dtype=NUMPY[dtype])
        array = array.reshape(shape) if shape is not None else array
        self.inputs.append(array)
        self.arguments.append(Value(f"%a{len(self.arguments)}", array.shape, dtype))
        return self.arguments[-1]

    def op(
        self,
        name: str,
        operands: Sequence[Value],
        results: Sequence[tuple[Sequence[int], str]],
        attributes: str = "",
        regions: str = "",
    ) -> list[Value]:
        """Add an operation in generic form."""
        base = f"%v{len(self.lines)}"
        many = len(results) > 1
        made = [
            Value(f"{base}#{i}" if many else base, tuple(shape), dtype)
            for i, (shape, dtype) in enumerate(results)
        ]
        left = f"{base}:{len(results)}" if many else base
        inside = f" <{{{attributes}}}>" if attributes else ""
        takes = ", ".join(o.type for o in operands)
        gives = ", ".join(m.type for m in made)
        self.lines.append(
            f'{left} = "stablehlo.{name}"({", ".join(o.name for o in operands)}){inside}{regions}'
            f" : ({takes}) -> ({gives})"
        )
        return made

    def returning(self, *results: Value) -> Finished:
        """End the function."""
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        body = "\n  ".join(self.lines)
        values = ", ".join(r.name for r in results)
        text = (
            f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n  "
            f"return {values} : {types}\n}}\n"
        )
        return Finished(
            text,
            tuple(self.inputs),
            tuple(a.dtype for a in self.arguments),
            tuple(r.shape for r in results),
        )

    # Creation.

    def constant(self, values: Any, dtype: str, shape: Shape = ()) -> Value:
        """A splat for a number, the elements for an array."""
        attribute = _dense(values, dtype, shape)
        array = np.asarray(values)
        shape = shape if array.ndim == 0 else array.shape
        return self.op("constant", [], [(shape, dtype)], f"value = {attribute}")[0]

    def iota(self, dim: int, shape: Shape, dtype: str = "i32") -> Value:
        """Positions along `dim`."""
        return self.op("iota", [], [(shape, dtype)], f"iota_dimension = {dim} : i64")[0]

    # Elementwise.

    def same(self, name: str, *operands: Value) -> Value:
        """An operation whose result has the type of its first operand."""
        first = operands[0]
        return self.op(name, operands, [(first.shape, first.dtype)])[0]

    def compare(self, a: Value, b: Value, direction: str, kind: str | None = None) -> Value:
        """Compare element by element."""
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
        if kind is not None:
            attributes += f", compare_type = #stablehlo<comparison_type {kind}>"
        return self.op("compare", [a, b], [(a.shape, "i1")], attributes)[0]

    def select(self, p: Value, a: Value, b: Value) -> Value:
        """`a` where `p`, else `b`."""
        return self.op("select", [p, a, b], [(a.shape, a.dtype)])[0]

    def clamp(self, low: Value, x: Value, high: Value) -> Value:
        """`x` between `low` and `high`."""
        return self.op("clamp", [low, x, high], [(x.shape, x.dtype)])[0]

    def convert(self, x: Value, dtype: str) -> Value:
        """To another element type."""
        return self.op("convert", [x], [(x.shape, dtype)])[0]

    # Shape.

    def spread(self, x: Value, shape: Shape, dims: Sequence[int] = ()) -> Value:
        """broadcast_in_dim."""
        attributes = f"broadcast_dimensions = {array_attribute(dims)}"
        return self.op("broadcast_in_dim", [x], [(shape, x.dtype)], attributes)[0]

    def filled(self, number: float | int, like: Value) -> Value:
        """A constant of the type of `like`."""
        return self.constant(number, like.dtype, like.shape)

    def reshape(self, x: Value, shape: Shape) -> Value:
        """The same elements in another shape."""
        return self.op("reshape", [x], [(shape, x.dtype)])[0]

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        """Dimensions in another order."""
        shape = tuple(x.shape[d] for d in order)
        attributes = f"permutation = {array_attribute(order)}"
        return self.op("transpose", [x], [(shape, x.dtype)], attributes)[0]

    def reverse(self, x: Value, dims: Sequence[int]) -> Value:
        """Flip `dims`."""
        attributes = f"dimensions = {array_attribute(dims)}"
        return self.op("reverse", [x], [(x.shape, x.dtype)], attributes)[0]

    def slice(
        self, x: Value, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] = ()
    ) -> Value:
        """A static slice."""
        strides = strides or (1,) * len(x.shape)
        shape = tuple(-(-(b - a) // s) for a, b, s in zip(start, limit, strides, strict=True))
        attributes = (
            f"start_indices = {array_attribute(start)}, limit_indices = {array_attribute(limit)}, "
            f"strides = {array_attribute(strides)}"
        )
        return self.op("slice", [x], [(shape, x.dtype)], attributes)[0]

    def part(self, x: Value, dim: int, start: int, limit: int, stride: int = 1) -> Value:
        """A static slice of one dimension."""
        starts = [start if d == dim else 0 for d in range(len(x.shape))]
        limits = [limit if d == dim else n for d, n in enumerate(x.shape)]
        strides = [stride if d == dim else 1 for d in range(len(x.shape))]
        return self.slice(x, starts, limits, strides)

    def pad(
        self, x: Value, filler: Value, low: Sequence[int], high: Sequence[int],
        interior: Sequence[int],
    ) -> Value:  # fmt: skip
        """Pad; low and high may be negative."""
        shape = tuple(
            n + a + b + max(n - 1, 0) * i
            for n, a, b, i in zip(x.shape, low, high, interior, strict=True)
        )
        attributes = (
            f"edge_padding_low = {array_attribute(low)}, "
            f"edge_padding_high = {array_attribute(high)}, "
            f"interior_padding = {array_attribute(interior)}"
        )
        return self.op("pad", [x, filler], [(shape, x.dtype)], attributes)[0]

    def concatenate(self, values: Sequence[Value], dim: int) -> Value:
        """Join along `dim`."""
        shape = list(values[0].shape)
        shape[dim] = sum(v.shape[dim] for v in values)
        result = [(tuple(shape), values[0].dtype)]
        return self.op("concatenate", values, result, f"dimension = {dim} : i64")[0]

    # Indexing.

    def dynamic_slice(self, x: Value, starts: Sequence[Value], sizes: Sequence[int]) -> Value:
        """A slice whose start is clamped."""
        attributes = f"slice_sizes = {array_attribute(sizes)}"
        return self.op("dynamic_slice", [x, *starts], [(sizes, x.dtype)], attributes)[0]

    def dynamic_update_slice(self, x: Value, update: Value, starts: Sequence[Value]) -> Value:
        """An update whose start is clamped."""
        return self.op("dynamic_update_slice", [x, update, *starts], [(x.shape, x.dtype)])[0]

    def take(self, x: Value, indices: Value, size: int = 1) -> Value:
        """Windows of `size` rows of `x` at `indices` (clamped); rows are dropped where size is 1."""
        kept, rest = (size,) if size > 1 else (), x.shape[1:]
        first = len(indices.shape)
        offsets = range(first, first + len(kept) + len(rest))
        collapsed = "" if kept else "collapsed_slice_dims = [0], "
        attributes = (
            "dimension_numbers = #stablehlo.gather<"
            f"offset_dims = [{', '.join(map(str, offsets))}], {collapsed}start_index_map = [0], "
            f"index_vector_dim = {first}>, slice_sizes = {array_attribute((size, *rest))}"
        )
        shape = (*indices.shape, *kept, *rest)
        return self.op("gather", [x, indices], [(shape, x.dtype)], attributes)[0]

    def scatter(self, kind: str, x: Value, indices: Value, updates: Value, size: int = 1) -> Value:
        """Combine windows of `size` rows into `x` at `indices`; `set` replaces."""
        first = len(indices.shape)
        windows = range(first, len(updates.shape))
        inserted = "" if size > 1 else "inserted_window_dims = [0], "
        attributes = (
            "scatter_dimension_numbers = #stablehlo.scatter<"
            f"update_window_dims = [{', '.join(map(str, windows))}], {inserted}"
            f"scatter_dims_to_operand_dims = [0], index_vector_dim = {first}>"
        )
        region = replacing(x.dtype) if kind == "set" else combining(kind, x.dtype)
        return self.op("scatter", [x, indices, updates], [(x.shape, x.dtype)], attributes, region)[
            0
        ]

    # Reductions.

    def reduce(
        self, kind: str, x: Value, dims: Sequence[int], start: float | int | None = None
    ) -> Value:
        """Reduce by one operation."""
        initial = self.constant(start_of(kind, x.dtype) if start is None else start, x.dtype)
        shape = tuple(n for d, n in enumerate(x.shape) if d not in dims)
        attributes = f"dimensions = {array_attribute(dims)}"
        region = combining(kind, x.dtype)
        return self.op("reduce", [x, initial], [(shape, x.dtype)], attributes, region)[0]

    def arg_reduce(self, x: Value, dim: int, *, largest: bool = True) -> tuple[Value, Value]:
        """The extreme element and its first position; NaN is more extreme than anything."""
        positions = self.iota(dim, x.shape)
        initial = self.constant(lowest(x.dtype) if largest else highest(x.dtype), x.dtype)
        zero = self.constant(0, "i32")
        shape = tuple(n for d, n in enumerate(x.shape) if d != dim)
        region = _arg_body(x.dtype, "GT" if largest else "LT")
        attributes = f"dimensions = {array_attribute((dim,))}"
        results = [(shape, x.dtype), (shape, "i32")]
        made = self.op("reduce", [x, positions, initial, zero], results, attributes, region)
        return made[0], made[1]

    def sort(
        self, keys: Value, *others: Value, dim: int, direction: str = "LT", stable: bool = True
    ) -> list[Value]:
        """Sort by the first operand."""
        operands = [keys, *others]
        attributes = f"dimension = {dim} : i64, is_stable = {str(stable).lower()}"
        names = [f"%{side}{i}: tensor<{o.dtype}>" for i, o in enumerate(operands) for side in "pq"]
        kind = keys.dtype
        order = "TOTALORDER" if kind in _FLOATS else "UNSIGNED" if kind[0] == "u" else "SIGNED"
        region = f""" ({{
  ^bb0({", ".join(names)}):
    %c = "stablehlo.compare"(%p0, %q0) <{{comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {order}>}}> : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }})"""
        results = [(o.shape, o.dtype) for o in operands]
        return self.op("sort", operands, results, attributes, region)

    def top_k(self, x: Value, k: int, dim: int) -> tuple[Value, Value]:
        """The k largest with their positions: a stable descending sort, cut."""
        values, positions = self.sort(x, self.iota(dim, x.shape), dim=dim, direction="GT")
        return self.part(values, dim, 0, k), self.part(positions, dim, 0, k)

    # Windows.

    def reduce_window(
        self,
        kind: str,
        x: Value,
        sizes: Sequence[int],
        strides: Sequence[int] = (),
        padding: Sequence[Sequence[int]] = (),
        base: Sequence[int] = (),
        window: Sequence[int] = (),
        start: float | int | None = None,
    ) -> Value:
        """Pool."""
        rank = len(x.shape)
        strides, base, window = strides or (1,) * rank, base or (1,) * rank, window or (1,) * rank
        padding = padding or ((0, 0),) * rank
        initial = self.constant(start_of(kind, x.dtype) if start is None else start, x.dtype)
        shape = _windows(x.shape, sizes, strides, padding, base, window)
        attributes = (
            f"window_dimensions = {array_attribute(sizes)}, "
            f"window_strides = {array_attribute(strides)}, "
            f"base_dilations = {array_attribute(base)}, "
            f"window_dilations = {array_attribute(window)}, padding = {_pairs(padding)}"
        )
        region = combining(kind, x.dtype)
        return self.op("reduce_window", [x, initial], [(shape, x.dtype)], attributes, region)[0]

    def running(self, kind: str, x: Value, dim: int, *, reverse: bool = False) -> Value:
        """A cumulative reduction."""
        size = x.shape[dim]
        sizes = [size if d == dim else 1 for d in range(len(x.shape))]
        low, high = (0, size - 1) if reverse else (size - 1, 0)
        padding = [(low, high) if d == dim else (0, 0) for d in range(len(x.shape))]
        return self.reduce_window(kind, x, sizes, padding=padding)

    def select_and_scatter(
        self,
        x: Value,
        source: Value,
        sizes: Sequence[int],
        strides: Sequence[int],
        padding: Sequence[Sequence[int]],
        direction: str = "GE",
    ) -> Value:
        """The gradient of a pool."""
        zero = self.constant(0, x.dtype)
        attributes = (
            f"window_dimensions = {array_attribute(sizes)}, "
            f"window_strides = {array_attribute(strides)}, padding = {_pairs(padding)}"
        )
        element = f"tensor<{x.dtype}>"
        region = f""" ({{
  ^bb0(%p: {element}, %q: {element}):
    %c = "stablehlo.compare"(%p, %q) <{{comparison_direction = #stablehlo<comparison_direction {direction}>}}> : ({element}, {element}) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {combining("add", x.dtype)[2:]}"""
        result = [(x.shape, x.dtype)]
        return self.op("select_and_scatter", [x, source, zero], result, attributes, region)[0]

    # Contractions.

    def dot(
        self,
        a: Value,
        b: Value,
        contract: tuple[Sequence[int], Sequence[int]] = ((1,), (0,)),
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
    ) -> Value:
        """dot_general; a matrix product by default."""
        free_a = [d for d in range(len(a.shape)) if d not in (*contract[0], *batch[0])]
        free_b = [d for d in range(len(b.shape)) if d not in (*contract[1], *batch[1])]
        shape = (
            *(a.shape[d] for d in batch[0]),
            *(a.shape[d] for d in free_a),
            *(b.shape[d] for d in free_b),
        )
        lists = [", ".join(map(str, d)) for d in (*batch, *contract)]
        attributes = (
            "dot_dimension_numbers = #stablehlo.dot<"
            f"lhs_batching_dimensions = [{lists[0]}], rhs_batching_dimensions = [{lists[1]}], "
            f"lhs_contracting_dimensions = [{lists[2]}], "
            f"rhs_contracting_dimensions = [{lists[3]}]>"
        )
        return self.op("dot_general", [a, b], [(shape, a.dtype)], attributes)[0]

    def convolution(
        self,
        x: Value,
        kernel: Value,
        strides: Sequence[int] = (1, 1),
        padding: Sequence[Sequence[int]] = ((0, 0), (0, 0)),
        base: Sequence[int] = (1, 1),
        window: Sequence[int] = (1, 1),
        groups: int = 1,
        batches: int = 1,
        numbers: str = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
        reverse: bool = False,
    ) -> Value:
        """A convolution over two spatial dimensions in any layout."""
        data, weights, out = (
            [d.strip() for d in part.split(",")] for part in re.findall(r"\[(.*?)\]", numbers)
        )
        spatial = _windows(
            [x.shape[data.index(str(i))] for i in range(2)],
            [kernel.shape[weights.index(str(i))] for i in range(2)],
            strides,
            padding,
            base,
            window,
        )
        sizes = {
            "b": x.shape[data.index("b")] // batches,
            "f": kernel.shape[weights.index("o")],
            "0": spatial[0],
            "1": spatial[1],
        }
        flipped = ", window_reversal = array<i1: true, true>" if reverse else ""
        attributes = (
            f"dimension_numbers = #stablehlo.conv<{numbers}>, "
            f"window_strides = {array_attribute(strides)}, padding = {_pairs(padding)}, "
            f"lhs_dilation = {array_attribute(base)}, rhs_dilation = {array_attribute(window)}, "
            f"feature_group_count = {groups} : i64, batch_group_count = {batches} : i64{flipped}"
        )
        shape = tuple(sizes[d] for d in out)
        return self.op("convolution", [x, kernel], [(shape, x.dtype)], attributes)[0]


def _windows(
    shape: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    base: Sequence[int],
    window: Sequence[int],
) -> Shape:
    found = []
    for n, k, s, (low, high), b, w in zip(
        shape, sizes, strides, padding, base, window, strict=True
    ):
        padded = ((n - 1) * b + 1 if n else 0) + low + high
        reach = (k - 1) * w + 1 if k else 0
        found.append(0 if padded <= 0 or reach > padded else (padded - reach) // s + 1)
    return tuple(found)


def _dense(values: Any, dtype: str, shape: Shape) -> str:
    array = np.asarray(values)
    if array.ndim == 0:
        return f"dense<{literal(array.item(), dtype)}> : {tensor_type(shape, dtype)}"
    return f"dense<{_nested(array, dtype)}> : {tensor_type(array.shape, dtype)}"


def _nested(array: Array, dtype: str) -> str:
    if array.ndim == 0:
        return literal(array.item(), dtype)
    return "[" + ", ".join(_nested(a, dtype) for a in array) + "]"


def combining(kind: str, dtype: str) -> str:
    element = f"tensor<{dtype}>"
    return f""" ({{
  ^bb0(%x: {element}, %y: {element}):
    %z = "stablehlo.{kind}"(%x, %y) : ({element}, {element}) -> {element}
    stablehlo.return %z : {element}
  }})"""


def replacing(dtype: str) -> str:
    element = f"tensor<{dtype}>"
    return f""" ({{
  ^bb0(%x: {element}, %y: {element}):
    stablehlo.return %y : {element}
  }})"""


def _arg_body(dtype: str, direction: str) -> str:
    """As torch exports argmax: the better or NaN wins, the smaller position among equals."""
    element, flag = f"tensor<{dtype}>", "tensor<i1>"

    def compared(name: str, a: str, b: str, way: str, kind: str) -> str:
        return (
            f'    %{name} = "stablehlo.compare"(%{a}, %{b}) <{{comparison_direction = '
            f"#stablehlo<comparison_direction {way}>}}> : ({kind}, {kind}) -> {flag}"
        )

    lines = [
        compared("better", "x", "y", direction, element),
        compared("nan", "x", "x", "NE", element),
        compared("equal", "x", "y", "EQ", element),
        compared("ynan", "y", "y", "NE", element),
        compared("first", "i", "j", "LT", "tensor<i32>"),
        f"    %wins = stablehlo.or %better, %nan : {flag}",
        f"    %both = stablehlo.and %nan, %ynan : {flag}",
        f"    %tie = stablehlo.or %equal, %both : {flag}",
        f"    %earlier = stablehlo.and %tie, %first : {flag}",
        f"    %not = stablehlo.not %both : {flag}",
        f"    %strict = stablehlo.and %wins, %not : {flag}",
        f"    %take = stablehlo.or %strict, %earlier : {flag}",
        f"    %v = stablehlo.select %take, %x, %y : {flag}, {element}",
        f"    %k = stablehlo.select %take, %i, %j : {flag}, tensor<i32>",
        f"    stablehlo.return %v, %k : {element}, tensor<i32>",
    ]
    body = "\n".join(lines)
    return f""" ({{
  ^bb0(%x: {element}, %i: tensor<i32>, %y: {element}, %j: tensor<i32>):
{body}
  }})"""
