"""Arguments under a view: fused weights are taken apart without a merge on the way."""

import numpy as np
import pytest
from oracle.interpreter import evaluate

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr
from distc.dialect.context import make_context, parse_module
from distc.runtime.errors import IllegalSharding, UsageError
from distc.transforms import make_pass
from distc.transforms.apply_views import apply_view, original_shape
from distc.transforms.reshape_factors import is_plain
from distc.transforms.sink_reshapes import merged_factors


def fused_attention(weight, product):
    """x [2, 5, 24] → q and k heads [2, 3, 5, 8] through one fused weight of [q; k; v]."""
    return f"""
func.func @main(%x: tensor<2x5x24xf32> {{dist.name = "x"}}, %w: {weight} {{dist.name = "w"}},
    %b: tensor<72xf32> {{dist.name = "b"}}) -> (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>) {{
  %0 = stablehlo.reshape %x : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
  {product}
  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<72xf32>) -> tensor<10x72xf32>
  %3 = stablehlo.add %1, %2 : tensor<10x72xf32>
  %4 = stablehlo.reshape %3 : (tensor<10x72xf32>) -> tensor<2x5x72xf32>
  %q = stablehlo.slice %4 [0:2, 0:5, 0:24] : (tensor<2x5x72xf32>) -> tensor<2x5x24xf32>
  %k = stablehlo.slice %4 [0:2, 0:5, 24:48] : (tensor<2x5x72xf32>) -> tensor<2x5x24xf32>
  %5 = stablehlo.reshape %q : (tensor<2x5x24xf32>) -> tensor<2x5x3x8xf32>
  %6 = stablehlo.transpose %5, dims = [0, 2, 1, 3]
    : (tensor<2x5x3x8xf32>) -> tensor<2x3x5x8xf32>
  %7 = stablehlo.reshape %k : (tensor<2x5x24xf32>) -> tensor<2x5x3x8xf32>
  %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3]
    : (tensor<2x5x3x8xf32>) -> tensor<2x3x5x8xf32>
  return %6, %8 : tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32> }}"""


CONV1D = fused_attention(
    "tensor<24x72xf32>",
    """%1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
    : (tensor<10x24xf32>, tensor<24x72xf32>) -> tensor<10x72xf32>""",
)
LINEAR = fused_attention(
    "tensor<72x24xf32>",
    """%t = stablehlo.transpose %w, dims = [1, 0] : (tensor<72x24xf32>) -> tensor<24x72xf32>
  %1 = stablehlo.dot_general %0, %t, contracting_dims = [1] x [0]
    : (tensor<10x24xf32>, tensor<24x72xf32>) -> tensor<10x72xf32>""",
)
GATE_UP = """
func.func @main(%x: tensor<2x5x24xf32> {dist.name = "x"}, %w: tensor<96x24xf32> {dist.name = "w"})
    -> tensor<2x5x48xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<96x24xf32>) -> tensor<24x96xf32>
  %1 = stablehlo.dot_general %0, %t, contracting_dims = [1] x [0]
    : (tensor<10x24xf32>, tensor<24x96xf32>) -> tensor<10x96xf32>
  %2 = stablehlo.reshape %1 : (tensor<10x96xf32>) -> tensor<2x5x96xf32>
  %g = stablehlo.slice %2 [0:2, 0:5, 0:48] : (tensor<2x5x96xf32>) -> tensor<2x5x48xf32>
  %u = stablehlo.slice %2 [0:2, 0:5, 48:96] : (tensor<2x5x96xf32>) -> tensor<2x5x48xf32>
  %3 = stablehlo.multiply %g, %u : tensor<2x5x48xf32>
  return %3 : tensor<2x5x48xf32> }"""
CASES = {
    "conv1d": (CONV1D, "w:24x3x3x8;b:3x3x8", [(24, 72), (72,)]),
    "linear": (LINEAR, "w:3x3x8x24;b:3x3x8", [(72, 24), (72,)]),
    "linear, the bias as it is": (LINEAR, "w:3x3x8x24", [(72, 24)]),
    "gate and up": (GATE_UP, "w:2x48x24", [(96, 24)]),
}


def viewed(text, views):
    module = parse_module(text, make_context())
    make_pass("apply-views", {"views": views}).run(module)
    module.operation.verify()
    return module


@pytest.mark.parametrize("case", CASES)
def test_no_merge_is_left_between_the_weight_and_the_heads(case):
    text, views, _ = CASES[case]
    module = viewed(text, views)
    merged = [
        str(op)
        for op in stablehlo.walk(module.operation)
        if op.name == "stablehlo.reshape" and not is_plain(merged_factors(op.result))
    ]
    assert merged == []


