"""Each clean-up pass on small modules: which ops are left, and the same bits as before."""

import re

import numpy as np
import pytest
from oracle.interpreter import evaluate

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.transforms import make_pass

_NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}


def run(name, text, options=None):
    """The module after a pass, and its ops but for functions and returns."""
    module = parse_module(text, make_context())
    make_pass(name, options).run(module)
    module.operation.verify()
    left = [op.name.removeprefix("stablehlo.") for op in stablehlo.walk(module.operation)]
    return module, [n for n in left if not n.startswith("func.") and n != "return"]


def inputs_of(text, seed=0):
    """Random arguments for @main: halves in [-2, 2], so that products are exact."""
    random = np.random.default_rng(seed)
    arguments = re.findall(r"%\w+: tensor<([^>]*)>", text[: text.index("->")])
    arrays = []
    for kind in arguments:
        *dims, dtype = kind.split("x")
        sizes = tuple(int(d) for d in dims)
        numbers = random.integers(-4, 5, sizes) / (2 if dtype.startswith("f") else 1)
        arrays.append(np.asarray(numbers, dtype=_NUMPY[dtype]))
    return arrays


def assert_same_bits(text, module):
    """Before and after say the same, zeros' signs and NaNs included."""
    inputs = inputs_of(text)
    before, after = evaluate(text, inputs), evaluate(str(module), inputs)
    for left, right in zip(before, after, strict=True):
        assert left.dtype == right.dtype and left.shape == right.shape
        assert left.tobytes() == right.tobytes()


FOLDS = {
    "a convert chain": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.convert %c : (tensor<i64>) -> tensor<f32>
  %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
  %3 = stablehlo.add %x, %2 : tensor<4xf32>
  return %3 : tensor<4xf32> }""",
        ["constant", "add"],
    ),
    "arithmetic that rounds": (
        """func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<1.000000e-01> : tensor<2xf32>
  %b = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>
  %0 = stablehlo.divide %a, %b : tensor<2xf32>
  %1 = stablehlo.multiply %0, %a : tensor<2xf32>
  %2 = stablehlo.sqrt %1 : tensor<2xf32>
  %3 = stablehlo.subtract %2, %b : tensor<2xf32>
  return %3 : tensor<2xf32> }""",
        ["constant"],
    ),
    "integers wrap": (
        """func.func @main() -> tensor<2xi32> {
  %a = stablehlo.constant dense<2147483647> : tensor<2xi32>
  %b = stablehlo.constant dense<5> : tensor<2xi32>
  %0 = stablehlo.add %a, %b : tensor<2xi32>
  %1 = stablehlo.multiply %0, %b : tensor<2xi32>
  %2 = stablehlo.negate %b : tensor<2xi32>
  %3 = stablehlo.divide %1, %2 : tensor<2xi32>
  return %3 : tensor<2xi32> }""",
        ["constant"],
    ),
    "infinities and not a number": (
        """func.func @main() -> (tensor<2xf32>, tensor<2xi1>) {
  %a = stablehlo.constant dense<0xFF800000> : tensor<2xf32>
  %z = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
  %0 = stablehlo.maximum %a, %z : tensor<2xf32>
  %1 = stablehlo.divide %a, %a : tensor<2xf32>
  %2 = stablehlo.compare EQ, %1, %1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0, %2 : tensor<2xf32>, tensor<2xi1> }""",
        ["constant", "constant"],
    ),
    "masks of constants": (
        """func.func @main(%x: tensor<4xf32>, %m: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %t = stablehlo.constant dense<true> : tensor<4xi1>
  %c = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %0 = stablehlo.select %t, %x, %c : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.and %m, %t : tensor<4xi1>
  return %0, %1 : tensor<4xf32>, tensor<4xi1> }""",
        [],
    ),
    "identities": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
  %z = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %2 = stablehlo.multiply %1, %x : tensor<4xf32>
  %3 = stablehlo.divide %2, %1 : tensor<4xf32>
  %4 = stablehlo.subtract %3, %z : tensor<4xf32>
  return %4 : tensor<4xf32> }""",
        [],
    ),
    "adding zero changes minus zero": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
  %0 = stablehlo.negate %z : tensor<4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>
  %2 = stablehlo.add %1, %z : tensor<4xf32>
  return %2 : tensor<4xf32> }""",
        ["constant", "constant", "multiply", "add"],
    ),
    "a square": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
  %0 = stablehlo.power %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32> }""",
        ["multiply"],
    ),
    "float to integer out of range is left alone": (
        """func.func @main() -> tensor<2xi32> {
  %c = stablehlo.constant dense<3.000000e+10> : tensor<2xf32>
  %0 = stablehlo.convert %c : (tensor<2xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32> }""",
        ["constant", "convert"],
    ),
    "padding a splat with itself": (
        """func.func @main() -> tensor<5xf32> {
  %c = stablehlo.constant dense<7.000000e+00> : tensor<2xf32>
  %s = stablehlo.constant dense<7.000000e+00> : tensor<f32>
  %0 = stablehlo.pad %c, %s, low = [1], high = [2], interior = [0]
    : (tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  %1 = stablehlo.concatenate %0, dim = 0 : (tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32> }""",
        ["constant"],
    ),
    "a small array": (
        """func.func @main() -> tensor<2x2xi64> {
  %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = stablehlo.reshape %c : (tensor<4xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64> }""",
        ["constant"],
    ),
}


