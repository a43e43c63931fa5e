"""Element types of so few bits that sums of parts are not the sum of the whole."""

from __future__ import annotations

from dataclasses import replace

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.regions import inputs
from distc.dialect.rules.rule import Factor, FactorKind, ShardingRule
from distc.dialect.sharding import Reduction
from distc.runtime.narrow_types import FLOATS

_ROUNDING = frozenset({Reduction.SUM, Reduction.PROD})
_COMPUTED = frozenset({FactorKind.REDUCTION, FactorKind.SLIDING, FactorKind.COMBINE})
_ADDS_PARTS = frozenset({"stablehlo.reduce_window", "stablehlo.select_and_scatter"})
"""Ops that may add results of neighbours to their own: running sums, windows that overlap."""


def for_narrow_floats(op: ir.Operation, rule: ShardingRule) -> ShardingRule:
    """`rule`, restricted where results are floats of eight bits and less.

    A part would be rounded, or would overflow, before it is added to the others: what is summed
    lies whole on each rank, and a pending sum is finished first. So it is for operands of a type
    without a zero, whose padding nothing could take the place of.
    """
    results = {stablehlo.dtype(v) for v in op.results if stablehlo.is_tensor(v)}
    operands = {stablehlo.dtype(v) for v in inputs(op) if stablehlo.is_tensor(v)}
    without_zero = any(FLOATS[t].unsigned for t in operands & FLOATS.keys())
    if not without_zero and not results & FLOATS.keys():
        return rule
    partial = tuple(p for p in rule.partial if not p.kinds & _ROUNDING)
    computed = _COMPUTED | {FactorKind.PERMUTATION} if op.name in _ADDS_PARTS else _COMPUTED
    factors = tuple(_whole(f) if f.kind in computed else f for f in rule.factors)
    return replace(rule, factors=factors, partial=partial)


def _whole(factor: Factor) -> Factor:
    if factor.kind is FactorKind.REDUCTION and factor.reduction not in _ROUNDING:
        return factor
    return Factor(factor.size, FactorKind.REPLICATE)
