"""When are two results the same? Integers exactly, floats within a part of the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

Array = np.ndarray[Any, Any]


def as_array(value: Array | torch.Tensor) -> Array:
    """A numpy array; bf16 and f16 as f32."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().resolve_conj()
        if value.dtype in (torch.bfloat16, torch.float16):
            value = value.float()
        return np.asarray(value.numpy())
    return value.astype(np.float32) if value.dtype == np.float16 else value


def difference(actual: Array | torch.Tensor, expected: Array | torch.Tensor) -> float:
    """max|a - b| / max|b| over the finite elements; inf where shapes, NaN or infinities differ.

    Integers and booleans: 0.0 where equal, inf where not.
    """
    a, b = as_array(actual), as_array(expected)
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
        return float("inf")
    if a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else float("inf")
    finite = np.isfinite(b)
    if (
        not np.array_equal(a[~finite], b[~finite], equal_nan=True)
        or not np.isfinite(a[finite]).all()
    ):
        return float("inf")
    if not finite.any():
        return 0.0
    worst = float(np.abs(a[finite].astype(np.complex128) - b[finite].astype(np.complex128)).max())
    largest = float(np.abs(b[finite]).max())
    return worst / largest if largest else worst


def assert_same(
    actual: Sequence[Array | torch.Tensor],
    expected: Sequence[Array | torch.Tensor],
    tolerance: float = 1e-5,
) -> None:
    """Assert that two lists of results are the same; floats within `tolerance`."""
    assert len(actual) == len(expected), f"{len(actual)} results, expected {len(expected)}"
    for index, (a, b) in enumerate(zip(actual, expected, strict=True)):
        found = difference(a, b)
        assert found <= tolerance, (
            f"result {index}: difference {found:.3g} > {tolerance:g}\n"
            f"actual   {as_array(a).dtype} {as_array(a).reshape(-1)[:16]}\n"
            f"expected {as_array(b).dtype} {as_array(b).reshape(-1)[:16]}"
        )
