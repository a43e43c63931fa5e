"""Operations that the reference interpreter does not run, against torch or written-out results."""

from __future__ import annotations

import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.transforms.lower import lower


def run(text: str, *inputs: torch.Tensor) -> list[torch.Tensor]:
    """Lower and run a module."""
    return sim.run_single(lower(parse_module(text, make_context())), inputs)


def module(arguments: str, result: str, body: str, returned: str = "%r") -> str:
    """A module of one function."""
    return (
        f"func.func @main({arguments}) -> ({result}) {{\n{body}\nreturn {returned} : {result}\n}}"
    )


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        ("divide", [7, -7, -128, 0], [0, 0, -1, 0], [-1, -1, -128, -1]),
        ("remainder", [7, -7, -128, 0], [0, 0, -1, 0], [7, -7, 0, 0]),
    ],
)
def test_integer_division_by_zero_and_overflow(
    op: str, a: list[int], b: list[int], expected: list[int]
) -> None:
    kind = "tensor<4xi8>"
    text = module(f"%a: {kind}, %b: {kind}", kind, f"%r = stablehlo.{op} %a, %b : {kind}")
    found = run(text, torch.tensor(a, dtype=torch.int8), torch.tensor(b, dtype=torch.int8))
    assert found[0].tolist() == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("i8", [127, -128, 127, -128, 0]),
        ("i64", [2**63 - 1, -(2**63), 300, -300, 0]),
        ("ui8", [255, 0, 255, 0, 0]),
        ("ui64", [2**64 - 1, 0, 300, 0, 0]),
    ],
)
def test_float_to_integer_out_of_range_gives_the_nearest(target: str, expected: list[int]) -> None:
    text = module(
        "%a: tensor<5xf32>", f"tensor<5x{target}>",
        f"%r = stablehlo.convert %a : (tensor<5xf32>) -> tensor<5x{target}>",
    )  # fmt: skip
    values = torch.tensor([float("inf"), -1e30, 300.0, -300.0, float("nan")])
    assert run(text, values)[0].tolist() == expected


def test_batch_norm_equals_torch_with_gradients() -> None:
    x = torch.randn(4, 3, 2, dtype=torch.float64, requires_grad=True)
    scale = torch.rand(3, dtype=torch.float64, requires_grad=True)
    offset = torch.rand(3, dtype=torch.float64, requires_grad=True)
    grad = torch.randn(4, 3, 2, dtype=torch.float64)
    out = torch.nn.functional.batch_norm(x, None, None, scale, offset, training=True, eps=1e-3)
    out.backward(grad)
    kind, each = "tensor<4x3x2xf64>", "tensor<3xf64>"
    options = "<{epsilon = 1.0E-3 : f32, feature_index = 1 : i64}>"
    training = module(
        f"%a: {kind}, %b: {each}, %c: {each}", f"{kind}, {each}, {each}",
        f'%r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {options} : '
        f"({kind}, {each}, {each}) -> ({kind}, {each}, {each})", "%r#0, %r#1, %r#2",
    )  # fmt: skip
    data = [t.detach() for t in (x, scale, offset)]
    normal, mean, variance = run(training, *data)
    torch.testing.assert_close(normal, out.detach(), rtol=1e-6, atol=1e-7)
    inference = module(
        f"%a: {kind}, %b: {each}, %c: {each}, %d: {each}, %e: {each}", kind,
        f'%r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) {options} : '
        f"({kind}, {each}, {each}, {each}, {each}) -> {kind}",
    )  # fmt: skip
    torch.testing.assert_close(run(inference, *data, mean, variance)[0], normal)
    backward = module(
        f"%a: {kind}, %b: {each}, %d: {each}, %e: {each}, %g: {kind}", f"{kind}, {each}, {each}",
        f'%r:3 = "stablehlo.batch_norm_grad"(%a, %b, %d, %e, %g) {options} : '
        f"({kind}, {each}, {each}, {each}, {kind}) -> ({kind}, {each}, {each})", "%r#0, %r#1, %r#2",
    )  # fmt: skip
    found = run(backward, data[0], data[1], mean, variance, grad)
    for actual, wanted in zip(found, (x.grad, scale.grad, offset.grad), strict=True):
        torch.testing.assert_close(actual, wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("lower_half", [True, False])
def test_cholesky(lower_half: bool) -> None:
    root = torch.randn(2, 3, 3, dtype=torch.float64)
    full = root @ root.mT + torch.eye(3, dtype=torch.float64)
    other = torch.triu(full, 1) if lower_half else torch.tril(full, -1)
    kind = "tensor<2x3x3xf64>"
    word = str(lower_half).lower()
    body = f'%r = "stablehlo.cholesky"(%a) <{{lower = {word}}}> : ({kind}) -> {kind}'
    factor = run(module(f"%a: {kind}", kind, body), full + other)[0]
    wanted = torch.linalg.cholesky(full)
    torch.testing.assert_close(factor, wanted if lower_half else wanted.mT)


def test_cholesky_of_an_indefinite_matrix_is_nan() -> None:
    kind = "tensor<2x2xf32>"
    body = f'%r = "stablehlo.cholesky"(%a) <{{lower = true}}> : ({kind}) -> {kind}'
    assert (
        run(module(f"%a: {kind}", kind, body), torch.tensor([[1.0, 2.0], [2.0, 1.0]]))[0]
        .isnan()
        .any()
    )


def test_dot_contracts_last_with_first() -> None:
    a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
    body = '%r = "stablehlo.dot"(%a, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>'
    found = run(module("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "tensor<2x4xf32>", body), a, b)
    assert torch.equal(found[0], a @ b)


def test_broadcast_adds_leading_dimensions() -> None:
    body = (
        '%r = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: 2>}> : '
        "(tensor<3xi32>) -> tensor<2x3xi32>"
    )
    x = torch.arange(3, dtype=torch.int32)
    assert torch.equal(
        run(module("%a: tensor<3xi32>", "tensor<2x3xi32>", body), x)[0], x.expand(2, 3)
    )


def test_torch_index_select_with_batch() -> None:
    body = (
        '%r = "stablehlo.torch_index_select"(%a, %b) <{dim = 1 : i64, batch_dims = 1 : i64}> : '
        "(tensor<2x4x3xf32>, tensor<2x5xi64>) -> tensor<2x5x3xf32>"
    )
    x, index = torch.randn(2, 4, 3), torch.randint(0, 4, (2, 5))
    arguments = "%a: tensor<2x4x3xf32>, %b: tensor<2x5xi64>"
    found = run(module(arguments, "tensor<2x5x3xf32>", body), x, index)[0]
    assert torch.equal(found, torch.stack([x[i][index[i]] for i in range(2)]))


@pytest.mark.parametrize("distribution", ["UNIFORM", "NORMAL"])
def test_rng_draws_from_the_seeded_generator(distribution: str) -> None:
    body = (
        "%s = stablehlo.constant dense<[1000]> : tensor<1xi64>\n"
        '%r = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = '
        f"#stablehlo<rng_distribution {distribution}>}}> : "
        "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>"
    )
    text = module("%a: tensor<f32>, %b: tensor<f32>", "tensor<1000xf32>", body)
    draws = []
    for _ in range(2):
        torch.manual_seed(3)
        draws.append(run(text, torch.tensor(2.0), torch.tensor(4.0))[0])
    assert torch.equal(*draws)
    middle = 3.0 if distribution == "UNIFORM" else 2.0
    assert abs(float(draws[0].mean()) - middle) < 0.5
    assert draws[0].unique().numel() > 900
