"""Input data: whole numbers that stay exact, signed, distinct, in several regimes.

signed      distinct whole numbers around zero (floats); small ones for integers
negative    all below zero: a maximum that starts from zero is found out
fractional  between 0.25 and 1.75: floor, round and truncation are not linear
definite    symmetric positive definite in the last two dimensions where they are equal
nan         signed, one element in eight is NaN
extreme     NaN, infinities, negative zero; full range for integers
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.program import ValueType

INDEX_DTYPES = ("i32", "i64", "ui32", "ui64")
"""Integers that may be indices into other operands."""
_SPAN = 127


class Regime(StrEnum):
    """What kind of numbers a trial uses."""

    SIGNED = "signed"
    NEGATIVE = "negative"
    FRACTIONAL = "fractional"
    NAN = "nan"
    EXTREME = "extreme"
    DEFINITE = "definite"


FINITE = (Regime.SIGNED, Regime.NEGATIVE, Regime.FRACTIONAL)
AGAIN = (Regime.SIGNED, Regime.NAN, Regime.NEGATIVE, Regime.FRACTIONAL)
"""What a second validation of combining results uses in place of `FINITE`."""
ALL = (*FINITE, Regime.EXTREME)
DEFINITE = (Regime.DEFINITE,)


class Sampler:
    """Makes inputs for operands of given types, the same for the same seed.

    Args:
        types: types of the operands as written; sizes come with each call.
        largest: the largest dimension: integers may be indices into it.
        seed: of the generator.
    """

    def __init__(self, types: Sequence[ValueType], largest: int, seed: int) -> None:
        self.types = tuple(types)
        self.largest = largest
        self.generator = torch.Generator().manual_seed(seed)

    def inputs(
        self, shapes: Sequence[tuple[int, ...]], regime: Regime, ranks: int = 1
    ) -> list[Tensor]:
        """Return one tensor per operand, `[ranks, *shape]`."""
        return [
            self.tensor(t.dtype, (ranks, *s), regime)
            for t, s in zip(self.types, shapes, strict=True)
        ]

    def tensor(self, dtype: str, shape: tuple[int, ...], regime: Regime) -> Tensor:
        """Return one tensor of a regime."""
        if dtype == "i1":
            return self._integers(0, 2, shape).to(torch.bool)
        if dtype in ("c64", "c128"):
            part = torch.float32 if dtype == "c64" else torch.float64
            real, imag = (self._floats(shape, regime).to(part) for _ in range(2))
            return torch.complex(real, imag)
        if dtype in ("f16", "bf16", "f32", "f64"):
            return self._floats(shape, regime).to(BOUNDARY[dtype])
        return self._whole(dtype, shape, regime)

    def _integers(self, low: int, high: int, shape: tuple[int, ...]) -> Tensor:
        return torch.randint(low, high, shape, generator=self.generator)

    def _floats(self, shape: tuple[int, ...], regime: Regime) -> Tensor:
        count = 1
        for n in shape:
            count *= n
        order = torch.randperm(max(1, count), generator=self.generator)[:count].reshape(shape)
        match regime:
            case Regime.FRACTIONAL:
                noise = torch.rand(shape, generator=self.generator, dtype=torch.float64)
                return (0.25 + 1.5 * noise).float()
            case Regime.NEGATIVE:
                return -1.0 - (order % _SPAN).float()
            case Regime.DEFINITE if len(shape) > 2 and shape[-1] == shape[-2]:
                rows = self._integers(-3, 4, shape).float()
                return rows @ rows.mT + 4.0 * shape[-1] * torch.eye(shape[-1])
            case _:
                span = min(_SPAN, count | 1)
                values = (order % span - span // 2).float()
        if regime is Regime.NAN and count:
            return torch.where(self._integers(0, 8, shape) == 0, float("nan"), values)
        if regime is Regime.EXTREME and count:
            specials = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0])
            where = self._integers(0, 8, shape)
            values = torch.where(where < 4, specials[where.clamp(max=3)], values)
        return values

    def _whole(self, dtype: str, shape: tuple[int, ...], regime: Regime) -> Tensor:
        target = BOUNDARY[dtype]
        unsigned = dtype.startswith("ui")
        match regime:
            case Regime.EXTREME:
                bits = min(int(dtype.lstrip("ui")), 62)
                low, high = (0, 1 << bits) if unsigned else (-(1 << (bits - 1)), 1 << (bits - 1))
            case Regime.NEGATIVE:
                low, high = (1, 100) if unsigned else (-100, 0)
            case Regime.SIGNED | Regime.NAN:
                low, high = (0 if unsigned else -2), self.largest + 2
            case _:
                low, high = 0, self.largest
        if regime in (Regime.SIGNED, Regime.FRACTIONAL, Regime.DEFINITE, Regime.NAN):
            # Indices must often hit windows that start at the border.
            wide, near = self._integers(low, max(high, low + 1), shape), self._integers(0, 2, shape)
            return torch.where(self._integers(0, 2, shape) > 0, wide, near).to(target)
        return self._integers(low, max(high, low + 1), shape).to(target)
