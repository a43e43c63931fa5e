"""Rules of collectives that a source program brings along.

They run over the ranks they name, on every dimension they do not work along. Whether those ranks
hold the same shard is checked where the op is localised: the rule knows no mesh.
"""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.elementwise import pointwise
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule


@sharding_rule(
    "stablehlo.all_reduce", "stablehlo.collective_broadcast", "stablehlo.collective_permute"
)
def _same_shape(op: ir.Operation) -> ShardingRule:
    return pointwise(op).build()


@sharding_rule("stablehlo.all_gather")
def _all_gather(op: ir.Operation) -> ShardingRule | None:
    return _except_along(op, {stablehlo.all_gather_dim(op)})


@sharding_rule("stablehlo.all_to_all")
def _all_to_all(op: ir.Operation) -> ShardingRule | None:
    dims = stablehlo.all_to_all(op)
    return _except_along(op, {dims.split_dim, dims.concat_dim})


@sharding_rule("stablehlo.reduce_scatter")
def _reduce_scatter(op: ir.Operation) -> ShardingRule | None:
    return _except_along(op, {stablehlo.reduce_scatter_dim(op)})


def _except_along(op: ir.Operation, along: set[int]) -> ShardingRule | None:
    """All dimensions pass but those the collective works along; all operands are cut alike."""
    operands = [stablehlo.shape(v) for v in op.operands]
    results = [stablehlo.shape(v) for v in op.results]
    if len(set(operands)) != 1:
        return None
    builder = RuleBuilder([len(s) for s in operands], [len(s) for s in results])
    for dim, size in enumerate(operands[0]):
        everywhere = dict.fromkeys(range(len(operands)), dim)
        made = dict.fromkeys(range(len(results)), dim)
        if dim not in along:
            builder.factor(size, everywhere, made)
            continue
        builder.factor(size, everywhere, kind=FactorKind.REPLICATE)
        builder.factor(results[0][dim], results=made, kind=FactorKind.REPLICATE)
    return builder.build()
