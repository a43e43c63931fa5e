"""Operations x element types x values at the edges, many operations a program.

Values are the ends of a type, the numbers next to them, both zeros, subnormals, infinities and
NaN; of two operands all pairs. Which results the specification leaves open is said per operation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowering_cases import narrow_values

Array = np.ndarray[Any, Any]
Known = Callable[..., "Array"]

FLOATS = ("bf16", "f16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = SIGNED + UNSIGNED
NARROW_SIGNED, NARROW_UNSIGNED = ("i2", "i4"), ("ui2", "ui4")
_NARROW_INTEGERS = NARROW_SIGNED + NARROW_UNSIGNED
_LIMITS = {  # largest, smallest normal, smallest subnormal, next above one
    "bf16": (3.3895314e38, 1.1754944e-38, 9.1835e-41, 1.0078125),
    "f16": (65504.0, 6.1035156e-05, 5.9604645e-08, 1.0009765625),
    "f32": (3.4028235e38, 1.1754944e-38, 1e-45, 1.0000001),
    "f64": (1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 1.0000000000000002),
}
# Computed values may be a few units in the last place from the interpreter's.
_AFTER_TIES = tuple(1 + 2.0**-k + 2.0**-40 for k in (2, 3, 4, 5, 8, 11))
"""Numbers that a type of so many digits rounds up, but down where they are rounded to f32 first."""
_ULPS = {"bf16": 2.0**-7, "f16": 2.0**-10, "f32": 2.0**-22, "f64": 2.0**-50}


def _never(*operands: Array) -> Array:
    return np.zeros(operands[0].shape, dtype=bool)


def _below_zero(a: Array) -> Array:
    return np.asarray(a < 0)


@dataclass(frozen=True)
class Row:
    """One operation on one element type.

    `relative` is how far a computed element may be off, 0 for exact ones; `open_` says where the
    specification has no result, so that nothing is compared.
    """

    text: str
    operand: str
    result: str
    count: int
    relative: float = 0.0
    open_: Known = _never


@dataclass(frozen=True)
class Edges:
    """A program: rows of one element type, on the same values."""

    name: str
    values: tuple[Array, ...]
    rows: tuple[Row, ...]

    @property
    def text(self) -> str:
        """The module; narrow types come and go as the types that carry them."""
        row, names = self.rows[0], ["%a", "%b", "%c"][: len(self.values)]
        n, carried = self.values[0].size, _carrier(row.operand)
        kind = f"tensor<{n}x{row.operand}>"
        lines = []
        if carried != row.operand:
            for name in names:
                outside = f"tensor<{n}x{carried}>"
                lines.append(f"{name} = stablehlo.convert {name}_ : ({outside}) -> {kind}")
        for index, each in enumerate(self.rows):
            out = f"tensor<{n}x{each.result}>"
            types = f"({', '.join([kind] * each.count)}) -> {out}"
            lines.append(f"%n{index} = {each.text} : {types}")
            outside = f"tensor<{n}x{_carrier(each.result)}>"
            lines.append(f"%r{index} = stablehlo.convert %n{index} : ({out}) -> {outside}")
        suffix = "_" if carried != row.operand else ""
        takes = ", ".join(f"{name}{suffix}: tensor<{n}x{carried}>" for name in names)
        gives = ", ".join(f"tensor<{n}x{_carrier(r.result)}>" for r in self.rows)
        returned = ", ".join(f"%r{i}" for i in range(len(self.rows)))
        body = "\n".join(lines)
        return f"func.func @main({takes}) -> ({gives}) {{\n{body}\nreturn {returned} : {gives}\n}}"


def _carrier(dtype: str) -> str:
    if dtype.startswith(("f4", "f6", "f8")):
        return "f32"
    return {"i2": "i8", "i4": "i8", "ui2": "ui8", "ui4": "ui8"}.get(dtype, dtype)


def values_of(dtype: str, count: int) -> Array:
    """The values at the edges of a type; floats below f32 as f32."""
    if dtype == "i1":
        return np.array([False, True])
    if dtype in narrow_values.ALL:
        return narrow_values.values_of(dtype, count)
    if dtype in INTEGERS:
        info = np.iinfo(_numpy(dtype))
        middle = [info.max // 2, info.max // 2 + 1, 7]
        ends = [info.min, info.min + 1, info.max - 1, info.max]
        small = [0, 1, 2] if dtype in UNSIGNED else [-2, -1, 0, 1, 2]
        after_tie = [(1 << k) + (1 << (k - 8)) + 1 for k in (24, 30, 60) if 1 << (k + 1) < info.max]
        return np.array(sorted({*middle, *ends, *small, *after_tie}), dtype=_numpy(dtype))
    largest, normal, subnormal, above = _LIMITS[dtype]
    sizes = [0.0, subnormal, normal, 0.5, 1.0, above, 1.5, 2.0, 2.5, 3.0, 1e4, largest, np.inf]
    if dtype == "f64" and count == 1:
        sizes += [*_AFTER_TIES]
    wide = np.float64 if dtype == "f64" else np.float32
    return np.array([*(-s for s in sizes), *sizes, np.nan], dtype=wide)


def _numpy(dtype: str) -> Any:
    return np.dtype(dtype.replace("ui", "uint") if dtype.startswith("u") else f"int{dtype[1:]}")


def _divides_by_zero(a: Array, b: Array) -> Array:
    """Division by zero and the least integer by -1: undefined, and fatal to the interpreter."""
    found = b == 0
    if a.dtype.kind == "i":
        found = found | (b == -1)
    return found


def _past_the_type(low: float, high: float) -> Known:
    def past(a: Array) -> Array:
        whole = np.trunc(a.astype(np.float64))
        return ~((whole >= low) & (whole < high))

    return past


def _huge_angle(a: Array) -> Array:
    """The interpreter's argument reduction of huge angles is another."""
    return np.abs(a.astype(np.float64)) > 1e4


