# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Native kernels of composites equal their decompositions; odd operands run the decomposition."""

from __future__ import annotations

import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.program import Program
from distc.transforms.lower import lower

Q, K, V = "tensor<2x3x4x8xf32>", "tensor<2x3x5x8xf32>", "tensor<2x3x5x6xf32>"


def composite(name: str, arguments: list[str], result: str, attributes: str) -> Program:
    """Lower a module of one composite whose decomposition is a negation of its first argument."""
    names = [f"%a{i}" for i in range(len(arguments))]
    pairs = ", ".join(f"{n}: {t}" for n, t in zip(names, arguments, strict=True))
    text = f"""
    func.func private @body({pairs}) -> {result} {{
      %z = stablehlo.constant dense<0.0> : {result}
      return %z : {result}
    }}
    func.func @main({pairs}) -> {result} {{
      %r = stablehlo.composite "{name}" {", ".join(names)} {{
        composite_attributes = {{{attributes}}}, decomposition = @body}} : ({", ".join(arguments)}) -> {result}
      return %r : {result}
    }}"""
    return lower(parse_module(text, make_context()))


def softmax(x: torch.Tensor) -> torch.Tensor:
    weights = (x - x.amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True)


@pytest.mark.parametrize("mask", ["none", "float", "boolean", "causal"])
def test_attention(mask: str) -> None:
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 6)
    extra = {
        "float": (torch.randn(1, 1, 4, 5), "tensor<1x1x4x5xf32>"),
        "boolean": (torch.ones(4, 5).tril(1).bool()[None, None], "tensor<1x1x4x5xi1>"),
    }.get(mask)
    types = [Q, K, V] + ([extra[1]] if extra else [])
    causal = str(mask == "causal").lower()
    program = composite(
        "distc.attention", types, "tensor<2x3x4x6xf32>",
        f"is_causal = {causal}, scale = 2.5e-01 : f64",
    )  # fmt: skip
    assert [c.op for c in program.calls] == ["aten.scaled_dot_product_attention.default"]
    scores = q @ k.mT * 0.25
    if mask == "float" and extra:
        scores = scores + extra[0]
    if mask == "boolean" and extra:
        scores = scores.masked_fill(~extra[0], float("-inf"))
    if mask == "causal":
        scores = scores.masked_fill(~torch.ones(4, 5).tril().bool(), float("-inf"))
    found = sim.run_single(program, [q, k, v] + ([extra[0]] if extra else []))[0]
    torch.testing.assert_close(found, softmax(scores) @ v, rtol=1e-5, atol=1e-6)


def test_a_causal_attention_with_a_mask_runs_the_decomposition() -> None:
    program = composite(
        "distc.attention", [Q, K, V, "tensor<1x1x4x5xf32>"], "tensor<2x3x4x6xf32>",
        "is_causal = true, scale = 1.0 : f64",
    )  # fmt: skip
    assert "aten.scaled_dot_product_attention.default" not in {c.op for c in program.calls}


@pytest.mark.parametrize(("weight", "bias"), [(True, True), (True, False), (False, False)])
def test_layer_norm(weight: bool, bias: bool) -> None:
    x, w, b = torch.randn(2, 3, 8), torch.randn(8), torch.randn(8)
    present = [t for t, on in ((w, weight), (b, bias)) if on]
    kind = "tensor<2x3x8xf32>"
    program = composite(
        "distc.layer_norm", [kind] + ["tensor<8xf32>"] * len(present), kind,
        f"normalized_rank = 1 : i64, eps = 1.0e-05 : f64, has_weight = {str(weight).lower()}, "
        f"has_bias = {str(bias).lower()}",
    )  # fmt: skip
    found = sim.run_single(program, [x, *present])[0]
    normal = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()
    expected = normal * (w if weight else 1.0) + (b if bias else 0.0)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


def test_rms_norm() -> None:
    x, w = torch.randn(2, 8), torch.randn(8)
    program = composite(
        "distc.rms_norm", ["tensor<2x8xf32>", "tensor<8xf32>"], "tensor<2x8xf32>",
        "normalized_rank = 1 : i64, eps = 1.0e-06 : f64, has_weight = true",
    )  # fmt: skip
    expected = x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w
    torch.testing.assert_close(sim.run_single(program, [x, w])[0], expected)


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("gelu", 'approximate = "none"', lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5))),
        (
            "gelu",
            'approximate = "tanh"',
            lambda x: x * 0.5 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))),
        ),
        ("silu", "", lambda x: x * torch.sigmoid(x)),
        ("softmax", "dim = 1 : i64", softmax),
        ("log_softmax", "dim = 1 : i64", lambda x: softmax(x).log()),
    ],
    ids=["gelu", "gelu_tanh", "silu", "softmax", "log_softmax"],
)
def test_activations(name: str, attributes: str, expected: object) -> None:
    x = torch.randn(3, 8)
    program = composite(f"distc.{name}", ["tensor<3x8xf32>"], "tensor<3x8xf32>", attributes)
    assert len(program.calls) == 1
    found = sim.run_single(program, [x])[0]
    torch.testing.assert_close(found, expected(x), rtol=1e-5, atol=1e-6)  # type: ignore[operator]


def test_embedding_moves_indices_inside() -> None:
    program = composite(
        "distc.embedding", ["tensor<4x3xf32>", "tensor<2x2xi64>"], "tensor<2x2x3xf32>", ""
    )
    weight, index = torch.randn(4, 3), torch.tensor([[0, 9], [-5, 2]])
    found = sim.run_single(program, [weight, index])[0]
    assert torch.equal(found, weight[torch.tensor([[0, 3], [0, 2]])])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.25])
def test_cross_entropy(reduction: str, smoothing: float) -> None:
    result = "tensor<5xf32>" if reduction == "none" else "tensor<f32>"
    program = composite(
        "distc.cross_entropy", ["tensor<5x7xf32>", "tensor<5xi64>"], result,
        f'reduction = "{reduction}", ignore_index = -100 : i64, '
        f"label_smoothing = {smoothing} : f64",
    )  # fmt: skip
    logits, target = torch.randn(5, 7), torch.tensor([0, 6, -100, 3, 3])
    expected = torch.nn.functional.cross_entropy(
        logits, target, reduction=reduction, label_smoothing=smoothing
    )
    torch.testing.assert_close(sim.run_single(program, [logits, target])[0], expected)
