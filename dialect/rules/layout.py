"""Rules of ops that create or move elements without computing on them."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import is_degenerate, replicated_rule, sharding_rule
from distc.dialect.rules.reshape import reshape_factors
from distc.dialect.rules.rule import ANY_KIND, FactorKind, RuleBuilder, ShardingRule


@sharding_rule("stablehlo.broadcast_in_dim")
def _broadcast_in_dim(op: ir.Operation) -> ShardingRule:
    """A copied dimension passes; a new or stretched one belongs to the result alone."""
    operand, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    source = {r: d for d, r in enumerate(stablehlo.broadcast_dims(op))}
    builder = RuleBuilder([len(operand)], [len(result)])
    for dim, size in enumerate(result):
        kept = dim in source and operand[source[dim]] == size
        builder.factor(size, {0: source[dim]} if kept else {}, {0: dim})
    return builder.passes(0, kinds=ANY_KIND).build()


@sharding_rule("stablehlo.concatenate")
def _concatenate(op: ir.Operation) -> ShardingRule:
    """Every dimension passes; along the one joined ranks exchange what moves between shards."""
    if is_degenerate(op):
        return replicated_rule(op)
    along = stablehlo.concatenate_dim(op)
    shapes = [stablehlo.shape(v) for v in op.operands]
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(s) for s in shapes], [len(result)])
    for dim, size in enumerate(result):
        kind = FactorKind.PERMUTATION if dim == along else FactorKind.PASS
        builder.factor(size, {i: dim for i in range(len(shapes))}, {0: dim}, kind=kind)
    return builder.passes(*range(len(shapes)), kinds=ANY_KIND).build()


@sharding_rule("stablehlo.constant", "stablehlo.iota")
def _created(op: ir.Operation) -> ShardingRule:
    """A rank makes just the part it holds."""
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([], [len(result)])
    for dim, size in enumerate(result):
        builder.factor(size, results={0: dim})
    return builder.build()


@sharding_rule("stablehlo.pad")
def _pad(op: ir.Operation) -> ShardingRule:
    """Dimensions pass, padded ones with an exchange; the padding value is a finished scalar."""
    if is_degenerate(op):
        return replicated_rule(op)
    pads = stablehlo.padding(op)
    untouched = [
        low == high == inner == 0
        for low, high, inner in zip(pads.low, pads.high, pads.interior, strict=True)
    ]
    return _moved_dims(op, untouched).build()


@sharding_rule("stablehlo.reshape")
def _reshape(op: ir.Operation) -> ShardingRule:
    """Both shapes are written in common factors: `[ij, k] -> [i, jk]`."""
    operand, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    if is_degenerate(op):
        return replicated_rule(op)
    builder = RuleBuilder([len(operand)], [len(result)])
    for factor in reshape_factors(operand, result):
        shared = factor.source is not None and factor.target is not None
        builder.factor(
            factor.size,
            {0: factor.source} if factor.source is not None else {},
            {0: factor.target} if factor.target is not None else {},
            kind=FactorKind.PASS if shared else FactorKind.REPLICATE,
        )
    return builder.passes(0, kinds=ANY_KIND).build()


@sharding_rule("stablehlo.reverse")
def _reverse(op: ir.Operation) -> ShardingRule:
    """Dimensions pass; shards of flipped ones change places."""
    if is_degenerate(op):
        return replicated_rule(op)
    flipped = stablehlo.reverse_dims(op)
    rank = len(stablehlo.shape(op.results[0]))
    return (
        _moved_dims(op, [d not in flipped for d in range(rank)]).passes(0, kinds=ANY_KIND).build()
    )


@sharding_rule("stablehlo.slice")
def _slice(op: ir.Operation) -> ShardingRule:
    """Dimensions pass; of those not taken whole the rest is dealt out again."""
    if is_degenerate(op):
        return replicated_rule(op)
    bounds = stablehlo.slice_bounds(op)
    operand = stablehlo.shape(op.operands[0])
    whole = [
        (start, limit, stride) == (0, size, 1)
        for start, limit, stride, size in zip(
            bounds.start, bounds.limit, bounds.strides, operand, strict=True
        )
    ]
    return _moved_dims(op, whole).passes(0, kinds=ANY_KIND).build()


@sharding_rule("stablehlo.transpose")
def _transpose(op: ir.Operation) -> ShardingRule:
    """Every dimension passes to its new place."""
    operand = stablehlo.shape(op.operands[0])
    builder = RuleBuilder([len(operand)], [len(operand)])
    for dim, source in enumerate(stablehlo.permutation(op)):
        builder.factor(operand[source], {0: source}, {0: dim})
    return builder.passes(0, kinds=ANY_KIND).build()


def _moved_dims(op: ir.Operation, unchanged: list[bool]) -> RuleBuilder:
    """First operand and result share all dimensions; along changed ones elements move."""
    shapes = [stablehlo.shape(v) for v in op.operands]
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(s) for s in shapes], [len(result)])
    for dim, same in enumerate(unchanged):
        kind = FactorKind.PASS if same else FactorKind.PERMUTATION
        builder.factor(result[dim], {0: dim}, {0: dim}, kind=kind)
    return builder
