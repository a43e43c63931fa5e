"""Boxes of real tensors: cut a rank's piece out, pad it, put pieces together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from distc.runtime.layout import AxisSplit, TensorLayout


def cut(view: Tensor, layout: TensorLayout, rank: int) -> Tensor:
    """Return the true box of `rank`, a slice (no copy) of the global `view`."""
    for dim, (offset, length) in enumerate(layout.box(rank)):
        view = view.narrow(dim, min(offset, view.shape[dim]), length)
    return view


def pad(piece: Tensor, layout: TensorLayout) -> Tensor:
    """Return a contiguous tensor of the static local shape: `piece`, then zeros."""
    if tuple(piece.shape) == layout.local_shape:
        return piece.contiguous()
    padded = piece.new_zeros(layout.local_shape)
    trim(padded, piece.shape).copy_(piece)
    return padded


def trim(local: Tensor, lengths: Sequence[int]) -> Tensor:
    """Return the leading box of `lengths`, padding left out (no copy)."""
    for dim, length in enumerate(lengths):
        local = local.narrow(dim, 0, length)
    return local


def local_piece(whole: Tensor, layout: TensorLayout, rank: int) -> Tensor:
    """Return what `rank` holds of a global tensor; may share its memory where nothing is cut."""
    return pad(cut(whole.reshape(layout.view), layout, rank), layout)


def assemble(pieces: Mapping[int, Tensor], layout: TensorLayout) -> Tensor:
    """Return the global tensor, in the shape users see, from padded pieces by rank."""
    sample = next(iter(pieces.values()))
    whole = sample.new_zeros(layout.view)
    for rank, piece in pieces.items():
        box = layout.box(rank)
        cut(whole, layout, rank).copy_(trim(piece, [length for _, length in box]))
    return whole.reshape(layout.shape)


def groups_along(splits: Sequence[AxisSplit], ranks: int) -> list[list[int]]:
    """Groups of ranks that differ only on `splits`, ordered by their coordinates there."""
    groups: dict[int, list[tuple[tuple[int, ...], int]]] = {}
    for rank in range(ranks):
        coordinates = tuple(s.coordinate(rank) for s in splits)
        steps = (c * s.stride for c, s in zip(coordinates, splits, strict=True))
        groups.setdefault(rank - sum(steps), []).append((coordinates, rank))
    return [[rank for _, rank in sorted(groups[base])] for base in sorted(groups)]


def gather_groups(layout: TensorLayout, ranks: int) -> list[list[int]]:
    """Groups in which the pieces of a tensor come together."""
    return groups_along([s for d in layout.dims for s in d.splits], ranks)


def is_replicated(layout: TensorLayout) -> bool:
    """True when every rank holds the whole tensor."""
    return all(s.size == 1 for d in layout.dims for s in d.splits)
