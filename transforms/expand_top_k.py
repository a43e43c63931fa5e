"""Top-k written as a call becomes the sort that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, custom_ops, stablehlo
from distc.transforms.base import Pass, replace_op
from distc.transforms.open_composites import inline


@dataclass(frozen=True)
class ExpandTopK(Pass):
    """Replace calls of other front ends' top-k by a stable sort and a slice from the front.

    Needs nothing. Leaves no call of `mhlo.topk`, no composite `chlo.top_k`, and no `ApproxTopK`
    that gives exactly `top_k` elements by a comparator in this module; an exact answer is one of
    recall 1. Fails when the composite has no decomposition.

    Example:
        ```mlir
        // Input
        %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 5, largest = true}}
            : (tensor<4x1000xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
        // Output
        %i = stablehlo.iota dim = 1 : tensor<4x1000xi32>
        %1:2 = "stablehlo.sort"(%x, %i) <{dimension = 1, is_stable = true}> (… GT …) : …
        %2 = stablehlo.slice %1#0 [0:4, 0:5] : (tensor<4x1000xf32>) -> tensor<4x5xf32>
        %3 = stablehlo.slice %1#1 [0:4, 0:5] : (tensor<4x1000xi32>) -> tensor<4x5xi32>
        ```

    A call is a closed box, so what it works along had to be gathered; for a sort there are rules.
    The composite is opened for the same reason.
    """

    name: ClassVar[str] = "expand-top-k"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        functions = {stablehlo.symbol(f): f for f in stablehlo.functions(module)}
        for func in functions.values():
            for op in list(stablehlo.walk(func)):
                if op.name == "stablehlo.custom_call":
                    _expand(op, functions)
                elif op.name == "stablehlo.composite" and _is_top_k(op):
                    inline(module, op)


def _is_top_k(op: ir.Operation) -> bool:
    return stablehlo.composite(op).name == "chlo.top_k"


def _expand(op: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    literals = custom_ops.literals(op)
    match custom_ops.target(op):
        case "mhlo.topk" if len(op.operands) == 1 and len(op.results) == 2:
            _exact(op, largest=bool(literals.get("largest", True)))
        case "ApproxTopK":
            along, count = literals.get("reduction_dim"), literals.get("top_k")
            comparator = functions.get(_called(op))
            if comparator is None or not isinstance(along, int) or not isinstance(count, int):
                return
            if stablehlo.shape(op.results[0])[along] == count:
                _compared(op, along, comparator)


def _called(op: ir.Operation) -> str:
    """The function that a call names as its comparator, empty where there is none."""
    names = stablehlo.op_attribute(op, "called_computations")
    if names is None or len(ir.ArrayAttr(names)) != 1:
        return ""
    return str(ir.FlatSymbolRefAttr(ir.ArrayAttr(names)[0]).value)


def _exact(op: ir.Operation, *, largest: bool) -> None:
    """Elements and their positions along the last dimension, by the order of plain floats."""
    x = op.operands[0]
    dims, along = stablehlo.shape(x), len(stablehlo.shape(x)) - 1
    with op.location, ir.InsertionPoint(op):
        places = build.iota(along, dims, stablehlo.element_type(op.results[1]))
        sort = _empty_sort(op, [x, places], along)
        block = _block(sort)
        with ir.InsertionPoint(block):
            left, right = block.arguments[0], block.arguments[1]
            before = build.compare(left, right, "GT" if largest else "LT")
            build.create("return", [before], [])
    _take(op, sort, along)


def _compared(op: ir.Operation, along: int, comparator: ir.Operation) -> None:
    """Operands sorted together by a function of the module; their start values are not needed."""
    operands = list(op.operands)[: len(op.results)]
    body = comparator.regions[0].blocks[0]
    with op.location, ir.InsertionPoint(op):
        sort = _empty_sort(op, operands, along)
        block = _block(sort)
    copies: dict[ir.Value, ir.Value] = dict(zip(body.arguments, block.arguments, strict=True))
    with op.location, ir.InsertionPoint(block):
        for view in body.operations:
            inner = view.operation
            found = [copies[v] for v in inner.operands]
            if inner.name == "func.return":
                build.create("return", found, [])
                break
            clone = build.clone(inner, found)
            copies.update(zip(inner.results, clone.results, strict=True))
    _take(op, sort, along)


def _empty_sort(op: ir.Operation, operands: Sequence[ir.Value], along: int) -> ir.Operation:
    attributes = {
        "dimension": build.i64(along, op.context),
        "is_stable": ir.BoolAttr.get(True, op.context),
    }
    return build.create("sort", operands, [v.type for v in operands], attributes, regions=1)


def _block(sort: ir.Operation) -> ir.Block:
    scalars = [
        build.tensor_type((), stablehlo.element_type(v)) for v in sort.operands for _ in range(2)
    ]
    return sort.regions[0].blocks.append(*scalars, arg_locs=[sort.location] * len(scalars))


def _take(op: ir.Operation, sort: ir.Operation, along: int) -> None:
    """Put the front of the sorted values in the place of the call's results."""
    count = stablehlo.shape(op.results[0])[along]
    with op.location, ir.InsertionPoint(op):
        values = []
        for value in sort.results:
            sizes = stablehlo.shape(value)
            limit = [count if d == along else n for d, n in enumerate(sizes)]
            values.append(build.slice_(value, [0] * len(sizes), limit))
    replace_op(op, values)
