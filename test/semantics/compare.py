"""When are two results the same?

Integers and booleans bit by bit. Of floats: NaN in the same places, infinities and zeros with the
same sign in the same places, other values within a number of units in the last place of the
largest finite expected value (0: equal).
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
EPSILON = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}


def difference(actual: Array, expected: Array, dtype: str, ulps: float) -> str:
    """Empty where the two are the same, else what differs first."""
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    if dtype not in EPSILON:
        return _where(actual != expected, actual, expected, "value")
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    checks = (
        (np.isnan(a) != np.isnan(b), "NaN"),
        (np.isinf(a) != np.isinf(b), "infinity"),
        (np.isinf(a) & np.isinf(b) & (np.sign(a) != np.sign(b)), "sign of infinity"),
        ((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b)), "sign of zero"),
    )
    for wrong, what in checks:
        if wrong.any():
            return _where(wrong, a, b, what)
    finite = np.isfinite(b)
    largest = float(np.abs(b[finite]).max()) if finite.any() else 0.0
    allowed = ulps * EPSILON[dtype] * largest
    distance = np.zeros_like(b)
    distance[finite] = np.abs(a[finite] - b[finite])
    return _where(distance > allowed, a, b, "value")


def _where(wrong: Array, actual: Array, expected: Array, what: str) -> str:
    if not wrong.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{what} at {list(place)}: {actual[place]!r}, expected {expected[place]!r} "
        f"({int(wrong.sum())} of {wrong.size} differ)"
    )
