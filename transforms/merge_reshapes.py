"""Chains of reshapes, transposes and broadcasts become one; merges move down until they cancel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.transforms import plain_matmuls, sink_reshapes, unflatten
from distc.transforms.base import Pass
from distc.transforms.worklist import PatternTable, merge_tables, rewrite


def fold_reshape(op: ir.Operation) -> ir.Value | None:
    """A reshape to the same shape is nothing; a reshape of a reshape is one."""
    source, dims = op.operands[0], stablehlo.shape(op.results[0])
    if stablehlo.shape(source) == dims:
        return source
    inner = stablehlo.defining_op(source)
    if inner is None or inner.name != "stablehlo.reshape":
        return None
    return build.reshape(inner.operands[0], dims)


def fold_transpose(op: ir.Operation) -> ir.Value | None:
    """A transpose of a transpose is one; one that moves only sizes of one is a reshape."""
    source, order = op.operands[0], stablehlo.permutation(op)
    inner = stablehlo.defining_op(source)
    if inner is not None and inner.name == "stablehlo.transpose":
        first = stablehlo.permutation(inner)
        return build.transpose(inner.operands[0], [first[d] for d in order])
    dims = stablehlo.shape(source)
    moved = [d for d in order if dims[d] != 1]
    if moved != sorted(moved):
        return None
    return build.reshape(source, stablehlo.shape(op.results[0]))


def fold_broadcast(op: ir.Operation) -> ir.Value | None:
    """A broadcast that repeats nothing is a reshape; a broadcast of a broadcast is one."""
    source, mapping = op.operands[0], stablehlo.broadcast_dims(op)
    dims = stablehlo.shape(op.results[0])
    moved = [m for m, n in zip(mapping, stablehlo.shape(source), strict=True) if n != 1]
    repeats = [n for d, n in enumerate(dims) if d not in moved and n != 1]
    if not repeats and moved == sorted(moved):
        return build.reshape(source, dims)
    inner = stablehlo.defining_op(source)
    if inner is None:
        return None
    match inner.name:
        case "stablehlo.broadcast_in_dim":
            first = stablehlo.broadcast_dims(inner)
            return build.broadcast_in_dim(inner.operands[0], dims, [mapping[d] for d in first])
        case "stablehlo.reshape":
            return _broadcast_of_unsqueeze(op, inner.operands[0])
    return None


def _broadcast_of_unsqueeze(op: ir.Operation, source: ir.Value) -> ir.Value | None:
    """Broadcast what is before a reshape that only adds sizes of one."""
    mapping = stablehlo.broadcast_dims(op)
    between = stablehlo.shape(op.operands[0])
    sizes = stablehlo.shape(source)
    if 1 in sizes or tuple(n for n in between if n != 1) != sizes:
        return None
    kept = [m for m, n in zip(mapping, between, strict=True) if n != 1]
    return build.broadcast_in_dim(source, stablehlo.shape(op.results[0]), kept)


def fold_whole_slice(op: ir.Operation) -> ir.Value | None:
    """A slice of everything is nothing."""
    bounds = stablehlo.slice_bounds(op)
    whole = bounds.limit == stablehlo.shape(op.operands[0]) and not any(bounds.start)
    return op.operands[0] if whole and set(bounds.strides) <= {1} else None


_FOLDS: PatternTable = {
    "stablehlo.broadcast_in_dim": [fold_broadcast],
    "stablehlo.reshape": [fold_reshape],
    "stablehlo.slice": [fold_whole_slice],
    "stablehlo.transpose": [fold_transpose],
}
PATTERNS: PatternTable = merge_tables(
    _FOLDS, plain_matmuls.PATTERNS, unflatten.PATTERNS, sink_reshapes.PATTERNS
)


@dataclass(frozen=True)
class MergeReshapes(Pass):
    """Move reshapes that merge dimensions down until a split undoes them; fold chains.

    Needs static shapes. Leaves no reshape of a reshape, no transpose of a transpose, and a merging
    reshape only before an op that cannot work on the factors (a composite, a convolution, a return,
    a contraction with an operand that is not split alike). Includes the patterns of `unflatten`
    and `plain-matmuls`, as one opens the way for the other. Never fails.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.reshape %x : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
        %1 = stablehlo.tanh %0 : tensor<16x32xf32>
        %2 = stablehlo.reshape %1 : (tensor<16x32xf32>) -> tensor<2x8x4x8xf32>
        // Output
        %0 = stablehlo.tanh %x : tensor<2x8x32xf32>
        %1 = stablehlo.reshape %0 : (tensor<2x8x32xf32>) -> tensor<2x8x4x8xf32>
        ```

    Only data movement changes, values stay bit-identical.
    """

    name: ClassVar[str] = "merge-reshapes"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
