"""What every front end hands to the pipeline: the module and the record of its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch_mlir import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch


@dataclass(frozen=True, slots=True)
class WeightInfo:
    """A parameter or persistent buffer that a checkpoint holds.

    Attributes:
        name: the argument's `dist.name`, the first name the model gives the tensor.
        aliases: the other names under which a checkpoint may hold the same tensor: tied
            weights and, for model folders, the name with or without the base-model prefix.
        shape: original shape.
        dtype: as in StableHLO, `f32`, `bf16`, `i64`.
        kind: `parameter` or `buffer`.
    """

    name: str
    aliases: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    kind: str


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """An input or output of an entry point: its readable name, shape and dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Exported:
    """A program before planning.

    Attributes:
        module: follows the conventions of docs/dialect.md (`dist.name`, `dist.kind` on
            arguments, `dist.name` on results, composites, static shapes).
        weights: arguments that arrive by name from a checkpoint, in argument order.
        values: arguments no checkpoint holds (non-persistent buffers such as RoPE's inv_freq,
            lifted constants), by `dist.name`; the artifact ships them.
        inputs: what the caller passes, in call order.
        outputs: what `@main` returns, in order.
        unused: weights the program never reads, so they are no arguments.
        source: the SPEC it came from, for messages.
        notices: what the front end left out, one sentence each.
    """

    module: ir.Module
    weights: tuple[WeightInfo, ...]
    values: Mapping[str, torch.Tensor]
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    unused: tuple[str, ...] = field(default=())
    source: str = ""
    notices: tuple[str, ...] = field(default=())
