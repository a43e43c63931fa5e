"""Collectives of one replica with many partitions: ids are partition ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.dialect.sharding import Reduction
from distc.runtime.program import Arg, Ref, ValueType
from distc.transforms.lower.builder import HIDDEN_UNSIGNED, WIDTH, Builder, value_type
from distc.transforms.lower.reduction import ordered
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.scalar_region import scalar_region

Groups: TypeAlias = "list[list[int]]"


def _groups(b: Builder, op: ir.Operation, flattened: bool) -> list[Arg]:
    """Groups of partition ids, without the -1 that fills up shorter ones.

    Only `all_reduce` and `collective_reduce` may have those: the verifier refuses them elsewhere.

    Raises:
        UnsupportedOp: ids that are not partition ids.
    """
    groups = [[i for i in g if i >= 0] for g in hlo.replica_groups(op)]
    groups = [g for g in groups if g]
    if not groups:
        raise b.unsupported(f"{op.name} has no replica_groups", help="write them out")
    if any(len(g) > 1 for g in groups) and not _names_partitions(op, flattened):
        raise b.unsupported(
            f"{op.name} groups replicas; a program is one replica of many partitions",
            help="use a channel_handle of at least 1"
            + (" and use_global_device_ids" if flattened else ""),
        )
    return [list(g) for g in groups]


def _names_partitions(op: ir.Operation, flattened: bool) -> bool:
    if hlo.channel_id(op) < 1:
        return False
    return not flattened or "use_global_device_ids" in op.attributes


def _kind(op: ir.Operation, dtype: str) -> Reduction | None:
    """The reduction, where backends have it for the type."""
    kind = hlo.reducer(op)
    if kind in (Reduction.AND, Reduction.OR) and dtype not in (*WIDTH, "i1"):
        return None
    return kind


@lowering("all_reduce")
def lower_all_reduce(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`all_reduce`; a region that is no known reduction is run on the gathered values."""
    groups = _groups(b, op, flattened=True)
    if _alone(groups):
        return b.refs(op.operands)
    return [_all_reduce(b, op, x, groups) for x in b.refs(op.operands)]


@lowering("cross-replica-sum")
def lower_cross_replica_sum(b: Builder, op: ir.Operation) -> Ref:
    """`cross-replica-sum`: of the one replica that there is.

    Raises:
        UnsupportedOp: it joins replicas.
    """
    groups = hlo.replica_groups(op)
    if any(len(g) > 1 for g in groups):
        raise b.unsupported(
            f"{op.name} groups replicas; a program is one replica of many partitions",
            help="use all_reduce with a channel_handle of at least 1 and use_global_device_ids",
        )
    return b.ref(op.operands[0])


def _all_reduce(b: Builder, op: ir.Operation, x: Ref, groups: list[Arg]) -> Ref:
    kind = b.type(x)
    reduction = _kind(op, kind.dtype)
    if reduction is None:
        if len({len(g) for g in groups if isinstance(g, list)}) > 1:
            raise b.unsupported(
                f"{op.name} by a region of its own in groups of unequal size cannot run",
                help="make all groups of one size",
            )
        stacked = _gather_stacked(b, x, groups)
        program = scalar_region(b, op.regions[0], "all_reduce")
        parts = b.emit(
            "aten.slice.Tensor",
            stacked,
            0,
            1,
            len(_first(groups)),
            1,
            out=_resized(b.type(stacked), 0, len(_first(groups)) - 1),
        )
        first = b.emit(
            "aten.slice.Tensor", stacked, 0, 0, 1, 1, out=_resized(b.type(stacked), 0, 1)
        )
        start = b.reshape(first, kind.shape)
        return b.call(
            "distc.reduce", [parts], [start], types=(kind,), dims=[0], regions=(program,)
        )[0]
    flip = ordered(reduction) and kind.dtype in HIDDEN_UNSIGNED
    x = b.flip_sign(x) if flip else x
    result = b.emit("collective.all_reduce", x, out=kind, kind=str(reduction), groups=groups)
    return b.flip_sign(result) if flip else result


def _alone(groups: list[Arg]) -> bool:
    """True where every group is one rank, to which a collective does nothing."""
    return all(isinstance(g, list) and len(g) == 1 for g in groups)


def _first(groups: list[Arg]) -> list[Arg]:
    group = groups[0]
    assert isinstance(group, list)
    return group


def _resized(kind: ValueType, dim: int, size: int) -> ValueType:
    return ValueType((*kind.shape[:dim], size, *kind.shape[dim + 1 :]), kind.dtype)


