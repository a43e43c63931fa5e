"""Boxes: who holds what, nested ceil splits, blocks and views."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from samples import layout

from distc.runtime import shards
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout

ONE = (AxisSplit("x", 4, 1),)
TWO = (AxisSplit("a", 2, 2), AxisSplit("b", 2, 1))


def extents(dim: DimLayout, ranks: int) -> list[tuple[int, int]]:
    return [dim.extent(r) for r in range(ranks)]


def test_axes_split_one_after_another_by_ceil() -> None:
    assert extents(DimLayout(10, ONE), 4) == [(0, 3), (3, 3), (6, 3), (9, 1)]
    assert extents(DimLayout(10, TWO), 4) == [(0, 3), (3, 2), (5, 3), (8, 2)]
    assert DimLayout(10, TWO).level_sizes() == (10, 5, 3)


def test_blocks_stay_whole() -> None:
    dim = DimLayout(3 * 192, ONE, 192)
    assert extents(dim, 4) == [(0, 192), (192, 192), (384, 192), (576, 0)]
    assert dim.local_size == 192
    two = DimLayout(9 * 64, (AxisSplit("x", 2, 1),), 64)
    assert [two.extent(r)[1] for r in range(2)] == [320, 256]


def test_trailing_ranks_may_hold_nothing() -> None:
    assert extents(DimLayout(1, ONE), 4) == [(0, 1), (1, 0), (1, 0), (1, 0)]
    assert extents(DimLayout(0, ONE), 4) == [(0, 0)] * 4


def test_a_block_must_divide_and_a_view_must_hold_the_elements() -> None:
    with pytest.raises(ValueError, match="block 3 does not divide dimension 10"):
        DimLayout(10, ONE, 3)
    with pytest.raises(ValueError, match=r"view \(5,\) does not hold"):
        TensorLayout((2, 3), (DimLayout(5),))


@pytest.mark.parametrize(("size", "splits"), list(product(range(8), [ONE, TWO])))
def test_every_element_is_held_once(size: int, splits: tuple[AxisSplit, ...]) -> None:
    cut = layout((size, 2), {0: splits})
    whole = torch.arange(size * 2).reshape(size, 2)
    pieces = {r: shards.local_piece(whole, cut, r) for r in range(4)}
    assert {tuple(p.shape) for p in pieces.values()} == {cut.local_shape}
    assert torch.equal(shards.assemble(pieces, cut), whole)
    assert sum(cut.bytes_held(r, 4) for r in range(4)) == size * 2 * 4


def test_a_view_is_cut_and_undone() -> None:
    cut = layout((4, 36), {2: (AxisSplit("x", 2, 1),)}, view=(4, 3, 4, 3))
    whole = torch.arange(144.0).reshape(4, 36)
    pieces = {r: shards.local_piece(whole, cut, r) for r in range(2)}
    assert pieces[1].shape == (4, 3, 2, 3)
    assert torch.equal(pieces[1], whole.view(4, 3, 4, 3)[:, :, 2:])
    assert torch.equal(shards.assemble(pieces, cut), whole)


def test_padding_is_zero() -> None:
    piece = shards.local_piece(torch.ones(5), layout((5,), {0: ONE}), 3)
    assert piece.tolist() == [0.0, 0.0]
    piece = shards.local_piece(torch.ones(5), layout((5,), {0: ONE}), 2)
    assert piece.tolist() == [1.0, 0.0]


def test_gather_groups_follow_the_axes_in_order() -> None:
    inner = layout((4,), {0: (AxisSplit("b", 2, 1),)})
    assert shards.gather_groups(inner, 4) == [[0, 1], [2, 3]]
    swapped = layout((4,), {0: (TWO[1], TWO[0])})
    assert shards.gather_groups(swapped, 4) == [[0, 2, 1, 3]]
    assert shards.gather_groups(layout((4,)), 3) == [[0], [1], [2]]
