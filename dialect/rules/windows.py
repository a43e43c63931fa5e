"""Rules of windowed ops: dimensions that a window walks pass, with a halo where it is wide."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.numbers import is_neutral
from distc.dialect.rules.registry import is_degenerate, replicated_rule, sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction

ORDERED = ("GE", "GT", "LE", "LT")


def trivial_dims(op: ir.Operation) -> list[bool]:
    """Per dimension: the window is one element that walks step by step."""
    window = stablehlo.window(op)
    return [
        (size, stride, base, tuple(pad)) == (1, 1, 1, (0, 0))
        for size, stride, base, pad in zip(
            window.sizes, window.strides, window.base_dilations, window.padding, strict=True
        )
    ]


@dataclass(frozen=True, slots=True)
class Running:
    """A running reduction: result j is that of the elements up to j + shift, or from there on."""

    forward: bool
    shift: int


def running(op: ir.Operation, dim: int) -> Running | None:
    """What runs along `dim` where every window sees all before its end (or after its start).

    A shift of 0 is an inclusive one; -1 forward and 1 backward leave out the element itself.
    """
    window = stablehlo.window(op)
    size, results = (stablehlo.shape(v)[dim] for v in (op.operands[0], op.results[0]))
    steps = (window.strides[dim], window.base_dilations[dim], window.window_dilations[dim])
    if steps != (1, 1, 1) or size < 2 or results < 2:
        return None
    reach, (low, high) = window.sizes[dim], window.padding[dim]
    if low >= max(results, reach) - 1 and high <= 0:
        return Running(True, reach - 1 - low)
    if low <= 0 and reach - low >= size:
        return Running(False, -low)
    return None


def selects_extremum(op: ir.Operation) -> str | None:
    """GE, GT, LE or LT of a `select_and_scatter` that compares its two arguments in order."""
    block = op.regions[0].blocks[0]
    compared = stablehlo.defining_op(block.operations[len(block.operations) - 1].operands[0])
    if compared is None or compared.name != "stablehlo.compare":
        return None
    direction = stablehlo.comparison_direction(compared)
    in_order = list(compared.operands) == list(block.arguments)
    return direction if in_order and direction in ORDERED else None


@sharding_rule("stablehlo.reduce_window")
def _reduce_window(op: ir.Operation) -> ShardingRule:
    """Dimensions pass, with a halo where a window is wide.

    A running reduction passes when its reducer is known and starts from its neutral element.
    """
    if is_degenerate(op):
        return replicated_rule(op)
    count = len(op.results)
    shape, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(shape)] * count + [0] * count, [len(shape)] * count)
    kind = stablehlo.reducer(op) if count == 1 else None
    known = kind is not None and is_neutral(op.operands[1], kind)
    for dim, trivial in enumerate(trivial_dims(op)):
        at = {i: dim for i in range(count)}
        if trivial:
            builder.factor(shape[dim], at, at)
        elif not known and running(op, dim) is not None:
            builder.factor(shape[dim], at, at, kind=FactorKind.REPLICATE)
        else:
            builder.factor(result[dim], at, at, kind=FactorKind.PERMUTATION)
    return builder.build()


@sharding_rule("stablehlo.select_and_scatter")
def _select_and_scatter(op: ir.Operation) -> ShardingRule:
    """Dimensions pass; with a halo where windows select an extremum and scatter sums."""
    if is_degenerate(op):
        return replicated_rule(op)
    shape, source = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    sums = stablehlo.reducer(op, 1) is Reduction.SUM
    exchanged = sums and selects_extremum(op) is not None
    builder = RuleBuilder([len(shape), len(source), 0], [len(shape)])
    for dim, trivial in enumerate(trivial_dims(op)):
        if trivial:
            builder.factor(shape[dim], {0: dim, 1: dim}, {0: dim})
        elif exchanged:
            builder.factor(shape[dim], {0: dim, 1: dim}, {0: dim}, kind=FactorKind.PERMUTATION)
        else:
            builder.factor(shape[dim], {0: dim}, {0: dim}, kind=FactorKind.REPLICATE)
            builder.factor(source[dim], {1: dim}, kind=FactorKind.REPLICATE)
    return builder.build()
