"""Constants and iotas: a rank makes the part it holds."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.constant")
def _constant(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    sharding = local.result_shardings[0]
    if sharding.is_replicated:
        return local.copied()
    attribute = stablehlo.constant_attribute(local.op)
    if attribute is not None and attribute.is_splat:
        shape = sharding.local_shape(stablehlo.shape(local.op.results[0]))
        return (build.splat_attribute(attribute.get_splat_value(), shape),)
    return (ctx.shard(local.whole(), sharding),)


@localizer("stablehlo.iota")
def _iota(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Shards are contiguous: count from zero and add where the shard starts.

    Floats are made of the whole number, so that they round once.
    """
    result = local.op.results[0]
    dim = stablehlo.iota_dim(local.op)
    layout = local.result_shardings[0].layout(stablehlo.shape(result)).dims[dim]
    if not layout.splits:
        return local.copied()
    element = stablehlo.element_type(result)
    counts = element if isinstance(element, ir.IntegerType) else ctx.i64
    shape = local.result_shardings[0].local_shape(stablehlo.shape(result))
    counted = build.iota(dim, shape, counts)
    offset = ctx.per_rank(lambda r: layout.extent(r)[0])
    if counts != ctx.i64:
        offset = build.convert(offset, counts)
    counted = build.binary("add", counted, ctx.spread_scalar(offset, shape))
    return (counted if counts == element else build.convert(counted, element),)
