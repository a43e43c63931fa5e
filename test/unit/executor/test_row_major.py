"""`distc.row_major`: what torch's convolution is given where strides leave the format open."""

from __future__ import annotations

import torch

from distc.runtime.kernels.shape import row_major


def test_strides_of_dimensions_of_size_one_are_set_right() -> None:
    kernel = torch.arange(18.0).reshape(2, 3, 3, 1).permute(0, 3, 1, 2)
    assert kernel.is_contiguous()
    assert kernel.stride() == (9, 1, 3, 1)
    assert row_major(kernel).stride() == (9, 9, 3, 1)
    assert torch.equal(row_major(kernel), kernel)


def test_a_slice_is_packed_and_row_major_memory_is_not_copied() -> None:
    image = torch.arange(140.0).reshape(4, 1, 7, 5)
    part = image[:, :, 1:, :4]
    assert row_major(part).stride() == (24, 24, 4, 1)
    assert torch.equal(row_major(part), part)
    assert row_major(image) is image


def test_a_convolution_of_a_slice_reads_only_the_slice() -> None:
    image = torch.randint(-3, 4, (4, 1, 7, 5)).float()[:, :, 1:, :4]
    kernel = torch.randint(-3, 4, (2, 3, 3, 1)).float().permute(0, 3, 1, 2)
    found = torch.conv2d(row_major(image), row_major(kernel), stride=(1, 2))
    windows = image[:, 0].unfold(1, 3, 1).unfold(2, 3, 2)
    assert torch.equal(found, torch.einsum("nhwab,oab->nohw", windows, kernel[:, 0]))
