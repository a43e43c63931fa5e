"""Windows over unequal shards: what padding sees never reaches a result."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from executable.harness import partition, run_sharded
from executable.traffic import joint, joint_text
from executable.traffic_case import cut, normal, whole
from torch import Tensor

from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding


def _loss(x: Tensor, w: Tensor) -> Tensor:
    return F.conv2d(x, w, padding=1).sum()


@pytest.mark.parametrize("row", range(7))
@pytest.mark.parametrize("mesh", ["x=2", "x=3", "x=4"])
def test_an_infinity_beside_padding_stays_where_it_is(row: int, mesh: str) -> None:
    """A tap of padding is zero, and zero times infinity is NaN."""
    x, w = normal(1, 2, 7, 5), torch.ones(2, 2, 3, 3, dtype=torch.float64)
    x[0, 0, row, 2] = torch.inf
    axes = Mesh.parse(mesh)
    lying = {0: parse_sharding(cut(4, 2), axes), 1: parse_sharding(whole(4), axes)}
    partitioned = partition(joint_text(_loss, (x, w)), axes, lying, {1: lying[0], 2: lying[1]})
    expected = joint(_loss, (x, w))(x, w)
    found = run_sharded(partitioned, [x, w], [tuple(e.shape) for e in expected])
    assert torch.isinf(expected[2]).any()
    assert torch.isfinite(expected[2]).any()
    for want, got in zip(expected, found, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mesh", ["x=2", "x=3", "x=4"])
@pytest.mark.parametrize("groups", [1, 2])
def test_kernel_gradients_of_unequal_shards_are_exact(mesh: str, groups: int) -> None:
    """Whole numbers: every strides, dilation and padding, rows and columns cut in turn."""
    axes = Mesh.parse(mesh)
    generator = torch.Generator().manual_seed(3)

    def whole_numbers(*shape: int) -> Tensor:
        return torch.randint(-4, 5, shape, generator=generator).to(torch.float64)

    for stride, dilation, padding, taps in ((1, 1, 1, 3), (2, 1, 1, 3), (1, 2, 2, 3), (3, 1, 0, 2)):
        x, w = whole_numbers(2, 4, 11, 9), whole_numbers(6, 4 // groups, taps, taps)

        def loss(x: Tensor, w: Tensor, s=stride, d=dilation, p=padding) -> Tensor:  # type: ignore[no-untyped-def]
            y = F.conv2d(x, w, stride=s, dilation=d, padding=p, groups=groups)
            return (y * y).sum()

        text = joint_text(loss, (x, w))
        expected = joint(loss, (x, w))(x, w)
        for dim in (2, 3):
            lying = {0: parse_sharding(cut(4, dim), axes), 1: parse_sharding(whole(4), axes)}
            partitioned = partition(text, axes, lying, {1: lying[0], 2: lying[1]})
            found = run_sharded(partitioned, [x, w], [tuple(e.shape) for e in expected])
            for want, got in zip(expected, found, strict=True):
                assert torch.equal(got, want)
