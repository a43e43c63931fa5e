"""Control flow as nested programs; calls are inlined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_mlir import ir

from distc.dialect import custom_ops
from distc.dialect import stablehlo as hlo
from distc.runtime.program import Arg, Ref
from distc.transforms.lower.builder import Builder, Item, captured_values, value_type
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.scalar_region import scalar_region


@lowering("while")
def lower_while(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`while`: regions take the carried values, then what they use from outside."""
    outside = captured_values(list(op.regions))
    condition, captured = b.region(op.regions[0], "cond", outside)
    body, _ = b.region(op.regions[1], "body", outside)
    operands: list[Arg] = [*b.refs(op.operands), *captured]
    return b.call(
        "control.while",
        *operands,
        types=[value_type(r, op) for r in op.results],
        regions=(condition, body),
        carried=len(op.operands),
    )


@lowering("if")
def lower_if(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`if`: both regions take what either uses from outside."""
    outside = captured_values(list(op.regions))
    then, captured = b.region(op.regions[0], "true", outside)
    otherwise, _ = b.region(op.regions[1], "false", outside)
    operands: list[Arg] = [b.ref(op.operands[0]), *captured]
    return b.call(
        "control.if",
        *operands,
        types=[value_type(r, op) for r in op.results],
        regions=(then, otherwise),
    )


@lowering("case")
def lower_case(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`case`: the last branch where the index is out of range."""
    outside = captured_values(list(op.regions))
    lowered = [b.region(r, f"branch_{i}", outside) for i, r in enumerate(op.regions)]
    operands: list[Arg] = [b.ref(op.operands[0]), *lowered[0][1]]
    return b.call(
        "control.case",
        *operands,
        types=[value_type(r, op) for r in op.results],
        regions=[p for p, _ in lowered],
        branches=len(lowered),
    )


@lowering("map")
def lower_map(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`map`: the scalar region on every element at once."""
    out = value_type(op.results[0], op)
    return b.call(
        "control.map",
        *b.refs(op.operands),
        types=(out,),
        shape=list(out.shape),
        regions=(scalar_region(b, op.regions[0], "map"),),
    )


@lowering("func.call")
def lower_call(b: Builder, op: ir.Operation) -> Sequence[Item]:
    """`func.call`: the callee's operations in its place."""
    name = str(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
    return inline(b, name, [b.item(v) for v in op.operands])


@lowering("custom_call")
def lower_custom_call(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`custom_call` of a registered custom op; code of another system is refused by its name."""
    target = custom_ops.target(op)
    if custom_ops.find(target) is None:
        raise b.unsupported(
            f"custom_call @{target} has no run-time lowering",
            help="register it with distc.custom_op, or write it with StableHLO operations",
        )
    types = [value_type(r, op) for r in op.results]
    literals: dict[str, Any] = dict(custom_ops.literals(op))
    return b.call(f"custom.{target}", *b.refs(op.operands), types=types, **literals)


def inline(b: Builder, name: str, operands: Sequence[Item]) -> Sequence[Item]:
    """Lower the body of function `name` on `operands`.

    Raises:
        UnsupportedOp: there is no such function, or it calls itself.
    """
    functions = {hlo.symbol(f): f for f in hlo.functions(b.module)}
    if name not in functions or not list(functions[name].regions[0]):
        raise b.unsupported(f"function @{name} has no body", help="define it in the module")
    if name in b.inlining:
        raise b.unsupported(f"function @{name} calls itself", help="unroll or use stablehlo.while")
    block = functions[name].regions[0].blocks[0]
    for argument, item in zip(block.arguments, operands, strict=True):
        b.define(argument, item)
    b.inlining.append(name)
    try:
        return [b.item(v) for v in b.run_block(block)]
    finally:
        b.inlining.pop()
