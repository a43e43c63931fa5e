"""State dicts of a sharded program: raw shards with their boxes, or DTensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from torch import Tensor
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard

from distc.runtime import shards
from distc.runtime.artifact import TensorRecord
from distc.runtime.groups import GroupTable
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout

Box = tuple[tuple[int, int], ...]


def local_state_dict(
    records: Sequence[TensorRecord], locals_: Sequence[Tensor], rank: int
) -> dict[str, tuple[Tensor, Box]]:
    """Return name -> (true shard, its (offset, length) per dimension of the view)."""
    found: dict[str, tuple[Tensor, Box]] = {}
    for record, local in zip(records, locals_, strict=True):
        box = record.layout.box(rank)
        found[record.name] = (shards.trim(local, [n for _, n in box]), box)
    return found


def state_dict(
    records: Sequence[TensorRecord],
    locals_: Sequence[Tensor],
    table: GroupTable,
    whole: Callable[[TensorRecord, Tensor], Tensor],
) -> dict[str, Tensor]:
    """Return name -> DTensor in the original shape, one tensor gathered at a time at most."""
    found: dict[str, Tensor] = {}
    for record, local in zip(records, locals_, strict=True):
        if table.world.size == 1:
            found[record.name] = local.reshape(record.shape)
            continue
        found[record.name] = _as_dtensor(record, local, table, whole)
    return found


def _as_dtensor(
    record: TensorRecord,
    local: Tensor,
    table: GroupTable,
    whole: Callable[[TensorRecord, Tensor], Tensor],
) -> DTensor:
    axes = table.axes()
    shard_dims = nearest_shards(record.layout, [a.name for a in axes])
    layout = plain_layout(record.shape, axes, shard_dims)
    if layout.dims == tuple(_without_ones(d) for d in record.layout.dims):
        piece = shards.trim(local, [n for _, n in layout.box(table.rank)])
    else:
        piece = shards.cut(whole(record, local), layout, table.rank).clone()
    placements: list[Placement] = [Replicate() if dim is None else Shard(dim) for dim in shard_dims]
    stride = tuple(prod(record.shape[i + 1 :]) for i in range(len(record.shape)))
    return DTensor.from_local(
        piece.contiguous(),
        table.device_mesh(local.device.type),
        placements,
        run_check=False,
        shape=record.layout.shape,  # type: ignore[arg-type]
        stride=stride,
    )


def local_of(value: DTensor, record: TensorRecord, table: GroupTable) -> Tensor | None:
    """Return this rank's piece of a DTensor that already lies as `record` says, else None."""
    axes = table.axes()
    mesh = value.device_mesh
    names, placements = mesh.mesh_dim_names or (), value.placements
    if names != tuple(a.name for a in axes) or not all(
        isinstance(p, Shard | Replicate) for p in placements
    ):
        return None
    order = mesh.mesh.flatten().tolist()
    cuts = [p.dim if isinstance(p, Shard) else None for p in placements]
    layout = plain_layout(tuple(value.shape), axes, cuts)
    same = layout.dims == tuple(_without_ones(d) for d in record.layout.dims)
    return value.to_local() if same and order == list(range(len(order))) else None


def _without_ones(dim: DimLayout) -> DimLayout:
    return DimLayout(dim.size, tuple(s for s in dim.splits if s.size > 1), dim.block)


def nearest_shards(layout: TensorLayout, axes: Sequence[str]) -> list[int | None]:
    """Return per mesh axis the dimension of the original shape it shards, or None.

    A view's dimension counts as the original dimension that its elements belong to; where the
    original is finer than the view, the outermost. Sub-axes and their order cannot be said.
    """
    found: dict[str, int] = {}
    origin = _origins(layout.view, layout.shape)
    for index, dim in enumerate(layout.dims):
        for split in dim.splits:
            if split.size > 1:
                found[split.name] = origin[index]
    return [found.get(name) for name in axes]


def _origins(view: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """Return for each view dimension the original dimension in which its first element lies."""
    if view == shape or not shape or 0 in shape:
        return [min(i, max(len(shape) - 1, 0)) for i in range(len(view))]
    origins: list[int] = []
    for index in range(len(view)):
        outer = prod(view[index:])
        at = len(shape) - 1
        while at > 0 and prod(shape[at:]) < outer:
            at -= 1
        origins.append(at)
    return origins


def plain_layout(
    shape: tuple[int, ...], axes: Sequence[AxisSplit], shard_dims: Sequence[int | None]
) -> TensorLayout:
    """Return the layout of DTensor placements: axes in mesh order, no blocks, no view."""
    dims = tuple(
        DimLayout(
            size,
            tuple(a for a, d in zip(axes, shard_dims, strict=True) if d == index and a.size > 1),
        )
        for index, size in enumerate(shape)
    )
    return TensorLayout(shape, dims)
