"""A SPEC that names a Hugging Face model folder: config.json and safetensors, read offline."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.export import export
from distc.compiler.frontend.exported import Exported, WeightInfo
from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.generation import GenerationSizes, export_generation
from distc.compiler.frontend.places import last_line
from distc.compiler.frontend.quiet import quiet
from distc.runtime.errors import InputError, MissingFile, Unavailable, UsageError

_CAUSAL = ("ForCausalLM", "LMHeadModel")


def load_folder(
    folder: Path, context: ir.Context, batch: int, seq: int, generate: int | None = None
) -> tuple[Exported, Callable[[], Mapping[str, Tensor]]]:
    """Export the model of a folder at a fixed batch and sequence length.

    A causal language model takes `input_ids` and returns `logits`; an encoder takes `input_ids`
    and `attention_mask` and returns `last_hidden_state`. With `generate` a causal language model
    becomes `prefill`, of that many tokens, and `decode`, with a cache of `seq` positions.

    Raises:
        InputError: no or bad config.json; a model type transformers does not know; `generate` for
            a model that is no causal language model.
        UsageError: seq beyond the model's positions.
        Unavailable: transformers is not installed.
    """
    config, model, causal = build_folder(folder, seq)
    if generate is None:
        exported = _export_whole(model, causal, (batch, seq), context, str(folder))
    else:
        _check_causal(causal, config, folder)
        sizes = GenerationSizes(batch, seq, generate)
        exported = export_generation(model, sizes, context=context, source=str(folder))
    exported = with_folder_names(exported, model)
    return exported, lambda: folder_weights(folder, exported.weights)


def build_folder(folder: Path, seq: int) -> tuple[Any, nn.Module, bool]:
    """Build the model of a folder with fake parameters, in evaluation mode.

    Returns:
        Its configuration, the model, and whether it is a causal language model.
    """
    config = _config(folder)
    _check_length(config, seq, folder)
    causal = any(a.endswith(_CAUSAL) for a in config.architectures or ())
    model = fake_build(lambda: _build(config, causal, folder))
    return config, model.eval(), causal


def with_folder_names(exported: Exported, model: nn.Module) -> Exported:
    """Let weights also be found under the names that checkpoints of the model use."""
    prefix = getattr(model, "base_model_prefix", "")
    weights = tuple(_with_prefix_aliases(w, prefix) for w in exported.weights)
    return dataclasses.replace(exported, weights=weights)


def folder_weights(folder: Path, weights: tuple[WeightInfo, ...]) -> dict[str, Tensor]:
    """Read the weights of a folder, under the names of the program."""
    return _by_model_name(folder_tensors(folder), weights)


def _export_whole(
    model: nn.Module, causal: bool, sizes: tuple[int, int], context: ir.Context, source: str
) -> Exported:
    ids = torch.zeros(sizes, dtype=torch.int64)
    inputs = {"input_ids": ids} if causal else {"input_ids": ids, "attention_mask": ids + 1}
    _narrow_forward(model, causal)
    return export(model, (), inputs, context=context, source=source)


def _check_causal(causal: bool, config: Any, folder: Path) -> None:
    if not causal:
        raise InputError(
            f"--generate needs a causal language model, the architecture is {config.architectures}",
            where=str(folder / "config.json"),
            help="leave --generate out",
        )


def folder_tensors(folder: Path) -> dict[str, Tensor]:
    """Read all safetensors of a folder, by the names in the files.

    Raises:
        MissingFile: no safetensors in the folder.
        InputError: a file that is none.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise MissingFile(
            f"{folder} holds no *.safetensors",
            help="save the model with save_pretrained(folder), or name its weights with --weights",
        )
    tensors: dict[str, Tensor] = {}
    for file in files:
        try:
            tensors.update(load_file(file))
        except (SafetensorError, OSError) as error:
            raise InputError(
                f"{file} is not a safetensors file: {last_line(error)}",
                help="download or save the weights again",
            ) from None
    return tensors


