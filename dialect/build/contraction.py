"""Builders of contractions and reductions, and of reducer regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.build.constants import splat
from distc.dialect.build.core import create, i64_array, tensor_type
from distc.dialect.build.elementwise import combine
from distc.dialect.numbers import neutral
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import DotDims, element_type, shape


def dot_general(
    lhs: ir.Value,
    rhs: ir.Value,
    dims: DotDims,
    element: ir.Type | None = None,
    attributes: Mapping[str, ir.Attribute] | None = None,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Contract; `element` is the result's element type, `attributes` adds precision and such."""
    left, right = shape(lhs), shape(rhs)
    sizes = [left[d] for d in dims.lhs_batching]
    sizes += [left[d] for d in dims.lhs_free(len(left))]
    sizes += [right[d] for d in dims.rhs_free(len(right))]
    numbers = _stablehlo.DotDimensionNumbers.get(
        list(dims.lhs_batching),
        list(dims.rhs_batching),
        list(dims.lhs_contracting),
        list(dims.rhs_contracting),
        context=lhs.context,
    )
    result = tensor_type(sizes, element if element is not None else element_type(lhs))
    named = {**(attributes or {}), "dot_dimension_numbers": numbers}
    return create("dot_general", [lhs, rhs], [result], named, loc=loc, ip=ip).result


def reduce(
    x: ir.Value,
    dims: Sequence[int],
    kind: Reduction,
    init: ir.Value | None = None,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Reduce over `dims`, which leave the shape; starts from the neutral element by default
    (-0.0 for sums of floats)."""
    element = element_type(x)
    start = splat(neutral(kind, element), (), element, loc, ip) if init is None else init
    result = tensor_type([n for d, n in enumerate(shape(x)) if d not in dims], element)
    attributes = {"dimensions": i64_array(dims, x.context)}
    op = create("reduce", [x, start], [result], attributes, regions=1, loc=loc, ip=ip)
    reducer_region(op, element, kind)
    return op.result


def reducer_region(op: ir.Operation, element: ir.Type, kind: Reduction, number: int = 0) -> None:
    region(op, element, lambda lhs, rhs: combine(kind, lhs, rhs, op.location), number)


def region(
    op: ir.Operation,
    element: ir.Type,
    body: Callable[[ir.Value, ir.Value], ir.Value],
    number: int = 0,
) -> None:
    scalar, loc = tensor_type((), element), op.location
    block = op.regions[number].blocks.append(scalar, scalar, arg_locs=[loc, loc])
    with ir.InsertionPoint(block):
        create("return", [body(*block.arguments)], [], loc=loc)
