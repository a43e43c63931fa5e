"""Collectives between ranks: the protocol that rank programs call, and torch.distributed's.

gloo and NCCL do not reduce every dtype with every kind, and both lose NaN in max and min (they
take C's `fmax`). What a backend cannot do exactly is done in two steps that it can: move the
pieces as bytes, then fold them here, in rank order. On gloo a reduce-scatter always takes that
way: an all-to-all moves half the bytes of gloo's own and the order of the sum is fixed.

Every rank is in exactly one group; ranks of a group are ordered as listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol, TypeAlias

import torch
import torch.distributed._functional_collectives as functional
from torch import Tensor

from distc.runtime.errors import InternalError
from distc.runtime.groups import Group, GroupTable
from distc.runtime.kernels.elementwise import maximum, minimum

GroupList: TypeAlias = Sequence[Sequence[int]]

KINDS = ("sum", "max", "min", "prod", "and", "or")

_native: Any = torch.ops._c10d_functional
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64)
_MOVED_AS_THEY_ARE = frozenset((*_FLOATS, *_INTEGERS))
_NATIVE_NAMES = {
    "sum": "sum", "prod": "product", "max": "max", "min": "min", "and": "band", "or": "bor",
}  # fmt: skip
# Reductions of i1: addition is or, multiplication is and (StableHLO); as bytes, max and min.
_OF_BOOL = {"sum": "max", "or": "max", "max": "max", "prod": "min", "and": "min", "min": "min"}


class Collectives(Protocol):
    """What a rank program may ask of the other ranks. All results are new local tensors."""

    def all_reduce(self, x: Tensor, kind: str, groups: GroupList) -> Tensor:
        """Return the reduction of `x` over the group."""
        ...

    def all_gather(self, x: Tensor, dim: int, groups: GroupList) -> Tensor:
        """Return the group's pieces joined on `dim`."""
        ...

    def reduce_scatter(self, x: Tensor, dim: int, kind: str, groups: GroupList) -> Tensor:
        """Return this rank's piece on `dim` of the reduction over the group."""
        ...

    def all_to_all(self, x: Tensor, split_dim: int, concat_dim: int, groups: GroupList) -> Tensor:
        """Send piece i on `split_dim` to the group's rank i; join what comes on `concat_dim`."""
        ...

    def permute(self, x: Tensor, pairs: Sequence[Sequence[int]]) -> Tensor:
        """Send `x` along (source rank, target rank) pairs; no source gives zeros."""
        ...


