"""Custom calls: the body of a manual computation takes the place of its call."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.locations import where
from distc.dialect.manual import is_manual, manual_body
from distc.runtime.errors import InputError
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.custom_call")
def _custom_call(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    if not is_manual(local.op):
        return local.copied()
    body = _function(local.op, manual_body(local.op))
    block = body.regions[0].blocks[0]
    for argument, value in zip(block.arguments, local.operands, strict=True):
        if argument.type != value.type:
            raise InputError(
                f"a manual computation takes {argument.type}, a rank holds {value.type}",
                where=where(local.op),
                help="write its body for the local shapes of its shardings",
            )
    copies = dict(zip(block.arguments, local.operands, strict=True))
    for view in block.operations:
        op = view.operation
        if op.name == "func.return":
            return tuple(copies[v] for v in op.operands)
        copy = op.clone()
        for position, operand in enumerate(op.operands):
            copy.operands[position] = copies[operand]
        if "channel_handle" in op.attributes:
            copy.attributes["channel_handle"] = ir.Attribute.parse(
                f"#stablehlo.channel_handle<handle = {ctx.channel()}, type = 1>"
            )
        copies.update(zip(op.results, copy.results, strict=True))
    return ()


def _function(op: ir.Operation, symbol: str) -> ir.Operation:
    module = op
    while module.parent is not None:
        module = module.parent.operation
    for view in module.regions[0].blocks[0].operations:
        if view.operation.name == "func.func" and stablehlo.symbol(view.operation) == symbol:
            found: ir.Operation = view.operation
            return found
    raise InputError(
        f"a manual computation calls @{symbol}, which the module does not define",
        where=where(op),
        help="define it as a private function",
    )