def _by_model_name(
    stored: Mapping[str, Tensor], weights: tuple[WeightInfo, ...]
) -> dict[str, Tensor]:
    """Return the weights under the names of the program."""
    found: dict[str, Tensor] = {}
    for weight in weights:
        name = next((n for n in (weight.name, *weight.aliases) if n in stored), None)
        if name is None:
            raise InputError(
                f"weight {weight.name} is not in the model folder",
                help="save the model with save_pretrained(folder), or name its weights "
                "with --weights",
                code="E-WEIGHTS",
            )
        found[weight.name] = stored[name]
    return found


def _config(folder: Path) -> Any:
    path = folder / "config.json"
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(
            f"config.json is not JSON: {last_line(error)}", where=str(path), help="restore the file"
        ) from None
    if not isinstance(body, dict) or "model_type" not in body:
        raise InputError(
            "config.json names no model_type",
            where=str(path),
            help="give a folder that save_pretrained wrote",
        )
    try:
        from transformers import AutoConfig
    except ImportError:
        raise Unavailable(
            "a model folder needs the package transformers, which is not installed",
            help='pip install "transformers>=5,<6", or give file.py:function',
        ) from None
    try:
        with quiet():
            return AutoConfig.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:
        raise InputError(
            f"transformers cannot read config.json: {last_line(error)}",
            where=str(path),
            help="give a folder of a model type this version of transformers knows",
        ) from None


def _check_length(config: Any, seq: int, folder: Path) -> None:
    most = getattr(config, "max_position_embeddings", None)
    if isinstance(most, int) and seq > most:
        raise UsageError(
            f"--seq is {seq}, the model of {folder} has {most} positions",
            help=f"write --seq {most} or less",
        )


def _build(config: Any, causal: bool, folder: Path) -> nn.Module:
    from transformers import AutoModel, AutoModelForCausalLM

    config.use_cache = False
    kind: Any = AutoModelForCausalLM if causal else AutoModel
    dtype = getattr(config, "dtype", None) or torch.float32
    try:
        with quiet():
            model = _with_attention(kind, config, dtype)
    except Exception as error:
        raise InputError(
            f"transformers cannot build the model: {last_line(error)}",
            where=str(folder / "config.json"),
            help="give a causal language model or an encoder; others as file.py:function",
        ) from None
    assert isinstance(model, nn.Module)
    return model


def _with_attention(kind: Any, config: Any, dtype: torch.dtype) -> Any:
    """Build with PyTorch's fused attention, which is kept whole; not every model has it."""
    try:
        return kind.from_config(config, attn_implementation="sdpa", dtype=dtype)
    except ValueError:
        return kind.from_config(config, attn_implementation="eager", dtype=dtype)


def _narrow_forward(model: nn.Module, causal: bool) -> None:
    """Give the model a forward of the inputs and the output that count.

    On the instance, not by a wrapping module: parameter names stay those of the checkpoint.
    """
    whole = model.forward

    def logits(self: nn.Module, input_ids: Tensor) -> dict[str, Tensor]:
        return {"logits": whole(input_ids=input_ids, return_dict=True).logits}

    def hidden(self: nn.Module, input_ids: Tensor, attention_mask: Tensor) -> dict[str, Tensor]:
        output = whole(input_ids=input_ids, attention_mask=attention_mask, return_dict=True)
        return {"last_hidden_state": output.last_hidden_state}

    model.forward = types.MethodType(logits if causal else hidden, model)


def _with_prefix_aliases(weight: WeightInfo, prefix: str) -> WeightInfo:
    """A checkpoint may hold names with or without the base-model prefix (`bert.`, `model.`)."""
    if not prefix:
        return weight
    names = (weight.name, *weight.aliases)
    others = (
        n.removeprefix(f"{prefix}.") if n.startswith(f"{prefix}.") else f"{prefix}.{n}"
        for n in names
    )
    aliases = dict.fromkeys((*weight.aliases, *others))
    return dataclasses.replace(weight, aliases=tuple(aliases))
