"""What the main job holds a run to: differences, fair shares, all-reduces per layer.

Arithmetic only, so that it can be tested without a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt
import workload

ALL_REDUCES_PER_LAYER = 2
SHARE_SLACK = 1.15

_LAYER = re.compile(r"\blayers?\.(\d+)\b")
_ATTENTION = re.compile(r"\.(q_proj|k_proj|v_proj|o_proj)\.")
_NORM = re.compile(r"norm", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a result is from its reference: max|a - b| and max|b|, NaN where either has one."""

    largest: float
    scale: float

    @property
    def relative(self) -> float:
        """`largest / scale`; 0 where both are zero."""
        return self.largest / self.scale if self.scale else float(self.largest > 0)

    def within(self, tolerance: float) -> bool:
        """True when max|a - b| ≤ tolerance · max|b| + 1e-6; a NaN is never within."""
        return self.largest <= tolerance * self.scale + workload.ABSOLUTE_TOLERANCE


def difference(found: npt.NDArray[np.float32], expected: npt.NDArray[np.float32]) -> Difference:
    """Compare two tensors of one shape.

    Raises:
        ValueError: the shapes differ or there is nothing to compare.
    """
    if found.shape != expected.shape or not expected.size:
        raise ValueError(f"cannot compare {found.shape} with {expected.shape}")
    gap = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    return Difference(float(gap.max()), float(np.abs(expected).max()))


def equal_tokens(found: Sequence[int], expected: Sequence[int]) -> int:
    """Count the tokens that agree before the first that does not: later ones follow from it.

    Raises:
        ValueError: one text is longer.
    """
    if len(found) != len(expected):
        raise ValueError(f"cannot compare {len(found)} tokens with {len(expected)}")
    pairs = zip(found, expected, strict=True)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), len(expected))


def fair_bytes(name: str, bytes_: int, ranks: int, groups: int) -> int:
    """Bytes of one Llama weight that the largest of `ranks` tensor-parallel ranks should hold.

    Attention is cut in whole key/value groups, norms are held by every rank, everything else
    (MLP, embedding by vocabulary) is shared evenly.
    """
    if _NORM.search(name):
        return bytes_
    if _ATTENTION.search(name):
        return ceil(groups / ranks) * bytes_ // groups
    return ceil(bytes_ / ranks)


def fair_share(weights: Mapping[str, int], ranks: int, groups: int) -> int:
    """Sum of `fair_bytes` over weights given as name → bytes."""
    return sum(fair_bytes(name, bytes_, ranks, groups) for name, bytes_ in weights.items())


def per_layer(locations: Iterable[str]) -> Counter[int | None]:
    """Count locations by the transformer layer they name; None for those outside any layer."""
    matches = (_LAYER.search(text) for text in locations)
    return Counter(int(found.group(1)) if found else None for found in matches)
