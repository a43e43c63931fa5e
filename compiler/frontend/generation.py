"""A causal language model of a Hugging Face folder as `prefill` and `decode` with a cache.

Both entry points take the next tokens, the position of the first of them, and every layer's keys
and values as persistent state; they return the logits after the last token. `prefill` takes a
chunk of tokens, `decode` one: a prompt of any length is chunks, then single tokens. Static shapes
ask for a cache of a fixed length; positions beyond the last written one are masked by position.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.entries import join_entries, mark_state
from distc.compiler.frontend.export import export
from distc.compiler.frontend.exported import Exported
from distc.dialect import stablehlo
from distc.runtime.errors import InputError, UsageError

PREFILL, DECODE = "prefill", "decode"
_STATE = "cache"


@dataclass(frozen=True, slots=True)
class GenerationSizes:
    """Static sizes: sequences at a time, positions of the cache, tokens of a prefill chunk."""

    batch: int
    positions: int
    chunk: int

    def __post_init__(self) -> None:
        if not 1 <= self.chunk <= self.positions:
            raise UsageError(
                f"{self.chunk} tokens at a time do not fit a cache of {self.positions} positions",
                help=f"write --generate with 1 to {self.positions} tokens",
            )


def export_generation(
    model: nn.Module, sizes: GenerationSizes, *, context: ir.Context, source: str
) -> Exported:
    """Export a causal language model for generation token by token.

    Args:
        model: from transformers, in eval mode; its parameters may be fake.
        sizes: batch, cache length and chunk.
        context: from `dialect.context.make_context`.
        source: the SPEC, for messages.

    Raises:
        InputError: a model whose layers are not plain attention (their caches are of other kinds).
    """
    _take_cache(model)
    empty = _empty_cache(model, sizes, source)
    lengths = {PREFILL: sizes.chunk, DECODE: 1}
    exported = {
        entry: export(
            model,
            (torch.zeros(sizes.batch, tokens, dtype=torch.int64), torch.tensor(0), empty),
            context=context,
            source=source,
        )
        for entry, tokens in lengths.items()
    }
    module = join_entries({name: e.module for name, e in exported.items()}, context)
    names = _state_names(exported[PREFILL])
    for func in stablehlo.functions(module):
        if stablehlo.is_public(func):
            mark_state(func, names, names, "state")
    first = exported[PREFILL]
    return dataclasses.replace(
        first,
        module=module,
        inputs=tuple(i for i in first.inputs if i.name not in names),
        outputs=tuple(o for o in first.outputs if o.name not in names),
        values={k: v for e in exported.values() for k, v in e.values.items()},
    )


def _state_names(exported: Exported) -> dict[str, str]:
    """Input name → state name: `cache.0.key` of layer 0."""
    return {i.name: i.name for i in exported.inputs if i.name.startswith(f"{_STATE}.")}


def _empty_cache(model: nn.Module, sizes: GenerationSizes, source: str) -> list[dict[str, Tensor]]:
    config: Any = model.config
    text = config.get_text_config(decoder=True)
    kinds = set(getattr(text, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"}:
        other = ", ".join(sorted(kinds - {"full_attention"}))
        raise InputError(
            f"the model has layers of type {other}; generation needs full attention",
            where=source,
            help="compile it without --generate",
        )
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    width = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    shape = (sizes.batch, heads, sizes.positions, width)
    dtype = next(model.parameters()).dtype
    return [
        {"key": torch.zeros(shape, dtype=dtype), "value": torch.zeros(shape, dtype=dtype)}
        for _ in range(text.num_hidden_layers)
    ]


def _take_cache(model: nn.Module) -> None:
    """Give the model a forward that takes the cache and returns the new one.

    On the instance, not by a wrapping module: parameter names stay those of the checkpoint.
    """
    whole = model.forward

    def forward(
        self: nn.Module, tokens: Tensor, position: Tensor, cache: Sequence[dict[str, Tensor]]
    ) -> dict[str, Any]:
        layer = _layer_class()
        layers = [layer(c["key"], c["value"], position) for c in cache]
        positions = torch.arange(tokens.shape[1]) + position
        output = whole(
            input_ids=tokens,
            position_ids=positions[None].expand(tokens.shape[0], -1),
            past_key_values=_cache_of(layers),
            use_cache=True,
            logits_to_keep=1,
            return_dict=True,
        )
        new = [{"key": layer.keys, "value": layer.values} for layer in layers]
        return {"logits": output.logits[:, -1], _STATE: new}

    model.forward = types.MethodType(forward, model)


def _cache_of(layers: Sequence[_Layer]) -> Any:
    from transformers.cache_utils import Cache

    return Cache(layers=list(layers))


@cache
def _layer_class() -> Callable[[Tensor, Tensor, Tensor], _Layer]:
    """`_Layer` as transformers wants it: of its own base class, which is imported only here."""
    from transformers.cache_utils import CacheLayerMixin

    made: Callable[[Tensor, Tensor, Tensor], _Layer] = type("Layer", (_Layer, CacheLayerMixin), {})
    return made


class _Layer:
    """A layer of transformers' cache that replaces its tensors instead of writing into them.

    Keys and values are [batch, heads, positions, width]; `position` is that of the next token.
    """

    is_compileable = True
    is_croppable = False
    is_initialized = True
    is_sliding = False

    def __init__(self, keys: Tensor, values: Tensor, position: Tensor) -> None:
        self.keys, self.values, self.position = keys, values, position

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing to do: the tensors are given."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Put the new tokens' keys and values in their places; return those of all positions."""
        places = torch.arange(key_states.shape[-2]) + self.position
        self.keys = torch.index_copy(self.keys, 2, places, key_states)
        self.values = torch.index_copy(self.values, 2, places, value_states)
        return self.keys, self.values

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Length of the keys and the position of the first."""
        return int(self.keys.shape[-2]), 0

    def get_seq_length(self) -> Tensor:
        """Number of positions written so far."""
        return self.position

    def get_max_length(self) -> int:
        """Number of positions of the cache."""
        return int(self.keys.shape[-2])
