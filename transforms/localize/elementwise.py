"""Elementwise ops that padding could make trap."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.divide", "stablehlo.remainder")
def _divide(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """An integer divided by padding may be divided by zero, which traps: divide by one."""
    if not isinstance(stablehlo.element_type(local.operands[1]), ir.IntegerType):
        return local.copied()
    rank = len(local.operand_shape(1))
    divisor = local.masked(ctx, 1, list(range(rank)), 1)
    return local.copied((local.operands[0], divisor))
