"""A model that computes in a narrower floating-point type than its parameters are trained in.

    parameter w        rounded to the compute type: what forward and backward read
    master  w@master   in the model's own type: what the optimizer updates; then w = round(w@master)

Floating-point tensors that enter the model's forward are rounded too, what it returns is widened,
so that a loss function computes in the model's own type. Buffers stay as they are. Gradients are
widened before they are added up over ranks or micro-batches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from distc.compiler.frontend.losses import Forward
from distc.runtime.errors import InputError, UsageError


class ComputeType(StrEnum):
    """Types that a step may compute in."""

    BF16 = "bf16"
    F16 = "f16"

    @property
    def torch(self) -> torch.dtype:
        """The same for PyTorch."""
        return torch.bfloat16 if self is ComputeType.BF16 else torch.float16


def parse_compute_type(text: str) -> ComputeType:
    """Return the compute type called `text`.

    Raises:
        UsageError: there is none.
    """
    names = [str(k) for k in ComputeType]
    if text not in names:
        raise UsageError(
            f"a step cannot compute in {text!r}",
            help=f"use {' or '.join(names)}, or leave it out to compute as the model does",
        )
    return ComputeType(text)


@contextmanager
def rounded_parameters(
    model: nn.Module, kind: ComputeType | None
) -> Iterator[Mapping[str, torch.dtype]]:
    """Let the model have rounded parameters inside; yield the own dtypes of those, by name.

    Parameters that are no wider than the compute type stay. Ties stay; all is put back.

    Raises:
        InputError: no parameter is wider: there would be no master weights.
    """
    if kind is None:
        yield {}
        return
    kept = [dict(module._parameters) for module in model.modules()]
    own: dict[str, torch.dtype] = {}
    twins: dict[int, nn.Parameter] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if _is_wider(parameter, kind.torch):
            own[name] = parameter.dtype
            if id(parameter) not in twins:
                twins[id(parameter)] = nn.Parameter(
                    parameter.detach().to(kind.torch), requires_grad=parameter.requires_grad
                )
    if not own:
        raise InputError(
            f"no parameter of the model is wider than {kind}, so there are no master weights",
            help="give the model in float32, model.float(), or leave the compute type out",
        )
    try:
        for module in model.modules():
            for name, held in module._parameters.items():
                if held is not None and id(held) in twins:
                    module._parameters[name] = twins[id(held)]
        yield own
    finally:
        for module, parameters in zip(model.modules(), kept, strict=True):
            module._parameters.update(parameters)


def rounding(
    kind: ComputeType | None, own: Mapping[str, torch.dtype]
) -> Callable[[Forward], Forward]:
    """Return what makes a forward of one that rounds its inputs and widens its results.

    Args:
        kind: the compute type; None changes nothing.
        own: the model's own dtypes by parameter; results become the widest of them.
    """
    if kind is None or not own:
        return lambda forward: forward
    narrow = kind.torch
    wide = max(own.values(), key=lambda dtype: dtype.itemsize)

    def lower(x: Tensor) -> Tensor:
        return x.to(narrow) if _is_wider(x, narrow) else x

    def widen(x: Tensor) -> Tensor:
        return x.to(wide) if x.dtype == narrow else x

    def wrap(forward: Forward) -> Forward:
        @functools.wraps(forward)
        def call(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = pytree.tree_map_only(Tensor, lower, (args, kwargs))
            return pytree.tree_map_only(Tensor, widen, forward(*args, **kwargs))

        return call

    return wrap


def _is_wider(x: Tensor, dtype: torch.dtype) -> bool:
    return x.is_floating_point() and x.dtype.itemsize > dtype.itemsize
