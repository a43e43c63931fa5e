"""Regions on scalars that kernels run on whole tensors at once."""

from __future__ import annotations

from torch_mlir import ir

from distc.runtime.program import Program
from distc.transforms.lower.builder import Builder

_ELEMENTWISE_KERNELS = frozenset(
    f"distc.{name}"
    for name in (
        "atan2", "bitcast_convert", "cbrt", "constant", "convert", "convert_narrow",
        "count_leading_zeros", "divide", "from_bits", "log_plus_one", "maximum", "minimum",
        "narrow", "popcnt", "power", "reduce_precision", "remainder", "round_nearest_afz",
        "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "to_bits",
        "total_order_key",
    )
)  # fmt: skip
_NOT_ELEMENTWISE = ("aten.expand.", "aten.reshape.", "aten.permute.", "aten.cat.", "aten.mm.",
                    "aten.bmm.", "aten.slice.", "aten.sum.", "aten.flip.")  # fmt: skip


def scalar_region(b: Builder, region: ir.Region, name: str) -> Program:
    """Lower a region of scalar, elementwise operations.

    Raises:
        UnsupportedOp: the region uses a run-time value from outside, or an operation that does not
            work element by element.
    """
    program, captured = b.region(region, name)
    if captured:
        raise b.unsupported(
            f"the region of {name} uses a value computed outside it",
            help="pass the value as an operand",
        )
    for call in program.calls:
        native = call.op.startswith("aten.") and not call.op.startswith(_NOT_ELEMENTWISE)
        if not native and call.op not in _ELEMENTWISE_KERNELS:
            raise b.unsupported(
                f"the region of {name} calls {call.op}, which is not elementwise",
                help="use elementwise operations in reducers and comparators",
            )
    return program
