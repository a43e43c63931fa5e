"""Operations that the reference interpreter does not run, against torch or written-out results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.errors import UnsupportedOp
from distc.runtime.kernels.dtypes import BOUNDARY, STORAGE
from distc.transforms.lower import lower

Shape = tuple[int, ...]


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


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ab,bc->ac", ((2, 3), (3, 4))),
        ("ab,bc->ca", ((2, 3), (3, 4))),
        ("abc,cbd->bda", ((2, 3, 4), (4, 3, 5))),
        ("ab,cd->dbca", ((2, 3), (4, 5))),
        ("abx,bc->ac", ((2, 3, 6), (3, 4))),
        ("ab,byc->acb", ((2, 3), (3, 6, 4))),
        ("a,a->", ((5,), (5,))),
        ("a,a->a", ((5,), (5,))),
        (",ab->ba", ((), (2, 3))),
        ("ab,b->a", ((2, 0), (0,))),
    ],
)
@pytest.mark.parametrize("dtype", ["f32", "i32", "f64", "i64"])
def test_einsum_equals_torch(equation: str, shapes: tuple[Shape, Shape], dtype: str) -> None:
    operands = [(torch.randint(-4, 5, s)).to(STORAGE[dtype]) for s in shapes]
    expected = torch.einsum(equation, *[x.to(torch.float64) for x in operands]).to(STORAGE[dtype])
    kinds = [_kind(x.shape, dtype) for x in (*operands, expected)]
    body = (
        f'%r = "stablehlo.einsum"(%a, %b) <{{einsum_config = "{equation}"}}> : '
        f"({kinds[0]}, {kinds[1]}) -> {kinds[2]}"
    )
    found = run(module(f"%a: {kinds[0]}, %b: {kinds[1]}", kinds[2], body), *operands)[0]
    assert torch.equal(found, expected)


@pytest.mark.parametrize("equation", ["ab->ba", "abc->b", "ab->", "abc->cab", "a->a"])
@pytest.mark.parametrize("dtype", ["f32", "i64"])
def test_unary_einsum_equals_torch(equation: str, dtype: str) -> None:
    x = torch.randint(-4, 5, (2, 3, 4)[: equation.index("-")]).to(STORAGE[dtype])
    expected = torch.einsum(equation, x)
    kinds = [_kind(x.shape, dtype), _kind(expected.shape, dtype)]
    body = (
        f'%r = "stablehlo.unary_einsum"(%a) <{{einsum_config = "{equation}"}}> : '
        f"({kinds[0]}) -> {kinds[1]}"
    )
    assert torch.equal(run(module(f"%a: {kinds[0]}", kinds[1], body), x)[0], expected)


def _kind(shape: Sequence[int], dtype: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def test_tuples_and_tokens_are_gone_at_run_time() -> None:
    text = """
    func.func private @pair(%x: tensor<3xi32>) -> tuple<tensor<3xi32>, tuple<tensor<3xi32>>> {
      %n = stablehlo.negate %x : tensor<3xi32>
      %i = "stablehlo.tuple"(%n) : (tensor<3xi32>) -> tuple<tensor<3xi32>>
      %t = "stablehlo.tuple"(%x, %i) :
        (tensor<3xi32>, tuple<tensor<3xi32>>) -> tuple<tensor<3xi32>, tuple<tensor<3xi32>>>
      return %t : tuple<tensor<3xi32>, tuple<tensor<3xi32>>>
    }
    func.func @main(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
      %k = stablehlo.create_token : !stablehlo.token
      %l = "stablehlo.after_all"(%k, %k) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
      %t = func.call @pair(%a) : (tensor<3xi32>) -> tuple<tensor<3xi32>, tuple<tensor<3xi32>>>
      %0 = stablehlo.get_tuple_element %t[0] :
        (tuple<tensor<3xi32>, tuple<tensor<3xi32>>>) -> tensor<3xi32>
      %i = stablehlo.get_tuple_element %t[1] :
        (tuple<tensor<3xi32>, tuple<tensor<3xi32>>>) -> tuple<tensor<3xi32>>
      %1 = stablehlo.get_tuple_element %i[0] : (tuple<tensor<3xi32>>) -> tensor<3xi32>
      %c = stablehlo.constant dense<3> : tensor<i32>
      %2 = "stablehlo.set_dimension_size"(%1, %c) <{dimension = 0 : i64}> :
        (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
      return %0, %1, %2 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
    }"""
    x = torch.tensor([1, -2, 3], dtype=torch.int32)
    program = lower(parse_module(text, make_context()))
    assert [c.op for c in program.calls] == ["aten.neg.default"]
    found = sim.run_single(program, [x])
    assert [t.tolist() for t in found] == [[1, -2, 3], [-1, 2, -3], [-1, 2, -3]]


def test_a_token_between_caller_and_callee_is_refused() -> None:
    token = "!stablehlo.token"
    text = f"func.func @main(%t: {token}) -> {token} {{\nreturn %t : {token}\n}}"
    with pytest.raises(UnsupportedOp, match="takes or returns a token") as caught:
        lower(parse_module(text, make_context(), "model.mlir"))
    assert "model.mlir:1" in str(caught.value)


_CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def test_an_asynchronous_collective_runs_at_once() -> None:
    text = f"""func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {{
      %f = "stablehlo.async_start"(%a) ({{
        ^bb0(%x: tensor<2xf32>):
        %y = "stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, {_CHANNEL}, use_global_device_ids}}> :
          (tensor<2xf32>) -> tensor<4xf32>
        stablehlo.return %y : tensor<4xf32>
      }}) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
      %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }}"""
    program = lower(parse_module(text, make_context()))
    found = sim.run(program, [[torch.tensor([1.0, 2.0])], [torch.tensor([3.0, 4.0])]])
    assert [r[0].tolist() for r in found] == [[1.0, 2.0, 3.0, 4.0]] * 2


def test_all_reduce_in_groups_of_unequal_size() -> None:
    text = f"""func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {{
      %r = "stablehlo.all_reduce"(%a) <{{
        replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>, {_CHANNEL},
        use_global_device_ids}}> ({{
        ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %s = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }}) : (tensor<2xi32>) -> tensor<2xi32>
      return %r : tensor<2xi32>
    }}"""
    program = lower(parse_module(text, make_context()))
    pieces = [[torch.tensor([r, 10 * r], dtype=torch.int32)] for r in (1, 2, 4)]
    found = sim.run(program, pieces)
    assert [r[0].tolist() for r in found] == [[5, 50], [2, 20], [5, 50]]


@pytest.mark.parametrize("op", ["maximum", "minimum"])
def test_complex_extremes_compare_real_parts_first(op: str) -> None:
    a = [1 + 5j, 2 + 1j, 2 + 3j, complex("nan"), 1 + 0j, -1 - 1j]
    b = [2 + 0j, 2 + 2j, 2 - 3j, 1 + 0j, complex(0, float("nan")), -1 - 1j]
    largest = [2 + 0j, 2 + 2j, 2 + 3j, a[3], b[4], -1 - 1j]
    least = [1 + 5j, 2 + 1j, 2 - 3j, a[3], b[4], -1 - 1j]
    kind = "tensor<6xcomplex<f32>>"
    text = module(f"%a: {kind}, %b: {kind}", kind, f"%r = stablehlo.{op} %a, %b : {kind}")
    found = run(text, torch.tensor(a), torch.tensor(b))[0]
    expected = torch.tensor(largest if op == "maximum" else least)
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


def test_complex_functions_equal_numpy() -> None:
    z = np.array([0, 1, -1, 8j, -8, 3 - 4j, 1e-3j, -2 + 1e-9j], dtype=np.complex128)
    kind = f"tensor<{z.size}xcomplex<f64>>"
    text = module(f"%a: {kind}", kind, f"%r = stablehlo.cbrt %a : {kind}")
    np.testing.assert_allclose(run(text, torch.from_numpy(z))[0].numpy(), z ** (1 / 3), rtol=1e-13)
    y, x = np.array([1, -1, 2 + 1j, 0.5j, 3]), np.array([2, -2, 1 - 1j, 3, -1 + 0.5j])
    kind = f"tensor<{y.size}xcomplex<f64>>"
    text = module(f"%a: {kind}, %b: {kind}", kind, f"%r = stablehlo.atan2 %a, %b : {kind}")
    found = run(text, torch.from_numpy(y.astype(complex)), torch.from_numpy(x.astype(complex)))[0]
    expected = -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y + 0j))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-15)


def test_rounding_to_half_precision_happens_once() -> None:
    after_tie = 1 + 2.0**-8 + 2.0**-40
    for source, target, value, expected in (
        ("f64", "bf16", after_tie, 1.0078125),
        ("f64", "bf16", 1 + 2.0**-8, 1.0),
        ("f64", "bf16", -after_tie, -1.0078125),
        ("f64", "f16", 1 + 2.0**-11 + 2.0**-40, 1.0009765625),
        ("f64", "f16", 1e300, float("inf")),
        ("f64", "bf16", 1e-300, 0.0),
        ("i32", "bf16", (1 << 24) + (1 << 16) + 1, (1 << 24) + (1 << 17)),
        ("i64", "bf16", -(1 << 60) - (1 << 52) - 1, -(1 << 60) - (1 << 53)),
        ("ui64", "bf16", (1 << 63) + (1 << 55) + 1, (1 << 63) + (1 << 56)),
    ):
        text = module(
            f"%a: tensor<1x{source}>", f"tensor<1x{target}>",
            f"%r = stablehlo.convert %a : (tensor<1x{source}>) -> tensor<1x{target}>",
        )  # fmt: skip
        found = run(text, torch.tensor([value], dtype=BOUNDARY[source]))[0]
        assert float(found) == expected, (source, target, value)
