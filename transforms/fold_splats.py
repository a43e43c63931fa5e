"""Constants with one value everywhere are computed at compile time, exactly."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import integer_range
from distc.dialect.stablehlo import Number
from distc.transforms.base import Pass
from distc.transforms.worklist import PatternTable, merge_tables, rewrite

# Larger arrays stay where they are: a copy per reshape would cost more than it saves.
_MAX_ELEMENTS = 1 << 16
_FLOATS: dict[str, type[np.floating[Any]]] = {
    # bf16 and f16 arithmetic in f32, rounded once more, is correctly rounded for + - * / sqrt
    "bf16": np.float32,
    "f16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "EQ": operator.eq,
    "NE": operator.ne,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
}


def splat_of(value: ir.Value) -> Number | None:
    """The number of a splat constant, None for any other value."""
    op = stablehlo.defining_op(value)
    return stablehlo.splat_value(op) if op is not None else None


def _constant_of(value: ir.Value) -> ir.DenseElementsAttr | None:
    op = stablehlo.defining_op(value)
    return stablehlo.constant_attribute(op) if op is not None else None


def move_splat(op: ir.Operation) -> ir.Value | None:
    """Reshape, broadcast, transpose, slice, reverse of a splat: the splat in the new shape."""
    attribute = _constant_of(op.operands[0])
    if attribute is None or not attribute.is_splat:
        return None
    return build.splat_attribute(attribute.get_splat_value(), stablehlo.shape(op.results[0]))


def concatenate_splats(op: ir.Operation) -> ir.Value | None:
    """Pieces of one splat joined; one piece alone is itself."""
    if len(op.operands) == 1:
        return op.operands[0]
    attributes = [_constant_of(v) for v in op.operands]
    if any(a is None or not a.is_splat for a in attributes):
        return None
    values = [a.get_splat_value() for a in attributes if a is not None]
    if any(v != values[0] for v in values):
        return None
    return build.splat_attribute(values[0], stablehlo.shape(op.results[0]))


def reshape_array(op: ir.Operation) -> ir.Value | None:
    """Reshape of a small array constant."""
    source = stablehlo.defining_op(op.operands[0])
    array = stablehlo.constant_array(source) if source is not None else None
    if array is None or array.size > _MAX_ELEMENTS:
        return None
    result = op.results[0]
    return build.constant(array.reshape(stablehlo.shape(result)), stablehlo.element_type(result))


def convert_splat(op: ir.Operation) -> ir.Value | None:
    """Convert a splat as StableHLO does; a conversion to the same type is nothing.

    What is implementation-defined (NaN or out of range to integer) is left alone.
    """
    source, result = op.operands[0], op.results[0]
    if source.type == result.type:
        return source
    value = splat_of(source)
    if value is None:
        return None
    element = stablehlo.element_type(result)
    if isinstance(element, ir.IntegerType):
        whole = _to_integer(value, element)
        return None if whole is None else build.splat(whole, stablehlo.shape(result), element)
    if stablehlo.dtype(result) not in _FLOATS or not isinstance(value, int | float):
        return None
    number = float(value)
    if isinstance(value, int) and int(number) != value:
        return None  # already rounded, and the result type would round again
    return build.splat(number, stablehlo.shape(result), element)


def _to_integer(value: Number, element: ir.IntegerType) -> int | None:
    if element.width == 1:
        return int(value != 0)
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    low, high = integer_range(element)
    return int(value) if low <= int(value) <= high else None


def _fold(op: ir.Operation, compute: Callable[..., Any]) -> ir.Value | None:
    """Apply `compute` to the operands' numbers, in their type, where all are splats."""
    result = op.results[0]
    values: list[Any] = [splat_of(v) for v in op.operands]
    if any(v is None for v in values) or not stablehlo.is_tensor(result):
        return None
    kind = stablehlo.dtype(op.operands[0])
    if kind in _FLOATS:
        values = [_FLOATS[kind](v) for v in values]
    elif not isinstance(stablehlo.element_type(op.operands[0]), ir.IntegerType):
        return None
    with np.errstate(all="ignore"):
        found = compute(*values)
    if isinstance(found, np.generic):
        found = found.item()
    return build.splat(found, stablehlo.shape(result), stablehlo.element_type(result))


