"""Tuples and asynchronous forms become what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.transforms.base import Pass, replace_op


@dataclass(frozen=True)
class FoldTuples(Pass):
    """Use members of tuples in place of `get_tuple_element`, and run what was started at once.

    Needs calls inlined. Leaves a tuple only where something else takes it, an asynchronous form
    only where it is not finished in the same function; neither can run. Never fails.

    Example:
        ```mlir
        // Input
        %t = stablehlo.tuple %a, %b : tuple<tensor<4xf32>, tensor<4xi32>>
        %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<4xi32>>)
            -> tensor<4xf32>
        %1 = stablehlo.negate %0 : tensor<4xf32>
        // Output
        %1 = stablehlo.negate %a : tensor<4xf32>
        ```

    A value that is no tensor cannot lie on a mesh.
    """

    name: ClassVar[str] = "fold-tuples"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        for func in stablehlo.functions(module):
            for op in list(stablehlo.walk(func)):
                if op.name == "stablehlo.get_tuple_element":
                    _take_member(op)
                elif op.name == "stablehlo.async_done":
                    _run_at_once(op)
            # Members were tuples themselves: the outer ones are read by those inside.
            for op in reversed(list(stablehlo.walk(func))):
                if op.name == "stablehlo.tuple" and not list(op.results[0].uses):
                    op.erase()


def _take_member(op: ir.Operation) -> None:
    made = stablehlo.defining_op(op.operands[0])
    if made is not None and made.name == "stablehlo.tuple":
        replace_op(op, [made.operands[stablehlo.integer(op, "index")]])


def _run_at_once(op: ir.Operation) -> None:
    """Put the body of `async_start` before it, and what it returns in the place of the results."""
    start = stablehlo.defining_op(op.operands[0])
    if start is None or start.name != "stablehlo.async_start":
        return
    block = start.regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = dict(zip(block.arguments, start.operands, strict=True))
    with start.location, ir.InsertionPoint(start):
        *body, terminator = [view.operation for view in block.operations]
        for inner in body:
            copy = build.clone(inner, [values.get(v, v) for v in inner.operands])
            values.update(zip(inner.results, copy.results, strict=True))
        found = [values.get(v, v) for v in terminator.operands]
    replace_op(op, found)
    if not list(start.results[0].uses):
        start.erase()
