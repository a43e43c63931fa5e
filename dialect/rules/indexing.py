"""Rules of gathers, scatters and dynamic slices."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.registry import is_degenerate, replicated_rule, sharding_rule
from distc.dialect.rules.rule import ANY_KIND, FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


@sharding_rule("stablehlo.dynamic_slice")
def _dynamic_slice(op: ir.Operation) -> ShardingRule:
    """Dimensions taken whole pass (their start is clamped to zero).

    Of the others each rank gives what it holds of the slice and leaves a partial sum.
    """
    if is_degenerate(op):
        return replicated_rule(op)
    operand, result = stablehlo.shape(op.operands[0]), stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(operand)] + [0] * len(operand), [len(result)])
    for dim, (size, taken) in enumerate(zip(operand, result, strict=True)):
        if size == taken:
            builder.factor(size, {0: dim}, {0: dim})
            continue
        reduction = _look_up(op)
        builder.factor(size, {0: dim}, kind=FactorKind.REDUCTION, reduction=reduction)
        builder.factor(taken, results={0: dim}, kind=FactorKind.REPLICATE)
    return builder.passes(0, kinds=ANY_KIND).build()


def _look_up(op: ir.Operation) -> Reduction:
    """The reduction that joins parts of which one rank has the element and the others nothing."""
    return Reduction.OR if stablehlo.dtype(op.results[0]) == "i1" else Reduction.SUM


@sharding_rule("stablehlo.dynamic_update_slice")
def _dynamic_update_slice(op: ir.Operation) -> ShardingRule:
    """Dimensions replaced whole pass; of the others each rank writes what falls into its shard."""
    if is_degenerate(op):
        return replicated_rule(op)
    operand, update = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    builder = RuleBuilder([len(operand), len(update)] + [0] * len(operand), [len(operand)])
    for dim, (size, replaced) in enumerate(zip(operand, update, strict=True)):
        if size == replaced:
            builder.factor(size, {0: dim, 1: dim}, {0: dim})
            continue
        builder.factor(size, {0: dim}, {0: dim})
        builder.factor(replaced, {1: dim}, kind=FactorKind.REPLICATE)
    return builder.passes(0, 1, kinds=ANY_KIND).build()


@sharding_rule("stablehlo.gather")
def _gather(op: ir.Operation) -> ShardingRule:
    """Index and whole-window dimensions pass; an indexed one leaves a partial sum.

    An indexed dimension taken one element at a time may be cut: each rank looks up what it holds
    and leaves zero elsewhere (`or` for booleans); so does a dimension that is not indexed and gives
    its first row. Larger partial windows stay whole.
    """
    if is_degenerate(op):
        return replicated_rule(op)
    dims = stablehlo.gather_dims(op)
    sizes = stablehlo.slice_sizes(op)
    operand, indices = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(operand), len(indices)], [len(result)])

    batch_results = [d for d in range(len(result)) if d not in dims.offset_dims]
    index_dims = [d for d in range(len(indices)) if d != dims.index_vector_dim]
    batching = dict(zip(dims.start_indices_batching_dims, dims.operand_batching_dims, strict=True))
    for index_dim, result_dim in zip(index_dims, batch_results, strict=True):
        operands = {1: index_dim}
        if index_dim in batching:
            operands[0] = batching[index_dim]
        builder.factor(indices[index_dim], operands, {0: result_dim})

    dropped = {*dims.collapsed_slice_dims, *dims.operand_batching_dims}
    windows = iter(dims.offset_dims)
    reduction = _look_up(op)
    for dim, size in enumerate(operand):
        target = None if dim in dropped else next(windows)
        if dim in dims.operand_batching_dims:
            continue
        if target is not None and sizes[dim] == size:
            builder.factor(size, {0: dim}, {0: target})
        elif target is None or (dim in dims.start_index_map and sizes[dim] == 1):
            builder.factor(size, {0: dim}, kind=FactorKind.REDUCTION, reduction=reduction)
        else:
            builder.factor(size, {0: dim}, kind=FactorKind.REPLICATE)
            if target is not None:
                builder.factor(sizes[dim], results={0: target}, kind=FactorKind.REPLICATE)
    if dims.index_vector_dim < len(indices):
        vector = dims.index_vector_dim
        builder.factor(indices[vector], {1: vector}, kind=FactorKind.REPLICATE)
    return builder.passes(0, kinds=ANY_KIND).build()


def _one_kind(kinds: Sequence[Reduction | None]) -> Reduction | None:
    """The reduction that all results have in common."""
    return kinds[0] if len(set(kinds)) == 1 else None


@sharding_rule("stablehlo.scatter")
def _scatter(op: ir.Operation) -> ShardingRule:
    """Windows that cover a dimension pass; an indexed dimension passes, ranks keep their own rows.

    So does one that is not indexed and takes its first row. Cut indices leave a partial value where
    the reducers are known and all of one kind: the operands count on one rank.
    """
    if is_degenerate(op):
        return replicated_rule(op)
    dims = stablehlo.scatter_dims(op)
    count = len(op.results)
    operand, indices = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[count])
    update = stablehlo.shape(op.operands[count + 1])
    builder = RuleBuilder(
        [len(operand)] * count + [len(indices)] + [len(update)] * count, [len(operand)] * count
    )
    inputs, updates = range(count), range(count + 1, 2 * count + 1)
    kind = _one_kind(stablehlo.reducers(op))
    dropped = {*dims.inserted_window_dims, *dims.input_batching_dims}
    windows = iter(dims.update_window_dims)
    for dim, size in enumerate(operand):
        if dim in dims.input_batching_dims:
            continue
        target = None if dim in dropped else next(windows)
        everywhere = {i: dim for i in inputs}
        indexed = dim in dims.scatter_dims_to_operand_dims
        whole = target is not None and update[target] == size and not indexed
        if whole and target is not None:
            builder.factor(size, everywhere | {i: target for i in updates}, everywhere)
            continue
        single = target is None or (indexed and update[target] == 1)
        builder.factor(
            size, everywhere, everywhere, kind=FactorKind.PASS if single else FactorKind.REPLICATE
        )
        if target is not None:
            at = {i: target for i in updates}
            builder.factor(update[target], at, kind=FactorKind.REPLICATE)
    batching = dict(zip(dims.scatter_indices_batching_dims, dims.input_batching_dims, strict=True))
    scatter_dims = [d for d in range(len(update)) if d not in dims.update_window_dims]
    index_dims = [d for d in range(len(indices)) if d != dims.index_vector_dim]
    for index_dim, update_dim in zip(index_dims, scatter_dims, strict=True):
        at = {count: index_dim} | {i: update_dim for i in updates}
        size = indices[index_dim]
        if index_dim in batching:
            everywhere = {i: batching[index_dim] for i in inputs}
            builder.factor(size, at | everywhere, everywhere)
        elif kind is not None:
            builder.factor(size, at, kind=FactorKind.REDUCTION, reduction=kind)
        else:
            builder.factor(size, at, kind=FactorKind.REPLICATE)
    if dims.index_vector_dim < len(indices):
        vector = dims.index_vector_dim
        builder.factor(indices[vector], {count: vector}, kind=FactorKind.REPLICATE)
    return builder.build()
