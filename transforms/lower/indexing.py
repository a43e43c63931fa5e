"""`gather`, `scatter` and their kin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.dialect.sharding import Reduction
from distc.runtime.program import Arg, Program, Ref, ValueType
from distc.transforms.lower.builder import (
    HIDDEN_UNSIGNED,
    Builder,
    is_complex,
    value_type,
)
from distc.transforms.lower.reduction import ordered
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.scalar_region import scalar_region


@lowering("gather", "dynamic_gather")
def lower_gather(b: Builder, op: ir.Operation) -> Ref:
    """`gather`: start indices are moved so that windows lie inside."""
    operand, indices = list(op.operands)[:2]
    sizes = hlo.slice_sizes(op) if op.name == "stablehlo.gather" else _constant_sizes(b, op)
    dims = hlo.gather_dims(op)
    return b.emit(
        "distc.gather",
        b.ref(operand),
        b.convert(b.ref(indices), "i64"),
        out=value_type(op.results[0], op),
        offset_dims=list(dims.offset_dims),
        collapsed_slice_dims=list(dims.collapsed_slice_dims),
        operand_batching_dims=list(dims.operand_batching_dims),
        start_indices_batching_dims=list(dims.start_indices_batching_dims),
        start_index_map=list(dims.start_index_map),
        index_vector_dim=dims.index_vector_dim,
        slice_sizes=list(sizes),
    )


def _constant_sizes(b: Builder, op: ir.Operation) -> tuple[int, ...]:
    source = hlo.defining_op(op.operands[2])
    values = None if source is None else hlo.constant_array(source)
    if values is None:
        raise b.unsupported(
            "dynamic_gather has sizes that are not constant", help="export with static shapes"
        )
    return tuple(int(v) for v in np.asarray(values).reshape(-1))


@lowering("torch_index_select")
def lower_torch_index_select(b: Builder, op: ir.Operation) -> Ref:
    """`torch_index_select` along one dimension, as a gather of whole slices."""
    operand, indices = b.refs(op.operands)
    dim = int(ir.IntegerAttr(op.attributes["dim"]).value)
    batch = int(ir.IntegerAttr(op.attributes["batch_dims"]).value)
    shape, index_shape = b.type(operand).shape, b.type(indices).shape
    batching: list[Arg] = list(range(batch))
    between = range(batch, dim)
    after = range(dim + 1, len(shape))
    kept = len(index_shape) - batch
    offset: list[Arg] = [*between, *(dim + kept + i for i in range(len(after)))]
    sizes: list[Arg] = [1 if d == dim or d < batch else n for d, n in enumerate(shape)]
    return b.emit(
        "distc.gather",
        operand,
        b.convert(indices, "i64"),
        out=value_type(op.results[0], op),
        offset_dims=offset,
        collapsed_slice_dims=[dim],
        operand_batching_dims=batching,
        start_indices_batching_dims=batching,
        start_index_map=[dim],
        index_vector_dim=len(index_shape),
        slice_sizes=sizes,
    )


@lowering("scatter")
def lower_scatter(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`scatter`: updates outside are skipped; later ones come after earlier."""
    count = len(op.results)
    operands = list(op.operands)
    values, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    types = [value_type(r, op) for r in op.results]
    kinds = _kinds(op, types)
    regions: tuple[Program, ...] = ()
    if kinds is None:
        regions = (scalar_region(b, op.regions[0], "scatter"),)
    flips = [
        k in ("max", "min") and t.dtype in HIDDEN_UNSIGNED
        for k, t in zip(kinds or [""] * count, types, strict=True)
    ]
    dims = hlo.scatter_dims(op)
    results = b.call(
        "distc.scatter",
        _flipped(b, values, flips),
        b.convert(b.ref(indices), "i64"),
        _flipped(b, updates, flips),
        types=types,
        regions=regions,
        update_window_dims=list(dims.update_window_dims),
        inserted_window_dims=list(dims.inserted_window_dims),
        input_batching_dims=list(dims.input_batching_dims),
        scatter_indices_batching_dims=list(dims.scatter_indices_batching_dims),
        scatter_dims_to_operand_dims=list(dims.scatter_dims_to_operand_dims),
        index_vector_dim=dims.index_vector_dim,
        unique=hlo.unique_indices(op),
        kinds=list(kinds or ()),
    )
    return [b.flip_sign(r) if f else r for r, f in zip(results, flips, strict=True)]


def _flipped(b: Builder, values: Sequence[ir.Value], flips: Sequence[bool]) -> list[Arg]:
    refs = b.refs(values)
    return [b.flip_sign(r) if f else r for r, f in zip(refs, flips, strict=True)]


def _kinds(op: ir.Operation, types: Sequence[ValueType]) -> list[str] | None:
    """Name of the combination per operand; None where the region has to run."""
    if hlo.returns_update(op):
        return ["set"] * len(types)
    kinds = hlo.reducers(op)
    if None in kinds:
        return None
    for kind, value in zip(kinds, types, strict=True):
        if is_complex(value.dtype) and (ordered(kind) or kind is Reduction.PROD):
            return None
        if kind in (Reduction.AND, Reduction.OR) and value.dtype != "i1":
            return None
    return [str(k) for k in kinds]
