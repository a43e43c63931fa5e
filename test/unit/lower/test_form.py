# ruff: noqa: E501 - MLIR is easier to read unbroken
"""What programs look like: views, scalars, locations, dead calls, native operators."""

from __future__ import annotations

from distc.dialect.context import make_context, parse_module
from distc.runtime.program import Program
from distc.transforms.lower import lower


def lowered(text: str) -> Program:
    """Lower a module's text."""
    return lower(parse_module(text, make_context()))


def operators(program: Program) -> list[str]:
    """Operator names in order."""
    return [c.op for c in program.calls]


def test_a_linear_layer_is_a_view_and_a_product() -> None:
    program = lowered(
        """func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<6x4xf32>) -> tensor<2x8x6xf32> {
        %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1]
          : (tensor<2x8x4xf32>, tensor<6x4xf32>) -> tensor<2x8x6xf32>
        return %0 : tensor<2x8x6xf32> }"""
    )
    assert operators(program) == [
        "aten.permute.default", "aten.reshape.default", "aten.mm.default", "aten.reshape.default",
    ]  # fmt: skip


def test_splats_become_scalars_and_are_made_once() -> None:
    program = lowered(
        """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %c = stablehlo.constant dense<2.0> : tensor<8xf32>
        %d = stablehlo.constant dense<3.0> : tensor<8xf32>
        %0 = stablehlo.multiply %c, %x : tensor<8xf32>
        %1 = stablehlo.divide %0, %d : tensor<8xf32>
        %2 = stablehlo.divide %1, %d : tensor<8xf32>
        return %2 : tensor<8xf32> }"""
    )
    assert operators(program) == [
        "aten.full.default", "aten.mul.Scalar", "aten.div.Tensor", "aten.div.Tensor",
    ]  # fmt: skip


def test_a_call_says_where_it_comes_from() -> None:
    program = lowered(
        """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = stablehlo.sine %x : tensor<8xf32> loc("model.layers.0.mlp"("model.py":12:7))
        return %0 : tensor<8xf32> }"""
    )
    assert program.calls[0].loc == "model.py:12:7 in model.layers.0.mlp"


def test_calls_nobody_reads_are_dropped() -> None:
    program = lowered(
        """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = stablehlo.sine %x : tensor<8xf32>
        %1 = stablehlo.cosine %0 : tensor<8xf32>
        %2 = stablehlo.tanh %x : tensor<8xf32>
        return %2 : tensor<8xf32> }"""
    )
    assert operators(program) == ["aten.tanh.default"]
    assert program.calls[0].outs == (1,)


def test_an_argument_may_be_a_result() -> None:
    program = lowered(
        "func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) "
        "{ return %x, %x : tensor<8xf32>, tensor<8xf32> }"
    )
    assert program.outputs == (0, 0) and program.calls == ()


def test_pools_and_running_sums_are_torchs() -> None:
    pool = lowered(
        """func.func @main(%x: tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32> {
        %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %0 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[0,0],[0,0],[1,1],[1,1]]> : tensor<4x2xi64>,
          window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %m = stablehlo.maximum %a, %b : tensor<f32>
            stablehlo.return %m : tensor<f32>
        }) : (tensor<1x2x8x8xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
        return %0 : tensor<1x2x4x4xf32> }"""
    )
    assert operators(pool) == ["aten.max_pool2d.default"]


def test_every_aten_name_lower_writes_is_allowed() -> None:
    import re
    from pathlib import Path

    import distc.transforms.lower as package
    from distc.runtime.kernels.allowed import ALLOWED

    assert package.__file__ is not None
    text = "".join(p.read_text() for p in sorted(Path(package.__file__).parent.glob("*.py")))
    written = set(re.findall(r'"(aten\.\w+\.\w+)"', text))
    assert len(written) > 60
    assert written <= ALLOWED
