"""Kernels that only move values keep a NaN's bits: its sign orders it."""

from __future__ import annotations

import pytest
import torch

from distc.runtime.kernels.reduction import sort, sort_by_keys, take_along

_BITS = {
    torch.bfloat16: (torch.int16, 0x7FC1),
    torch.float16: (torch.int16, 0x7E01),
    torch.float32: (torch.int32, 0x7FC00001),
    torch.float64: (torch.int64, 0x7FF8000000000001),
}


@pytest.mark.parametrize("dtype", list(_BITS), ids=str)
def test_bits_stay(dtype: torch.dtype) -> None:
    integer, bits = _BITS[dtype]
    x = torch.full((5, 9), bits, dtype=integer).view(dtype)
    order = torch.arange(9).flip(0).expand(5, 9)
    moved = (
        take_along(x, 1, order),
        take_along(x.t(), 0, order.t()),
        *sort([x], dim=1),
        *sort_by_keys([x], [order], dim=1, descending=True),
    )
    for found in moved:
        assert set(found.contiguous().view(integer).flatten().tolist()) == {bits}
