"""Counter-based random bits: ThreeFry 2x32, bit for bit as XLA's `rng_bit_generator`.

Key and counter are the two 64-bit words of the state. Bits depend on them alone, so ranks that
hold the same state draw the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import STORAGE

LOW_BITS = _MASK = 0xFFFFFFFF
SITE_BITS = 44
"""Bits of a counter that are the place in a mask; those above are its site."""
_PARITY = 0x1BD11BDA
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def rng_bits(state: Tensor, *, shape: Sequence[int], dtype: str) -> tuple[Tensor, Tensor]:
    """The next state, and random bits of `shape` in the storage of `dtype`.

    32 bits and less: a counter gives two values, which lie side by side along one dimension.
    """
    key, counter = state[0], state[1]
    if dtype in ("i64", "ui64", "f64"):
        low, high = _threefry(key, _counters(counter, shape))
        bits = low | (high << 32)
        drawn = prod(shape)
    else:
        split, halves = _half_shape(shape)
        pair = _threefry(key, _counters(counter, halves))
        bits = torch.stack(pair, split + 1).flatten(split, split + 1)
        bits = bits.narrow(split, 0, shape[split] if shape else 1).reshape(tuple(shape))
        drawn = prod(halves)
    after = torch.stack([key, counter + drawn])
    return after, _as_type(bits, dtype)


def _counters(start: Tensor, shape: Sequence[int]) -> Tensor:
    """`start` plus the row-major index of each element."""
    return start + torch.arange(prod(shape), device=start.device).reshape(tuple(shape))


def _half_shape(shape: Sequence[int]) -> tuple[int, list[int]]:
    """The dimension to halve, the first even one or else the largest, and the shape so halved."""
    sizes = list(shape) or [1]
    even = (i for i, n in enumerate(sizes) if n % 2 == 0)
    split = next(even, sizes.index(max(sizes)))
    halves = [-(-n // 2) if i == split else n for i, n in enumerate(sizes)]
    return split, halves


class Word(Protocol):
    """Words of 64 bits: a tensor of int64, or what is emitted as one."""

    def __add__(self, other: Any, /) -> Any: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...
    def __lshift__(self, other: Any, /) -> Any: ...
    def __rshift__(self, other: Any, /) -> Any: ...


W = TypeVar("W", bound=Word)


def threefry(counter: W, key: W) -> W:
    """Random 64 bits for each counter; of one shape, or a key for all."""
    low, high = _threefry(key, counter)
    found: W = low | (high << 32)
    return found


def keep_below(rate: float) -> int:
    """The number that the low 32 bits must be under for an element to be kept."""
    return round((1 - rate) * (1 << 32))


def keep_mask(seed: int, draw: int, site: int, shape: Sequence[int], rate: float) -> Tensor:
    """Return the mask of dropout as a compiled training program draws it.

    Args:
        seed: of the program.
        draw: how many forward passes there were before.
        site: which dropout of the model, in the order of its forward.
        shape: of what is dropped.
        rate: the share that is dropped.

    Returns:
        Booleans, true where an element is kept.
    """
    key = threefry(torch.tensor(draw), torch.tensor(seed))
    bits = threefry(_counters(torch.tensor(site << SITE_BITS), shape), key)
    return (bits & LOW_BITS) < keep_below(rate)


def _threefry(key: W, counters: W) -> tuple[W, W]:
    """Twenty rounds on the halves (low, high) of each counter; 32-bit words held in int64."""
    first, second = key & _MASK, (key >> 32) & _MASK
    keys = (first, second, first ^ second ^ _PARITY)
    x = (_add(counters & _MASK, keys[0]), _add((counters >> 32) & _MASK, keys[1]))
    for step in range(5):
        for distance in _ROTATIONS[step % 2]:
            total = _add(x[0], x[1])
            turned = ((x[1] << distance) | (x[1] >> (32 - distance))) & _MASK
            x = total, turned ^ total
        x = (
            _add(x[0], keys[(step + 1) % 3]),
            _add(_add(x[1], keys[(step + 2) % 3]), step + 1),
        )
    return x


def _add(a: Any, b: Any) -> Any:
    return (a + b) & _MASK


def _as_type(bits: Tensor, dtype: str) -> Tensor:
    """The low bits of each word as `dtype` in storage."""
    storage = STORAGE[dtype]
    if storage.is_floating_point:
        width = torch.int64 if dtype == "f64" else torch.int32
        return bits.to(width).view(storage)
    return bits.to(storage)


KERNELS: dict[str, Callable[..., Any]] = {"rng_bits": rng_bits, "threefry": threefry}
