"""Which function lowers which operation. Families register with `lowering`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from torch_mlir import ir

from distc.transforms.lower.builder import Builder, Item

Lowering: TypeAlias = "Callable[[Builder, ir.Operation], Item | Sequence[Item]]"

LOWERINGS: dict[str, Lowering] = {}


def lowering(*names: str) -> Callable[[Lowering], Lowering]:
    """Register the decorated function as the lowering of the StableHLO operations `names`."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            LOWERINGS[name if "." in name else f"stablehlo.{name}"] = function
        return function

    return register
