"""Values of narrow types: all where they are few, else those at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from distc.runtime import narrow_types

Array = np.ndarray[Any, Any]

FLOATS = tuple(narrow_types.FLOATS)
WITHOUT_INFINITY = tuple(
    name for name, kind in narrow_types.FLOATS.items() if kind.beyond is narrow_types.Beyond.LARGEST
)
ALL = tuple(narrow_types.CARRIERS)


def values_of(dtype: str, count: int) -> Array:
    """Values for operations of `count` operands, in the type that carries them.

    Without the NaN of E8M0FNU, which the interpreter takes for a number.
    """
    if dtype in narrow_types.INTEGERS:
        bits, signed = narrow_types.INTEGERS[dtype], dtype.startswith("i")
        low = -(1 << (bits - 1)) if signed else 0
        return np.arange(low, low + (1 << bits), dtype=np.int8 if signed else np.uint8)
    kind = narrow_types.FLOATS[dtype]
    codes = range(1 << kind.width)
    if count > 1 and kind.width > 4:
        codes = _edge_codes(kind)
    if count > 2:
        codes = codes[:: max(1, len(codes) // 16)]
    numbers = np.array([narrow_types.number(c, kind) for c in codes], dtype=np.float32)
    return numbers[~np.isnan(numbers)] if kind.unsigned else numbers


def _edge_codes(kind: narrow_types.Format) -> Any:
    """Zero, subnormals, the smallest normal, around one, the ends, infinity and NaN."""
    bits = kind.width - (not kind.unsigned)
    normal, one = 1 << kind.mantissa_bits, kind.bias << kind.mantissa_bits
    near = [0, 1, normal - 1, normal, normal + 1, one - 1, one, one + 1, one + normal]
    last = 1 << bits
    sizes = sorted({c for c in (*near, *range(last - 6, last)) if 0 <= c < last})
    if kind.unsigned:
        return sizes
    return [*sizes, *(c | last for c in sizes)]
