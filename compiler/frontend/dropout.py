"""Dropout whose masks are arguments: the program draws them, position by position.

    x · keep / (1 − p)      F.dropout, nn.Dropout
    softmax(…) masked       scaled_dot_product_attention with dropout_p, its keep […, queries, keys]

A mask is a number of its site in the graph and of the place in the whole tensor (`random_masks`).
What else draws random numbers stays in the graph and is refused later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import FakeTensor

_A = torch.ops.aten
_DROPOUTS = (_A.dropout.default, _A.dropout_.default)
_ATTENTION = _A.scaled_dot_product_attention.default


@dataclass(frozen=True, slots=True)
class Site:
    """Where a graph drops elements.

    Attributes:
        number: counts the sites of a graph in its order.
        rate: the share that is dropped, in (0, 1).
        shape: of the mask.
    """

    number: int
    rate: float
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """Of the argument that is its mask."""
        return f"dropout@keep{self.number}"


def take_masks(graph: fx.Graph) -> list[Site]:
    """Let the masks of dropout be further placeholders, in order after all others.

    Args:
        graph: of torch.export; changed in place. Rates of 0 and 1 need no mask.
    """
    sites: list[Site] = []

    def keep(node: fx.Node, shape: tuple[int, ...], rate: float) -> fx.Node:
        site = Site(len(sites), rate, shape)
        sites.append(site)
        last = [n for n in graph.nodes if n.op == "placeholder"][-1]
        with graph.inserting_after(last):
            mask = graph.placeholder(site.name.replace("@", "_"))
        like: Tensor = node.meta["val"]
        mask.meta["val"] = _empty(like, shape)
        return mask

    for node in list(graph.nodes):
        if node.target in _DROPOUTS:
            _dropout(graph, node, keep)
        elif node.target == _ATTENTION:
            _attention(graph, node, keep)
    return sites


Keep = Callable[[fx.Node, tuple[int, ...], float], fx.Node]


def _dropout(graph: fx.Graph, node: fx.Node, keep: Keep) -> None:
    x, rate, training = node.args[0], float(node.args[1]), bool(node.args[2])  # type: ignore[arg-type]
    assert isinstance(x, fx.Node)
    value: Tensor = x.meta["val"]
    with graph.inserting_before(node):
        made = _Maker(graph, node)
        if not training or rate == 0:
            result = x
        elif rate == 1:
            result = made(_A.mul.Tensor, x, 0.0)
        else:
            mask = keep(node, tuple(value.shape), rate)
            factor = made(_A._to_copy.default, mask, dtype=value.dtype)
            result = made(_A.mul.Tensor, x, made(_A.mul.Tensor, factor, 1 / (1 - rate)))
        if node.target == _A.dropout_.default and result is not x:
            result = made(_A.copy_.default, x, result)
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _attention(graph: fx.Graph, node: fx.Node, keep: Keep) -> None:
    """Scores, what may be seen, weights, those that are kept: PyTorch's own decomposition."""
    given: dict[str, Any] = dict(node.kwargs)
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
    given |= dict(zip(names, node.args, strict=False))
    rate = float(given.get("dropout_p", 0.0))
    if not 0 < rate < 1:
        return
    query, key, value = (given[n] for n in names[:3])
    wide, narrow = query.meta["val"], key.meta["val"]
    with graph.inserting_before(node):
        made = _Maker(graph, node)
        grouped = bool(given.get("enable_gqa"))
        heads = wide.shape[:-2] if grouped else _broadcast(wide.shape[:-2], narrow.shape[:-2])
        if grouped:
            times = wide.shape[-3] // narrow.shape[-3]
            repeat = _A.repeat_interleave.self_int
            key, value = (made(repeat, x, times, -3) for x in (key, value))
        scale = given.get("scale")
        scale = float(wide.shape[-1]) ** -0.5 if scale is None else float(scale)
        scores = made(_A.matmul.default, query, made(_A.transpose.int, key, -2, -1))
        scores = made(_A.mul.Tensor, scores, scale)
        scores = _seen(made, scores, given, (wide.shape[-2], narrow.shape[-2]))
        weights = made(_A._safe_softmax.default, scores, -1)
        mask = keep(node, (*heads, wide.shape[-2], narrow.shape[-2]), rate)
        factor = made(_A._to_copy.default, mask, dtype=wide.dtype)
        factor = made(_A.mul.Tensor, factor, 1 / (1 - rate))
        result = made(_A.matmul.default, made(_A.mul.Tensor, weights, factor), value)
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _seen(made: _Maker, scores: fx.Node, given: dict[str, Any], size: tuple[int, int]) -> fx.Node:
    """Scores under the masks of attention: minus infinity where nothing may be seen."""
    hidden = float("-inf")
    if given.get("is_causal"):
        later = made(_A.triu.default, made(_A.ones.default, list(size), dtype=torch.bool), 1)
        scores = made(_A.masked_fill.Scalar, scores, later, hidden)
    mask = given.get("attn_mask")
    if mask is None:
        return scores
    if mask.meta["val"].dtype == torch.bool:
        return made(_A.masked_fill.Scalar, scores, made(_A.logical_not.default, mask), hidden)
    return made(_A.add.Tensor, scores, mask)


def _broadcast(a: torch.Size, b: torch.Size) -> tuple[int, ...]:
    return tuple(torch.broadcast_shapes(a, b))  # type: ignore[no-untyped-call]


class _Maker:
    """Makes nodes that say of themselves what `origin` does: module, line, value."""

    def __init__(self, graph: fx.Graph, origin: fx.Node) -> None:
        self._graph, self._origin = graph, origin

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
        node = self._graph.call_function(target, args, kwargs)
        node.meta = dict(self._origin.meta)
        return node


def _empty(like: Tensor, shape: tuple[int, ...]) -> Tensor:
    if isinstance(like, FakeTensor):
        with like.fake_mode:
            return torch.empty(shape, dtype=torch.bool, device=like.device)
    return torch.empty(shape, dtype=torch.bool, device=like.device)
