"""No detour through f64 between f32 values where the result is the same bit by bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.transforms.base import Pass
from distc.transforms.worklist import PatternTable, rewrite

# f64 keeps more than twice the digits of f32: one of these in f64 and rounded is the same in f32.
_ROUNDED_ONCE = frozenset(
    f"stablehlo.{n}" for n in ("add", "divide", "multiply", "sqrt", "subtract")
)
# These make no new digits.
_EXACT = frozenset(
    f"stablehlo.{n}"
    for n in ("abs", "ceil", "floor", "maximum", "minimum", "negate", "round_nearest_even", "sign")
)
_MOVES = frozenset(
    f"stablehlo.{n}" for n in ("broadcast_in_dim", "reshape", "reverse", "slice", "transpose")
)
_NARROW = ("f32", "bf16", "f16")
_EXACT_INTEGERS = ("i1", "i8", "i16", "i32", "ui8", "ui16", "ui32")
# A chain longer than this stays in f64.
_MOST_VALUES = 64


def _can_narrow(value: ir.Value) -> bool:
    """True when an f64 value equals an f32 value element by element."""
    waiting, seen = [value], {value}
    while waiting:
        sources = _sources(waiting.pop())
        if sources is None or len(seen) > _MOST_VALUES:
            return False
        fresh = [v for v in sources if v not in seen]
        waiting += fresh
        seen.update(fresh)
    return True


def _sources(value: ir.Value) -> list[ir.Value] | None:
    """The f64 values that must equal f32 values for `value` to, or None where it cannot."""
    op = stablehlo.defining_op(value)
    if op is None:
        return None
    number = stablehlo.splat_value(op)
    if number is not None:
        with np.errstate(over="ignore"):
            return [] if float(np.float32(number)) == number else None
    if op.name == "stablehlo.convert":
        return [] if stablehlo.dtype(op.operands[0]) in _NARROW else None
    if op.name in _EXACT or op.name in _MOVES:
        return list(op.operands)
    return list(op.operands)[1:] if op.name == "stablehlo.select" else None


def _narrow(value: ir.Value, made: dict[ir.Value, ir.Value] | None = None) -> ir.Value:
    """The f32 value equal to `value`; call only where `_can_narrow`."""
    made = {} if made is None else made
    if value not in made:
        made[value] = _make_narrow(value, made)
    return made[value]


def _make_narrow(value: ir.Value, made: dict[ir.Value, ir.Value]) -> ir.Value:
    op = stablehlo.defining_op(value)
    assert op is not None
    single = ir.F32Type.get(value.context)
    number = stablehlo.splat_value(op)
    if number is not None:
        return build.splat(number, stablehlo.shape(value), single)
    if op.name == "stablehlo.convert":
        return build.convert(op.operands[0], single)
    operands = list(op.operands)
    kept = operands[:1] if op.name == "stablehlo.select" else []
    return _in_f32(op, kept + [_narrow(v, made) for v in operands[len(kept) :]])


def _in_f32(op: ir.Operation, operands: list[ir.Value]) -> ir.Value:
    result = op.results[0]
    single = build.tensor_type(stablehlo.shape(result), ir.F32Type.get(op.context))
    return build.clone(op, operands, [single]).results[0]


def narrow_conversion(op: ir.Operation) -> ir.Value | None:
    """f64 → anything, of what is f32 all along or one rounding away from it."""
    source, result = op.operands[0], op.results[0]
    if stablehlo.dtype(source) != "f64":
        return None
    if _can_narrow(source):
        return build.convert(_narrow(source), stablehlo.element_type(result))
    inner = stablehlo.defining_op(source)
    if inner is None or stablehlo.dtype(result) != "f32":
        return None
    if inner.name == "stablehlo.convert":
        exact = stablehlo.dtype(inner.operands[0]) in _EXACT_INTEGERS
        return build.convert(inner.operands[0], stablehlo.element_type(result)) if exact else None
    if inner.name not in _ROUNDED_ONCE or not all(_can_narrow(v) for v in inner.operands):
        return None
    return _in_f32(inner, [_narrow(v) for v in inner.operands])


def narrow_comparison(op: ir.Operation) -> ir.Value | None:
    """A comparison in f64 of two f32 values is the comparison in f32."""
    lhs, rhs = op.operands
    if stablehlo.dtype(lhs) != "f64" or not (_can_narrow(lhs) and _can_narrow(rhs)):
        return None
    return build.clone(op, [_narrow(lhs), _narrow(rhs)]).results[0]


PATTERNS: PatternTable = {
    "stablehlo.compare": [narrow_comparison],
    "stablehlo.convert": [narrow_conversion],
}


@dataclass(frozen=True)
class RemoveF64(Pass):
    """Compute in f32 what was converted to f64 and back, where every bit stays the same.

    Needs static shapes. Leaves an f64 op between f32 values only where rounding once at the end
    differs from rounding at each step, such as a sum over elements or two products in a row.
    Arguments and results of functions keep their types. Never fails.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
        %1 = stablehlo.constant dense<5.0e-1> : tensor<4xf64>
        %2 = stablehlo.multiply %0, %1 : tensor<4xf64>
        %3 = stablehlo.convert %2 : (tensor<4xf64>) -> tensor<4xf32>
        // Output
        %1 = stablehlo.constant dense<5.0e-1> : tensor<4xf32>
        %3 = stablehlo.multiply %x, %1 : tensor<4xf32>
        ```

    PyTorch's scalars are f64; on a GPU f64 arithmetic is 32 to 64 times slower and moves twice the
    bytes. One operation of +, -, *, / or sqrt on f32 values, done in f64 and rounded to f32, is the
    f32 operation, because 53 digits are at least 2 x 24 + 2.
    """

    name: ClassVar[str] = "remove-f64"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
