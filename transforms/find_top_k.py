"""Sorts of which only the front is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.transforms.base import Pass


@dataclass(frozen=True)
class FindTopK(Pass):
    """Mark sorts whose results are only read from the front.

    Needs nothing. Leaves `dist.first = k` on every sort whose results are all sliced to the first k
    or fewer along the sorted dimension; what lies behind them is then nobody's business. Takes the
    mark off where that does not hold. Never fails.

    Example:
        ```mlir
        // Input
        %0 = "stablehlo.sort"(%x) <{dimension = 1}> (…) : (tensor<4x1000xf32>) -> tensor<4x1000xf32>
        %1 = stablehlo.slice %0 [0:4, 0:5] : (tensor<4x1000xf32>) -> tensor<4x5xf32>
        // Output
        %0 = "stablehlo.sort"(%x) <{dimension = 1}> (…) {dist.first = 5} : …
        %1 = stablehlo.slice %0 [0:4, 0:5] : (tensor<4x1000xf32>) -> tensor<4x5xf32>
        ```

    This is how top-k arrives: cut along the sorted dimension, p ranks then send k elements each
    instead of the whole dimension.
    """

    name: ClassVar[str] = "find-top-k"

    def run(self, module: ir.Module) -> None:
        """Mark the sorts of `module`."""
        for func in stablehlo.functions(module):
            for op in stablehlo.walk(func):
                if op.name == "stablehlo.sort":
                    _mark(op)


def _mark(op: ir.Operation) -> None:
    along = stablehlo.sort(op).dim
    counts = [_taken(use.owner, along) for result in op.results for use in result.uses]
    if stablehlo.FIRST in op.attributes:
        del op.attributes[stablehlo.FIRST]
    wanted = max((c for c in counts if c is not None), default=0)
    size = stablehlo.shape(op.operands[0])[along] if counts else 0
    if None not in counts and 0 < wanted < size:
        op.attributes[stablehlo.FIRST] = build.i64(wanted, op.context)


def _taken(user: ir.OpView, along: int) -> int | None:
    """How many elements from the front a user takes, None where it takes others."""
    op = user.operation
    if op.name != "stablehlo.slice":
        return None
    bounds = stablehlo.slice_bounds(op)
    if bounds.start[along] != 0:
        return None
    return bounds.limit[along]
