"""How many parameters a SPEC's model has: built under fake tensors, nothing is exported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from torch import nn

from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.function import failed, find_function
from distc.compiler.frontend.spec import Spec, SpecKind, parse_spec
from distc.runtime.errors import DistcError, InputError, UsageError


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Elements of all parameters, each tied one once, and of those that require gradients."""

    total: int
    trainable: int


def count_parameters(text: str) -> ParameterCounts:
    """Return the counts of the model that a SPEC names.

    Raises:
        DistcError: as `spec.load`; a model without parameters, or with none to train.
    """
    model = _model(parse_spec(text))
    parameters = list(model.parameters())
    counts = ParameterCounts(
        sum(p.numel() for p in parameters), sum(p.numel() for p in parameters if p.requires_grad)
    )
    if not counts.trainable:
        raise InputError(
            f"{text}: none of the model's {counts.total} parameters is trained",
            help="let some have requires_grad",
        )
    return counts


def _model(spec: Spec) -> nn.Module:
    match spec.kind:
        case SpecKind.FOLDER:
            return _folder(Path(spec.target))
        case SpecKind.FILE | SpecKind.MODULE:
            return _function(spec)
        case SpecKind.STABLEHLO:
            raise UsageError(
                f"{spec} is a StableHLO program, its arguments do not say what is trained",
                help="give --parameters and --trainable",
            )


def _folder(folder: Path) -> nn.Module:
    from distc.compiler.frontend.huggingface import build_folder

    if not (folder / "config.json").is_file():
        raise InputError(
            f"{folder} is not a Hugging Face model folder: it has no config.json",
            help="give a folder that save_pretrained wrote, or file.py:function",
        )
    _, model, _ = build_folder(folder, 1)
    return model


def _function(spec: Spec) -> nn.Module:
    function = find_function(spec)
    try:
        result = fake_build(function)
    except DistcError:
        raise
    except (Exception, SystemExit) as error:
        raise failed(error, spec, "raises") from None
    model = result[0] if isinstance(result, tuple) and result else result
    if not isinstance(model, nn.Module):
        raise InputError(
            f"{spec} returns {type(model).__name__} first, not a model",
            help="return (model, batch) or (model, batch, loss)",
        )
    return model
