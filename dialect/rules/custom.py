"""Rules of custom calls: what the user wrote, or what is known of other front ends' ops."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import custom_ops, stablehlo
from distc.dialect.rules.elementwise import pointwise
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.rules.rule_text import parse_rule


@sharding_rule("stablehlo.custom_call")
def _custom_call(op: ir.Operation) -> ShardingRule | None:
    """A rule given with the op; known ops pass over the dimensions they treat one by one."""
    name = custom_ops.target(op)
    custom = custom_ops.find(name)
    given = custom.rule if custom is not None else None
    if given is None and custom_ops.RULE in op.attributes:
        given = str(ir.StringAttr(op.attributes[custom_ops.RULE]).value)
    if given is not None:
        operands = [stablehlo.shape(v) for v in op.operands]
        return parse_rule(given, operands, [stablehlo.shape(v) for v in op.results])
    if name in custom_ops.POINTWISE:
        return pointwise(op).build()
    rank = len(stablehlo.shape(op.operands[0])) if len(op.operands) else 0
    if name in custom_ops.TRAILING:
        return _leading(op, range(rank - custom_ops.TRAILING[name]))
    if name in custom_ops.ALONG:
        along = custom_ops.literals(op).get("reduction_dim")
        return _leading(op, [d for d in range(rank) if d != along]) if along is not None else None
    return None


def _leading(op: ir.Operation, passing: range | list[int]) -> ShardingRule:
    """Dimensions `passing` are cut alike wherever a tensor has them; the others stay whole."""
    operands = [stablehlo.shape(v) for v in op.operands]
    results = [stablehlo.shape(v) for v in op.results]
    builder = RuleBuilder([len(s) for s in operands], [len(s) for s in results])
    for dim in passing:
        builder.factor(
            operands[0][dim],
            {i: dim for i, s in enumerate(operands) if len(s) > dim},
            {i: dim for i, s in enumerate(results) if len(s) > dim},
        )
    for i, shape in enumerate(operands):
        for dim in range(len(shape)):
            if dim not in passing:
                builder.factor(shape[dim], {i: dim}, kind=FactorKind.REPLICATE)
    for i, shape in enumerate(results):
        for dim in range(len(shape)):
            if dim not in passing:
                builder.factor(shape[dim], results={i: dim}, kind=FactorKind.REPLICATE)
    return builder.build()
