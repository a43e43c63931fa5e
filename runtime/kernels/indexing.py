"""Gather and scatter in all their StableHLO generality, as row selection and row update.

Operand dimensions of which a window takes everything become the columns of a matrix; the others
are linearised into its row number. One `index_select` or row reduction then does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

Region = Callable[..., tuple[Tensor, ...]]
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_REDUCE = {"max": "amax", "min": "amin", "prod": "prod"}


def _index_vectors(indices: Tensor, index_vector_dim: int) -> Tensor:
    """Indices as int64 [batch..., k]."""
    wide = indices.to(torch.int64)
    if index_vector_dim == wide.dim():
        return wide.unsqueeze(-1)
    return wide.movedim(index_vector_dim, -1)


class _Rows:
    """Which operand dimensions number rows and which are columns, and the row of each window cell.

    Row cells have shape [batch..., row window dims...].
    """

    def __init__(
        self,
        shape: Sequence[int],
        vectors: Tensor,
        window: Sequence[int],
        dropped: Sequence[int],
        batching: Sequence[int],
        index_batching: Sequence[int],
        index_map: Sequence[int],
        clamp: bool,
    ) -> None:
        rank = len(shape)
        self.window_dims = [d for d in range(rank) if d not in dropped and d not in batching]
        self.columns = [d for d in self.window_dims if d not in index_map and window[d] == shape[d]]
        self.row_dims = [d for d in range(rank) if d not in self.columns]
        self.row_windows = [d for d in self.row_dims if d in self.window_dims]
        self.batch = list(vectors.shape[:-1])
        self.count = prod([shape[d] for d in self.row_dims])
        device, cells = vectors.device, len(self.batch) + len(self.row_windows)
        self.rows = torch.zeros([1] * cells, dtype=torch.int64, device=device)
        self.inside: Tensor | None = None
        for dim in self.row_dims:
            place = self._place(dim, cells, vectors, window, batching, index_batching, index_map)
            limit = shape[dim] - (window[dim] if clamp else 1)
            if clamp and dim in index_map:
                start = vectors[..., list(index_map).index(dim)].clamp(0, max(limit, 0))
                place = place + self._over_batch(start, cells)
            elif dim in index_map:
                place = place + self._over_batch(vectors[..., list(index_map).index(dim)], cells)
                good = (place >= 0) & (place <= limit)
                self.inside = good if self.inside is None else self.inside & good
            self.rows = self.rows * shape[dim] + place
        self.cell_shape = self.batch + [window[d] for d in self.row_windows]
        self.rows = self.rows.expand(self.cell_shape)

    def _over_batch(self, value: Tensor, cells: int) -> Tensor:
        return value.reshape(list(value.shape) + [1] * (cells - value.dim()))

    def _place(
        self,
        dim: int,
        cells: int,
        vectors: Tensor,
        window: Sequence[int],
        batching: Sequence[int],
        index_batching: Sequence[int],
        index_map: Sequence[int],
    ) -> Tensor:
        """Position along `dim` before the start index is added."""
        view = [1] * cells
        if dim in batching:
            axis = index_batching[list(batching).index(dim)]
            view[axis] = self.batch[axis]
            return torch.arange(self.batch[axis], device=vectors.device).reshape(view)
        if dim in self.row_windows:
            view[len(self.batch) + self.row_windows.index(dim)] = window[dim]
            return torch.arange(window[dim], device=vectors.device).reshape(view)
        return torch.zeros(view, dtype=torch.int64, device=vectors.device)


def _batch_axes(axes: Sequence[int], index_vector_dim: int) -> list[int]:
    """Positions of index dimensions once the index vector has moved last."""
    return [a - (a > index_vector_dim) for a in axes]


def gather(
    operand: Tensor,
    indices: Tensor,
    *,
    offset_dims: Sequence[int],
    collapsed_slice_dims: Sequence[int],
    operand_batching_dims: Sequence[int],
    start_indices_batching_dims: Sequence[int],
    start_index_map: Sequence[int],
    index_vector_dim: int,
    slice_sizes: Sequence[int],
) -> Tensor:
    """`stablehlo.gather`: start indices are moved so that every window lies inside."""
    rows = _Rows(
        operand.shape,
        _index_vectors(indices, index_vector_dim),
        slice_sizes,
        collapsed_slice_dims,
        operand_batching_dims,
        _batch_axes(start_indices_batching_dims, index_vector_dim),
        start_index_map,
        clamp=True,
    )
    columns = [operand.shape[d] for d in rows.columns]
    out_shape = rows.cell_shape + columns
    if prod(out_shape) == 0:
        picked = operand.new_empty(out_shape)
    else:
        table = operand.permute(rows.row_dims + rows.columns).reshape([rows.count, *columns])
        picked = table.index_select(0, rows.rows.reshape(-1)).reshape(out_shape)
    return picked.permute(_result_order(rows, offset_dims))


def _result_order(rows: _Rows, offset_dims: Sequence[int]) -> list[int]:
    """Permutation from [batch, row windows, columns] to the result's dimensions."""
    base = len(rows.batch)
    at = {d: base + i for i, d in enumerate(rows.row_windows + rows.columns)}
    order, batch = [], iter(range(base))
    windows = iter(at[d] for d in rows.window_dims)
    for dim in range(base + len(at)):
        order.append(next(windows) if dim in offset_dims else next(batch))
    return order


