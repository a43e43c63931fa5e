"""Operation, type and attribute makers the builders share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from torch_mlir import ir

from distc.dialect.stablehlo import Groups


def tensor_type(dims: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """Ranked tensor type; needs no ambient location."""
    return ir.RankedTensorType.get(list(dims), element, loc=ir.Location.unknown(element.context))


def create(
    name: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute] | None = None,
    regions: int = 0,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Operation:
    """Create `stablehlo.<name>` from explicit result types."""
    return ir.Operation.create(
        f"stablehlo.{name}",
        results=list(results),
        operands=list(operands),
        attributes=dict(attributes or {}),
        regions=regions,
        loc=loc,
        ip=ip,
    )


def clone(
    op: ir.Operation,
    operands: Sequence[ir.Value] | None = None,
    results: Sequence[ir.Type] | None = None,
    attributes: Mapping[str, ir.Attribute] | None = None,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Operation:
    """Copy `op`, regions included, with other operands, result types or attributes.

    Attributes not named stay. The copy has the location of `op` unless `loc` is given.
    """
    copy: ir.Operation
    if loc is not None:
        copy = _relocated(op, loc, ip)
    elif ip is not None:
        copy = op.clone(ip=ip)
    else:
        copy = op.clone()
    for index, value in enumerate(operands or ()):
        copy.operands[index] = value
    for index, kind in enumerate(results or ()):
        copy.results[index].set_type(kind)
    for key, attribute in (attributes or {}).items():
        copy.attributes[key] = attribute
    return copy


def _relocated(op: ir.Operation, loc: ir.Location, ip: ir.InsertionPoint | None) -> ir.Operation:
    copy = ir.Operation.create(
        op.name,
        results=[r.type for r in op.results],
        operands=list(op.operands),
        attributes={key: op.attributes[key] for key in _attribute_names(op)},
        regions=len(op.regions),
        loc=loc,
        ip=ip,
    )
    if len(op.regions):
        donor = op.clone(ip=ir.InsertionPoint(copy))
        for source, target in zip(donor.regions, copy.regions, strict=True):
            for block in list(source):
                block.append_to(target)
        donor.erase()
    return copy


def _attribute_names(op: ir.Operation) -> list[str]:
    return [key if isinstance(key, str) else key.name for key in op.attributes]


def i64_array(values: Sequence[int], context: ir.Context) -> ir.Attribute:
    """`array<i64: …>`, the form of dimension lists."""
    return ir.DenseI64ArrayAttr.get(list(values), context)


def i64(value: int, context: ir.Context) -> ir.Attribute:
    """`value : i64`."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), value)


def i64_matrix(rows: Groups, width: int, context: ir.Context) -> ir.Attribute:
    """`dense<[[…]]>` of i64, the form of groups, pairs and paddings."""
    array = np.array(rows, dtype=np.int64).reshape(len(rows), width)
    kind = ir.IntegerType.get_signless(64, context)
    if array.size == 0:
        return ir.Attribute.parse(f"dense<> : tensor<{len(rows)}x{width}xi64>", context)
    return ir.DenseElementsAttr.get(array, type=kind, shape=array.shape, context=context)
