"""Values of `stablehlo.constant`, as Python numbers and arrays."""

from __future__ import annotations

import math
import re
from typing import Any, TypeAlias

import numpy as np
from torch_mlir import ir

Number: TypeAlias = "bool | int | float"
Array: TypeAlias = "np.ndarray[Any, Any]"
_WIDE_FLOATS = ("bf16", "f16", "f32", "f64")
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def splat_value(op: ir.Operation) -> Number | None:
    """The one value of a splat `stablehlo.constant`; None for anything else.

    Complex and resource constants count as not splat, and so do NaN and infinities of eight bits
    and less, which the bindings mix up.
    """
    attribute = constant_attribute(op)
    if attribute is None or not attribute.is_splat:
        return None
    value: Number = attribute.get_splat_value().value
    if isinstance(value, float) and not math.isfinite(value):
        element = ir.RankedTensorType(attribute.type).element_type
        return value if str(element) in _WIDE_FLOATS else None
    return value


def constant_attribute(op: ir.Operation) -> ir.DenseElementsAttr | None:
    """Value of a `stablehlo.constant` that Python can read, else None."""
    if op.name != "stablehlo.constant":
        return None
    try:
        attribute = op.attributes["value"]
    except TypeError:  # complex elements have no Python attribute class
        return None
    readable = isinstance(attribute, ir.DenseFPElementsAttr | ir.DenseIntElementsAttr)
    return attribute if readable else None


def constant_array(op: ir.Operation) -> Array | None:
    """Array of a readable `stablehlo.constant`; bf16 elements come as f32, i1 as bool.

    None for what Python cannot read: complex and 8-bit floating-point elements, resources.
    """
    attribute = constant_attribute(op)
    if attribute is None:
        return None
    kind = ir.RankedTensorType(attribute.type)
    if isinstance(kind.element_type, ir.BF16Type):
        return _bf16_array(str(attribute), tuple(kind.shape))
    try:
        return np.array(attribute)
    except (TypeError, BufferError):
        return None


def _bf16_array(text: str, shape: tuple[int, ...]) -> Array:
    """Read the printed form: the bindings give neither a buffer nor the elements of bf16."""
    body = text[text.index("<") + 1 : text.rindex(">", 0, text.rindex(" : "))]
    if body.startswith('"0x'):
        bits = np.frombuffer(bytes.fromhex(body[3:-1]), dtype="<u2")
        values = _widened(bits)
    else:
        values = np.array([_bf16_number(t) for t in _NUMBER.findall(body)], dtype=np.float32)
    if values.size == 1:
        return np.full(shape, values[0])
    return values.reshape(shape)


def _bf16_number(token: str) -> float:
    if token.startswith("0x"):  # NaN and infinities are printed as bits
        return float(_widened(np.array([int(token, 16)]))[0])
    # printed with just enough digits: the nearest bf16 is meant, ties to even
    bits = np.array([float(token)], dtype=np.float32).view(np.uint32)
    return float(_widened((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)[0])


def _widened(bits: Array) -> Array:
    """bf16 is the upper half of f32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
