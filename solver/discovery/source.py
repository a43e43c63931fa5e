"""The text of an op alone: what a discovery is asked about, and half of its cache key."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.build import clone
from distc.dialect.locations import where
from distc.runtime.errors import InputError

ENTRY = "main"


def isolate(op: ir.Operation) -> str:
    """Return a module whose @main runs `op` alone, locations and distributions left out.

    Each operand is an argument of its own; those made by constants stay constants. A composite is
    its decomposition.

    Raises:
        InputError: the decomposition is not in the module, or a region uses values around the op.
    """
    if captures(op):
        raise InputError(
            f"{op.name} uses values from outside its regions, which its rule does not speak of",
            where=where(op),
            help="pass them as operands, or make a composite of the code around it",
        )
    with op.context, ir.Location.unknown():
        module = ir.Module.create()
        if op.name == "stablehlo.composite":
            _add_decomposition(module, op)
        else:
            _add_function(module, op)
        _forget_distributions(module)
        return str(module.operation.get_asm(enable_debug_info=False))


def _add_function(module: ir.Module, op: ir.Operation) -> None:
    kinds = [v.type for v in op.operands if not is_constant(v)]
    function = _function(module, kinds, [r.type for r in op.results])
    block = function.regions[0].blocks.append(*kinds, arg_locs=[ir.Location.unknown()] * len(kinds))
    with ir.InsertionPoint(block):
        arguments = iter(block.arguments)
        inner = [next(arguments) if not is_constant(v) else _copied(v) for v in op.operands]
        copy = clone(op, inner)
        ir.Operation.create("func.return", operands=list(copy.results))


def _add_decomposition(module: ir.Module, op: ir.Operation) -> None:
    name = stablehlo.composite(op).decomposition
    root: Any = op
    while root.name != "builtin.module":
        root = root.parent.operation
    around = [view.operation for view in root.regions[0].blocks[0].operations]
    found = [f for f in around if f.name == "func.func" and stablehlo.symbol(f) == name]
    if not found:
        raise InputError(
            f"composite without a function @{name}",
            where=where(op),
            help="keep the decomposition in the module",
        )
    copy = found[0].clone(ip=ir.InsertionPoint(module.body))
    copy.attributes["sym_name"] = ir.StringAttr.get(ENTRY)
    if "sym_visibility" in copy.attributes:
        del copy.attributes["sym_visibility"]


def _function(module: ir.Module, operands: list[ir.Type], results: list[ir.Type]) -> ir.Operation:
    kind = ir.FunctionType.get(operands, results)
    attributes = {"sym_name": ir.StringAttr.get(ENTRY), "function_type": ir.TypeAttr.get(kind)}
    point = ir.InsertionPoint(module.body)
    return ir.Operation.create("func.func", attributes=attributes, regions=1, ip=point)


def _copied(value: ir.Value) -> ir.Value:
    constant = stablehlo.defining_op(value)
    assert constant is not None
    return clone(constant).results[0]


def captures(op: ir.Operation) -> bool:
    """True when a region of `op` uses values that are defined outside `op`."""
    inner = list(stablehlo.walk(op))
    known: set[ir.Value] = {a for r in op.regions for b in r.blocks for a in b.arguments}
    for nested in inner:
        known |= {a for r in nested.regions for b in r.blocks for a in b.arguments}
        known |= set(nested.results)
    return any(value not in known for nested in inner for value in nested.operands)


def is_constant(value: ir.Value) -> bool:
    """True for the result of a `stablehlo.constant`."""
    op = stablehlo.defining_op(value)
    return op is not None and op.name == "stablehlo.constant"


def _forget_distributions(module: ir.Module) -> None:
    for op in stablehlo.walk(module.operation):
        names = [key if isinstance(key, str) else key.name for key in op.attributes]
        for name in names:
            if name.startswith("dist.") or name in ("arg_attrs", "res_attrs"):
                del op.attributes[name]
