"""Collectives on gloo ranks equal a plain reference, for every kind and dtype."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ranks import join, run_ranks
from torch import Tensor

from distc.runtime.collectives import KINDS, TorchCollectives, fold
from distc.runtime.kernels.dtypes import BOUNDARY as TORCH_DTYPES

PLAIN = {
    "sum": torch.add,
    "prod": torch.mul,
    "max": torch.maximum,
    "min": torch.minimum,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
}
OF_BOOL = {"sum": "or", "max": "or", "or": "or", "prod": "and", "min": "and", "and": "and"}
LAYOUTS = [
    (2, [[0, 1]]),
    (2, [[1, 0]]),
    (3, [[2, 0, 1]]),
    (4, [[0, 2], [1, 3]]),
    (4, [[3, 1], [2, 0]]),
    (4, [[0], [1], [2], [3]]),
]


def legal(dtype: torch.dtype, kind: str) -> bool:
    """Return whether the reduction exists at all."""
    if dtype.is_complex:
        return kind in ("sum", "prod")
    return not (dtype.is_floating_point and kind in ("and", "or"))


def data(rank: int, dtype: torch.dtype, shape: tuple[int, ...]) -> Tensor:
    """Return small integers that differ per rank, with NaN and infinities in floats."""
    generator = torch.Generator().manual_seed(17 + rank)
    x = torch.randint(0, 7, shape, generator=generator)
    if dtype is torch.bool:
        return x > 3
    y = (x if dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64) else x - 3).to(dtype)
    if dtype is torch.uint64:
        y = (y.to(torch.int64) - (rank << 62)).view(torch.uint64)
    if dtype.is_floating_point and y.numel() > 3:
        y.view(-1)[rank] = float("nan")
        y.view(-1)[3] = float("inf")
    return y


def wide(x: Tensor) -> Tensor:
    """Return the tensor in a dtype torch computes in, unsigned values kept."""
    return x.to(torch.int64) if x.dtype in (torch.uint16, torch.uint32) else x


def plain(pieces: list[Tensor], kind: str) -> Tensor:
    """Return the reduction, by definition."""
    dtype = pieces[0].dtype
    if dtype is torch.bool:
        return reduce(PLAIN[OF_BOOL[kind]], pieces)
    if dtype is torch.uint64:
        rows = [[int(v) for v in p.view(-1).tolist()] for p in pieces]
        folds: dict[str, Any] = {
            "sum": lambda a, b: (a + b) % 2**64, "prod": lambda a, b: a * b % 2**64,
            "max": max, "min": min, "and": int.__and__, "or": int.__or__,
        }  # fmt: skip
        words = [reduce(folds[kind], column) for column in zip(*rows, strict=True)]
        return torch.tensor(words, dtype=dtype).view(pieces[0].shape)
    return reduce(PLAIN[kind], map(wide, pieces)).to(dtype)


def same(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors are equal, NaN equal to NaN, in shape, dtype and value."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return a.tolist() == b.tolist()
    return (
        bool(torch.equal(a, b))
        if not a.is_floating_point()
        else bool(torch.equal(a.isnan(), b.isnan()) and torch.equal(a.nan_to_num(), b.nan_to_num()))
    )


@pytest.mark.parametrize(
    ("count", "groups", "overlap"),
    [*((count, groups, False) for count, groups in LAYOUTS), (4, [[0, 2], [1, 3]], True)],
)
def test_every_collective_equals_its_definition(
    count: int, groups: list[list[int]], overlap: bool
) -> None:
    def body(rank: int) -> list[str]:
        collectives = TorchCollectives(join(rank, [("x", count)]), overlap=overlap)
        wrong = check_reductions(collectives, rank, groups)
        wrong += check_moves(collectives, rank, groups)
        dist.barrier()
        return wrong

    assert run_ranks(count, body) == [[]] * count


def mine(rank: int, groups: list[list[int]]) -> list[int]:
    return next(row for row in groups if rank in row)


def check_reductions(c: TorchCollectives, rank: int, groups: list[list[int]]) -> list[str]:
    row, wrong = mine(rank, groups), []
    size, index = len(row), row.index(rank)
    shapes = [(), (5,), (2 * size, 3), (0, 4)]
    for dtype in TORCH_DTYPES.values():
        for kind in (k for k in KINDS if legal(dtype, k)):
            for shape in shapes:
                got = c.all_reduce(data(rank, dtype, shape), kind, groups)
                want = plain([data(r, dtype, shape) for r in row], kind)
                if not same(settle(got), want):
                    wrong.append(f"all_reduce {dtype} {kind} {shape}")
            for shape, dim in [((2 * size, 3), 0), ((3, size), 1), ((0, size), 1), ((0, 2), 0)]:
                got = c.reduce_scatter(data(rank, dtype, shape), dim, kind, groups)
                whole = plain([data(r, dtype, shape) for r in row], kind)
                if not same(settle(got), piece(whole, dim, size, index)):
                    wrong.append(f"reduce_scatter {dtype} {kind} {shape} {dim}")
    return wrong


def piece(x: Tensor, dim: int, count: int, index: int) -> Tensor:
    length = x.shape[dim] // count
    return x.narrow(dim, index * length, length)


def settle(x: Tensor) -> Tensor:
    """Return the plain tensor behind one that is still in flight."""
    return x.wait() if hasattr(x, "wait") else x


def check_moves(c: TorchCollectives, rank: int, groups: list[list[int]]) -> list[str]:
    row, wrong = mine(rank, groups), []
    size, index = len(row), row.index(rank)
    for dtype in (*TORCH_DTYPES.values(), torch.float8_e4m3fn):
        for shape, dim in [((3,), 0), ((2, 3), 1), ((2, 3, 2), 2), ((0, 2), 0), ((2, 0), 0)]:
            got = settle(c.all_gather(moved(rank, dtype, shape), dim, groups))
            want = torch.cat([moved(r, dtype, shape) for r in row], dim)
            if not bits(got, want):
                wrong.append(f"all_gather {dtype} {shape} {dim}")
        for split, concat in [(0, 1), (1, 0), (0, 0), (1, 1)]:
            shape = (2 * size, size)
            got = c.all_to_all(moved(rank, dtype, shape), split, concat, groups)
            parts = [piece(moved(r, dtype, shape), split, size, index) for r in row]
            if not bits(got, torch.cat(parts, concat)):
                wrong.append(f"all_to_all {dtype} {split} {concat}")
        wrong += check_permute(c, rank, dtype)
    return wrong


def check_permute(c: TorchCollectives, rank: int, dtype: torch.dtype) -> list[str]:
    count, wrong = c.table.world.size, []
    shift = [[r, (r + 1) % count] for r in range(count)]
    for pairs in (shift, shift[:-1], [[0, 0]], [[count - 1, 0]], []):
        got = c.permute(moved(rank, dtype, (2, 3)), pairs)
        source = next((s for s, t in pairs if t == rank), None)
        want = torch.zeros((2, 3)).to(dtype) if source is None else moved(source, dtype, (2, 3))
        if not bits(got, want):
            wrong.append(f"permute {dtype} {pairs}")
    return wrong


def moved(rank: int, dtype: torch.dtype, shape: tuple[int, ...]) -> Tensor:
    generator = torch.Generator().manual_seed(5 + rank)
    x = torch.randint(0, 9, shape, generator=generator)
    return (x > 4) if dtype is torch.bool else x.to(dtype)


def bits(a: Tensor, b: Tensor) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    a, b = (t.contiguous().view(-1).view(torch.uint8) for t in (a, b))
    return bool(torch.equal(a, b))


def test_fold_keeps_nan_and_wraps() -> None:
    pieces = torch.tensor([[1.0, float("nan")], [2.0, 0.0]])
    assert fold(pieces, "max")[0] == 2.0 and fold(pieces, "max")[1].isnan()
    words = torch.tensor([[30000], [30000]], dtype=torch.int16)
    assert fold(words, "sum").tolist() == [60000 - 65536]
    halves = torch.tensor([[2048.0], [1.0], [1.0]], dtype=torch.float16)
    assert fold(halves, "sum").tolist() == [2050.0]
