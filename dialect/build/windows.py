"""Builders of windowed operations."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.build.constants import splat
from distc.dialect.build.contraction import reducer_region, region
from distc.dialect.build.core import create, i64, i64_array, i64_matrix, tensor_type
from distc.dialect.build.elementwise import compare
from distc.dialect.numbers import neutral
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import Convolution, Window, element_type, shape


def convolution(
    x: ir.Value,
    kernel: ir.Value,
    conv: Convolution,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Convolve; every dimension is where `conv.dims` says, windows are not reversed."""
    context, dims = x.context, conv.dims
    numbers = _stablehlo.ConvDimensionNumbers.get(
        dims.input_batch,
        dims.input_feature,
        list(dims.input_spatial),
        dims.kernel_input_feature,
        dims.kernel_output_feature,
        list(dims.kernel_spatial),
        dims.output_batch,
        dims.output_feature,
        list(dims.output_spatial),
        ctx=context,
    )
    attributes = {
        "dimension_numbers": numbers,
        "window_strides": i64_array(conv.strides, context),
        "padding": i64_matrix(conv.padding, 2, context),
        "lhs_dilation": i64_array(conv.lhs_dilation, context),
        "rhs_dilation": i64_array(conv.rhs_dilation, context),
        "feature_group_count": i64(conv.feature_group_count, context),
        "batch_group_count": i64(conv.batch_group_count, context),
    }
    result = tensor_type(_convolved(shape(x), shape(kernel), conv), element_type(x))
    return create("convolution", [x, kernel], [result], attributes, loc=loc, ip=ip).result


def _convolved(x: Sequence[int], kernel: Sequence[int], conv: Convolution) -> list[int]:
    dims, sizes = conv.dims, [0] * len(x)
    sizes[dims.output_batch] = x[dims.input_batch] // conv.batch_group_count
    sizes[dims.output_feature] = kernel[dims.kernel_output_feature]
    for i, written in enumerate(dims.output_spatial):
        held, taps = x[dims.input_spatial[i]], kernel[dims.kernel_spatial[i]]
        seen = max(0, (held - 1) * conv.lhs_dilation[i] + 1) + sum(conv.padding[i])
        reach = (taps - 1) * conv.rhs_dilation[i] + 1
        sizes[written] = max(0, (seen - reach) // conv.strides[i] + 1)
    return sizes


def reduce_window(
    x: ir.Value,
    window: Window,
    kind: Reduction,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Reduce every window of `x`, without holes in window or operand, from the neutral element."""
    element, context = element_type(x), x.context
    attributes = {
        "window_dimensions": i64_array(window.sizes, context),
        "window_strides": i64_array(window.strides, context),
        "padding": i64_matrix(window.padding, 2, context),
    }
    walks = zip(shape(x), window.sizes, window.strides, window.padding, strict=True)
    sizes = [max(0, (n + sum(pad) - reach) // step + 1) for n, reach, step, pad in walks]
    start = splat(neutral(kind, element), (), element, loc, ip)
    result = tensor_type(sizes, element)
    op = create("reduce_window", [x, start], [result], attributes, regions=1, loc=loc, ip=ip)
    reducer_region(op, element, kind)
    return op.result


def select_and_scatter(
    x: ir.Value,
    source: ir.Value,
    window: Window,
    direction: str,
    kind: Reduction,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Send each element of `source` to the place its window of `x` selects.

    `direction` (GE, GT, LE, LT) compares what is selected so far with what comes next; what meets
    at a place is combined as `kind`, from its neutral element.
    """
    element, context = element_type(x), x.context
    attributes = {
        "window_dimensions": i64_array(window.sizes, context),
        "window_strides": i64_array(window.strides, context),
        "padding": i64_matrix(window.padding, 2, context),
    }
    start = splat(neutral(kind, element), (), element, loc, ip)
    operands = [x, source, start]
    op = create("select_and_scatter", operands, [x.type], attributes, regions=2, loc=loc, ip=ip)
    region(op, element, lambda best, other: compare(best, other, direction))
    reducer_region(op, element, kind, 1)
    return op.result
