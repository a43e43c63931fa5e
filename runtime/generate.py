"""Text generation with a program of two entry points, `prefill` and `decode`, that share a cache.

Both take `tokens` [batch, n], the `position` of the first of them, and return `logits`
[batch, vocabulary] after the last. A prompt is fed in chunks as long as prefill's, the rest and
every new token through decode, so nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor

from distc.runtime.artifact import TensorRecord
from distc.runtime.errors import InputError

Choose = Callable[[Tensor], Tensor]
"""Logits [batch, vocabulary] → next tokens [batch]."""


class _Entry(Protocol):
    @property
    def point(self) -> Any: ...

    def __call__(self, *inputs: Tensor, **named: Tensor) -> Any: ...


class _Program(Protocol):
    def entry(self, name: str) -> Any: ...


def greedy(logits: Tensor) -> Tensor:
    """The most likely token of every sequence."""
    return logits.argmax(-1)


def generate(program: _Program, prompt: Tensor, new_tokens: int, choose: Choose = greedy) -> Tensor:
    """Continue a prompt.

    Every rank calls it alike. The cache is written from position 0 on: what it held is forgotten.

    Args:
        program: a loaded artifact compiled with `--generate`.
        prompt: tokens [batch, length], length at least 1.
        new_tokens: how many tokens to add to each sequence.
        choose: picks the next tokens; the same on all ranks.

    Returns:
        The new tokens, [batch, new_tokens].

    Raises:
        InputError: another batch than the program's, an empty prompt, or more positions than the
            cache has.
    """
    prefill, decode = program.entry("prefill"), program.entry("decode")
    batch, chunk = _tokens(prefill).shape
    positions = _positions(decode)
    length = prompt.shape[1] if prompt.dim() == 2 else 0
    if prompt.dim() != 2 or prompt.shape[0] != batch or length < 1 or new_tokens < 0:
        raise InputError(
            f"the prompt is {list(prompt.shape)}, the program continues [{batch}, 1 or more]",
            help="pad the batch, or compile for its size with --batch",
            code="E-INPUT-SHAPE",
        )
    if length + new_tokens > positions + 1:
        raise InputError(
            f"{length} tokens and {new_tokens} new ones do not fit a cache of {positions}",
            help=f"{max(0, positions + 1 - length)} fit; for more, compile with a longer --seq",
        )
    logits, done = None, 0
    while done < length:
        entry, step = (prefill, chunk) if length - done >= chunk else (decode, 1)
        logits = _call(entry, prompt[:, done : done + step], done)
        done += step
    found: list[Tensor] = []
    while len(found) < new_tokens:
        assert logits is not None
        found.append(choose(logits))
        if len(found) < new_tokens:
            logits = _call(decode, found[-1][:, None], done)
            done += 1
    return torch.stack(found, 1) if found else prompt[:, :0]


def _call(entry: _Entry, tokens: Tensor, position: int) -> Tensor:
    record = _tokens(entry)
    result = entry(tokens=tokens.to(torch.int64), position=torch.tensor(position))
    logits = result["logits"] if isinstance(result, dict) else result
    if isinstance(logits, (tuple, list)):
        logits = logits[0]
    assert isinstance(logits, Tensor) and logits.shape[0] == record.shape[0]
    return logits


def _tokens(entry: _Entry) -> TensorRecord:
    found = next((r for r in entry.point.inputs if r.name == "tokens"), None)
    if not isinstance(found, TensorRecord):
        raise InputError(
            f"entry point {entry.point.name} takes no tokens", help="compile with --generate"
        )
    return found


def _positions(entry: _Entry) -> int:
    """Length of the cache, from the shape of its keys [batch, heads, positions, width]."""
    kept = [r.shape for r in entry.point.arguments if r.kind == "state" and len(r.shape) == 4]
    return min((shape[2] for shape in kept), default=0)
