"""Statistics and positions over a cut dimension: each rank sends pairs, not its shard.

What PyTorch computes on one device is computed by all ranks, for shards that are uneven, of one
element or empty, with NaN in each shard in turn, with ties across shards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch
from executable.harness import partition, run_sharded
from executable.traffic import moved
from torch import Tensor
from unit.frontend.modules import Apply

from distc.compiler.frontend.export import export
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.transforms.cleanup import run_cleanup

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")
SIZES = (1, 2, 3, 4, 5, 7, 9)
# Name → function of [n, 3], all-reduces of one row each.
STATISTICS: dict[str, tuple[Callable[[Tensor], Any], int]] = {
    "mean": (lambda x: x.mean(0), 1),
    "variance": (lambda x: x.var(0), 2),
    "variance of all": (lambda x: x.var(correction=0), 2),
    "deviation": (lambda x: x.std(0, keepdim=True), 2),
    "variance and mean": (lambda x: torch.var_mean(x, 0), 2),
    "logsumexp": (lambda x: x.logsumexp(0), 2),
    "norm": (lambda x: x.norm(dim=0), 1),
    "softmax": (lambda x: x.softmax(0).square().sum(0), 3),
}
POSITIONS: dict[str, tuple[Callable[[Tensor], Any], int]] = {
    "argmax": (lambda x: x.argmax(0), 2),
    "argmin": (lambda x: x.argmin(0, keepdim=True), 2),
    "maximum": (lambda x: tuple(x.max(0)), 2),
    "minimum": (lambda x: tuple(x.min(0)), 2),
    "argmax of all": (lambda x: x[:, 0].contiguous().argmax(), 2),
}
EVERY = STATISTICS | POSITIONS


@cache
def text_of(name: str, n: int, dtype: torch.dtype) -> str:
    """The cleaned-up program of a function of [n, 3]."""
    model = Apply(EVERY[name][0])
    made = export(model, (torch.zeros(n, 3, dtype=dtype),), context=make_context(), source="test")
    run_cleanup(made.module)
    return str(made.module)


def check(name: str, x: Tensor, mesh_text: str) -> None:
    """Compare all ranks with PyTorch, and count what they send."""
    mesh = Mesh.parse(mesh_text)
    names = ",".join(a.name for a in mesh.axes)
    lying = parse_sharding(f"[S({names}), R]", mesh)
    module = partition(text_of(name, x.shape[0], x.dtype), mesh, {0: lying})
    made = EVERY[name][0](x)
    expected = made if isinstance(made, tuple) else (made,)
    found = run_sharded(module, [x], [tuple(e.shape) for e in expected])
    for want, got in zip(expected, found, strict=True):
        assert got.dtype == want.dtype
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12, equal_nan=True)
    sent = moved(module.module)
    # A dimension of one element is as small as what is made of it, however it is brought together.
    assert set(sent) <= {"all_reduce"} or x.shape[0] == 1
    assert sent["all_reduce"] <= EVERY[name][1] * 3 * 8


def values(n: int) -> Tensor:
    """Few distinct numbers: an extreme is held by several shards."""
    generator = torch.Generator().manual_seed(n)
    return torch.randint(-2, 3, (n, 3), generator=generator).double()


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("name", EVERY)
def test_uneven_and_empty_shards(name: str, mesh: str) -> None:
    for n in SIZES:
        if n == 1 and name in ("variance", "deviation", "variance and mean"):
            continue  # PyTorch warns of the division by zero
        check(name, values(n), mesh)


@pytest.mark.parametrize("name", EVERY)
def test_nan_in_each_shard(name: str) -> None:
    for place in range(7):
        x = values(7)
        x[place, 0] = float("nan")
        x[min(6, place + 1), 0] = float("nan")
        check(name, x, "x=4")


@pytest.mark.parametrize("name", ["logsumexp", *POSITIONS])
def test_rows_of_infinities(name: str) -> None:
    for number in (float("inf"), -float("inf")):
        x = values(5)
        x[:, 1] = number
        x[3:, 2] = number
        check(name, x, "x=3")


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32])
def test_positions_of_other_types(name: str, dtype: torch.dtype) -> None:
    check(name, values(7).to(dtype), "x=3")


def test_both_zeros_are_one_maximum() -> None:
    x = torch.tensor([[-1.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0.0, -0.0, 0.0]]).double()
    for name in ("argmax", "argmin"):
        check(name, x, "x=3")
