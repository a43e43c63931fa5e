"""Mistakes in StableHLO text."""

from __future__ import annotations

from typing import Any

import pytest

Case = Any
Refused = Any

MESH = (
    '"dist.mesh"() {sym_name = "mesh", axes = ["tensor"], sizes = array<i64: 2>, '
    'links = ["device"]} : () -> ()\n'
)
GOOD = {
    "mlp": """func.func @main(%w: tensor<8x4xf32>, %x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
""",
    "words": """func.func @main(%w: tensor<8x4xi32>, %x: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %0 = stablehlo.add %x, %w : tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}
""",
    "image": """func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %cst) applies stablehlo.add across dimensions = [1]
    : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
""",
}


def _compile(case: Case, text: str, *extra: str) -> list[str]:
    case.write("p.mlir", text)
    return ["compile", "p.mlir", "--mesh", "tensor=2", *extra]


def test_garbage(case: Case, refused: Refused) -> None:
    letters = "".join(chr(case.rng.randint(33, 126)) for _ in range(80))
    refused(_compile(case, "\n" + letters), 65, "p.mlir:2")


def test_truncated(case: Case, refused: Refused) -> None:
    text = GOOD[case.model]
    refused(_compile(case, text[: case.rng.randint(20, len(text) - 3)]), 65, "p.mlir:")


def test_empty(case: Case, refused: Refused) -> None:
    refused(_compile(case, case.rng.choice(["", "\n", "// nothing\n"])), 65, "no public function")


def test_no_public_function(case: Case, refused: Refused) -> None:
    text = GOOD[case.model].replace("func.func @main", "func.func private @main")
    refused(_compile(case, text), 65, "no public function")


def test_type_error(case: Case, refused: Refused) -> None:
    text = GOOD[case.model].replace("return %", "return %x, %", 1)
    refused(_compile(case, text), 65, "p.mlir:")


def test_undefined_value(case: Case, refused: Refused) -> None:
    text = GOOD[case.model].replace("return %", "return %un")
    refused(_compile(case, text), 65, "undeclared", "p.mlir:")


def test_binary(case: Case, refused: Refused) -> None:
    (case.folder / "p.mlir").write_bytes(b"ML\xefR" + case.rng.randbytes(80))
    refused(["compile", "p.mlir", "--mesh", "tensor=2"], 65, "p.mlir")


def test_nested_too_deep(case: Case, refused: Refused) -> None:
    depth = case.rng.randint(1500, 100_000)
    refused(_compile(case, "module {" * depth + "}" * depth), 65, "levels deep")


def test_dynamic_shape(case: Case, refused: Refused) -> None:
    text = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.negate %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""
    refused(_compile(case, text), 65, "?", "p.mlir:")


@pytest.mark.parametrize(
    "line",
    [
        "%0 = stablehlo.custom_call @target(%x) : (tensor<4xf32>) -> tensor<4xf32>",
        '%0 = "tosa.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>',
        '%0 = "nodialect.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>',
        "%0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>",
        "%0 = arith.negf %x : tensor<4xf32>",
    ],
    ids=["custom_call", "tosa", "unknown", "chlo", "arith"],
)
def test_unsupported_op(case: Case, refused: Refused, line: str) -> None:
    blank = "\n" * case.rng.randint(0, 9)
    head = "func.func @main(%x: tensor<4xf32>, %y: tensor<f32>, %s: tensor<1xi64>)"
    text = f"""{blank}{head} -> tensor<4xf32> {{
  {line}
  return %0 : tensor<4xf32>
}}
"""
    refused(_compile(case, text), 65, f"p.mlir:{len(blank) + 2}")


def test_type_without_a_representation(case: Case, refused: Refused) -> None:
    kind = case.rng.choice(["f80", "i3", "f128", "index"])
    text = f"func.func @main(%x: tensor<4x{kind}>) -> tensor<4x{kind}> {{\n"
    text += f"  return %x : tensor<4x{kind}>\n}}\n"
    refused(_compile(case, text), 65, kind, "p.mlir:1")


def test_mesh_of_the_module_is_another(case: Case, refused: Refused) -> None:
    mesh = MESH.replace('"tensor"', '"x"').replace("i64: 2", "i64: 4")
    refused(_compile(case, mesh + GOOD[case.model]), 78, "x=4", "tensor=2")


def test_sharding_attribute_of_another_rank(case: Case, refused: Refused) -> None:
    attribute = '{dist.sharding = #dist.sharding<@mesh, [["tensor"]], array<i64: 1>, {}>}'
    text = """func.func @main(%x: tensor<4x4xf32> ATTR) -> tensor<4x4xf32> {
  return %x : tensor<4x4xf32>
}
""".replace("ATTR", attribute)
    refused(_compile(case, MESH + text), 65, "p.mlir:2")


