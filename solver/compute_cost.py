"""Seconds of one op on one rank: a roofline by class of op.

    contraction   max(2 · multiply-adds / FLOP/s, bytes / memory bytes/s) + launch
    view          0: a reshape moves nothing
    anything else bytes / memory bytes/s + launch

Bytes are those of the operands and results that the rank holds. `elements` and `bytes` are cost
models to compare with: DistPar's count of elements, and bytes without FLOPs.
    -> implemented in `op_seconds`
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from distc.solver.hardware import Hardware


class CostModel(StrEnum):
    """How the work of an op is counted."""

    ROOFLINE = "roofline"
    BYTES = "bytes"
    ELEMENTS = "elements"


class OpClass(StrEnum):
    """What an op costs grows with."""

    CONTRACTION = "contraction"
    MOVEMENT = "movement"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class Work:
    """The work of an op on one rank.

    Attributes:
        op_class: what the op is.
        flops: floating-point operations.
        bytes_: read and written.
        elements: read and written.
        dtype: element type the FLOPs are done in.
    """

    op_class: OpClass
    flops: float
    bytes_: float
    elements: float
    dtype: str


def op_seconds(
    work: Work,
    hardware: Hardware,
    model: CostModel = CostModel.ROOFLINE,
    computation_weight: float = 1.0,
) -> float:
    """Return the seconds of an op.

    Args:
        work: on one rank.
        hardware: the machine.
        model: how work is counted.
        computation_weight: factor on computation (DistPar's beta), 0 for communication alone.
    """
    if work.op_class is OpClass.VIEW:
        return 0.0
    match model:
        case CostModel.ELEMENTS:
            seconds = work.elements * 4 / hardware.memory_bytes_per_second
        case CostModel.BYTES:
            seconds = work.bytes_ / hardware.memory_bytes_per_second
        case CostModel.ROOFLINE:
            seconds = hardware.launch_seconds + max(
                work.flops / hardware.flops_per_second(work.dtype),
                work.bytes_ / hardware.memory_bytes_per_second,
            )
    return computation_weight * seconds
