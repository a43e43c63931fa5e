"""Builders of collectives over partition ids: one replica, `channel` from 1.

Give every collective a channel of its own: StableHLO's interpreter lets ranks meet by channel, and
two collectives that share one meet each other when a rank runs ahead.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.build.contraction import reducer_region
from distc.dialect.build.core import create, i64, i64_matrix, tensor_type
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import Groups, Ints, element_type, shape

# What a channel handle's type says: 1 is device to device.
_DEVICE_TO_DEVICE = 1


def partition_id(
    context: ir.Context,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Id of the executing partition, a ui32 scalar."""
    result = tensor_type((), ir.IntegerType.get_unsigned(32, context))
    return create("partition_id", [], [result], loc=loc, ip=ip).result


def _group_attributes(
    groups: Groups, channel: int, context: ir.Context, flattened: bool = True
) -> dict[str, ir.Attribute]:
    attributes = {
        "replica_groups": i64_matrix(groups, len(groups[0]), context),
        "channel_handle": _stablehlo.ChannelHandle.get(channel, _DEVICE_TO_DEVICE, context=context),
    }
    # With this flag the groups hold flattened ids, which are partition ids for one replica.
    if flattened:
        attributes["use_global_device_ids"] = ir.UnitAttr.get(context)
    return attributes


def all_reduce(
    x: ir.Value,
    kind: Reduction,
    groups: Groups,
    channel: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Combine `x` over each group, the result on every member."""
    attributes = _group_attributes(groups, channel, x.context)
    op = create("all_reduce", [x], [x.type], attributes, regions=1, loc=loc, ip=ip)
    reducer_region(op, element_type(x), kind)
    return op.result


def all_gather(
    x: ir.Value,
    dim: int,
    groups: Groups,
    channel: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Concatenate the members' `x` along `dim`, in group order."""
    dims = list(shape(x))
    dims[dim] *= len(groups[0])
    attributes = _group_attributes(groups, channel, x.context)
    attributes["all_gather_dim"] = i64(dim, x.context)
    result = tensor_type(dims, element_type(x))
    return create("all_gather", [x], [result], attributes, loc=loc, ip=ip).result


def reduce_scatter(
    x: ir.Value,
    kind: Reduction,
    dim: int,
    groups: Groups,
    channel: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Combine over each group and leave member i the i-th piece of `dim`."""
    dims = list(shape(x))
    dims[dim] //= len(groups[0])
    attributes = _group_attributes(groups, channel, x.context)
    attributes["scatter_dimension"] = i64(dim, x.context)
    result = tensor_type(dims, element_type(x))
    op = create("reduce_scatter", [x], [result], attributes, regions=1, loc=loc, ip=ip)
    reducer_region(op, element_type(x), kind)
    return op.result


def all_to_all(
    x: ir.Value,
    split_dim: int,
    concat_dim: int,
    groups: Groups,
    channel: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Send the i-th piece of `split_dim` to member i, join what arrives along `concat_dim`."""
    dims, count = list(shape(x)), len(groups[0])
    dims[split_dim] //= count
    dims[concat_dim] *= count
    attributes = _group_attributes(groups, channel, x.context, flattened=False)
    attributes["split_dimension"] = i64(split_dim, x.context)
    attributes["concat_dimension"] = i64(concat_dim, x.context)
    attributes["split_count"] = i64(count, x.context)
    result = tensor_type(dims, element_type(x))
    return create("all_to_all", [x], [result], attributes, loc=loc, ip=ip).result


def collective_permute(
    x: ir.Value,
    pairs: Sequence[Ints],
    channel: int,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Send `x` from source to target for each (source, target); others receive zeros."""
    context = x.context
    attributes = {
        "source_target_pairs": i64_matrix(tuple(pairs), 2, context),
        "channel_handle": _stablehlo.ChannelHandle.get(channel, _DEVICE_TO_DEVICE, context=context),
    }
    return create("collective_permute", [x], [x.type], attributes, loc=loc, ip=ip).result