class TorchCollectives:
    """Collectives of torch.distributed, functional, traceable by torch.compile.

    With `overlap` a result that needs no work after it is waited for at its first use, else at
    once: on loopback, waiting late costs more than it hides.
    """

    def __init__(self, table: GroupTable, *, overlap: bool | None = None) -> None:
        self.table = table
        self.overlap = table.backend == "nccl" if overlap is None else overlap

    def all_reduce(self, x: Tensor, kind: str, groups: GroupList) -> Tensor:
        """Return the reduction of `x` over the group."""
        group = self.table.mine(groups)
        if group.size == 1 or x.numel() == 0:
            return x
        if x.dtype is torch.bool:
            word = _native.all_reduce(x.contiguous().view(torch.uint8), _OF_BOOL[kind], group.name)
            return _wait(word).view(torch.bool)
        if not _is_native(x.dtype, kind, self.table.backend):
            return fold(self._gather(x, group), kind)
        return self._finish(_native.all_reduce(x.contiguous(), _NATIVE_NAMES[kind], group.name))

    def all_gather(self, x: Tensor, dim: int, groups: GroupList) -> Tensor:
        """Return the group's pieces joined on `dim`."""
        group = self.table.mine(groups)
        if group.size == 1:
            return x
        pieces = self._gather(x, group)
        if dim == 0:
            return pieces.flatten(0, 1)
        return torch.cat(pieces.unbind(0), dim)

    def reduce_scatter(self, x: Tensor, dim: int, kind: str, groups: GroupList) -> Tensor:
        """Return this rank's piece on `dim` of the reduction over the group."""
        group = self.table.mine(groups)
        if group.size == 1:
            return x
        pieces = _split(x, dim, group.size)
        native = self.table.backend == "nccl" and _is_native(x.dtype, kind, "nccl")
        if not native or x.numel() == 0:
            return fold(self._exchange(pieces, group), kind)
        scattered = _native.reduce_scatter_tensor(
            pieces.flatten(0, 1) if pieces.dim() > 1 else pieces,
            _NATIVE_NAMES[kind],
            group.size,
            group.name,
        )
        return self._finish(scattered.view(pieces.shape[1:]))

    def all_to_all(self, x: Tensor, split_dim: int, concat_dim: int, groups: GroupList) -> Tensor:
        """Send piece i on `split_dim` to the group's rank i; join what comes on `concat_dim`."""
        group = self.table.mine(groups)
        if group.size == 1:
            return x
        pieces = self._exchange(_split(x, split_dim, group.size), group)
        return torch.cat(pieces.unbind(0), concat_dim)

    def permute(self, x: Tensor, pairs: Sequence[Sequence[int]]) -> Tensor:
        """Send `x` along (source rank, target rank) pairs; no source gives zeros."""
        rank, world = self.table.rank, self.table.world
        if world.size == 1 or x.numel() == 0:
            return x if pairs or x.numel() == 0 else torch.zeros_like(x)
        flat = _as_movable(x)
        sends, receives = [0] * world.size, [0] * world.size
        for source, target in pairs:
            if source == rank:
                sends[target] = flat.numel()
            if target == rank:
                receives[source] = flat.numel()
        outgoing = flat if any(sends) else flat[:0]
        came = _wait(_native.all_to_all_single(outgoing, receives, sends, world.name))
        if not any(receives):
            return torch.zeros_like(x, memory_format=torch.contiguous_format)
        return came.view(x.dtype).view(x.shape)

    def _gather(self, x: Tensor, group: Group) -> Tensor:
        """Return [group size, *x.shape]."""
        if x.numel() == 0:
            return x.new_empty((group.size, *x.shape))
        flat = _as_movable(x)
        moved = self._finish(_native.all_gather_into_tensor(flat, group.size, group.name))
        return moved.view(x.dtype).view(group.size, *x.shape)

    def _exchange(self, pieces: Tensor, group: Group) -> Tensor:
        """Send pieces[i] to the group's rank i; return what came, in rank order."""
        if pieces.numel() == 0:
            return pieces
        flat = _as_movable(pieces)
        sizes = [flat.numel() // group.size] * group.size
        moved = _wait(_native.all_to_all_single(flat, sizes, sizes, group.name))
        return moved.view(pieces.dtype).view(pieces.shape)

    def _finish(self, x: Tensor) -> Tensor:
        if not self.overlap or torch.compiler.is_compiling():
            return _wait(x)
        return functional.AsyncCollectiveTensor(x)


def _wait(x: Tensor) -> Tensor:
    ready: Tensor = _native.wait_tensor(x)
    return ready


def _is_native(dtype: torch.dtype, kind: str, backend: str) -> bool:
    if kind in ("sum", "prod"):
        return dtype in _MOVED_AS_THEY_ARE
    if kind in ("max", "min"):
        return dtype in _INTEGERS
    return dtype in _INTEGERS and backend == "gloo"


def _as_movable(x: Tensor) -> Tensor:
    """Return `x` as one contiguous row of a dtype every backend moves."""
    flat = x.contiguous().view(-1)
    return flat if x.dtype in _MOVED_AS_THEY_ARE else flat.view(torch.uint8)


def _split(x: Tensor, dim: int, count: int) -> Tensor:
    """Return [count, *piece] with the pieces of `x` on `dim`."""
    if x.shape[dim] % count:
        raise InternalError(
            f"dimension {dim} of {list(x.shape)} is not cut evenly by {count} ranks",
            help="report this with the artifact",
        )
    shape = (*x.shape[:dim], count, x.shape[dim] // count, *x.shape[dim + 1 :])
    return x.reshape(shape).movedim(dim, 0)


_Binary: TypeAlias = Callable[[Tensor, Tensor], Tensor]
_FOLDS: dict[str, _Binary] = {
    "sum": torch.add,
    "prod": torch.mul,
    "max": maximum,
    "min": minimum,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
}
_TOP_BIT = -(1 << 63)
# Unsigned integers and float8 have no arithmetic of their own: exact in the wider type.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}
_FLOAT8 = (torch.float8_e4m3fn, torch.float8_e5m2)


def fold(pieces: Tensor, kind: str) -> Tensor:
    """Return the reduction over dimension 0, in order; NaN wins in max and min.

    Half precision is added up in f32 and rounded once.
    """
    dtype = pieces.dtype
    if dtype is torch.bool:
        return fold(pieces.view(torch.uint8), _OF_BOOL[kind]).view(torch.bool)
    if dtype is torch.uint64:
        return _fold_words(pieces.view(torch.int64), kind).view(torch.uint64)
    wide = _WIDER.get(dtype, torch.float32 if dtype in (*_FLOATS[:2], *_FLOAT8) else dtype)
    return reduce(_FOLDS[kind], pieces.to(wide).unbind(0)).to(dtype)


def _fold_words(pieces: Tensor, kind: str) -> Tensor:
    """Fold 64-bit words; their unsigned order is the signed one with the top bit turned."""
    if kind not in ("max", "min"):
        return reduce(_FOLDS[kind], pieces.unbind(0))
    return reduce(_FOLDS[kind], (pieces ^ _TOP_BIT).unbind(0)) ^ _TOP_BIT