def scatter(
    operands: Sequence[Tensor],
    indices: Tensor,
    updates: Sequence[Tensor],
    *,
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int],
    scatter_indices_batching_dims: Sequence[int],
    scatter_dims_to_operand_dims: Sequence[int],
    index_vector_dim: int,
    unique: bool,
    kinds: Sequence[str],
    region: Region | None = None,
) -> tuple[Tensor, ...]:
    """`stablehlo.scatter`: updates that fall outside are skipped, later ones come after earlier.

    `kinds` says per operand how the region combines (`set`, `sum`, `prod`, `min`, `max`); with
    `region` every other combination runs as written.
    """
    operand = operands[0]
    rows, number, inverse = _scatter_rows(
        operand,
        indices,
        updates[0],
        update_window_dims,
        inserted_window_dims,
        input_batching_dims,
        scatter_indices_batching_dims,
        scatter_dims_to_operand_dims,
        index_vector_dim,
    )
    columns = [operand.shape[d] for d in rows.columns]
    flat = [u.permute(inverse).reshape([number.shape[0], *columns]) for u in updates]
    to_table = rows.row_dims + rows.columns
    tables = [_table(x, to_table, rows.count, columns) for x in operands]
    done = _combine(tables, number, flat, unique, kinds, region)
    shape = [operand.shape[d] for d in to_table]
    back = [to_table.index(d) for d in range(operand.dim())]
    return tuple(t[: rows.count].reshape(shape).permute(back) for t in done)


def _scatter_rows(
    operand: Tensor,
    indices: Tensor,
    update: Tensor,
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int],
    scatter_indices_batching_dims: Sequence[int],
    scatter_dims_to_operand_dims: Sequence[int],
    index_vector_dim: int,
) -> tuple[_Rows, Tensor, list[int]]:
    """Return the rows of a scatter, the row of each update (`count` where it falls outside), and
    the permutation of an update's dimensions to [batch, row windows, columns]."""
    window = [1] * operand.dim()
    kept = [
        d
        for d in range(operand.dim())
        if d not in inserted_window_dims and d not in input_batching_dims
    ]
    for dim, axis in zip(kept, update_window_dims, strict=True):
        window[dim] = update.shape[axis]
    rows = _Rows(
        operand.shape,
        _index_vectors(indices, index_vector_dim),
        window,
        inserted_window_dims,
        input_batching_dims,
        _batch_axes(scatter_indices_batching_dims, index_vector_dim),
        scatter_dims_to_operand_dims,
        clamp=False,
    )
    order = _result_order(rows, update_window_dims)
    inverse = [order.index(i) for i in range(len(order))]
    number = rows.rows
    if rows.inside is not None:
        number = torch.where(rows.inside, number, rows.count).expand(rows.cell_shape)
    return rows, number.reshape(-1), inverse


def scatter_set_(
    operand: Tensor,
    indices: Tensor,
    update: Tensor,
    *,
    update_window_dims: Sequence[int],
    inserted_window_dims: Sequence[int],
    input_batching_dims: Sequence[int],
    scatter_indices_batching_dims: Sequence[int],
    scatter_dims_to_operand_dims: Sequence[int],
    index_vector_dim: int,
) -> Tensor:
    """Replace elements of `operand` itself, the last update of each winning; return it.

    The number of elements that are written is found at run time: an accelerator is waited for.
    """
    rows, number, inverse = _scatter_rows(
        operand,
        indices,
        update,
        update_window_dims,
        inserted_window_dims,
        input_batching_dims,
        scatter_indices_batching_dims,
        scatter_dims_to_operand_dims,
        index_vector_dim,
    )
    if number.numel() == 0 or operand.numel() == 0:
        return operand
    columns = [operand.shape[d] for d in rows.columns]
    flat = update.permute(inverse).reshape([number.shape[0], *columns])
    ordered, order = torch.sort(number, stable=True)
    last = torch.ones_like(ordered, dtype=torch.bool)
    last[:-1] = ordered[1:] != ordered[:-1]
    chosen = order[last & (ordered < rows.count)]
    at, index = number[chosen], []
    for dim in reversed(rows.row_dims):
        index.append(at % operand.shape[dim])
        at = at // operand.shape[dim]
    table = operand.permute(rows.row_dims + rows.columns)
    if index:
        table.index_put_(tuple(reversed(index)), flat[chosen])
    elif chosen.numel():
        table.copy_(flat[chosen[0]])
    return operand


