"""`dot_general` on the dimensions the model speaks of instead of flattened ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.stablehlo import DotDims, Ints
from distc.transforms.base import Pass
from distc.transforms.plain_matmuls import copied_attributes
from distc.transforms.reshape_factors import Factors, common, flatten, is_plain, positions
from distc.transforms.sink_reshapes import merged_factors, split
from distc.transforms.worklist import PatternTable, rewrite


def unmerge_operands(op: ir.Operation) -> ir.Value | None:
    """Contract the operands as they were before a merge.

    A free dimension comes apart by itself; a batching or contracting one as far as both sides
    split it alike.
    """
    dims = stablehlo.dot_dims(op)
    left, right = op.operands
    lhs, rhs = list(merged_factors(left)), list(merged_factors(right))
    shared = [
        *zip(dims.lhs_batching, dims.rhs_batching, strict=True),
        *zip(dims.lhs_contracting, dims.rhs_contracting, strict=True),
    ]
    for i, j in shared:
        lhs[i] = rhs[j] = common(lhs[i], rhs[j])
    if is_plain(tuple(lhs)) and is_plain(tuple(rhs)):
        return None
    product = build.dot_general(
        split(left, tuple(lhs)),
        split(right, tuple(rhs)),
        _spread(dims, tuple(lhs), tuple(rhs)),
        stablehlo.element_type(op.results[0]),
        copied_attributes(op),
    )
    return build.reshape(product, stablehlo.shape(op.results[0]))


def _spread(dims: DotDims, lhs: Factors, rhs: Factors) -> DotDims:
    left, right = positions(lhs), positions(rhs)
    return DotDims(
        flatten(tuple(left[d] for d in dims.lhs_batching)),
        flatten(tuple(right[d] for d in dims.rhs_batching)),
        flatten(tuple(left[d] for d in dims.lhs_contracting)),
        flatten(tuple(right[d] for d in dims.rhs_contracting)),
    )


def absorb_transposes(op: ir.Operation) -> ir.Value | None:
    """Contract a transposed operand as it was, where its free dimensions keep their order."""
    dims = stablehlo.dot_dims(op)
    left, right = op.operands
    lhs_free = dims.lhs_free(len(stablehlo.shape(left)))
    rhs_free = dims.rhs_free(len(stablehlo.shape(right)))
    lhs, rhs = _absorbable(left, lhs_free), _absorbable(right, rhs_free)
    if lhs is None and rhs is None:
        return None
    lhs_order = lhs or tuple(range(len(stablehlo.shape(left))))
    rhs_order = rhs or tuple(range(len(stablehlo.shape(right))))
    moved = DotDims(
        tuple(lhs_order[d] for d in dims.lhs_batching),
        tuple(rhs_order[d] for d in dims.rhs_batching),
        tuple(lhs_order[d] for d in dims.lhs_contracting),
        tuple(rhs_order[d] for d in dims.rhs_contracting),
    )
    return build.dot_general(
        _source(left) if lhs else left,
        _source(right) if rhs else right,
        moved,
        stablehlo.element_type(op.results[0]),
        copied_attributes(op),
    )


def _absorbable(value: ir.Value, free: Ints) -> Ints | None:
    """The permutation of a transpose that makes `value` and keeps the order of `free`."""
    op = stablehlo.defining_op(value)
    if op is None or op.name != "stablehlo.transpose":
        return None
    order = stablehlo.permutation(op)
    moved = [order[d] for d in free]
    return order if moved == sorted(moved) else None


def _source(value: ir.Value) -> ir.Value:
    op = stablehlo.defining_op(value)
    assert op is not None
    return op.operands[0]


def swap_operands(op: ir.Operation) -> ir.Value | None:
    """A transpose that exchanges the two free parts of a product is the product the other way."""
    dot = stablehlo.defining_op(op.operands[0])
    if dot is None or dot.name != "stablehlo.dot_general" or len(list(dot.result.uses)) != 1:
        return None
    dims = stablehlo.dot_dims(dot)
    left, right = dot.operands
    batch = len(dims.lhs_batching)
    lhs = len(dims.lhs_free(len(stablehlo.shape(left))))
    rank = len(stablehlo.shape(dot.result))
    swapped = (*range(batch), *range(batch + lhs, rank), *range(batch, batch + lhs))
    if stablehlo.permutation(op) != swapped or "algorithm" in dot.attributes:
        return None
    exchanged = DotDims(
        dims.rhs_batching, dims.lhs_batching, dims.rhs_contracting, dims.lhs_contracting
    )
    attributes = copied_attributes(dot)
    if "precision_config" in attributes:
        precisions = list(ir.ArrayAttr(attributes["precision_config"]))
        attributes["precision_config"] = ir.ArrayAttr.get(precisions[::-1])
    return build.dot_general(
        right, left, exchanged, stablehlo.element_type(op.results[0]), attributes
    )


PATTERNS: PatternTable = {
    "stablehlo.dot_general": [absorb_transposes, unmerge_operands],
    "stablehlo.transpose": [swap_operands],
}


@dataclass(frozen=True)
class Unflatten(Pass):
    """Look through merging reshapes and transposes on the operands of `dot_general`.

    Needs static shapes. Leaves products with several batching, free and contracting dimensions,
    and a merging reshape after them where one was before; `merge-reshapes` moves that further
    down. A transposed weight is contracted as it is stored. Never fails.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.reshape %x : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
        %1 = stablehlo.transpose %w, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
        %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
            : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
        // Output
        %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1]
            : (tensor<2x8x32xf32>, tensor<64x32xf32>) -> tensor<2x8x64xf32>
        %1 = stablehlo.reshape %0 : (tensor<2x8x64xf32>) -> tensor<16x64xf32>
        ```

    PyTorch flattens to two dimensions (three for attention) before a product. A sharding of batch,
    sequence or heads can only be said while they are dimensions.
    """

    name: ClassVar[str] = "unflatten"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
