"""When does a result agree with the expected one? Integers exactly, floats within few ulps."""

from __future__ import annotations

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import to_storage

TOLERANCE = {
    torch.float16: 4e-3, torch.bfloat16: 2e-2, torch.float32: 2e-5, torch.float64: 1e-10,
    torch.complex64: 2e-5, torch.complex128: 1e-10,
}  # fmt: skip
_UNSIGNED = {torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64"}


def difference(
    actual: Tensor,
    expected: Tensor,
    kind: str = "check.expect_close",
    tolerance: float | None = None,
) -> str:
    """Return what differs, "" where two results agree.

    Args:
        actual: the result.
        expected: what it should be.
        kind: `check.expect_eq` wants floats exact too, `check.expect_almost_eq` compares with
            values written out with few digits.
        tolerance: how far apart floats may be, where the check says so itself.
    """
    dtype = actual.dtype
    if tuple(actual.shape) != tuple(expected.shape):
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    if dtype not in TOLERANCE:
        same = bool((_signed(actual) == _signed(expected)).all())
        return "" if same else f"{_first(actual)} != {_first(expected)}"
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a, b = actual.to(wide), expected.to(wide)
    if kind.endswith("expect_eq"):
        same = bool(torch.equal(_comparable(a), _comparable(b)))
        return "" if same else f"{_first(a)} != {_first(b)} exactly"
    if tolerance is not None:
        apart = (a - b).abs() <= tolerance
        same = bool((apart | (_comparable(a) == _comparable(b))).all())
        return "" if same else f"{_first(a)} and {_first(b)} are more than {tolerance} apart"
    return _close(a, b, max(TOLERANCE[dtype], 3e-5 if kind.endswith("almost_eq") else 0.0))


def _close(a: Tensor, b: Tensor, tolerance: float) -> str:
    finite = torch.isfinite(b)
    odd = ~finite
    if not torch.equal(_comparable(a[odd]), _comparable(b[odd])):
        return f"not finite: {_first(a[odd])} != {_first(b[odd])}"
    if not bool(finite.any()):
        return ""
    apart = (a[finite] - b[finite]).abs()
    largest = float(b[finite].abs().max())
    # NaN is not below anything, so a NaN where a number belongs is found here.
    if bool((apart <= tolerance * max(largest, 1e-30)).all()):
        return ""
    at = int(apart.nan_to_num(nan=float("inf")).argmax())
    return f"off by {float(apart[at]):.3g} of {largest:.3g}: {a[finite][at]} != {b[finite][at]}"


def _comparable(x: Tensor) -> Tensor:
    real = torch.view_as_real(x) if x.is_complex() else x
    return torch.nan_to_num(real, nan=7.5e300)


def _first(x: Tensor) -> list[object]:
    return list(x.flatten()[:8].tolist())


def _signed(x: Tensor) -> Tensor:
    return to_storage(x, _UNSIGNED[x.dtype]) if x.dtype in _UNSIGNED else x
