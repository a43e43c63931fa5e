"""`einsum` and `unary_einsum` become the sums, the contraction and the transpose they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.einsum import einsum
from distc.dialect.sharding import Reduction
from distc.transforms.base import Pass, replace_op


@dataclass(frozen=True)
class ExpandEinsum(Pass):
    """Write equations out as `reduce`, `dot_general` and `transpose`.

    Needs static shapes. Leaves only equations with an ellipsis or with a letter twice in one
    operand, which cannot run. Never fails.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.einsum %a, %b, config = "ab,cb->ca"
            : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<6x4xf32>
        // Output
        %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
            : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
        %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
        ```

    Presets, rules and costs know contractions; an equation would run on whole values.
    """

    name: ClassVar[str] = "expand-einsum"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        for func in stablehlo.functions(module):
            for op in list(stablehlo.walk(func)):
                if op.name in ("stablehlo.einsum", "stablehlo.unary_einsum"):
                    _expand(op)


def _expand(op: ir.Operation) -> None:
    equation = einsum(op)
    if equation is None:
        return
    with op.location, ir.InsertionPoint(op):
        operands = [_summed(x, dims) for x, dims in zip(op.operands, equation.summed, strict=False)]
        found = operands[0]
        if len(operands) == 2:
            element = stablehlo.element_type(op.results[0])
            found = build.dot_general(found, operands[1], equation.dims, element)
        found = build.transpose(found, equation.order)
    replace_op(op, [found])


def _summed(x: ir.Value, dims: Sequence[int]) -> ir.Value:
    if not dims:
        return x
    element = stablehlo.element_type(x)
    kind = Reduction.OR if str(element) == "i1" else Reduction.SUM
    return build.reduce(x, dims, kind, build.splat(0, (), element))
