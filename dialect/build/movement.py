"""Builders of operations that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect.build.core import create, i64, i64_array, tensor_type
from distc.dialect.stablehlo import element_type, shape


def broadcast_in_dim(
    x: ir.Value,
    dims: Sequence[int],
    mapping: Sequence[int],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Broadcast to shape `dims`; operand dimension i becomes result dimension mapping[i]."""
    attributes = {"broadcast_dimensions": i64_array(mapping, x.context)}
    result = tensor_type(dims, element_type(x))
    return create("broadcast_in_dim", [x], [result], attributes, loc=loc, ip=ip).result


def reshape(
    x: ir.Value,
    dims: Sequence[int],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Reshape in row-major order; the value itself where the shape is the same."""
    if shape(x) == tuple(dims):
        return x
    return create("reshape", [x], [tensor_type(dims, element_type(x))], loc=loc, ip=ip).result


def transpose(
    x: ir.Value,
    order: Sequence[int],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Result dimension i is operand dimension order[i]; the value itself for the identity."""
    if tuple(order) == tuple(range(len(order))):
        return x
    dims = shape(x)
    result = tensor_type([dims[d] for d in order], element_type(x))
    attributes = {"permutation": i64_array(order, x.context)}
    return create("transpose", [x], [result], attributes, loc=loc, ip=ip).result


def slice_(
    x: ir.Value,
    start: Sequence[int],
    limit: Sequence[int],
    strides: Sequence[int] | None = None,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Elements start, start + stride, … below limit, per dimension."""
    steps = list(strides) if strides is not None else [1] * len(start)
    bounds = zip(start, limit, steps, strict=True)
    result = tensor_type([-(-(b - a) // s) for a, b, s in bounds], element_type(x))
    attributes = {
        "start_indices": i64_array(start, x.context),
        "limit_indices": i64_array(limit, x.context),
        "strides": i64_array(steps, x.context),
    }
    return create("slice", [x], [result], attributes, loc=loc, ip=ip).result


def pad(
    x: ir.Value,
    value: ir.Value,
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int] | None = None,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Pad with the scalar `value`; negative low or high cut off."""
    between = list(interior) if interior is not None else [0] * len(low)
    sizes = [
        a + n + b + max(0, n - 1) * i
        for n, a, b, i in zip(shape(x), low, high, between, strict=True)
    ]
    attributes = {
        "edge_padding_low": i64_array(low, x.context),
        "edge_padding_high": i64_array(high, x.context),
        "interior_padding": i64_array(between, x.context),
    }
    result = tensor_type(sizes, element_type(x))
    return create("pad", [x, value], [result], attributes, loc=loc, ip=ip).result


def concatenate(
    values: Sequence[ir.Value],
    dim: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Join along `dim`."""
    dims = list(shape(values[0]))
    dims[dim] = sum(shape(v)[dim] for v in values)
    attributes = {"dimension": i64(dim, values[0].context)}
    result = tensor_type(dims, element_type(values[0]))
    return create("concatenate", values, [result], attributes, loc=loc, ip=ip).result


def dynamic_slice(
    x: ir.Value,
    starts: Sequence[ir.Value],
    sizes: Sequence[int],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """`sizes` elements from the scalar `starts`, which are clamped so that the slice fits."""
    attributes = {"slice_sizes": i64_array(sizes, x.context)}
    result = tensor_type(sizes, element_type(x))
    return create("dynamic_slice", [x, *starts], [result], attributes, loc=loc, ip=ip).result


def dynamic_update_slice(
    x: ir.Value,
    update: ir.Value,
    starts: Sequence[ir.Value],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """`x` with `update` written at the scalar `starts`, which are clamped so that it fits."""
    operands = [x, update, *starts]
    return create("dynamic_update_slice", operands, [x.type], loc=loc, ip=ip).result
