"""A small training program, how it is cut, and the collectives that it may run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

FLOAT = torch.float64
BYTES = 8
"""Of one element: every case is in float64."""


@dataclass(frozen=True)
class TrafficCase:
    """A function whose value and gradients are computed on a mesh.

    Attributes:
        name: for people.
        function: of float64 and integer tensors; PyTorch runs it as it is.
        arguments: its tensors.
        mesh: the mesh as text.
        lying: one sharding per argument; the gradient of an argument lies as it does.
        most: bytes of the largest operand of any collective on one rank.
        counts: collective → how many of it at most. What is not named is not run.
        weights: numbers of arguments that are parameters.
    """

    name: str
    function: Callable[..., Tensor]
    arguments: tuple[Tensor, ...]
    mesh: str
    lying: tuple[str, ...]
    most: int
    counts: Mapping[str, int] = field(default_factory=dict)
    weights: tuple[int, ...] = ()

    @property
    def gradients(self) -> dict[int, str]:
        """Result number → sharding: each gradient lies as its argument."""
        floats = [
            s for a, s in zip(self.arguments, self.lying, strict=True) if a.is_floating_point()
        ]
        return {i + 1: s for i, s in enumerate(floats)}


def normal(*shape: int, seed: int = 0) -> Tensor:
    """Random numbers, the same every time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=FLOAT)


def labels(count: int, *shape: int) -> Tensor:
    """Random whole numbers below `count`, the same every time."""
    return torch.randint(0, count, shape, generator=torch.Generator().manual_seed(7))


def whole(rank: int) -> str:
    """The sharding of a tensor that every rank holds."""
    return cut(rank)


def cut(rank: int, *dims: int, axis: str = "x") -> str:
    """The sharding of a tensor whose dimensions `dims` are cut by `axis`."""
    return "[" + ", ".join(f"S({axis})" if d in dims else "R" for d in range(rank)) + "]"
