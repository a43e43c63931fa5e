"""What a graph knows before any input arrives, and what knowing it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from distc.compiler.frontend.constants import known_values


def _graph(function: Callable[[Tensor], Tensor], *shape: int) -> fx.Graph:
    with FakeTensorMode():
        x = torch.zeros(shape)
    graph: fx.Graph = make_fx(function, tracing_mode="fake")(x).graph
    return graph


def _named(graph: fx.Graph, part: str) -> fx.Node:
    return next(n for n in graph.nodes if part in str(n.target))


@pytest.mark.parametrize(
    ("function", "name", "number"),
    [
        (lambda x: x + torch.full((1 << 13, 1 << 13), 3.0), "full", 3.0),
        (lambda x: x + torch.full_like(x, -2.0), "full_like", -2.0),
        (lambda x: x + torch.zeros_like(x), "zeros_like", 0.0),
        (lambda x: x + x.new_full((1 << 13, 1 << 13), 5.0), "new_full", 5.0),
        (lambda x: x + torch.ones(1 << 13, 1 << 13), "ones", 1.0),
    ],
    ids=["full", "full_like", "zeros_like", "new_full", "ones"],
)
def test_a_fill_takes_one_element(
    function: Callable[[Tensor], Tensor], name: str, number: float
) -> None:
    graph = _graph(function, 1 << 13, 1 << 13)
    value = known_values(graph, {})[_named(graph, name)]
    assert value.shape == (1 << 13, 1 << 13)
    assert value.untyped_storage().nbytes() == value.element_size()
    assert value[7, 9] == number


def test_what_is_not_written_is_not_known() -> None:
    graph = _graph(lambda x: x + torch.empty(2, 3).abs(), 2, 3)
    known = known_values(graph, {})
    assert _named(graph, "empty") not in known
    assert _named(graph, "abs") not in known


def test_what_is_made_of_fills_is_known() -> None:
    graph = _graph(lambda x: x + torch.ones(4, 4).tril().cumsum(0), 4, 4)
    found = known_values(graph, {})[_named(graph, "cumsum")]
    assert torch.equal(found, torch.ones(4, 4).tril().cumsum(0))


def _bytes(values: Iterable[Tensor]) -> int:
    """Bytes of all storages, each once."""
    storages = {v.untyped_storage().data_ptr(): v.untyped_storage().nbytes() for v in values}
    return sum(storages.values())


def test_a_mask_that_all_batches_and_layers_share_is_held_once() -> None:
    def layers(x: Tensor) -> Tensor:
        row, column = torch.arange(64), torch.arange(64)
        line = torch.stack([column] * 16)
        seen = line[:, None, None, :] <= row[None, None, :, None]
        for _ in range(8):
            closed = torch.full((16, 1, 64, 64), float("-inf"))
            x = x + torch.where(seen, torch.zeros(16, 1, 64, 64), closed)
        return x

    graph = _graph(layers, 16, 4, 64, 64)
    known = known_values(graph, {})
    masks = [known[n] for n in graph.nodes if "where" in str(n.target)]
    assert len(masks) == 8
    expected = torch.zeros(64, 64).masked_fill(~torch.ones(64, 64).tril().bool(), float("-inf"))
    for mask in masks:
        assert mask.shape == (16, 1, 64, 64)
        assert torch.equal(mask, expected.expand(16, 1, 64, 64))
    assert _bytes(masks) == 64 * 64 * 4


def test_what_is_too_large_to_compute_is_not_known() -> None:
    graph = _graph(lambda x: x + torch.arange(1 << 14)[:, None] * torch.arange(1 << 14), 1, 1)
    known = known_values(graph, {})
    assert _named(graph, "arange") in known
    assert _named(graph, "mul") not in known
