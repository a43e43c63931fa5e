"""Extrema of the two zeros: the same wherever an element lies in memory."""

from __future__ import annotations

import pytest
import torch

from distc.runtime.kernels.elementwise import maximum, minimum
from distc.runtime.kernels.reduction import largest, smallest

# Long enough for torch's vector loop and its remainder, which take different zeros.
_COUNT = 37
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def _signs(x: torch.Tensor) -> set[bool]:
    assert bool((x == 0).all())
    return set(torch.signbit(x).reshape(-1).tolist())


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
def test_elementwise(dtype: torch.dtype) -> None:
    a, b = torch.full((_COUNT,), -0.0, dtype=dtype), torch.zeros(_COUNT, dtype=dtype)
    assert _signs(maximum(a, b)) == _signs(maximum(b, a)) == {False}
    assert _signs(minimum(a, b)) == _signs(minimum(b, a)) == {True}
    assert _signs(maximum(a, a)) == {True}
    assert _signs(minimum(b, b)) == {False}


@pytest.mark.parametrize("dtype", _FLOATS, ids=str)
def test_over_a_dimension(dtype: torch.dtype) -> None:
    for place in range(_COUNT):
        x = torch.full((_COUNT, 2), -0.0, dtype=dtype)
        x[place, 1] = 0.0
        assert torch.signbit(largest(x, [0])).tolist() == [True, False]
        assert torch.signbit(smallest(-x, [0])).tolist() == [False, True]


def test_other_values_and_nan_stay() -> None:
    x = torch.tensor([[-2.0, 3.0, float("nan")], [0.0, -1.0, 4.0]])
    assert largest(x, [0])[:2].tolist() == [0.0, 3.0]
    assert smallest(x, [0])[:2].tolist() == [-2.0, -1.0]
    assert bool(largest(x, [0])[2].isnan()) and bool(smallest(x, [0])[2].isnan())
    assert bool(maximum(x[0], x[1])[2].isnan()) and bool(minimum(x[0], x[1])[2].isnan())
    assert largest(torch.tensor([[3, -4], [1, 2]]), [1]).tolist() == [3, 2]