def _table(x: Tensor, order: list[int], count: int, columns: list[int]) -> Tensor:
    table = x.new_empty([count + 1, *columns])
    table[:count] = x.permute(order).reshape([count, *columns])
    table[count:] = torch.zeros((), dtype=x.dtype, device=x.device)
    return table


def _combine(
    tables: list[Tensor],
    number: Tensor,
    updates: list[Tensor],
    unique: bool,
    kinds: Sequence[str],
    region: Region | None,
) -> list[Tensor]:
    if number.numel() == 0 or any(t.numel() == 0 for t in tables):
        return tables
    if region is not None:
        return combine_by_region(tables, number, updates, region)
    return [
        _combine_one(t, number, u, unique, k)
        for t, u, k in zip(tables, updates, kinds, strict=True)
    ]


def _combine_one(table: Tensor, number: Tensor, update: Tensor, unique: bool, kind: str) -> Tensor:
    if kind == "sum" and table.dtype is not torch.bool:
        return table.index_add(0, number, update)
    if kind == "set" and unique:
        return table.index_copy(0, number, update)
    if kind == "set":
        return _last_wins(table, number, update)
    index = number.reshape([-1] + [1] * (update.dim() - 1)).expand(update.shape)
    if table.dtype is torch.bool:
        reduce = "amax" if kind in ("sum", "or", "max") else "amin"
        bits = table.to(torch.uint8).scatter_reduce(0, index, update.to(torch.uint8), reduce)
        return bits != 0
    found = table.scatter_reduce(0, index, update, _REDUCE[kind])
    if kind == "prod" or not table.dtype.is_floating_point:
        return found
    # torch takes either of two zeros; as integers, +0.0 is 0 and -0.0 the least of all.
    integer = _BITS[table.element_size()]
    bits = table.view(integer).scatter_reduce(0, index, update.view(integer), _REDUCE[kind])
    negative = bits < 0 if kind == "max" else bits == torch.iinfo(integer).min
    return torch.where(found == 0, torch.where(negative, -0.0, 0.0).to(table.dtype), found)


def _last_wins(table: Tensor, number: Tensor, update: Tensor) -> Tensor:
    order = torch.arange(number.shape[0], device=number.device)
    last = torch.full((table.shape[0],), -1, dtype=torch.int64, device=number.device)
    last = last.scatter_reduce(0, number, order, "amax")
    written = (last >= 0).reshape([-1] + [1] * (update.dim() - 1))
    return torch.where(written, update.index_select(0, last.clamp(min=0)), table)


def combine_by_region(
    tables: list[Tensor], number: Tensor, updates: list[Tensor], region: Region
) -> list[Tensor]:
    """Apply the region in rounds: round r holds the r-th update of every row."""
    ordered, order = torch.sort(number, stable=True)
    first = torch.searchsorted(ordered, ordered)
    turn = torch.empty_like(number)
    turn[order] = torch.arange(number.shape[0], device=number.device) - first
    # Updates outside all share one row that nobody reads; one round is enough for them.
    turn = torch.where(number == tables[0].shape[0] - 1, 0, turn)
    for step in range(int(turn.max()) + 1):
        chosen = (turn == step).nonzero().reshape(-1)
        at = number.index_select(0, chosen)
        current = [t.index_select(0, at) for t in tables]
        new = region(*current, *(u.index_select(0, chosen) for u in updates))
        tables = [
            t.index_copy(0, at, n.expand(c.shape))
            for t, n, c in zip(tables, new, current, strict=True)
        ]
    return tables


def embedding(weight: Tensor, indices: Tensor) -> Tensor:
    """Rows of `weight` at `indices`, moved inside where they would be outside."""
    index = indices.to(torch.int64).clamp(0, weight.shape[0] - 1)
    return weight.index_select(0, index.reshape(-1)).reshape([*indices.shape, *weight.shape[1:]])


KERNELS: dict[str, Callable[..., Any]] = {
    "embedding": embedding,
    "gather": gather,
    "scatter": scatter,
}
