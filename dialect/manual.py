"""Manual computations: parts of a program written for one rank, as `stablehlo.custom_call`.

    %r = stablehlo.custom_call @distc.manual_computation(%x) {
           called_computations = [@body],
           in_shardings = [#dist.sharding<…>], out_shardings = [#dist.sharding<…>]}

Operands and results have global types, `@body` (private) has the local ones and may hold
collectives. `partition` puts the body in the place of the call. `dist` has no op for it because
only importers make it and nothing but planning and partitioning sees it.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect.attrs import from_attr, to_attr
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding

TARGET = "distc.manual_computation"


def is_manual(op: ir.Operation) -> bool:
    """True for the call of a manual computation."""
    if op.name != "stablehlo.custom_call":
        return False
    return bool(ir.StringAttr(op.attributes["call_target_name"]).value == TARGET)


def manual_shardings(
    op: ir.Operation, mesh: Mesh
) -> tuple[tuple[Sharding, ...], tuple[Sharding, ...]]:
    """How operands and results of a manual computation lie."""
    sides = [
        tuple(from_attr(a, mesh) for a in ir.ArrayAttr(op.attributes[name]))
        for name in ("in_shardings", "out_shardings")
    ]
    return sides[0], sides[1]


def manual_body(op: ir.Operation) -> str:
    """Name of the function that one rank runs."""
    return str(ir.FlatSymbolRefAttr(op.attributes["called_computations"][0]).value)


def call_manual(
    body: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type],
    in_shardings: Sequence[Sharding],
    out_shardings: Sequence[Sharding],
) -> ir.Operation:
    """Create the call at the ambient insertion point and location."""
    context = ir.Context.current
    call: ir.Operation = ir.Operation.create(
        "stablehlo.custom_call",
        results=list(results),
        operands=list(operands),
        attributes={
            "call_target_name": ir.StringAttr.get(TARGET),
            "called_computations": ir.ArrayAttr.get([ir.FlatSymbolRefAttr.get(body)]),
            "in_shardings": ir.ArrayAttr.get([to_attr(s, context) for s in in_shardings]),
            "out_shardings": ir.ArrayAttr.get([to_attr(s, context) for s in out_shardings]),
        },
    )
    return call
