"""Collectives of the source program: the same, where the ranks they join hold the same shard."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.locations import where
from distc.runtime.errors import InputError
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer(
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.reduce_scatter",
)
def _collective(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Copy the op; refuse it where it would join different shards of what it joins whole."""
    joined = _joined(local.op)
    for index in range(len(local.operands)):
        layout = local.operand_shardings[index].layout(local.operand_shape(index))
        for ranks in joined:
            inside = [r for r in ranks if 0 <= r < ctx.mesh.size]
            boxes = {layout.box(r) for r in inside}
            if len(boxes) > 1:
                raise InputError(
                    f"{local.op.name} joins ranks {list(ranks)}, which hold different shards: the "
                    f"operand lies as {local.operand_shardings[index]}",
                    where=where(local.op),
                    help="cut it over other axes, or leave the collective to distc",
                )
    return local.copied()


def _joined(op: ir.Operation) -> tuple[tuple[int, ...], ...]:
    if op.name == "stablehlo.collective_permute":
        return tuple(stablehlo.source_target_pairs(op))
    return tuple(stablehlo.replica_groups(op))
