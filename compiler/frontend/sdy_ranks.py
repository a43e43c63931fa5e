"""Values that differ between ranks, and what one device is to make of them.

Shardy lets an operation run on one device (a maximal sharding). What every rank computes alike
needs no device; a value made from rank ids does, and everything it is made of must be whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import to_attr
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding

RANK_IDS = ("stablehlo.partition_id", "stablehlo.replica_id")
SINGLE_DEVICE = "single_device"


def rank_dependent(functions: Sequence[ir.Operation], mesh: Mesh) -> list[tuple[ir.Operation, int]]:
    """Keep whole what depends on rank ids; return the operations that one device does for all.

    Elsewhere a maximal sharding is left out: what every rank computes alike needs no device.
    """
    chosen: list[tuple[ir.Operation, int]] = []
    for func in functions:
        dependent: set[ir.Value] = set()
        for op in [o.operation for o in func.regions[0].blocks[0].operations]:
            device = op.attributes[SINGLE_DEVICE].value if _has_device(op) else None
            if device is not None:
                del op.attributes[SINGLE_DEVICE]
            depends = op.name in RANK_IDS or any(v in dependent for v in op.operands)
            if not depends or op.name == "func.return":
                continue
            _whole_operands(op, dependent, mesh)
            if device is not None:
                chosen.append((op, device))
            else:
                dependent.update(op.results)
    return chosen


def _whole_operands(op: ir.Operation, dependent: set[ir.Value], mesh: Mesh) -> None:
    with ir.InsertionPoint(op), op.location:
        for position, value in enumerate(op.operands):
            if value in dependent or not stablehlo.is_tensor(value):
                continue
            whole = Sharding.replicated(mesh, len(stablehlo.shape(value)))
            op.operands[position] = constraint_op(value, whole)


def constraint_op(value: ir.Value, sharding: Sharding) -> ir.Value:
    """Create `dist.constraint` here; its result."""
    op = ir.Operation.create(
        "dist.constraint",
        results=[value.type],
        operands=[value],
        attributes={"sharding": to_attr(sharding, value.context)},
    )
    result: ir.Value = op.results[0]
    return result


def _has_device(op: ir.Operation) -> bool:
    return SINGLE_DEVICE in op.attributes
