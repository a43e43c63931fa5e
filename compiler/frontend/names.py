"""Readable names for the inputs and outputs of a model, from its signature and pytrees."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree


def input_names(program: ExportedProgram, model: nn.Module) -> list[str]:
    """Return a name per input leaf, in call order: `input_ids`, `batch.image`, `xs.0`."""
    parameters = _positional(model)
    names = []
    for path in _paths(program.call_spec.in_spec):
        place, *rest = path
        if place == "0" and rest:
            index = int(rest[0])
            rest[0] = parameters[index] if index < len(parameters) else f"input{index}"
        names.append(".".join(rest) or "input")
    return _unique(names)


def output_names(program: ExportedProgram) -> list[str]:
    """Return a name per output leaf: `output`, `0`, `logits`, `hidden.2`."""
    return _unique([".".join(path) or "output" for path in _paths(program.call_spec.out_spec)])


def _positional(model: nn.Module) -> list[str]:
    kinds = inspect.Parameter
    names = []
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind == kinds.VAR_POSITIONAL:
            break
        if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return names


def _paths(spec: Any) -> list[list[str]]:
    if spec is None:
        return []
    tree = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    try:
        leaves, _ = pytree.tree_flatten_with_path(tree)
    except (ValueError, KeyError):
        return [[str(i)] for i in range(spec.num_leaves)]
    return [[_key(k) for k in path] for path, _ in leaves]


def _key(key: Any) -> str:
    for attribute in ("name", "key", "idx"):
        value = getattr(key, attribute, None)
        if value is not None:
            return str(value)
    return str(key)


def _unique(names: Sequence[str]) -> list[str]:
    taken: dict[str, int] = {}
    unique = []
    for name in names:
        count = taken.get(name, 0)
        taken[name] = count + 1
        unique.append(f"{name}_{count}" if count else name)
    return unique
