"""Batched matrix products with a weight broadcast over the batch become plain products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.stablehlo import DotDims, Ints
from distc.transforms.base import Pass
from distc.transforms.worklist import PatternTable, rewrite


@dataclass(frozen=True, slots=True)
class _Side:
    """One operand of a dot: its value, batching and contracting dimensions, free ones in order."""

    value: ir.Value
    batching: Ints
    contracting: Ints

    @property
    def free(self) -> Ints:
        used = {*self.batching, *self.contracting}
        return tuple(d for d in range(len(stablehlo.shape(self.value))) if d not in used)


def copied_attributes(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Precision, algorithm and other attributes of a dot; not its dimensions and sharding."""
    names = [key if isinstance(key, str) else key.name for key in op.attributes]
    skipped = ("dot_dimension_numbers", "dist.sharding")
    return {name: op.attributes[name] for name in names if name not in skipped}


def drop_broadcast_batch(op: ir.Operation) -> ir.Value | None:
    """Where one side only repeats itself along a batching dimension, that dimension is free."""
    dims = stablehlo.dot_dims(op)
    lhs = _Side(op.operands[0], dims.lhs_batching, dims.lhs_contracting)
    rhs = _Side(op.operands[1], dims.rhs_batching, dims.rhs_contracting)
    for side, is_lhs in ((rhs, False), (lhs, True)):
        repeated = _repeated(side)
        if repeated:
            return _without(op, lhs, rhs, repeated, is_lhs)
    return None


def _repeated(side: _Side) -> tuple[int, ...]:
    """Positions in the batching list along which the operand is a broadcast."""
    op = stablehlo.defining_op(side.value)
    if op is None or op.name != "stablehlo.broadcast_in_dim":
        return ()
    dims = stablehlo.shape(side.value)
    source = stablehlo.shape(op.operands[0])
    kept = {
        place for size, place in zip(source, stablehlo.broadcast_dims(op), strict=True) if size != 1
    }
    return tuple(i for i, d in enumerate(side.batching) if d not in kept and dims[d] != 1)


def _without(
    op: ir.Operation, lhs: _Side, rhs: _Side, repeated: Sequence[int], on_lhs: bool
) -> ir.Value:
    """The dot with the batching pairs `repeated` gone, their dimension free on the other side.

    Result dimensions are labelled by where they come from, to put them back in order.
    """
    old = [("batch", i) for i in range(len(lhs.batching))]
    old += [("lhs", d) for d in lhs.free] + [("rhs", d) for d in rhs.free]
    kept = [i for i in range(len(lhs.batching)) if i not in repeated]
    thin, full = (lhs, rhs) if on_lhs else (rhs, lhs)
    freed = {full.batching[i]: i for i in repeated}
    gone = [thin.batching[i] for i in repeated]
    slim = _Side(
        _drop_dims(thin.value, gone),
        tuple(_shift(thin.batching[i], gone) for i in kept),
        tuple(_shift(d, gone) for d in thin.contracting),
    )
    wide = _Side(full.value, tuple(full.batching[i] for i in kept), full.contracting)
    full_name, thin_name = ("rhs", "lhs") if on_lhs else ("lhs", "rhs")
    wide_labels = [("batch", freed[d]) if d in freed else (full_name, d) for d in wide.free]
    slim_labels = [(thin_name, d) for d in thin.free]
    new = [("batch", i) for i in kept]
    new += slim_labels + wide_labels if on_lhs else wide_labels + slim_labels
    left, right = (slim, wide) if on_lhs else (wide, slim)
    product = build.dot_general(
        left.value,
        right.value,
        DotDims(left.batching, right.batching, left.contracting, right.contracting),
        stablehlo.element_type(op.results[0]),
        copied_attributes(op),
    )
    return build.transpose(product, [new.index(label) for label in old])


def _shift(dim: int, gone: Sequence[int]) -> int:
    return dim - sum(g < dim for g in gone)


def _drop_dims(value: ir.Value, gone: Sequence[int]) -> ir.Value:
    """The broadcast `value` without the dimensions `gone`; its source if no other is repeated."""
    op = stablehlo.defining_op(value)
    assert op is not None
    source = op.operands[0]
    sizes, mapping = [], []
    for size, place in zip(stablehlo.shape(source), stablehlo.broadcast_dims(op), strict=True):
        if place not in gone:
            sizes.append(size)
            mapping.append(_shift(place, gone))
    dims = [n for d, n in enumerate(stablehlo.shape(value)) if d not in gone]
    slim = build.reshape(source, sizes)
    if sizes == dims and mapping == list(range(len(dims))):
        return slim
    return build.broadcast_in_dim(slim, dims, mapping)


PATTERNS: PatternTable = {"stablehlo.dot_general": [drop_broadcast_batch]}


@dataclass(frozen=True)
class PlainMatmuls(Pass):
    """Take a weight that is broadcast over the batch out of a batched matrix product.

    Needs static shapes. Leaves no `dot_general` with a batching dimension along which one operand
    is a `broadcast_in_dim`. Never fails.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<2x16x4xf32>
        %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
            : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
        // Output
        %1 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
            : (tensor<2x8x16xf32>, tensor<16x4xf32>) -> tensor<2x8x4xf32>
        ```

    PyTorch writes a 3-D by 2-D product so. A weight repeated per batch entry would cost memory and
    would tie the weight's sharding to the batch's.
    """

    name: ClassVar[str] = "plain-matmuls"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