def _binary(op: ir.Operation) -> ir.Value | None:
    is_bool = stablehlo.dtype(op.operands[0]) == "i1"
    is_float = stablehlo.dtype(op.operands[0]) in _FLOATS
    match op.name.removeprefix("stablehlo."):
        case "add" if not is_bool:
            return _fold(op, operator.add)
        case "subtract" if not is_bool:
            return _fold(op, operator.sub)
        case "multiply" if not is_bool:
            return _fold(op, operator.mul)
        case "divide" if is_float:
            return _fold(op, np.divide)
        case "divide" if splat_of(op.operands[1]) not in (None, 0):
            return _fold(op, _truncated_division)
        case "maximum":
            return _fold(op, np.maximum if is_float else max)
        case "minimum":
            return _fold(op, np.minimum if is_float else min)
        case "and" if not is_float:
            return _fold(op, operator.and_)
        case "or" if not is_float:
            return _fold(op, operator.or_)
        case "xor" if not is_float:
            return _fold(op, operator.xor)
    return None


def _truncated_division(a: int, b: int) -> int:
    """Integer division towards zero, as StableHLO's."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _unary(op: ir.Operation) -> ir.Value | None:
    """Unary ops with one right answer: no transcendental function rounds alike everywhere."""
    kind = stablehlo.dtype(op.operands[0])
    is_float = kind in _FLOATS
    match op.name.removeprefix("stablehlo."):
        case "negate" if kind != "i1":
            return _fold(op, operator.neg)
        case "abs":
            return _fold(op, abs)
        case "sqrt" if is_float:
            return _fold(op, np.sqrt)
        case "floor" if is_float:
            return _fold(op, np.floor)
        case "ceil" if is_float:
            return _fold(op, np.ceil)
        case "not" if kind == "i1":
            return _fold(op, lambda v: not v)
        case "not" if not is_float:
            return _fold(op, operator.invert)
    return None


def _f64_only(op: ir.Operation) -> ir.Value | None:
    """Scalar arithmetic that PyTorch's tracer wrote out in f64, in Python's own precision."""
    functions: dict[str, Callable[..., Any]] = {
        "exponential": np.exp,
        "log": np.log,
        "power": np.power,
        "rsqrt": lambda v: 1 / np.sqrt(v),
    }
    if stablehlo.dtype(op.results[0]) != "f64":
        return None
    return _fold(op, functions[op.name.removeprefix("stablehlo.")])


def compare_splats(op: ir.Operation) -> ir.Value | None:
    """Comparison of two splats; total order is left alone."""
    if stablehlo.comparison_type(op) == "TOTALORDER":
        return None
    return _fold(op, _COMPARE[stablehlo.comparison_direction(op)])


def select_splat(op: ir.Operation) -> ir.Value | None:
    """Selection by a known predicate, or between twice the same."""
    predicate, on_true, on_false = op.operands
    if on_true == on_false:
        return on_true
    value = splat_of(predicate)
    if value is None:
        return None
    return on_true if value else on_false


def drop_identity(op: ir.Operation) -> ir.Value | None:
    """x * 1, x / 1, x - 0 and, for integers, x + 0: exact whatever x is."""
    lhs, rhs = op.operands
    kind = stablehlo.dtype(op.results[0])
    left, right = splat_of(lhs), splat_of(rhs)
    if kind == "i1":
        return None
    match op.name:
        case "stablehlo.multiply" if right == 1:
            return lhs
        case "stablehlo.multiply" if left == 1:
            return rhs
        case "stablehlo.divide" if right == 1:
            return lhs
        case "stablehlo.subtract" if _is_plus_zero(right):
            return lhs
        case "stablehlo.add" if kind not in _FLOATS and right == 0 and "f" not in kind:
            return lhs
        case "stablehlo.add" if kind not in _FLOATS and left == 0 and "f" not in kind:
            return rhs
    return None


def _is_plus_zero(value: Number | None) -> bool:
    # x - (-0.0) turns -0.0 into 0.0
    return value == 0 and not (isinstance(value, float) and math.copysign(1, value) < 0)


def drop_masked_all(op: ir.Operation) -> ir.Value | None:
    """x and true, x or false."""
    lhs, rhs = op.operands
    neutral = {"stablehlo.and": True, "stablehlo.or": False}.get(op.name)
    if stablehlo.dtype(op.results[0]) != "i1" or neutral is None:
        return None
    if splat_of(rhs) is neutral:
        return lhs
    return rhs if splat_of(lhs) is neutral else None


def square(op: ir.Operation) -> ir.Value | None:
    """x ** 2 is x * x; x ** 1 is x."""
    base, exponent = op.operands
    if stablehlo.dtype(base) not in _FLOATS:
        return None
    match splat_of(exponent):
        case 1:
            return base
        case 2:
            return build.binary("multiply", base, base)
    return None


def pad_nothing(op: ir.Operation) -> ir.Value | None:
    """Padding by nothing; a splat padded with its own value."""
    padding = stablehlo.padding(op)
    if not any((*padding.low, *padding.high, *padding.interior)):
        return op.operands[0]
    attribute, value = _constant_of(op.operands[0]), _constant_of(op.operands[1])
    if attribute is None or value is None or not attribute.is_splat:
        return None
    same = attribute.get_splat_value() == value.get_splat_value()
    return move_splat(op) if same else None


_MOVES = ("broadcast_in_dim", "reshape", "reverse", "slice", "transpose")
_BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "and", "or", "xor")
_UNARY = ("abs", "ceil", "floor", "negate", "not", "sqrt")
PATTERNS: PatternTable = merge_tables(
    {f"stablehlo.{name}": [move_splat] for name in _MOVES},
    {f"stablehlo.{name}": [_binary] for name in _BINARY},
    {f"stablehlo.{name}": [_unary] for name in _UNARY},
    {f"stablehlo.{name}": [_f64_only] for name in ("exponential", "log", "power", "rsqrt")},
    {f"stablehlo.{name}": [drop_identity] for name in ("add", "subtract", "multiply", "divide")},
    {
        "stablehlo.and": [drop_masked_all],
        "stablehlo.compare": [compare_splats],
        "stablehlo.concatenate": [concatenate_splats],
        "stablehlo.convert": [convert_splat],
        "stablehlo.or": [drop_masked_all],
        "stablehlo.pad": [pad_nothing],
        "stablehlo.power": [square],
        "stablehlo.reshape": [reshape_array],
        "stablehlo.select": [select_splat],
    },
)


@dataclass(frozen=True)
class FoldSplats(Pass):
    """Fold constants of one value through data movement, conversion and exact arithmetic.

    Needs static shapes. Leaves no reshape, broadcast, transpose, slice, conversion, selection or
    correctly rounded arithmetic of splat constants; no multiplication by one; `x * x` for `x ** 2`.
    Every fold gives the bits the op would give. Never fails.

    Example:
        ```mlir
        // Input
        %c = stablehlo.constant dense<2> : tensor<i64>
        %0 = stablehlo.convert %c : (tensor<i64>) -> tensor<f32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %2 = stablehlo.power %x, %1 : tensor<4xf32>
        // Output
        %2 = stablehlo.multiply %x, %x : tensor<4xf32>
        ```

    A constant known as one costs nothing on any rank; a chain that makes it is planned like data.
    """

    name: ClassVar[str] = "fold-splats"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