_EXACT_UNARY = ("abs", "ceil", "floor", "negate", "round_nearest_afz", "round_nearest_even", "sign")
_COMPUTED_UNARY = (
    "cbrt", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt",
    "sqrt", "tanh",
)  # fmt: skip
_ANGLES = ("cosine", "sine", "tan")
_BINARY = ("add", "maximum", "minimum", "multiply", "subtract")
_BITS = ("and", "or", "xor")
_SHIFTS = ("shift_left", "shift_right_arithmetic", "shift_right_logical")


def _row(op: str, dtype: str, count: int, result: str = "", **options: Any) -> Row:
    names = ", ".join("%" + c for c in "abc"[:count])
    text = op if "%" in op else f"{op} {names}"
    return Row(f"stablehlo.{text}", dtype, result or dtype, count, **options)


def _float_rows(dtype: str) -> Iterator[Row]:
    for op in _EXACT_UNARY:
        yield _row(op, dtype, 1)
    for op in _COMPUTED_UNARY:
        yield _row(op, dtype, 1, relative=4 * _ULPS[dtype])
    for op in _ANGLES:
        yield _row(op, dtype, 1, relative=4 * _ULPS[dtype], open_=_huge_angle)
    for op in (*_BINARY, "divide", "remainder"):
        yield _row(op, dtype, 2)
    for op in ("atan2", "power"):
        yield _row(op, dtype, 2, relative=4 * _ULPS[dtype])
    yield _row("is_finite", dtype, 1, "i1")
    for form in ("e5m2", "e8m7", "e4m3", "e11m52", "e2m0"):
        yield _row(f"reduce_precision %a, format = {form}", dtype, 1)


def _integer_rows(dtype: str) -> Iterator[Row]:
    signed = dtype in SIGNED + NARROW_SIGNED
    for op in ("popcnt", "count_leading_zeros", "not", "negate", *(["abs", "sign"] * signed)):
        yield _row(op, dtype, 1)
    for op in (*_BINARY, *_BITS, *_SHIFTS, "power"):
        yield _row(op, dtype, 2)
    for op in ("divide", "remainder"):
        yield _row(op, dtype, 2, open_=_divides_by_zero)


