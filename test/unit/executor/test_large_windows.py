"""Large windows of maxima and minima by doubling: the same as all windows one by one."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from distc.runtime.kernels.windows import reduce_window

START = {"max": -float("inf"), "min": float("inf")}


def _one_by_one(x: Tensor, size: int, stride: int, pads: tuple[int, int], kind: str) -> list[float]:
    filled = [START[kind]] * pads[0] + x.tolist() + [START[kind]] * pads[1]
    pick = max if kind == "max" else min
    starts = range(0, len(filled) - size + 1, stride)
    found = []
    for i in starts:
        window = filled[i : i + size]
        nan = any(v != v for v in window)
        # Of two zeros the sign decides, which the order of floats does not see.
        key = [(v, torch.tensor(v).signbit().logical_not().item()) for v in window]
        found.append(float("nan") if nan else pick(key)[0])
    return found


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("size", [9, 11, 16, 17])
@pytest.mark.parametrize(("stride", "pads"), [(1, (0, 0)), (1, (16, 0)), (3, (2, 5))])
def test_each_window(kind: str, size: int, stride: int, pads: tuple[int, int]) -> None:
    x = torch.tensor([0.0, -0.0, 3, 1, -0.0, 0.0, -2, 5, 5, -0.0, 0.0, -0.0, -0.0, 2, 1, 0, -7])
    for place in (None, 0, 8, 16):
        row = x.clone()
        if place is not None:
            row[place] = float("nan")
        (found,) = reduce_window(
            [torch.stack([row, row.flip(0)])],
            [torch.tensor(START[kind])],
            sizes=[1, size],
            strides=[1, stride],
            base_dilations=[1, 1],
            window_dilations=[1, 1],
            padding=[[0, 0], list(pads)],
            kind=kind,
        )
        for line, values in zip(found, (row, row.flip(0)), strict=True):
            want = torch.tensor(_one_by_one(values, size, stride, pads, kind))
            assert torch.equal(torch.nan_to_num(line, 99), torch.nan_to_num(want, 99))
            assert torch.equal(line.signbit() & (line == line), want.signbit() & (want == want))


def test_booleans_and_two_dimensions() -> None:
    x = torch.rand(12, 13, generator=torch.Generator().manual_seed(0)) > 0.95
    for kind, start in (("or", False), ("and", True)):
        (found,) = reduce_window(
            [x if kind == "or" else ~x],
            [torch.tensor(start)],
            sizes=[9, 10],
            strides=[1, 2],
            base_dilations=[1, 1],
            window_dilations=[1, 1],
            padding=[[0, 0], [0, 0]],
            kind=kind,
        )
        windows = x.unfold(0, 9, 1).unfold(1, 10, 2).any(-1).any(-1)
        assert torch.equal(found, windows if kind == "or" else ~windows)