@pytest.mark.parametrize("case", CASES)
def test_the_view_says_what_the_shape_said(case):
    text, views, originals = CASES[case]
    random = np.random.default_rng(0)
    plain = parse_module(text, make_context())
    arguments = stablehlo.functions(plain)[0].regions[0].blocks[0].arguments
    inputs = [random.integers(-3, 4, stablehlo.shape(a)).astype(np.float32) for a in arguments]
    module = viewed(text, views)
    main = stablehlo.functions(module)[0]
    held = [
        x.reshape(stablehlo.shape(a))
        for x, a in zip(inputs, main.regions[0].blocks[0].arguments, strict=True)
    ]
    recorded = [arg_attr(main, i, "dist.original_shape") for i in range(len(held))]
    assert [tuple(r) for r in recorded if r is not None] == originals
    for left, right in zip(evaluate(text, inputs), evaluate(str(module), held), strict=True):
        np.testing.assert_array_equal(left, right)


def test_a_view_of_a_view_starts_from_the_original_shape_and_goes_back():
    module = parse_module(CONV1D, make_context())
    main = stablehlo.functions(module)[0]
    weight = main.regions[0].blocks[0].arguments[1]
    apply_view(module, main, 1, (24, 3, 24))
    apply_view(module, main, 1, (24, 9, 8))
    assert stablehlo.shape(weight) == (24, 9, 8)
    assert original_shape(main, 1) == (24, 72)
    apply_view(module, main, 1, (24, 72))
    assert arg_attr(main, 1, "dist.original_shape") is None
    module.operation.verify()
    make_pass("merge-reshapes").run(module)
    assert "tensor<24x9x8" not in str(module)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ((24, 3, 3, 9), "has 1944 elements, its shape [24, 72] has 1728"),
        ((3, 24, 24), "joins dimensions of its shape [24, 72]"),
        ((1728,), "joins dimensions"),
        ((-24, -72), "elements"),
    ],
)
def test_what_is_no_view_is_refused(view, message):
    module = parse_module(CONV1D, make_context())
    with pytest.raises(IllegalSharding) as caught:
        apply_view(module, stablehlo.functions(module)[0], 1, view)
    assert message in caught.value.message
    assert "'w'" in caught.value.message
    assert caught.value.help


def test_a_sharding_of_another_rank_is_refused():
    text = """
"dist.mesh"() {sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]}
  : () -> ()
func.func @main(%w: tensor<4x6xf32> {dist.name = "w", dist.sharding =
    #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {}>}) -> tensor<4x6xf32> {
  return %w : tensor<4x6xf32> }"""
    module = parse_module(text, make_context())
    with pytest.raises(IllegalSharding, match="another rank"):
        apply_view(module, stablehlo.functions(module)[0], 0, (4, 3, 2))


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ("nobody:2x2", "no argument is called 'nobody'"),
        ("w=24x72", "is not name:AxBxC"),
        ("w:24x", "is not name:AxBxC"),
        (":24x72", "is not name:AxBxC"),
        ("w:24x72;w:24x3x24", "2 views for 1 names"),
    ],
)
def test_options_are_checked(views, message):
    with pytest.raises(UsageError) as caught:
        viewed(CONV1D, views)
    assert message in caught.value.message


STEP = """
func.func private @body(%p: tensor<4x6xf32>, %g: tensor<4x6xf32>, %r: tensor<f32>)
    -> tensor<4x6xf32> {
  %0 = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %1 = stablehlo.multiply %g, %0 : tensor<4x6xf32>
  %2 = stablehlo.subtract %p, %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
func.func @main(%w: tensor<4x6xf32> {dist.name = "w", dist.kind = "parameter"},
    %g: tensor<4x3x2xf32> {dist.name = "g"}, %r: tensor<f32> {dist.name = "r"})
    -> (tensor<4x6xf32> {dist.name = "w", dist.updates = "w"}) {
  %0 = stablehlo.reshape %g : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.composite "distc.sgd" %w, %0, %r {decomposition = @body}
    : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}"""


def test_an_optimizer_runs_on_the_view():
    module = viewed(STEP, "w:4x3x2")
    main = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    ops = [op.name for op in stablehlo.walk(main)]
    assert ops == [
        "stablehlo.broadcast_in_dim",
        "stablehlo.multiply",
        "stablehlo.subtract",
        "func.return",
    ]
    assert "tensor<4x6xf32>" not in str(main)


def test_an_optimizer_of_what_has_no_view_stays_whole():
    module = parse_module(STEP, make_context())
    make_pass("apply-views", {"views": ""}).run(module)
    assert "stablehlo.composite" in str(module)
