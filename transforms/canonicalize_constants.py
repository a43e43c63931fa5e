"""Only StableHLO constants, and static forms of dynamic ops whose shapes are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.stablehlo import Ints
from distc.transforms.base import Pass
from distc.transforms.worklist import PatternTable, rewrite


def tensor_constant(op: ir.Operation) -> ir.Value | None:
    """`arith.constant` of a tensor; scalars go when what reads them went."""
    result = op.results[0]
    if not stablehlo.is_tensor(result):
        return None
    return build.create("constant", [], [result.type], {"value": op.attributes["value"]}).result


def tensor_from_elements(op: ir.Operation) -> ir.Value | None:
    """`tensor.from_elements` or `tensor.splat` of scalar constants."""
    result = op.results[0]
    values = [_scalar(v) for v in op.operands]
    if not stablehlo.is_tensor(result) or any(v is None for v in values):
        return None
    numbers = np.array(values, dtype=object)
    if len(values) == 1:
        return build.splat(numbers[0], stablehlo.shape(result), stablehlo.element_type(result))
    shaped = numbers.reshape(stablehlo.shape(result))
    return build.constant(shaped, stablehlo.element_type(result))


def _scalar(value: ir.Value) -> bool | int | float | None:
    """Number of an `arith.constant`, through index casts; None where it is not constant."""
    op = stablehlo.defining_op(value)
    if op is not None and op.name in ("arith.index_cast", "arith.index_castui"):
        return _scalar(op.operands[0])
    if op is None or op.name != "arith.constant":
        return None
    number = stablehlo.python_value(op.attributes["value"])
    return number if isinstance(number, bool | int | float) else None


def constant_ints(value: ir.Value) -> Ints | None:
    """Elements of an integer constant operand, such as a shape or a start; None otherwise."""
    op = stablehlo.defining_op(value)
    array = stablehlo.constant_array(op) if op is not None else None
    if array is None or array.dtype.kind not in "iu":
        return None
    return tuple(int(n) for n in array.reshape(-1))


def static_broadcast(op: ir.Operation) -> ir.Value | None:
    """`dynamic_broadcast_in_dim` to a known shape."""
    result = op.results[0]
    if not _all_static(op):
        return None
    mapping = stablehlo.broadcast_dims(op)
    return build.broadcast_in_dim(op.operands[0], stablehlo.shape(result), mapping)


def static_reshape(op: ir.Operation) -> ir.Value | None:
    """`dynamic_reshape` to a known shape."""
    if not _all_static(op):
        return None
    return build.reshape(op.operands[0], stablehlo.shape(op.results[0]))


def static_iota(op: ir.Operation) -> ir.Value | None:
    """`dynamic_iota` of a known shape."""
    result = op.results[0]
    if not stablehlo.is_tensor(result):
        return None
    dims, element = stablehlo.shape(result), stablehlo.element_type(result)
    return build.iota(stablehlo.iota_dim(op), dims, element)


def static_pad(op: ir.Operation) -> ir.Value | None:
    """`dynamic_pad` by constants."""
    amounts = _constant_operands(op.operands[2:])
    if not _all_static(op) or amounts is None:
        return None
    low, high, interior = amounts
    return build.pad(op.operands[0], op.operands[1], low, high, interior)


def static_slice(op: ir.Operation) -> ir.Value | None:
    """`real_dynamic_slice` with constant bounds."""
    bounds = _constant_operands(op.operands[1:])
    if not _all_static(op) or bounds is None:
        return None
    start, limit, strides = bounds
    return build.slice_(op.operands[0], start, limit, strides)


def static_gather(op: ir.Operation) -> ir.Value | None:
    """`dynamic_gather` with constant slice sizes."""
    sizes = constant_ints(op.operands[2])
    if not _all_static(op) or sizes is None:
        return None
    in_order = stablehlo.indices_are_sorted(op)
    dims = stablehlo.gather_dims(op)
    return build.gather(op.operands[0], op.operands[1], dims, sizes, in_order)


def static_size(op: ir.Operation) -> ir.Value | None:
    """`get_dimension_size` of a static dimension."""
    if not stablehlo.is_tensor(op.operands[0]):
        return None
    size = stablehlo.shape(op.operands[0])[stablehlo.python_value(op.attributes["dimension"])]
    return build.splat(size, (), stablehlo.element_type(op.results[0]))


def _constant_operands(values: Sequence[ir.Value]) -> list[Ints] | None:
    found = [constant_ints(v) for v in values]
    return None if any(f is None for f in found) else [f for f in found if f is not None]


def _all_static(op: ir.Operation) -> bool:
    return all(stablehlo.is_tensor(v) for v in (*op.operands, *op.results))


PATTERNS: PatternTable = {
    "arith.constant": [tensor_constant],
    "stablehlo.dynamic_broadcast_in_dim": [static_broadcast],
    "stablehlo.dynamic_gather": [static_gather],
    "stablehlo.dynamic_iota": [static_iota],
    "stablehlo.dynamic_pad": [static_pad],
    "stablehlo.dynamic_reshape": [static_reshape],
    "stablehlo.get_dimension_size": [static_size],
    "stablehlo.real_dynamic_slice": [static_slice],
    "tensor.from_elements": [tensor_from_elements],
    "tensor.splat": [tensor_from_elements],
}


@dataclass(frozen=True)
class CanonicalizeConstants(Pass):
    """Turn arith and tensor constants, and dynamic ops of known shape, into static StableHLO.

    Needs nothing. Leaves `stablehlo.constant` for every constant tensor, and the static form of
    every dynamic op whose result type is static and whose bounds are constants. Never fails; what
    stays dynamic is refused later, where it is named.

    Example:
        ```mlir
        // Input
        %c = arith.constant 2 : i64
        %0 = tensor.from_elements %c, %c : tensor<2xi64>
        %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
        // Output
        %1 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
        ```

    torch-mlir leaves constants in arith and shapes in tensor; nothing after this pass knows either.
    """

    name: ClassVar[str] = "canonicalize-constants"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, PATTERNS)
