"""A random PyTorch function as StableHLO through the front end: its joint graph, or whole ops."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from distc.compiler.frontend import decompositions
from distc.compiler.frontend.decompose import decompose
from distc.compiler.frontend.export import export
from distc.compiler.frontend.gradients import gradients
from distc.compiler.frontend.lower import to_stablehlo
from distc.compiler.frontend.refuse import refuse_operators
from distc.compiler.frontend.tidy import tidy
from distc.dialect.context import make_context
from fuzzing.backward import Net


def results(net: Net, *args: Tensor) -> tuple[Tensor, ...]:
    """The value and the gradient of every float argument that has elements."""
    places = [i for i, a in enumerate(args) if a.is_floating_point()]

    def of_floats(*floats: Tensor) -> Tensor:
        given = list(args)
        for place, x in zip(places, floats, strict=True):
            given[place] = x
        return net.function(*given)

    value, back = torch.func.vjp(of_floats, *(args[i] for i in places))
    return (value, *back(torch.ones_like(value)))


def text(net: Net) -> str:
    """The module.

    Raises:
        UnsupportedOp: an operator of the joint graph has no lowering.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.backends.mkldnn.flags(enabled=False), sdpa_kernel(SDPBackend.MATH):
            traced = make_fx(
                torch.func.functionalize(lambda *a: results(net, *a), remove="mutations"),
                tracing_mode="fake",
                decomposition_table=_table(),
            )(*net.data())
        decompose(traced.graph)
        refuse_operators(traced.graph)
        tidy(traced.graph, {})
        return str(to_stablehlo(traced.graph, make_context()))


class _Values(torch.nn.Module):
    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, *args: Tensor) -> tuple[Tensor, Tensor]:
        return self.net.values(*args)


def whole_text(net: Net) -> str:
    """The module of the forward pass alone, with composites, as `distc compile` exports it.

    Raises:
        UnsupportedOp: an operator has no lowering.
    """
    exported = export(_Values(net), tuple(net.data()), context=make_context(), source="net")
    return str(exported.module)


def _table() -> dict[Any, Callable[..., Any]]:
    """The front end's decompositions, those of gradients included."""
    return {**gradients(), **decompositions.table()}
