"""Build a model whose parameters have a shape and a dtype and no storage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from unittest import mock

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils.weak import WeakTensorKeyDictionary

_T = TypeVar("_T")
_INIT_MODULES = ("torch.nn.init", "transformers.initialization")


def fake_build(builder: Callable[[], _T]) -> _T:
    """Run `builder` so that every parameter it registers is fake.

    Buffers stay real: those that no checkpoint holds (RoPE's inv_freq, position ids) are shipped
    in the artifact. Initialisers do nothing, some loop on values. `Module.to`, `.half()` and the
    like replace parameters, since a fake tensor cannot be swapped in place.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
    with _fake_parameters(mode), _no_initialisation():
        return builder()


def is_fake(model: nn.Module) -> bool:
    """Whether the model's parameters have no storage."""
    return any(isinstance(p, FakeTensor) for p in model.parameters())


@contextmanager
def _fake_parameters(mode: FakeTensorMode) -> Iterator[None]:
    register = nn.Module.register_parameter
    twins = WeakTensorKeyDictionary()

    def register_parameter(self: nn.Module, name: str, param: nn.Parameter | None) -> None:
        if param is None or isinstance(param, FakeTensor):
            register(self, name, param)
            return
        if param not in twins:
            with mode:
                empty = torch.empty_strided(param.shape, param.stride(), dtype=param.dtype)
            twins[param] = nn.Parameter(empty, requires_grad=param.requires_grad)
        register(self, name, twins[param])

    with (
        mock.patch.object(nn.Module, "register_parameter", register_parameter),
        mock.patch.object(nn.Module, "_apply", _apply),
    ):
        yield


def _apply(self: nn.Module, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> nn.Module:
    """`Module._apply` that replaces parameters and keeps ties."""
    new: dict[int, nn.Parameter] = {}
    for module in self.modules() if recurse else [self]:
        for name, param in module._parameters.items():
            if param is None:
                continue
            if id(param) not in new:
                with torch.no_grad():
                    new[id(param)] = nn.Parameter(fn(param), requires_grad=param.requires_grad)
            module._parameters[name] = new[id(param)]
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = fn(buffer)
    return self


@contextmanager
def _no_initialisation() -> Iterator[None]:
    init = torch.nn.init
    names = [n for n in dir(init) if n.endswith("_") and n[0] != "_" and callable(getattr(init, n))]
    modules = [sys.modules[m] for m in _INIT_MODULES if m in sys.modules]
    with ExitStack() as stack:
        for module in modules:
            for name in names:
                if hasattr(module, name):
                    stack.enter_context(mock.patch.object(module, name, _unchanged))
        yield


def _unchanged(tensor: Tensor, *_: Any, **__: Any) -> Tensor:
    return tensor


def fake_inputs(args: Any, mode: FakeTensorMode) -> Any:
    """Return a pytree of example inputs as fake tensors of fixed shape."""

    def convert(value: Any) -> Any:
        if not isinstance(value, Tensor) or isinstance(value, FakeTensor):
            return value
        return mode.from_tensor(value, static_shapes=True)

    return torch.utils._pytree.tree_map(convert, args)
