"""Small programs, one row per operation and edge, whose meaning StableHLO's interpreter judges."""

from lowering_cases import contraction, control, elementwise, indexing, movement, reduction
from lowering_cases.case import Case

CASES: tuple[Case, ...] = (
    *contraction.CASES,
    *control.CASES,
    *elementwise.CASES,
    *indexing.CASES,
    *movement.CASES,
    *reduction.CASES,
)

__all__ = ["CASES", "Case"]
