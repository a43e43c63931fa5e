"""Running reductions along a cut dimension: exact, and ranks gather totals, never elements."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, run_sharded, run_whole
from executable.traffic import largest, moved
from unit.frontend.modules import Apply

from distc.compiler.frontend.export import export
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.transforms.cleanup import run_cleanup

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")
STARTS = {
    "add": "0",
    "multiply": "1",
    "maximum": str(-(2**31)),
    "minimum": str(2**31 - 1),
    "and": "-1",
    "or": "0",
}
# Name → window, padding before and behind, of a dimension of n elements.
WINDOWS = {
    "inclusive": lambda n: (n, n - 1, 0),
    "inclusive reversed": lambda n: (n, 0, n - 1),
    "exclusive": lambda n: (n, n, -1),
    "exclusive reversed": lambda n: (n, -1, n),
    "from nothing to all": lambda n: (n, n, 0),
    "from all to nothing": lambda n: (n, 0, n),
    "two behind": lambda n: (n + 1, n + 2, -2),
}
RUNS = {
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(1),
    "cummax": lambda x: tuple(x.cummax(1)),
    "cummin": lambda x: tuple(x.cummin(1)),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
}
TEXT = """
func.func @main(%a: tensor<{n}x2x{kind}>) -> tensor<{out}x2x{kind}> {{
  %c = stablehlo.constant dense<{start}> : tensor<{kind}>
  %0 = "stablehlo.reduce_window"(%a, %c) <{{
      padding = dense<[[{low}, {high}], [0, 0]]> : tensor<2x2xi64>,
      window_dimensions = array<i64: {reach}, 1>}}> ({{
  ^bb0(%x: tensor<{kind}>, %y: tensor<{kind}>):
    %z = stablehlo.{op} %x, %y : tensor<{kind}>
    stablehlo.return %z : tensor<{kind}>
  }}) : (tensor<{n}x2x{kind}>, tensor<{kind}>) -> tensor<{out}x2x{kind}>
  return %0 : tensor<{out}x2x{kind}>
}}
"""


def program(op: str, window: str, n: int, kind: str = "i32") -> tuple[str, tuple[int, int]]:
    reach, low, high = WINDOWS[window](n)
    out = n + low + high - reach + 1
    start = STARTS[op] if kind == "i32" else "0.0"
    names = {"n": n, "out": out, "start": start, "low": low, "high": high}
    return TEXT.format(**names, reach=reach, op=op, kind=kind), (out, 2)


def run(text: str, x: torch.Tensor, out: tuple[int, int], mesh_text: str) -> dict[str, int]:
    """Compare with one rank; return bytes by collective."""
    mesh = Mesh.parse(mesh_text)
    names = ",".join(a.name for a in mesh.axes)
    lying = parse_sharding(f"[S({names}), R]", mesh)
    module = partition(text, mesh, {0: lying}, {0: lying})
    (expected,) = run_whole(text, [x])
    (found,) = run_sharded(module, [x], [out])
    assert torch.equal(torch.nan_to_num(found, 77), torch.nan_to_num(expected, 77))
    return dict(moved(module.module))


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("op", STARTS)
def test_integers_run_exactly(op: str, window: str, mesh: str) -> None:
    """Shards of one element, empty shards, uneven ones."""
    for n in range(2, 10) if op == "add" and "clusive" in window else (3, 8):
        x = torch.randint(-9, 9, (n, 2), generator=torch.Generator().manual_seed(n))
        text, out = program(op, window, n)
        sent = run(text, x.to(torch.int32), out, mesh)
        assert sent.pop("all_gather") == 2 * 4, "one total for each column"
        assert set(sent) <= {"collective_permute"}


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("n", [0, 1])
def test_nothing_and_one(n: int, mesh: str) -> None:
    """A window of one element runs over nothing, and nothing is no window at all."""
    text, out = program("add", "inclusive", n) if n else (_same(), (0, 2))
    assert run(text, torch.ones((n, 2), dtype=torch.int32), out, mesh) == {}


def _same() -> str:
    text = TEXT.format(n=0, out=0, start=0, low=0, high=0, reach=1, op="add", kind="i32")
    return text


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("op", ["add", "maximum"])
def test_nan_reaches_what_comes_after_it_and_nothing_before(op: str, place: int) -> None:
    x = torch.arange(14.0).reshape(7, 2)
    x[place, 0] = float("nan")
    for window in ("inclusive", "exclusive", "inclusive reversed"):
        text, out = program(op, window, 7, "f32")
        if op == "maximum":
            text = text.replace("dense<0.0>", "dense<0xFF800000>")
        run(text, x, out, "x=3")


@pytest.mark.parametrize("mesh", ["x=3", "x=2,y=2"])
@pytest.mark.parametrize("name", RUNS)
def test_what_pytorch_runs(name: str, mesh: str) -> None:
    """Values and positions, with ties, NaN and infinities, without gathering the rows."""
    x = torch.tensor([[1.0, 5, 2, 5, 0, 5, 3, 1, 7], [3, 1, 0, 2, 9, 9, 1, 1, -2]]).double()
    rows = torch.stack([x[0], x[1], 500 * x[0], -0.0 * x[1], x[0], x[1]])
    rows[4, 4] = rows[5, 0] = rows[5, 7] = float("nan")
    rows[4, 0] = rows[4, 1] = -float("inf")
    rows[3, 5] = float("inf")
    made = export(Apply(RUNS[name]), (rows,), context=make_context(), source="test")
    run_cleanup(made.module)
    cut = Mesh.parse(mesh)
    names = ",".join(a.name for a in cut.axes)
    module = partition(str(made.module), cut, {0: parse_sharding(f"[R, S({names})]", cut)})
    expected = RUNS[name](rows)
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = run_sharded(module, [rows], [tuple(e.shape) for e in expected])
    for want, got in zip(expected, found, strict=True):
        assert got.dtype == want.dtype
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12, equal_nan=True)
    assert moved(module.module)["all_gather"] <= 2 * 6 * 8


def test_a_long_dimension_sends_totals_and_one_neighbour() -> None:
    mesh = Mesh.parse("x=4")
    lying = parse_sharding("[S(x), R]", mesh)
    for window, permuted in (("inclusive", None), ("exclusive", 8), ("exclusive reversed", 8)):
        module = partition(program("add", window, 4000)[0], mesh, {0: lying}, {0: lying})
        sent = {"all_gather": 8} | ({"collective_permute": permuted} if permuted else {})
        assert moved(module.module) == sent
        assert largest(module.module) == 8
