"""The data of a program's arguments: a function of a seed, a shape and an element type."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from semantics.text import NUMPY

Array = np.ndarray[Any, Any]
_FLOATS = {"f16": 10, "bf16": 7, "f32": 22, "f64": 50}
_ODD = (float("nan"), float("inf"), float("-inf"), -0.0)


def is_float(dtype: str) -> bool:
    """True for f16, bf16, f32, f64."""
    return dtype in _FLOATS


def exact_limit(dtype: str) -> int:
    """Up to here sums of whole numbers of a type are exact, with room to spare."""
    return 2 ** _FLOATS[dtype] if dtype in _FLOATS else largest(dtype)


def largest(dtype: str) -> int:
    """What no finite element exceeds."""
    if dtype == "i1":
        return 1
    if dtype in _FLOATS:
        return 2 ** _FLOATS[dtype]
    return int(np.iinfo(NUMPY[dtype]).max) + 1


@dataclass(frozen=True)
class Inputs:
    """Whole numbers from low to high; where `special`, one of eight is NaN, ±inf or -0.0."""

    seed: int
    low: int
    high: int
    special: bool = False

    def array(self, shape: tuple[int, ...], dtype: str) -> Array:
        """The elements; bf16 and f16 as f32."""
        maker = random.Random(self.seed)
        if dtype == "i1":
            return np.array([maker.random() < 0.5 for _ in range(prod(shape))]).reshape(shape)
        numbers: list[float] = []
        for _ in range(prod(shape)):
            odd = self.special and maker.random() < 0.125
            numbers.append(maker.choice(_ODD) if odd else maker.randint(self.low, self.high))
        return np.array(numbers, dtype=NUMPY[dtype]).reshape(shape)

    def __str__(self) -> str:
        return f"seed {self.seed} from {self.low} to {self.high}" + (
            " special" if self.special else ""
        )
