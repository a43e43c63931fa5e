"""Put the bodies of called functions in the place of their calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.locations import where
from distc.runtime.errors import InputError
from distc.transforms.base import Pass, replace_op, run_upstream


@dataclass(frozen=True)
class InlineCalls(Pass):
    """Replace every `func.call` by the body of its callee.

    Needs nothing. Leaves no `func.call` and no private function that nobody names. Fails when a
    function calls itself, also through others, or a callee is missing or has several blocks.

    Example:
        ```mlir
        %0 = call @relu(%x) : (tensor<8xf32>) -> tensor<8xf32>
        ```
        becomes
        ```mlir
        %0 = stablehlo.maximum %x, %zero : tensor<8xf32>
        ```

    Planning looks at one function at a time, so a call would run on whole values. MLIR's own
    inliner does not know that `dist` ops may move.
    """

    name: ClassVar[str] = "inline-calls"

    def run(self, module: ir.Module) -> None:
        """Inline everything, callees first."""
        functions = {stablehlo.symbol(f): f for f in stablehlo.functions(module)}
        done: set[str] = set()
        with module.context:
            for name in functions:
                _settle(name, functions, done, [])
        run_upstream(module, "symbol-dce")


def _settle(name: str, functions: dict[str, ir.Operation], done: set[str], path: list[str]) -> None:
    """Inline all calls in function `name`, those in its callees before."""
    if name in done:
        return
    calls = [op for op in stablehlo.walk(functions[name]) if op.name == "func.call"]
    for op in calls:
        callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        if callee not in functions or len(functions[callee].regions[0].blocks) != 1:
            raise InputError(
                f"@{callee} is called and has no body of one block in this module",
                where=where(op),
                help="define it, or take the call out",
            )
        if callee == name or callee in path:
            raise InputError(
                f"@{callee} calls itself", where=where(op), help="write a loop: stablehlo.while"
            )
        _settle(callee, functions, done, [*path, name])
        inline_call(op, functions[callee])
    done.add(name)


def inline_call(op: ir.Operation, callee: ir.Operation) -> None:
    """Replace one call by a copy of the callee's body; `op` is gone afterwards."""
    block = callee.regions[0].blocks[0]
    copies: dict[ir.Value, ir.Value] = dict(zip(block.arguments, op.operands, strict=True))
    results: list[ir.Value] = []
    for view in block.operations:
        inner = view.operation
        if inner.name == "func.return":
            results = [copies[v] for v in inner.operands]
            break
        clone = inner.clone(ip=ir.InsertionPoint(op)).operation
        for position, operand in enumerate(inner.operands):
            clone.operands[position] = copies[operand]
        _remap_captured(clone, copies)
        copies.update(zip(inner.results, clone.results, strict=True))
    replace_op(op, results)


def _remap_captured(clone: ir.Operation, copies: dict[ir.Value, ir.Value]) -> None:
    for inner in stablehlo.walk(clone):
        for position, operand in enumerate(inner.operands):
            if operand in copies:
                inner.operands[position] = copies[operand]
