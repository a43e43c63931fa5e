"""Whole operators: name, attributes, operand order; the body computes what PyTorch computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from unit.frontend import harness
from unit.frontend.modules import Apply, WrittenRmsNorm

Q, K, V = torch.randn(2, 4, 6, 8), torch.randn(2, 4, 5, 8), torch.randn(2, 4, 5, 3)
KEPT = torch.rand(2, 1, 6, 5) > 0.5
KEPT[0, 0, 0] = False  # a row that sees nothing: PyTorch gives zeros
ADDED = torch.where(KEPT, 0.0, -math.inf)
SCALE = 1.0 / math.sqrt(8)
X, W, B = torch.randn(3, 4, 5), torch.randn(5), torch.randn(5)
LOGITS, TARGET = torch.randn(7, 5), torch.tensor([0, 2, 4, 1, 2, 3, 0])

sdpa = F.scaled_dot_product_attention
Function = Callable[..., Any]

CASES: list[tuple[str, Function, tuple[Tensor, ...], dict[str, Any]]] = [
    ("attention", sdpa, (Q, K, V), {"is_causal": False, "scale": SCALE}),
    ("attention", sdpa, (Q, K, V, KEPT), {"is_causal": False, "scale": SCALE}),
    (
        "attention",
        lambda q, k, v, m: sdpa(q, k, v, m, scale=0.3),
        (Q, K, V, ADDED),
        {"is_causal": False, "scale": 0.3},
    ),
    (
        "attention",
        lambda q, k, v: sdpa(q, k, v, is_causal=True),
        (Q, K, V),
        {"is_causal": True, "scale": SCALE},
    ),
    (
        "attention",
        lambda q, k, v: sdpa(q, k, v, enable_gqa=True),
        (Q, K[:, :2], V[:, :2]),
        {"is_causal": False, "scale": SCALE},
    ),
    ("attention", sdpa, (Q[0], K[0], V[0]), {"is_causal": False, "scale": SCALE}),
    (
        "layer_norm",
        lambda x, w, b: F.layer_norm(x, (5,), w, b, 1e-3),
        (X, W, B),
        {"normalized_rank": 1, "eps": 1e-3, "has_weight": True, "has_bias": True},
    ),
    (
        "layer_norm",
        lambda x: F.layer_norm(x, (4, 5)),
        (X,),
        {"normalized_rank": 2, "eps": 1e-5, "has_weight": False, "has_bias": False},
    ),
    (
        "rms_norm",
        lambda x, w: F.rms_norm(x, (5,), w),
        (X, W),
        {"normalized_rank": 1, "eps": torch.finfo(torch.float32).eps, "has_weight": True},
    ),
    (
        "rms_norm",
        lambda x: F.rms_norm(x, (4, 5), None, 1e-4),
        (X,),
        {"normalized_rank": 2, "eps": 1e-4, "has_weight": False},
    ),
    ("gelu", F.gelu, (3 * X,), {"approximate": "none"}),
    ("gelu", lambda x: F.gelu(x, approximate="tanh"), (3 * X,), {"approximate": "tanh"}),
    ("silu", F.silu, (3 * X,), {}),
    ("softmax", lambda x: x.softmax(-1), (X,), {"dim": 2}),
    ("log_softmax", lambda x: x.log_softmax(-2), (X,), {"dim": 1}),
    ("embedding", lambda w, i: F.embedding(i, w), (X[0], torch.tensor([[3, 0], [1, 1]])), {}),
    (
        "cross_entropy",
        F.cross_entropy,
        (LOGITS, TARGET),
        {"reduction": "mean", "ignore_index": -100, "label_smoothing": 0.0},
    ),
    (
        "cross_entropy",
        lambda x, t: F.cross_entropy(x, t, reduction="sum", ignore_index=2),
        (LOGITS, TARGET),
        {"reduction": "sum", "ignore_index": 2, "label_smoothing": 0.0},
    ),
    (
        "cross_entropy",
        lambda x, t: F.cross_entropy(x, t, reduction="none", label_smoothing=0.1),
        (LOGITS, TARGET),
        {"reduction": "none", "ignore_index": -100, "label_smoothing": 0.1},
    ),
]


def _run(function: Function, inputs: tuple[Tensor, ...]) -> harness.Exported:
    return harness.exported(Apply(function), *inputs)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_name_attributes_and_operands(case: int) -> None:
    name, function, inputs, attributes = CASES[case]
    program = _run(function, inputs)
    (found,) = harness.composites(program)
    assert found.name == f"distc.{name}"
    assert dict(found.attributes) == attributes
    harness.assert_plain(program)


def test_bodies_equal_pytorch() -> None:
    """All cases in one program, so that the interpreter starts once."""

    def everything(*inputs: Tensor) -> list[Any]:
        left = iter(inputs)
        return [f(*(next(left) for _ in given)) for _, f, given, _ in CASES]

    harness.assert_equals_eager(Apply(everything), *(x for c in CASES for x in c[2]))


def test_operand_order_of_attention() -> None:
    program = _run(sdpa, (Q, K, V, KEPT))
    (op,) = (
        op for op in harness.walk(harness.main_of(program)) if op.name == "stablehlo.composite"
    )
    shapes = [tuple(harness.stablehlo.shape(v)) for v in op.operands]
    assert shapes == [Q.shape, K.shape, V.shape, KEPT.shape]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_written_rms_norm_is_recognised(dtype: torch.dtype) -> None:
    model = WrittenRmsNorm(5, dtype)
    program = harness.exported(model, X.to(dtype))
    (found,) = harness.composites(program)
    assert found.name == "distc.rms_norm"
    assert dict(found.attributes) == {"normalized_rank": 1, "eps": 1e-6, "has_weight": True}
    assert set(harness.op_names(program)) == {"stablehlo.composite", "func.return"}
    if dtype == torch.float32:
        harness.assert_equals_eager(model, X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: x * torch.rsqrt(x.pow(2).mean(-2, keepdim=True) + 1e-6) * w,
        lambda x, w: x * torch.rsqrt((x * x.abs()).mean(-1, keepdim=True) + 1e-6) * w,
        lambda x, w: (x + 1) * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w,
        lambda x, w: x * torch.rsqrt(x.pow(4).mean(-1, keepdim=True) + 1e-6) * w,
    ],
    ids=["dimension", "product", "other", "power"],
)
def test_what_only_looks_like_rms_norm_stays(function: Function) -> None:
    assert not harness.composites(_run(function, (X, W)))


def test_one_body_per_signature() -> None:
    program = _run(lambda x: F.silu(F.silu(x)).sum(0) + F.silu(x[0]), (X,))
    assert len(harness.composites(program)) == 3
    names = [harness.stablehlo.symbol(f) for f in harness.stablehlo.functions(program.module)]
    assert names == ["main", "silu_0", "silu_1"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, t: F.cross_entropy(x[None].transpose(1, 2), t[None]),
        lambda x, t: F.cross_entropy(x, t, weight=torch.arange(5.0)),
        lambda x, t: F.cross_entropy(x, F.one_hot(t, 5).float()),
    ],
    ids=["images", "weights", "probabilities"],
)
def test_cross_entropy_the_composite_cannot_say_is_decomposed(function: Function) -> None:
    program = harness.assert_equals_eager(Apply(function), LOGITS, TARGET)
    assert "distc.cross_entropy" not in [c.name for c in harness.composites(program)]
