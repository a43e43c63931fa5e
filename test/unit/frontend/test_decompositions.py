"""Operators whose stock lowering is wrong, wide or missing: equal to PyTorch by the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from unit.frontend import harness
from unit.frontend.modules import Apply

X = torch.randn(3, 4, 5)
IMAGE = torch.randn(2, 4, 9, 9)
WHOLE = torch.arange(-7, 8)


def _written(x: Tensor) -> Tensor:
    y = x.clone()
    y[1] = 0
    y[:, 2:4] = 1
    y[..., -1] = 2
    y[0, 0] += 2
    return y


FLOATS: dict[str, Callable[[Tensor], Any]] = {
    "var": lambda x: [x.var(-1), x.var(), x.var((0, 1), correction=0, keepdim=True)],
    "std": lambda x: [x.std(0), x.std((1, 2), keepdim=True)],
    "var_mean": lambda x: torch.var_mean(x, 1),
    "norm": lambda x: [x.norm(), F.normalize(x, dim=-1), x.norm(dim=1, p=1)],
    "remainder": lambda x: [3 * x % 2.0, torch.remainder(3 * x, -1.5)],
    "fmod": lambda x: [torch.fmod(3 * x, 2.0), torch.fmod(3 * x, x + 10)],
    "slices": _written,
    "unfold": lambda x: [x.unfold(1, 2, 1), x.unfold(2, 3, 2)],
    "roll": lambda x: [x.roll(1, 0), x[:1].roll(1, 0), x.roll((7, -2), (2, 1)), x.roll(-3)],
    "positions": lambda x: [x.argmax(1), x.argmin(), *x.max(0), *(5 * x).trunc().min(2, True)],
    "runs": lambda x: [x.cumprod(1), *x.cummax(-1), *x.trunc().cummin(0), x.cumsum(2)],
    "logcumsumexp": lambda x: [x.logcumsumexp(1), (200 * x).logcumsumexp(0)],
    "addmm": lambda x: torch.addmm(x[0, 0, :4], x[0], x[1].t(), beta=0.5),
}
IMAGES: dict[str, Callable[[Tensor], Any]] = {
    "pool": lambda x: F.max_pool2d(x, 3, 2, 1),
    "ceil": lambda x: [F.max_pool2d(x, 2, 2, ceil_mode=True), F.max_pool2d(x, 3, 4, 1, 1, True)],
    "average": lambda x: [F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 1)],
    "group_norm": lambda x: [F.group_norm(x, 2), F.group_norm(x, 4, x[0, :, 0, 0])],
    "upsample": lambda x: F.interpolate(x, scale_factor=2),
    "batch_norm": lambda x: [
        F.batch_norm(x, x[0, :, 0, 0], x[1, :, 0, 0].abs() + 1, x[0, :, 1, 1], x[0, :, 2, 2]),
        F.batch_norm(x, None, None, training=True),
        F.instance_norm(x),
    ],
    "convolution": lambda x: [
        F.conv2d(x, x[:, :, :3, :3], None, 2, 1),
        F.conv2d(x, x[:, :2, :3, :3].contiguous(), None, 1, 0, 2, 2),
        F.conv_transpose2d(x[:1], x[0, :, None, :3, :4], x[0, 0, 0, :1], 2, 1, (0, 1)),
        F.conv_transpose1d(x[:, :, 0], x[0, :, :2, :3], None, 3, 1, 2),
    ],
}


def _all(functions: dict[str, Callable[[Tensor], Any]]) -> nn.Module:
    return Apply(lambda x: [f(x) for f in functions.values()])


def test_floats() -> None:
    program = harness.assert_equals_eager(_all(FLOATS), X)
    assert "f64>" not in str(program.module)


def test_images() -> None:
    harness.assert_equals_eager(_all(IMAGES), IMAGE)


def test_recurrent_layers_do_not_take_the_fused_cpu_operator() -> None:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm, self.gru = nn.LSTM(4, 6), nn.GRU(4, 3, bidirectional=True)

        def forward(self, x: Tensor) -> list[Tensor]:
            y, (h, c) = self.lstm(x)
            return [y, h, c, *self.gru(x)]

    harness.assert_equals_eager(Recurrent(), torch.randn(3, 2, 4))


def test_negative_indices_count_from_the_end() -> None:
    harness.assert_equals_eager(
        Apply(lambda x, i: [x[i], x[:, i], x.index_put((i,), x[i] * 2, accumulate=True)]),
        X,
        torch.tensor([-1, 0, -3, 2]),
    )


def test_integers_round_down() -> None:
    harness.assert_equals_eager(
        Apply(lambda x: [x % 3, x // 3, x % -4, x // -4, x // (x * 0 + 2), x % (x * 0 - 3)]), WHOLE
    )


def test_upsampling_by_three_is_a_broadcast() -> None:
    program = harness.assert_equals_eager(
        Apply(lambda x: F.interpolate(x, scale_factor=3)), IMAGE[:1, :2, :4, :4]
    )
    assert not harness.op_names(program)["stablehlo.gather"]


def test_upsampling_by_a_fraction_is_not_mistaken_for_a_broadcast() -> None:
    harness.assert_equals_eager(
        Apply(lambda x: F.interpolate(x, scale_factor=1.5)), IMAGE[:1, :1, :4, :4]
    )
