"""Rules of composites kept whole: what may be cut without communication inside.

`open` factors say where cutting needs collectives in the body: the composite is opened first.
"""

from __future__ import annotations

from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.elementwise import pointwise
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule


@sharding_rule("distc.attention")
def _attention(op: ir.Operation) -> ShardingRule:
    """Batch and heads pass; so do value features. Sequences and key features need the body.

    q `[batch, heads, queries, features]`, k and v `[batch, heads, keys, …]`, a mask that may have
    size one in any dimension.
    """
    shapes = [stablehlo.shape(v) for v in op.operands]
    q, k, v = shapes[:3]
    builder = RuleBuilder([len(s) for s in shapes], [4])
    mask = shapes[3] if len(shapes) > 3 else None

    def masked(dim: int, size: int) -> dict[int, int]:
        at = dim - (4 - len(mask)) if mask is not None else -1
        return {3: at} if mask is not None and at >= 0 and mask[at] == size else {}

    causal = bool(stablehlo.composite(op).attributes.get("is_causal"))
    for dim in (0, 1):
        builder.factor(q[dim], {0: dim, 1: dim, 2: dim} | masked(dim, q[dim]), {0: dim})
    queries = FactorKind.OPEN if causal else FactorKind.PASS
    builder.factor(q[2], {0: 2} | masked(2, q[2]), {0: 2}, kind=queries)
    builder.factor(k[2], {1: 2, 2: 2} | masked(3, k[2]), kind=FactorKind.OPEN)
    builder.factor(q[3], {0: 3, 1: 3}, kind=FactorKind.OPEN)
    builder.factor(v[3], {2: 3}, {0: 3})
    return builder.build()


@sharding_rule("distc.layer_norm", "distc.rms_norm")
def _norm(op: ir.Operation) -> ShardingRule:
    """Leading dimensions pass; normalised ones need statistics across ranks."""
    shape = stablehlo.shape(op.operands[0])
    trailing = int(stablehlo.composite(op).attributes["normalized_rank"])
    affine = range(1, len(op.operands))
    builder = RuleBuilder([len(shape)] + [trailing] * len(affine), [len(shape)])
    first = len(shape) - trailing
    for dim, size in enumerate(shape):
        if dim < first:
            builder.factor(size, {0: dim}, {0: dim})
            continue
        everywhere = {0: dim} | {i: dim - first for i in affine}
        builder.factor(size, everywhere, {0: dim}, kind=FactorKind.OPEN)
    return builder.build()


@sharding_rule("distc.gelu", "distc.silu", "distc.threefry")
def _elementwise(op: ir.Operation) -> ShardingRule:
    return pointwise(op).build()


@sharding_rule("distc.softmax", "distc.log_softmax")
def _softmax(op: ir.Operation) -> ShardingRule:
    """Every dimension passes but the one normalised."""
    along = int(stablehlo.composite(op).attributes["dim"])
    shape = stablehlo.shape(op.operands[0])
    builder = RuleBuilder([len(shape)], [len(shape)])
    for dim, size in enumerate(shape):
        kind = FactorKind.OPEN if dim == along else FactorKind.PASS
        builder.factor(size, {0: dim}, {0: dim}, kind=kind)
    return builder.build()


@sharding_rule("distc.embedding")
def _embedding(op: ir.Operation) -> ShardingRule | None:
    """Index dimensions and features pass; a vocabulary cut by rows is a masked look-up."""
    table, indices = (stablehlo.shape(v) for v in op.operands)
    if prod(table) == 0 or prod(indices) == 0:
        return None
    builder = RuleBuilder([2, len(indices)], [len(indices) + 1])
    for dim, size in enumerate(indices):
        builder.factor(size, {1: dim}, {0: dim})
    builder.factor(table[1], {0: 1}, {0: len(indices)})
    builder.factor(table[0], {0: 0}, kind=FactorKind.OPEN)
    return builder.build()


@sharding_rule("distc.cross_entropy")
def _cross_entropy(op: ir.Operation) -> ShardingRule:
    """Losses kept per row pass over rows; a mean, a sum or cut classes need the body."""
    logits = stablehlo.shape(op.operands[0])
    per_row = stablehlo.composite(op).attributes["reduction"] == "none"
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(logits), len(stablehlo.shape(op.operands[1]))], [len(result)])
    target_dim = 0
    for dim, size in enumerate(logits):
        is_class = dim == (1 if len(logits) > 1 else 0)
        if is_class:
            builder.factor(size, {0: dim}, kind=FactorKind.OPEN)
            continue
        kept = {0: target_dim} if per_row else {}
        kind = FactorKind.PASS if per_row else FactorKind.OPEN
        builder.factor(size, {0: dim, 1: target_dim}, kept, kind=kind)
        target_dim += 1
    return builder.build()


@sharding_rule("distc.adafactor")
def _adafactor(op: ir.Operation) -> ShardingRule:
    """Sums along every dimension: rows and columns stay with the dimension they keep."""
    tensors = [stablehlo.shape(v) for v in (*op.operands, *op.results)]
    count, shape = len(op.operands), tensors[0]
    builder = RuleBuilder([len(t) for t in tensors[:count]], [len(t) for t in tensors[count:]])
    for dim, size in enumerate(shape):
        along = {i: dim for i, t in enumerate(tensors) if len(t) == len(shape) and t[dim] == size}
        operands = {i: dim for i in along if i < count}
        results = {i - count: dim for i in along if i >= count}
        builder.factor(size, operands, results, kind=FactorKind.OPEN)
    return builder.build()


@sharding_rule("distc.adam", "distc.adamw", "distc.lion", "distc.sgd")
def _optimizer(op: ir.Operation) -> ShardingRule:
    """A parameter, its gradient and what is kept of it are cut alike; numbers are whole."""
    tensors = [stablehlo.shape(v) for v in (*op.operands, *op.results)]
    count, shape = len(op.operands), tensors[0]
    builder = RuleBuilder([len(t) for t in tensors[:count]], [len(t) for t in tensors[count:]])
    for dim, size in enumerate(shape):
        builder.factor(
            size,
            {i: dim for i, t in enumerate(tensors[:count]) if t == shape},
            {i: dim for i, t in enumerate(tensors[count:]) if t == shape},
        )
    return builder.build()