@pytest.mark.parametrize("case", FOLDS)
def test_fold_splats(case):
    text, expected = FOLDS[case]
    module, left = run("fold-splats", text)
    assert left == expected
    assert_same_bits(text, module)


def test_bf16_splats_round_once_to_nearest_even():
    text = """func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<1.0078125> : tensor<2xbf16>
  %0 = stablehlo.multiply %a, %a : tensor<2xbf16>
  %1 = stablehlo.convert %0 : (tensor<2xbf16>) -> tensor<2xf32>
  return %1 : tensor<2xf32> }"""
    module, left = run("fold-splats", text)
    assert left == ["constant"]
    assert_same_bits(text, module)


NARROWED = {
    "one operation": (
        """func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.convert %x : (tensor<64xf32>) -> tensor<64xf64>
  %1 = stablehlo.convert %y : (tensor<64xf32>) -> tensor<64xf64>
  %2 = stablehlo.divide %0, %1 : tensor<64xf64>
  %3 = stablehlo.convert %2 : (tensor<64xf64>) -> tensor<64xf32>
  return %3 : tensor<64xf32> }""",
        ["divide"],
    ),
    "moves and exact ops": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %c = stablehlo.constant dense<5.000000e-01> : tensor<4xf64>
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.maximum %0, %c : tensor<4xf64>
  %2 = stablehlo.negate %1 : tensor<4xf64>
  %3 = stablehlo.reshape %2 : (tensor<4xf64>) -> tensor<2x2xf64>
  %4 = stablehlo.convert %3 : (tensor<2x2xf64>) -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32> }""",
        ["constant", "maximum", "negate", "reshape"],
    ),
    "a comparison": (
        """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.convert %y : (tensor<4xf32>) -> tensor<4xf64>
  %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  return %2 : tensor<4xi1> }""",
        ["compare"],
    ),
    "an integer": (
        """func.func @main(%x: tensor<4xi32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xf64>
  %1 = stablehlo.convert %0 : (tensor<4xf64>) -> tensor<4xf32>
  return %1 : tensor<4xf32> }""",
        ["convert"],
    ),
    "two roundings are not one": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.multiply %0, %0 : tensor<4xf64>
  %2 = stablehlo.multiply %1, %0 : tensor<4xf64>
  %3 = stablehlo.convert %2 : (tensor<4xf64>) -> tensor<4xf32>
  return %3 : tensor<4xf32> }""",
        ["convert", "multiply", "multiply", "convert"],
    ),
    "a constant f32 does not have": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.000000e-01> : tensor<4xf64>
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = stablehlo.multiply %0, %c : tensor<4xf64>
  %2 = stablehlo.convert %1 : (tensor<4xf64>) -> tensor<4xf32>
  return %2 : tensor<4xf32> }""",
        ["constant", "convert", "multiply", "convert"],
    ),
    "an f64 argument": (
        """func.func @main(%x: tensor<4xf64>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf64>
  %1 = stablehlo.convert %0 : (tensor<4xf64>) -> tensor<4xf32>
  return %1 : tensor<4xf32> }""",
        ["negate", "convert"],
    ),
}


@pytest.mark.parametrize("case", NARROWED)
def test_remove_f64(case):
    text, expected = NARROWED[case]
    module, left = run("remove-f64", text)
    assert left == expected
    assert_same_bits(text, module)


def test_division_in_f64_then_rounded_is_division_in_f32():
    """The claim of the pass, on random bit patterns and not on halves."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2**32, (2, 200_000), dtype=np.uint32)
    x, y = bits.view(np.float32)
    with np.errstate(all="ignore"):
        for op in (np.add, np.subtract, np.multiply, np.divide):
            wide = op(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
            np.testing.assert_array_equal(wide, op(x, y))
        wide = np.sqrt(x.astype(np.float64)).astype(np.float32)
        np.testing.assert_array_equal(wide, np.sqrt(x))


PRODUCTS = {
    "a broadcast weight": (
        "plain-matmuls",
        """func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<4x5xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32> }""",
        ["dot_general"],
    ),
    "a weight with a batch of one": (
        "plain-matmuls",
        """func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<1x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [0, 1, 2]
    : (tensor<1x4x5xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32> }""",
        ["reshape", "dot_general"],
    ),
    "on the left, one of two batches": (
        "plain-matmuls",
        """func.func @main(%w: tensor<2x5x4xf32>, %x: tensor<2x3x4x6xf32>) -> tensor<2x3x5x6xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [0, 2, 3]
    : (tensor<2x5x4xf32>) -> tensor<2x3x5x4xf32>
  %1 = stablehlo.dot_general %0, %x, batching_dims = [0, 1] x [0, 1],
    contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x6xf32>)
    -> tensor<2x3x5x6xf32>
  return %1 : tensor<2x3x5x6xf32> }""",
        ["dot_general", "transpose"],
    ),
    "repeated along a batch and a free dimension": (
        "plain-matmuls",
        """func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<4xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32> }""",
        ["broadcast_in_dim", "dot_general"],
    ),
    "flattened attention": (
        "merge-reshapes",
        """func.func @main(%q: tensor<2x5x3x4xf32>, %k: tensor<2x5x3x4xf32>)
    -> tensor<2x3x5x5xf32> {
  %0 = stablehlo.transpose %q, dims = [0, 2, 1, 3]
    : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x3x5x4xf32>) -> tensor<6x5x4xf32>
  %2 = stablehlo.transpose %k, dims = [0, 2, 3, 1]
    : (tensor<2x5x3x4xf32>) -> tensor<2x3x4x5xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %4 = stablehlo.dot_general %1, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<6x5x4xf32>, tensor<6x4x5xf32>) -> tensor<6x5x5xf32>
  %5 = stablehlo.reshape %4 : (tensor<6x5x5xf32>) -> tensor<2x3x5x5xf32>
  return %5 : tensor<2x3x5x5xf32> }""",
        ["dot_general"],
    ),
    "two sides that split a contraction in different ways": (
        "unflatten",
        """func.func @main(%x: tensor<5x2x3xf32>, %w: tensor<3x2x4xf32>) -> tensor<5x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<5x2x3xf32>) -> tensor<5x6xf32>
  %1 = stablehlo.reshape %w : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
    : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %2 : tensor<5x4xf32> }""",
        ["reshape", "reshape", "dot_general"],
    ),
    "a product transposed is the product the other way": (
        "unflatten",
        """func.func @main(%x: tensor<5x6xf32>, %w: tensor<6x4xf32>) -> tensor<4x5xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32> }""",
        ["dot_general"],
    ),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_products(case):
    name, text, expected = PRODUCTS[case]
    module, left = run(name, text)
    assert left == expected
    assert_same_bits(text, module)


SUNK = {
    "a slice of whole minors": (
        "slice %0 [0:2, 6:18] : (tensor<2x24xf32>) -> tensor<2x12xf32>",
        "tensor<2x12xf32>",
        ["slice", "reshape"],
    ),
    "a slice within one minor": (
        "slice %0 [0:2, 7:9] : (tensor<2x24xf32>) -> tensor<2x2xf32>",
        "tensor<2x2xf32>",
        ["slice", "reshape"],
    ),
    "a slice across minors": (
        "slice %0 [0:2, 5:13] : (tensor<2x24xf32>) -> tensor<2x8xf32>",
        "tensor<2x8xf32>",
        ["reshape", "slice"],
    ),
    "a strided slice": (
        "slice %0 [0:2, 0:24:2] : (tensor<2x24xf32>) -> tensor<2x12xf32>",
        "tensor<2x12xf32>",
        ["reshape", "slice"],
    ),
    "a concatenation": (
        "concatenate %0, %0, dim = 1 : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x48xf32>",
        "tensor<2x48xf32>",
        ["reshape", "reshape", "concatenate", "reshape"],
    ),
    "a reverse": (
        "reverse %0, dims = [1] : tensor<2x24xf32>",
        "tensor<2x24xf32>",
        ["reverse", "reshape"],
    ),
    "a pad by whole minors": (
        "pad %0, %z, low = [0, 6], high = [1, 12], interior = [0, 0]"
        " : (tensor<2x24xf32>, tensor<f32>) -> tensor<3x42xf32>",
        "tensor<3x42xf32>",
        ["pad", "reshape"],
    ),
    "a pad by whole merges": (
        "pad %0, %z, low = [0, 24], high = [0, 48], interior = [0, 0]"
        " : (tensor<2x24xf32>, tensor<f32>) -> tensor<2x96xf32>",
        "tensor<2x96xf32>",
        ["reshape", "pad", "reshape"],
    ),
    "a pad by part of a minor": (
        "pad %0, %z, low = [0, 1], high = [0, 0], interior = [0, 0]"
        " : (tensor<2x24xf32>, tensor<f32>) -> tensor<2x25xf32>",
        "tensor<2x25xf32>",
        ["reshape", "pad"],
    ),
    "a transpose": (
        "transpose %0, dims = [1, 0] : (tensor<2x24xf32>) -> tensor<24x2xf32>",
        "tensor<24x2xf32>",
        ["transpose", "reshape"],
    ),
    "a broadcast": (
        "broadcast_in_dim %0, dims = [0, 2] : (tensor<2x24xf32>) -> tensor<2x3x24xf32>",
        "tensor<2x3x24xf32>",
        ["broadcast_in_dim", "reshape"],
    ),
    "a sum": (
        "reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]"
        " : (tensor<2x24xf32>, tensor<f32>) -> tensor<2xf32>",
        "tensor<2xf32>",
        ["reduce", "add"],
    ),
}


@pytest.mark.parametrize("case", SUNK)
def test_merges_sink(case):
    op, result, expected = SUNK[case]
    text = f"""func.func @main(%x: tensor<2x4x6xf32>, %z: tensor<f32>) -> {result} {{
  %0 = stablehlo.reshape %x : (tensor<2x4x6xf32>) -> tensor<2x24xf32>
  %1 = stablehlo.{op}
  return %1 : {result} }}"""
    module, left = run("merge-reshapes", text)
    assert left == expected
    assert_same_bits(text, module)


def test_merged_indices_sink_through_a_gather():
    text = """func.func @main(%w: tensor<7x3xf32>, %i: tensor<2x4xi64>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.reshape %i : (tensor<2x4xi64>) -> tensor<8x1xi64>
  %1 = "stablehlo.gather"(%w, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>}> : (tensor<7x3xf32>, tensor<8x1xi64>) -> tensor<8x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
  return %2 : tensor<2x4x3xf32> }"""
    module, left = run("merge-reshapes", text)
    assert left == ["reshape", "gather"]
    assert "tensor<2x4x1xi64>" in str(module)
    assert_same_bits(text, module)


def test_a_merge_on_its_way_to_a_return_stays():
    """Moving it through an optimizer would reshape every state and undo nothing."""
    text = """func.func @main(%g: tensor<4x6xf32>, %m: tensor<24xf32>) -> tensor<24xf32> {
  %0 = stablehlo.reshape %g : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<24xf32>
  %2 = stablehlo.add %1, %m : tensor<24xf32>
  return %2 : tensor<24xf32> }"""
    _, left = run("merge-reshapes", text)
    assert left == ["reshape", "multiply", "add"]


STATIC = {
    "reshape": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %c = arith.constant 2 : i64
  %0 = tensor.from_elements %c, %c : tensor<2xi64>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32> }""",
        ["reshape"],
    ),
    "broadcast": (
        """func.func @main(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %0, dims = [1]
    : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32> }""",
        ["broadcast_in_dim"],
    ),
    "iota": (
        """func.func @main() -> tensor<4xi64> {
  %0 = stablehlo.constant dense<4> : tensor<1xi64>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi64>) -> tensor<4xi64>
  return %1 : tensor<4xi64> }""",
        ["iota"],
    ),
    "pad": (
        """func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<7xf32> {
  %l = stablehlo.constant dense<1> : tensor<1xi64>
  %h = stablehlo.constant dense<2> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %1 = stablehlo.dynamic_pad %x, %z, %l, %h, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi64>,
    tensor<1xi64>, tensor<1xi64>) -> tensor<7xf32>
  return %1 : tensor<7xf32> }""",
        ["pad"],
    ),
    "slice": (
        """func.func @main(%x: tensor<6xf32>) -> tensor<2xf32> {
  %s = stablehlo.constant dense<1> : tensor<1xi64>
  %l = stablehlo.constant dense<5> : tensor<1xi64>
  %t = stablehlo.constant dense<2> : tensor<1xi64>
  %1 = stablehlo.real_dynamic_slice %x, %s, %l, %t : (tensor<6xf32>, tensor<1xi64>,
    tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %1 : tensor<2xf32> }""",
        ["slice"],
    ),
    "size": (
        """func.func @main(%x: tensor<6x5xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<6x5xf32>) -> tensor<i32>
  return %0 : tensor<i32> }""",
        ["constant"],
    ),
}


# The interpreter knows neither arith, tensor nor real_dynamic_slice.
BY_NUMPY = {"reshape": lambda x: x.reshape(2, 2), "slice": lambda x: x[1:5:2]}


@pytest.mark.parametrize("case", STATIC)
def test_canonicalize_constants(case):
    text, expected = STATIC[case]
    module, left = run("canonicalize-constants", text)
    assert left == expected
    if case not in BY_NUMPY:
        assert_same_bits(text, module)
        return
    inputs = inputs_of(text)
    (found,) = evaluate(str(module), inputs)
    np.testing.assert_array_equal(found, BY_NUMPY[case](inputs[0]))


def test_drop_dead_removes_unused_chains_repeats_and_functions():
    text = """func.func @main(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.exponential %0 : tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  %3 = stablehlo.tanh %x : tensor<4xf32>
  %4 = stablehlo.add %0, %3 : tensor<4xf32>
  %5 = stablehlo.composite "distc.silu" %x {decomposition = @dead}
    : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.composite "distc.silu" %4 {decomposition = @used}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32> }
func.func private @dead(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"""
    module, left = run("drop-dead", text)
    assert left == ["tanh", "add", "composite"]
    assert [stablehlo.symbol(f) for f in stablehlo.functions(module)] == ["main", "used"]
    assert len(stablehlo.functions(module)[0].regions[0].blocks[0].arguments) == 2


def test_drop_dead_keeps_side_effects():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @print(%x) {has_side_effect = true}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32> }"""
    assert run("drop-dead", text)[1] == ["custom_call"]