def _gather_stacked(b: Builder, x: Ref, groups: list[Arg]) -> Ref:
    """The group's values stacked on a new dimension 0."""
    kind = b.type(x)
    lifted = b.reshape(x, (1, *kind.shape))
    out = ValueType((len(_first(groups)), *kind.shape), kind.dtype)
    return b.emit("collective.all_gather", lifted, out=out, dim=0, groups=groups)


@lowering("all_gather")
def lower_all_gather(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`all_gather`."""
    groups = _groups(b, op, flattened=True)
    if _alone(groups):
        return b.refs(op.operands)
    return [
        b.emit(
            "collective.all_gather",
            b.ref(x),
            out=value_type(r, op),
            dim=hlo.all_gather_dim(op),
            groups=groups,
        )
        for x, r in zip(op.operands, op.results, strict=True)
    ]


@lowering("reduce_scatter")
def lower_reduce_scatter(b: Builder, op: ir.Operation) -> Ref:
    """`reduce_scatter`."""
    groups, out = _groups(b, op, flattened=True), value_type(op.results[0], op)
    if _alone(groups):
        return b.ref(op.operands[0])
    reduction = _kind(op, out.dtype)
    if reduction is None:
        raise b.unsupported(
            "reduce_scatter by a region that is not add, multiply, maximum, minimum, and, or",
            help="write it as all_reduce and slice",
        )
    x = b.ref(op.operands[0])
    flip = ordered(reduction) and out.dtype in HIDDEN_UNSIGNED
    x = b.flip_sign(x) if flip else x
    result = b.emit(
        "collective.reduce_scatter",
        x,
        out=out,
        dim=hlo.reduce_scatter_dim(op),
        kind=str(reduction),
        groups=groups,
    )
    return b.flip_sign(result) if flip else result


@lowering("all_to_all")
def lower_all_to_all(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`all_to_all`."""
    groups, dims = _groups(b, op, flattened=False), hlo.all_to_all(op)
    if _alone(groups):
        return b.refs(op.operands)
    return [
        b.emit(
            "collective.all_to_all",
            b.ref(x),
            out=value_type(r, op),
            split_dim=dims.split_dim,
            concat_dim=dims.concat_dim,
            groups=groups,
        )
        for x, r in zip(op.operands, op.results, strict=True)
    ]


@lowering("collective_permute")
def lower_collective_permute(b: Builder, op: ir.Operation) -> Ref:
    """`collective_permute`; ranks that nobody sends to get zeros."""
    pairs: list[Arg] = [list(p) for p in hlo.source_target_pairs(op)]
    if pairs and not _names_partitions(op, flattened=False):
        raise b.unsupported(
            "collective_permute names replicas; a program is one replica of many partitions",
            help="use a channel_handle of at least 1",
        )
    return b.emit(
        "collective.permute", b.ref(op.operands[0]), out=value_type(op.results[0], op), pairs=pairs
    )


@lowering("collective_broadcast")
def lower_collective_broadcast(b: Builder, op: ir.Operation) -> Ref:
    """`collective_broadcast`: the first of each group sends to the others; outside are zeros."""
    x, groups = b.ref(op.operands[0]), _groups(b, op, flattened=False)
    if _alone(groups) and not _names_partitions(op, flattened=False):
        return x  # groups of the one replica there is: every partition is its own first
    members = [g for g in groups if isinstance(g, list)]
    result = _sent(b, x, [[g[0], g[0]] for g in members])
    for place in range(1, max(map(len, members))):
        pairs: list[Arg] = [[g[0], g[place]] for g in members if len(g) > place]
        result = b.emit(
            "aten.where.self", _reached(b, x, pairs), _sent(b, x, pairs), result, out=b.type(x)
        )
    return result


@lowering("collective_reduce")
def lower_collective_reduce(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`collective_reduce`: the first of each group keeps the sum, the others get zeros."""
    groups = _groups(b, op, flattened=False)
    roots: list[Arg] = [[g[0], g[0]] for g in groups if isinstance(g, list)]
    results = []
    for x in b.refs(op.operands):
        reduced = x if _alone(groups) else _all_reduce(b, op, x, groups)
        results.append(_sent(b, reduced, roots))
    return results


def _sent(b: Builder, x: Ref, pairs: list[Arg]) -> Ref:
    """What arrives of `x`, zeros where nobody sends."""
    return b.emit("collective.permute", x, out=b.type(x), pairs=pairs)


def _reached(b: Builder, x: Ref, pairs: list[Arg]) -> Ref:
    """i1 of the shape of `x`: true on ranks that somebody sends to."""
    ones = b.full(1, ValueType(b.type(x).shape, "i32"))
    return b.convert(_sent(b, ones, pairs), "i1")
