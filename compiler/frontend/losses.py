"""A model whose forward is its loss, for as long as it is exported."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from torch import Tensor, nn

from distc.runtime.errors import InputError

Loss: TypeAlias = "Callable[..., Any] | None"
"""loss(model, *batch) → a scalar; None where the model returns its loss itself."""

Batch: TypeAlias = "tuple[Any, ...] | Mapping[str, Any]"
"""Example inputs, by position or by name."""


Forward: TypeAlias = "Callable[..., Any]"
"""A module's forward."""


def _as_it_is(forward: Forward) -> Forward:
    return forward


@contextmanager
def loss_as_forward(
    model: nn.Module,
    loss: Loss,
    *,
    training: bool,
    wrap: Callable[[Forward], Forward] = _as_it_is,
) -> Iterator[None]:
    """Let `model(*batch)` return the loss, in training or evaluation mode.

    The instance gets another forward, so parameters keep their names; both are put back.

    Args:
        model, loss: as `export_training` takes them.
        training: the mode.
        wrap: makes the forward that the loss calls of the model's own.
    """
    whole, modes = wrap(model.forward), {m: m.training for m in model.modules()}

    def forward(self: nn.Module, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        result = loss(_Original(self, whole), *args, **kwargs) if loss else whole(*args, **kwargs)
        return {"loss": _scalar(result)}

    kept = model.__dict__.get("forward")
    named = types.MethodType(forward, model)
    model.forward = _with_signature(named, _batch_signature(whole, loss))
    model.train(training)
    try:
        yield
    finally:
        if kept is None:
            del model.forward
        else:
            model.forward = kept
        for module, mode in modes.items():
            module.training = mode


class _Original:
    """The model as a loss function knows it: calling it runs its own forward."""

    def __init__(self, model: nn.Module, forward: Callable[..., Any]) -> None:
        self._model, self._forward = model, forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._forward(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def _batch_signature(whole: Callable[..., Any], loss: Loss) -> inspect.Signature:
    """Names of the batch: those of the loss after the model, or those of the model's forward."""
    source = whole if loss is None else loss
    try:
        parameters = list(inspect.signature(source).parameters.values())
    except (TypeError, ValueError):
        return inspect.Signature([_VARIADIC])
    return inspect.Signature(parameters if loss is None else parameters[1:])


_VARIADIC = inspect.Parameter("batch", inspect.Parameter.VAR_POSITIONAL)


def _with_signature(
    method: types.MethodType, signature: inspect.Signature
) -> Callable[..., dict[str, Tensor]]:
    def forward(*args: Any, **kwargs: Any) -> dict[str, Tensor]:
        found: dict[str, Tensor] = method(*args, **kwargs)
        return found

    forward.__signature__ = signature  # type: ignore[attr-defined]
    return forward


def _scalar(result: Any) -> Tensor:
    """The loss in what a model or a loss function returned.

    Raises:
        InputError: there is none.
    """
    found = result
    if isinstance(result, Mapping):
        found = result.get("loss")
    elif not isinstance(result, Tensor):
        found = getattr(result, "loss", None)
    if not isinstance(found, Tensor) or found.dim() != 0 or not found.is_floating_point():
        shown = (
            f"a tensor {list(found.shape)}" if isinstance(found, Tensor) else type(result).__name__
        )
        raise InputError(
            f"the loss is {shown}, a floating-point scalar is needed",
            help="pass loss(model, *batch), or let the model return one (or an object with .loss)",
        )
    return found
