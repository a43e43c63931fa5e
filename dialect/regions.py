"""Values that regions read from outside; control flow takes them like operands.

The branches of an `if` or a `case` have no arguments: all their data comes from outside. So
planning counts what control flow reads from outside after its operands (`inputs`). Regions of other
ops (reducers, comparators) are on scalars.
"""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo

CONTROL_FLOW = ("stablehlo.case", "stablehlo.if", "stablehlo.while")


def captures(op: ir.Operation) -> tuple[tuple[ir.Operation, int], ...]:
    """Where the regions of `op` read values from outside: (op inside, operand position)."""
    if not len(op.regions):
        return ()
    inside = list(stablehlo.walk(op))
    own: set[ir.Value] = {result for inner in inside for result in inner.results}
    for region_op in (op, *inside):
        own.update(a for region in region_op.regions for block in region for a in block.arguments)
    return tuple(
        (inner, position)
        for inner in inside
        for position, value in enumerate(inner.operands)
        if value not in own
    )


def captured(op: ir.Operation) -> tuple[ir.Value, ...]:
    """Values that the regions of `op` read from outside, each once, in order of first use."""
    return tuple(dict.fromkeys(inner.operands[position] for inner, position in captures(op)))


def inputs(op: ir.Operation) -> tuple[ir.Value, ...]:
    """Operands of `op`, and for control flow what its regions read from outside."""
    if op.name not in CONTROL_FLOW:
        return tuple(op.operands)
    return (*op.operands, *captured(op))
