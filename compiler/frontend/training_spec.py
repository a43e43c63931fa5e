"""A SPEC to train: a function that returns (model, batch[, loss]), or a causal language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.function import failed, find_function
from distc.compiler.frontend.huggingface import build_folder, folder_weights, with_folder_names
from distc.compiler.frontend.losses import Batch, Loss
from distc.compiler.frontend.spec import Loaded, Spec, SpecKind, parse_spec
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.runtime.errors import DistcError, InputError, UsageError

_RETURNS = "return (model, batch) or (model, batch, loss), batch a tuple or a dict of tensors"


def load_training(
    text: str,
    options: TrainingOptions,
    *,
    context: ir.Context,
    batch: int | None = None,
    seq: int | None = None,
) -> Loaded:
    """Export the training program of what a SPEC names.

    Args:
        text: the SPEC.
        options: optimizer, micro-batches, clipping.
        context: from `dialect.context.make_context`.
        batch: micro-batch size of a Hugging Face folder, needed there.
        seq: its sequence length.

    Raises:
        DistcError: as `spec.load`; a folder whose model is no causal language model.
    """
    spec = parse_spec(text)
    match spec.kind:
        case SpecKind.FOLDER:
            return _folder(Path(spec.target), options, context, batch, seq)
        case SpecKind.FILE | SpecKind.MODULE:
            return _function(spec, options, context)
        case SpecKind.STABLEHLO:
            raise UsageError(
                f"{spec} is a StableHLO program, --train needs a model",
                help="write the entry points step and evaluate in the file, without --train",
            )


def _function(spec: Spec, options: TrainingOptions, context: ir.Context) -> Loaded:
    function = find_function(spec)
    model, batch, loss = fake_build(lambda: _call(function, spec))
    exported = export_training(model, batch, loss, options, context=context, source=str(spec))

    def tensors() -> Mapping[str, Tensor]:
        real, _, _ = _call(function, spec)
        return {n: t.detach() for n, t in real.state_dict(keep_vars=True).items()}

    return Loaded(exported, tensors)


def _call(function: Callable[[], Any], spec: Spec) -> tuple[nn.Module, Batch, Loss]:
    try:
        result = function()
    except DistcError:
        raise
    except (Exception, SystemExit) as error:
        raise failed(error, spec, "raises") from None
    match result:
        case (nn.Module() as model, (tuple() | dict()) as batch):
            return model, batch, None
        case (nn.Module() as model, (tuple() | dict()) as batch, loss) if callable(loss):
            return model, batch, loss
    shown = (
        f"({', '.join(type(r).__name__ for r in result)})"
        if isinstance(result, tuple)
        else type(result).__name__
    )
    raise InputError(f"{spec} returns {shown}, which cannot be trained", help=_RETURNS)


def _folder(
    folder: Path, options: TrainingOptions, context: ir.Context, batch: int | None, seq: int | None
) -> Loaded:
    if batch is None or seq is None:
        raise UsageError(
            f"{folder} is a model folder and --batch or --seq is not given",
            help="give the size of a micro-batch: --batch 4 --seq 128",
        )
    config, model, causal = build_folder(folder, seq)
    if not causal:
        raise InputError(
            f"--train knows the loss of causal language models, this is {config.architectures}",
            where=str(folder / "config.json"),
            help="write a function that returns (model, batch, loss)",
        )
    tokens = torch.zeros(batch, seq, dtype=torch.int64)
    exported = export_training(
        model, (tokens,), next_token, options, context=context, source=str(folder)
    )
    exported = with_folder_names(exported, model)
    return Loaded(exported, lambda: folder_weights(folder, exported.weights), folder)


def next_token(model: nn.Module, input_ids: Tensor) -> Tensor:
    """Mean cross-entropy of every token given those before it."""
    logits = model(input_ids=input_ids, use_cache=False, return_dict=True).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), input_ids[:, 1:].flatten())