def _narrow_float_rows(dtype: str) -> Iterator[Row]:
    """E8M0FNU has neither a zero nor a sign, so it only compares."""
    if dtype == "f8E8M0FNU":
        for op in ("maximum", "minimum"):
            yield _row(op, dtype, 2)
        return
    # The interpreter rounds by adding a number that these types do not have.
    rounds = dtype not in ("f6E2M3FN", "f8E3M4")
    for op in _EXACT_UNARY if rounds else ("abs", "negate", "sign"):
        yield _row(op, dtype, 1)
    yield _row("sqrt", dtype, 1, open_=_below_zero)
    for op in _BINARY:
        yield _row(op, dtype, 2)
    infinite = dtype not in narrow_values.WITHOUT_INFINITY
    yield _row("divide", dtype, 2, open_=_never if infinite else lambda a, b: b == 0)
    yield _row("is_finite", dtype, 1, "i1")


def _rows() -> Iterator[Row]:
    for dtype in FLOATS:
        yield from _float_rows(dtype)
    for dtype in INTEGERS + _NARROW_INTEGERS:
        yield from _integer_rows(dtype)
    for dtype in narrow_values.FLOATS:
        yield from _narrow_float_rows(dtype)
    for op in (*_BITS, "add", "maximum", "minimum", "multiply"):
        yield _row(op, "i1", 2)
    every = (*FLOATS, *INTEGERS, "i1", *_NARROW_INTEGERS, *narrow_values.FLOATS)
    for dtype in every:
        yield _row("clamp", dtype, 3)
        # The interpreter takes TOTALORDER for FLOAT: test/semantics has it.
        order = "FLOAT" if "f" in dtype else "SIGNED"
        if dtype == "i1" or dtype in UNSIGNED + NARROW_UNSIGNED:
            order = "UNSIGNED"
        for direction in ("EQ", "NE", "GE", "GT", "LE", "LT"):
            yield _row(f"compare {direction}, %a, %b, {order}", dtype, 2, "i1")
        for target in every:
            yield _convert(dtype, target)


def _convert(source: str, target: str) -> Row:
    if source in (*FLOATS, *narrow_values.FLOATS) and target in INTEGERS + _NARROW_INTEGERS:
        bits = int(target.lstrip("ui"))
        signed = target in SIGNED + NARROW_SIGNED
        low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if signed else (0.0, 2.0**bits)
        return _row("convert", source, 1, target, open_=_past_the_type(low, high))
    if target == "f8E8M0FNU":  # neither zero nor a sign
        return _row("convert", source, 1, target, open_=lambda a: ~((a > 0) & (a <= 2.0**127)))
    if target in narrow_values.WITHOUT_INFINITY:  # what becomes of larger numbers is a choice
        return _row("convert", source, 1, target, open_=lambda a: ~(np.abs(a) < 1e38))
    return _row("convert", source, 1, target)


def edges() -> Iterator[Edges]:
    """All programs: rows with the same operands and the same open results together."""
    groups: dict[tuple[str, int, bytes], list[Row]] = defaultdict(list)
    grids: dict[tuple[str, int], tuple[Array, ...]] = {}
    for row in _rows():
        place = row.operand, row.count
        if place not in grids:
            values = values_of(*place)
            grids[place] = tuple(
                g.reshape(-1) for g in np.meshgrid(*[values] * row.count, indexing="ij")
            )
        groups[(*place, row.open_(*grids[place]).tobytes())].append(row)
    for (dtype, count, mask), rows in groups.items():
        kept = ~np.frombuffer(mask, dtype=bool)
        if not kept.any():
            continue
        whole = "" if kept.all() else f"_{rows[0].text.split()[0].split('.')[1]}_{rows[0].result}"
        name = f"{dtype}_{count}{whole}"
        yield Edges(name, tuple(v[kept] for v in grids[dtype, count]), tuple(rows))