def test_leftover_of_a_later_stage(case: Case, refused: Refused) -> None:
    text = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"""
    refused(_compile(case, text), 65, "all_reduce", "p.mlir:2")


def test_batch_for_a_module(case: Case, refused: Refused) -> None:
    refused(_compile(case, GOOD[case.model], "--batch", "2"), 2, "--batch")


def test_preset_for_a_module_without_parameters(case: Case, refused: Refused) -> None:
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    preset = case.rng.choice(["data-parallel", "megatron", "megatron-sp", "fsdp"])
    refused(_compile(case, text, "--preset", preset), 2, preset)


def test_mesh_without_its_axes(case: Case, refused: Refused) -> None:
    left_out = case.rng.choice(["axes", "sizes", "links"])
    parts = {"axes": '["tensor"]', "sizes": "array<i64: 2>", "links": '["device"]'}
    text = ", ".join(f"{k} = {v}" for k, v in parts.items() if k != left_out)
    mesh = f'"dist.mesh"() {{sym_name = "mesh", {text}}} : () -> ()\n'
    refused(_compile(case, mesh + GOOD[case.model]), 65, left_out, "p.mlir:1")


COMPOSITES = [
    ("distc.softmax", "dim = 9 : i64", "dim = 9"),
    ("distc.softmax", 'dim = "a"', "dim = 'a'"),
    ("distc.softmax", "", "no attribute dim"),
    ("distc.attention", "is_causal = true, scale = 1.0", "1 operands"),
    ("distc.gelu", 'approximate = "erf"', "'erf'"),
    (
        "distc.rms_norm",
        "normalized_rank = 0 : i64, eps = 1.0, has_weight = false",
        "normalized_rank",
    ),
    (
        "distc.layer_norm",
        "normalized_rank = 1 : i64, eps = 1.0, has_weight = true, has_bias = false",
        "2",
    ),
    ("distc.embedding", "", "1 operands"),
]


@pytest.mark.parametrize(("name", "attributes", "says"), COMPOSITES, ids=lambda v: str(v)[:24])
def test_malformed_composite(
    case: Case, refused: Refused, name: str, attributes: str, says: str
) -> None:
    text = f"""func.func private @body(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  return %x : tensor<4x4xf32>
}}
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %0 = stablehlo.composite "{name}" %x {{decomposition = @body,
    composite_attributes = {{{attributes}}}}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}}
"""
    refused(_compile(case, text), 65, name, says, "p.mlir:5")


def test_op_of_a_single_rank(case: Case, refused: Refused) -> None:
    op = case.rng.choice(["partition_id", "replica_id"])
    text = f"""func.func @main() -> tensor<ui32> {{
  %0 = stablehlo.{op} : tensor<ui32>
  return %0 : tensor<ui32>
}}
"""
    refused(_compile(case, text), 65, op, "p.mlir:2")


def test_function_that_calls_itself(case: Case, refused: Refused) -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    refused(_compile(case, text), 65, "calls itself", "p.mlir:2")


def test_name_of_an_entry_point(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["source", '"a/b"', '"../x"', '"a b"'])
    refused(_compile(case, GOOD[case.model].replace("@main", f"@{name}")), 65, name.strip('"'))


def test_two_arguments_of_one_name(case: Case, refused: Refused) -> None:
    text = """func.func @main(%x: tensor<4xf32> {dist.name = "a"},
    %y: tensor<4xf32> {dist.name = "a"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
"""
    refused(_compile(case, text), 65, "'a'", "p.mlir:1")


def test_unknown_kind_of_argument(case: Case, refused: Refused) -> None:
    kind = case.rng.choice(["weight", "PARAMETER", "output"])
    text = f"""func.func @main(%x: tensor<4xf32> {{dist.kind = "{kind}"}}) -> tensor<4xf32> {{
  return %x : tensor<4xf32>
}}
"""
    refused(_compile(case, text), 65, repr(kind), "p.mlir:1")


def test_tensor_over_the_limits(case: Case, refused: Refused) -> None:
    shape = case.rng.choice(["9999999999x9999999999", "x".join(["1"] * 17)])
    text = f"func.func @main(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{\n"
    text += f"  return %x : tensor<{shape}xf32>\n}}\n"
    refused(_compile(case, text), 65, "over the limits", "p.mlir:1")


def test_data_of_a_constant_that_is_not_there(case: Case, refused: Refused) -> None:
    text = """func.func @main() -> tensor<4xf32> {
  %0 = stablehlo.constant dense_resource<elsewhere> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    refused(_compile(case, text), 65, "constant")


def test_partial_constraint_of_an_unknown_axis(case: Case, refused: Refused) -> None:
    text = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "dist.constraint"(%x)
    {sharding = #dist.sharding<@mesh, [["nope"], []], array<i64: 1, 1>, {}>}
    : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"""
    refused(_compile(case, MESH + text), 65, "nope", "p.mlir:3")
