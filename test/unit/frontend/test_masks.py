"""Mask and index arithmetic at fixed shapes leaves little or nothing in the module."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from unit.frontend import harness
from unit.frontend.modules import Apply, CausalByMask, PaddingMask

from distc.compiler.frontend import constants

X = torch.randn(2, 3, 6, 4)


@pytest.mark.parametrize("additive", [False, True])
def test_a_computed_causal_mask_becomes_is_causal(additive: bool) -> None:
    program = harness.assert_equals_eager(CausalByMask(additive), X)
    (attention,) = harness.composites(program)
    assert attention.attributes["is_causal"] is True
    assert dict(harness.op_names(program)) == {"stablehlo.composite": 1, "func.return": 1}


def test_a_window_is_no_causal_mask() -> None:
    program = harness.assert_equals_eager(CausalByMask(False, window=3), X)
    (attention,) = harness.composites(program)
    assert attention.attributes["is_causal"] is False


def test_a_window_as_long_as_the_sequence_is() -> None:
    (attention,) = harness.composites(harness.exported(CausalByMask(False, window=6), X))
    assert attention.attributes["is_causal"] is True


def test_a_mask_that_hides_nothing_is_dropped() -> None:
    function = Apply(
        lambda x: nn.functional.scaled_dot_product_attention(x, x, x, torch.ones(6, 6).bool())
    )
    program = harness.exported(function, X)
    assert dict(harness.op_names(program)) == {"stablehlo.composite": 1, "func.return": 1}


def test_a_padding_mask_is_read_without_a_gather() -> None:
    kept = torch.ones(2, 6, dtype=torch.int64)
    kept[0, 3:] = 0
    program = harness.assert_equals_eager(PaddingMask(), X, kept)
    counts = harness.op_names(program)
    assert not counts["stablehlo.gather"] and not counts["stablehlo.concatenate"]
    assert not counts["stablehlo.iota"]


def test_positions_become_one_iota() -> None:
    table = nn.Embedding(9, 4)
    program = harness.exported(
        Apply(lambda x: x + table(torch.arange(3)[None].expand(2, 3).cumsum(1) * 0 + 5)),
        torch.randn(2, 3, 4),
    )
    counts = harness.op_names(program)
    assert counts["stablehlo.iota"] == counts["stablehlo.reduce_window"] == 0
    program = harness.exported(
        Apply(lambda x: x + table(torch.arange(6).reshape(2, 3)[0] * 2)), torch.randn(3, 4)
    )
    assert harness.op_names(program)["stablehlo.iota"] == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.arange(4), (0, 0, 1)),
        (torch.arange(6, 0, -2)[None, :, None].expand(2, 3, 4), (1, 6, -2)),
        (torch.tensor([0, 1, 3]), None),
        (torch.arange(6).reshape(2, 3), None),
        (torch.zeros(3, dtype=torch.int64), None),
        (torch.arange(3.0), None),
    ],
)
def test_ramp(value: torch.Tensor, expected: tuple[int, int, int] | None) -> None:
    assert constants.ramp(value) == expected


def test_grid_reads_in_the_order_of_the_result() -> None:
    rows, columns = torch.arange(2)[None, :], torch.arange(3)[:, None]
    assert constants.grid([rows, columns], torch.Size((2, 3))) == ([1, 0], [3, 2])
    assert constants.grid([rows, columns + 1], torch.Size((2, 4))) is None
    assert constants.grid([rows, None], torch.Size((2, 3))) is None


def test_causal_masks() -> None:
    square = torch.ones(3, 3).tril().bool()
    assert constants.is_causal_mask(square)
    assert constants.is_causal_mask(torch.ones(2, 4).tril().bool())
    assert not constants.is_causal_mask(square.flip(0))
    assert constants.is_causal_mask(torch.where(square, 0.0, -torch.inf).expand(2, 1, 3, 3))
    assert not constants.is_causal_mask(torch.where(square, 0.0, -1.0))
