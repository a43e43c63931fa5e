# ruff: noqa: E501 - MLIR is easier to read unbroken
"""What cannot run is refused with the operation, its place and a next step."""

from __future__ import annotations

import pytest

from distc.dialect.context import make_context, parse_module
from distc.runtime.errors import DistcError, InputError, UnsupportedOp
from distc.runtime.program import Program
from distc.transforms.lower import lower


def lowered(text: str, entry: str = "main") -> Program:
    """Lower a module's text."""
    return lower(parse_module(text, make_context(), "model.mlir"), entry)


def module(body: str, argument: str = "tensor<4xf32>", result: str = "tensor<4xf32>") -> str:
    """A module of one function of one argument."""
    return f"func.func @main(%a: {argument}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"


_GROUPS = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"
_ADD = """({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            module("%r = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>"),
            ["custom_call @foo", "model.mlir:2", "StableHLO operations"],
        ),
        (
            module("%r = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>",
                   "tensor<4x!quant.uniform<i8:f32, 0.5>>"),
            ["!quant.uniform<i8:f32", "bf16"],
        ),
        (
            module('%r = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>>',
                   result="tuple<tensor<4xf32>>"),
            ["tuple", "members one by one"],
        ),
        (
            module('%r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, -1]]> : '
                   f"tensor<2x2xi64>, {_GROUPS}}}> {_ADD.replace('add %x, %y', 'add %x, %x')} : "
                   "(tensor<4xf32>) -> tensor<4xf32>"),
            ["unequal size", "one size", "model.mlir:2"],
        ),
        (
            module('%r = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : '
                   "tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>"),
            ["cross-replica-sum groups replicas", "model.mlir:2", "all_reduce"],
        ),
        (
            module('%r = "stablehlo.unary_einsum"(%a) <{einsum_config = "ii->i"}> : '
                   "(tensor<4x4xf32>) -> tensor<4xf32>", "tensor<4x4xf32>"),
            ["ii->i", "diagonals", "model.mlir:2"],
        ),
        (
            module('%t = stablehlo.create_token : !stablehlo.token\n'
                   '%r, %u = "stablehlo.infeed"(%t) <{infeed_config = ""}> : '
                   "(!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)"),
            ["infeed", "queue", "argument", "model.mlir:3"],
        ),
        (
            module("%n = stablehlo.constant dense<3> : tensor<i32>\n"
                   '%r = "stablehlo.set_dimension_size"(%a, %n) <{dimension = 0 : i64}> : '
                   "(tensor<4xf32>, tensor<i32>) -> tensor<4xf32>"),
            ["dimension 0 of 4 elements 3", "slice"],
        ),
        (
            module("%r = stablehlo.remainder %a, %a : tensor<4xcomplex<f32>>",
                   "tensor<4xcomplex<f32>>", "tensor<4xcomplex<f32>>"),
            ["remainder of complex", "model.mlir:2"],
        ),
        (
            module("%r = stablehlo.bitcast_convert %a : (tensor<2x8xi1>) -> tensor<2xf8E5M2>",
                   "tensor<2x8xi1>", "tensor<2xf8E5M2>"),
            ["i1", "ui8", "model.mlir:2"],
        ),
        (
            module(f'%r = "stablehlo.all_reduce"(%a) <{{replica_groups = dense<[[0, 1]]> : '
                   f"tensor<1x2xi64>}}> {_ADD} : (tensor<4xf32>) -> tensor<4xf32>"),
            ["replicas", "channel_handle", "use_global_device_ids"],
        ),
        (
            module('%i = stablehlo.constant dense<0.0> : tensor<f32>\n'
                   "%k = stablehlo.sine %i : tensor<f32>\n"
                   "%r = stablehlo.reduce(%a init: %i) across dimensions = [0] : "
                   "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                   "reducer(%x: tensor<f32>, %y: tensor<f32>) {\n"
                   "%s = stablehlo.add %x, %k : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}",
                   result="tensor<f32>"),
            ["outside", "model.mlir"],
        ),
        (
            module("%r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>")
            + "\nfunc.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "%y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %y : tensor<4xf32>\n}",
            ["@f calls itself", "while"],
        ),
    ],
    ids=["custom_call", "element_type", "tuple", "padded_groups",
         "cross_replica_sum", "diagonal", "infeed", "dimension_size", "complex_remainder", "single_bits",
         "replicas", "capture", "recursion"],
)  # fmt: skip
def test_refused(text: str, words: list[str]) -> None:
    with pytest.raises(UnsupportedOp) as caught:
        lowered(text)
    for word in words:
        assert word in str(caught.value)
    assert "\nhelp: " in str(caught.value)


def test_a_long_literal_is_refused() -> None:
    values = ", ".join(str(i) for i in range(70000))
    text = module(
        f"%r = stablehlo.constant dense<[{values}]> : tensor<70000xi32>", result="tensor<70000xi32>"
    )
    with pytest.raises(UnsupportedOp, match="70000 elements"):
        lowered(text)


def test_a_missing_entry_names_those_there_are() -> None:
    text = module("%r = stablehlo.negate %a : tensor<4xf32>").replace("@main", "@decode")
    with pytest.raises(InputError, match="no function @main") as caught:
        lowered(text)
    assert "decode" in caught.value.help


def test_regions_nest_to_the_depth_of_programs() -> None:
    depth = 40
    body = "stablehlo.return %a : tensor<4xf32>\n"
    for level in range(depth):
        body = (
            f'%v{level} = "stablehlo.if"(%p) ({{\n{body}}}, {{\nstablehlo.return %a : tensor<4xf32>\n}}) '
            f": (tensor<i1>) -> tensor<4xf32>\nstablehlo.return %v{level} : tensor<4xf32>\n"
        )
    inner = body.rpartition("stablehlo.return")[0].replace(f"%v{depth - 1} =", "%r =")
    with pytest.raises(DistcError, match="nested deeper than 32"):
        lowered(module("%p = stablehlo.constant dense<true> : tensor<i1>\n" + inner))
