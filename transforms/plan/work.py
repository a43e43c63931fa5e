"""What class of op a node is, and how much work it is before it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.solver.compute_cost import OpClass
from distc.transforms.dataflow import CREATORS, Node, Value

_VIEWS = ("stablehlo.reshape", "stablehlo.bitcast_convert", "dist.constraint", *CREATORS)


@dataclass(frozen=True, slots=True)
class GlobalWork:
    """The work of an op on whole values."""

    op_class: OpClass
    flops: float
    dtype: str


def global_work(node: Node, values: list[Value]) -> GlobalWork:
    """Return the class and the FLOPs of a node; bytes follow from its shardings."""
    name = node.op.name
    dtype = value_dtype(values[node.results[0]]) if node.results else "f32"
    if name in _VIEWS:
        return GlobalWork(OpClass.VIEW, 0.0, dtype)
    match name:
        case "stablehlo.dot_general":
            flops = 2.0 * prod(f.size for f in node.rule.factors)
        case "stablehlo.convolution":
            flops = _convolution(node, values)
        case "stablehlo.composite" if stablehlo.composite(node.op).name == "distc.attention":
            query, key, value = (values[v].shape for v in node.operands[:3])
            flops = 2.0 * prod(query[:3]) * key[2] * (query[3] + value[3])
        case _:
            return GlobalWork(OpClass.MOVEMENT, 0.0, dtype)
    return GlobalWork(OpClass.CONTRACTION, flops, dtype)


def _convolution(node: Node, values: list[Value]) -> float:
    """Every element of the result takes one multiply-add per element of one output's kernel."""
    kernel, result = values[node.operands[1]].shape, values[node.results[0]].shape
    outputs = kernel[stablehlo.convolution(node.op).dims.kernel_output_feature]
    return 2.0 * prod(result) * prod(kernel) / max(1, outputs)


def value_dtype(value: Value) -> str:
    """Return the element type of a tensor; of anything else its type."""
    type_ = value.handle.type
    return str(type_.element_type if isinstance(type_, ir.RankedTensorType) else type_)
