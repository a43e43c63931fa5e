"""Builders of gather and scatter."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.build.contraction import reducer_region, region
from distc.dialect.build.core import create, i64_array, tensor_type
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import GatherDims, ScatterDims, element_type, shape


def gather(
    operand: ir.Value,
    indices: ir.Value,
    dims: GatherDims,
    slice_sizes: Sequence[int],
    sorted_indices: bool = False,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Gather slices of `slice_sizes`; the result has [batch of indices] and offset dimensions."""
    context = operand.context
    attributes = {
        "dimension_numbers": gather_numbers(dims, context),
        "slice_sizes": i64_array(slice_sizes, context),
        "indices_are_sorted": ir.BoolAttr.get(sorted_indices, context),
    }
    result = tensor_type(_gather_shape(indices, dims, slice_sizes), element_type(operand))
    return create("gather", [operand, indices], [result], attributes, loc=loc, ip=ip).result


def gather_numbers(dims: GatherDims, context: ir.Context) -> ir.Attribute:
    """The dimension numbers of a gather as an attribute."""
    made: ir.Attribute = _stablehlo.GatherDimensionNumbers.get(
        list(dims.offset_dims),
        list(dims.collapsed_slice_dims),
        list(dims.operand_batching_dims),
        list(dims.start_indices_batching_dims),
        list(dims.start_index_map),
        dims.index_vector_dim,
        context=context,
    )
    return made


def _gather_shape(indices: ir.Value, dims: GatherDims, slice_sizes: Sequence[int]) -> list[int]:
    hidden = {*dims.collapsed_slice_dims, *dims.operand_batching_dims}
    offsets = iter([n for d, n in enumerate(slice_sizes) if d not in hidden])
    batch = iter([n for d, n in enumerate(shape(indices)) if d != dims.index_vector_dim])
    batch_rank = len(shape(indices)) - (dims.index_vector_dim < len(shape(indices)))
    rank = batch_rank + len(dims.offset_dims)
    return [next(offsets) if d in dims.offset_dims else next(batch) for d in range(rank)]


def scatter(
    operand: ir.Value,
    indices: ir.Value,
    updates: ir.Value,
    dims: ScatterDims,
    kind: Reduction | None,
    unique: bool = False,
    sorted_indices: bool = False,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Scatter `updates`, combined as `kind`; None overwrites."""
    context = operand.context
    attributes = {
        "scatter_dimension_numbers": scatter_numbers(dims, context),
        "indices_are_sorted": ir.BoolAttr.get(sorted_indices, context),
        "unique_indices": ir.BoolAttr.get(unique, context),
    }
    operands = [operand, indices, updates]
    op = create("scatter", operands, [operand.type], attributes, regions=1, loc=loc, ip=ip)
    if kind is None:
        region(op, element_type(operand), lambda old, new: new)
    else:
        reducer_region(op, element_type(operand), kind)
    return op.result


def scatter_numbers(dims: ScatterDims, context: ir.Context) -> ir.Attribute:
    """The dimension numbers of a scatter as an attribute."""
    made: ir.Attribute = _stablehlo.ScatterDimensionNumbers.get(
        list(dims.update_window_dims),
        list(dims.inserted_window_dims),
        list(dims.input_batching_dims),
        list(dims.scatter_indices_batching_dims),
        list(dims.scatter_dims_to_operand_dims),
        dims.index_vector_dim,
        context=context,
    )
    return made
