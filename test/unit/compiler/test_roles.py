"""Roles are found by structure: each form that frameworks write, and each that must not match."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from torch_mlir import ir

from distc.compiler.roles import Cut, Pair, PairKind, Roles, module_roles

Program = Callable[[str], ir.Module]
Exported = Callable[[str], ir.Module]


def names(cuts: tuple[Cut, ...]) -> list[str]:
    return [c.argument for c in cuts]


def only_pair(roles: Roles) -> Pair:
    assert len(roles.pairs) == 1
    return roles.pairs[0]


MLP = """
func.func @main(%up: tensor<32x12xf32> $weight(up.weight), %bias: tensor<32xf32> $weight(up.bias),
                %down: tensor<32x7xf32> $weight(down), %x: tensor<4x5x12xf32> $input(x))
    -> tensor<4x5x7xf32> {
  %0 = stablehlo.transpose %up, dims = [1, 0] : (tensor<32x12xf32>) -> tensor<12x32xf32>
  %1 = stablehlo.reshape %x : (tensor<4x5x12xf32>) -> tensor<20x12xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0]
      : (tensor<20x12xf32>, tensor<12x32xf32>) -> tensor<20x32xf32>
  %3 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<32xf32>) -> tensor<20x32xf32>
  %4 = stablehlo.add %2, %3 : tensor<20x32xf32>
  %5 = stablehlo.tanh %4 : tensor<20x32xf32>
  %6 = stablehlo.dot_general %5, %down, contracting_dims = [1] x [0]
      : (tensor<20x32xf32>, tensor<32x7xf32>) -> tensor<20x7xf32>
  %7 = stablehlo.reshape %6 : (tensor<20x7xf32>) -> tensor<4x5x7xf32>
  return %7 : tensor<4x5x7xf32>
}
"""


def test_two_linear_layers_through_transpose_and_flattening(program: Program) -> None:
    roles = module_roles(program(MLP))
    pair = only_pair(roles)
    assert (pair.kind, pair.units) == (PairKind.LINEAR, 32)
    assert pair.columns == (Cut("up.weight", 0, 32, 1, 32),)
    assert pair.rows == (Cut("down", 0, 32, 1, 32),)
    assert names(pair.followers) == ["up.bias"]
    assert roles.batch == {"x": 0}
    assert roles.batch_size == 4


def test_state_and_shapes_come_in_argument_order(program: Program) -> None:
    roles = module_roles(program(MLP))
    assert roles.state == ("up.weight", "up.bias", "down")
    assert roles.shapes["x"] == (4, 5, 12)


def test_a_reduction_over_the_features_separates_the_layers(program: Program) -> None:
    text = MLP.replace(
        "%5 = stablehlo.tanh %4 : tensor<20x32xf32>",
        """%zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<20x32xf32>, tensor<f32>) -> tensor<20xf32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<20xf32>) -> tensor<20x32xf32>
  %5 = stablehlo.divide %4, %all : tensor<20x32xf32>""",
    )
    assert module_roles(program(text)).pairs == ()


def attention(kind: str, heads: int, groups: int, width: int = 4, repeat: bool = True) -> str:
    """Attention with separate, or fused, projections; 6 positions, batch 2."""
    q, k = heads * width, groups * width
    r = heads // groups
    projections = f"""
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [1]
      : (tensor<2x6x8xf32>, tensor<{q}x8xf32>) -> tensor<2x6x{q}xf32>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [1]
      : (tensor<2x6x8xf32>, tensor<{k}x8xf32>) -> tensor<2x6x{k}xf32>
  %v0 = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [1]
      : (tensor<2x6x8xf32>, tensor<{k}x8xf32>) -> tensor<2x6x{k}xf32>
"""
    weights = f"""%wq: tensor<{q}x8xf32> $weight(q), %wk: tensor<{k}x8xf32> $weight(k),
      %wv: tensor<{k}x8xf32> $weight(v)"""
    if kind == "fused":
        weights = f"""%w: tensor<8x{3 * q}xf32> $weight(qkv),
      %bias: tensor<{3 * q}xf32> $weight(qkv.bias)"""
        parts = "".join(
            f"""
  %{n}0 = stablehlo.slice %all [0:2, 0:6, {i * q}:{i * q + q}]
      : (tensor<2x6x{3 * q}xf32>) -> tensor<2x6x{q}xf32>"""
            for i, n in enumerate("qkv")
        )
        projections = f"""
  %mm = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
      : (tensor<2x6x8xf32>, tensor<8x{3 * q}xf32>) -> tensor<2x6x{3 * q}xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [2]
      : (tensor<{3 * q}xf32>) -> tensor<2x6x{3 * q}xf32>
  %all = stablehlo.add %mm, %b : tensor<2x6x{3 * q}xf32>{parts}
"""
    split = "".join(
        f"""
  %{n}1 = stablehlo.reshape %{n}0
      : (tensor<2x6x{h * width}xf32>) -> tensor<2x6x{h}x{width}xf32>
  %{n}2 = stablehlo.transpose %{n}1, dims = [0, 2, 1, 3]
      : (tensor<2x6x{h}x{width}xf32>) -> tensor<2x{h}x6x{width}xf32>"""
        for n, h in (("q", heads), ("k", groups), ("v", groups))
    )
    repeats = "".join(
        f"""
  %{n}3 = stablehlo.broadcast_in_dim %{n}2, dims = [0, 1, 3, 4]
      : (tensor<2x{groups}x6x{width}xf32>) -> tensor<2x{groups}x{r}x6x{width}xf32>
  %{n}4 = stablehlo.reshape %{n}3
      : (tensor<2x{groups}x{r}x6x{width}xf32>) -> tensor<2x{heads}x6x{width}xf32>"""
        for n in "kv"
    )
    key, value = ("k4", "v4") if repeat else ("k2", "v2")
    heads_type = f"tensor<2x{heads}x6x{width}xf32>"
    return f"""
func.func private @attention({heads_type}, {heads_type}, {heads_type}) -> {heads_type}
func.func @main({weights}, %wo: tensor<8x{q}xf32> $weight(o),
      %x: tensor<2x6x8xf32> $input(x)) -> tensor<2x6x8xf32> {{{projections}{split}
{repeats if repeat else ""}
  %a = stablehlo.composite "distc.attention" %q2, %{key}, %{value} {{
      composite_attributes = {{is_causal = true, scale = 0.5 : f64}}, decomposition = @attention}}
      : ({heads_type}, {heads_type}, {heads_type}) -> {heads_type}
  %t = stablehlo.transpose %a, dims = [0, 2, 1, 3]
      : ({heads_type}) -> tensor<2x6x{heads}x{width}xf32>
  %m = stablehlo.reshape %t : (tensor<2x6x{heads}x{width}xf32>) -> tensor<2x6x{q}xf32>
  %o = stablehlo.dot_general %m, %wo, contracting_dims = [2] x [1]
      : (tensor<2x6x{q}xf32>, tensor<8x{q}xf32>) -> tensor<2x6x8xf32>
  return %o : tensor<2x6x8xf32>
}}
"""


def test_grouped_attention_is_cut_in_whole_groups(program: Program) -> None:
    pair = only_pair(module_roles(program(attention("separate", 9, 3))))
    assert (pair.kind, pair.units) == (PairKind.ATTENTION, 3)
    assert {c.argument: c.block for c in pair.cuts} == {"q": 12, "k": 4, "v": 4, "o": 12}
    assert names(pair.rows) == ["o"]
    found = pair.attention
    assert found is not None
    assert (found.heads, found.groups) == (9, 3)
    assert (found.query, found.key, found.value) == (("q",), ("k",), ("v",))


def test_plain_attention_is_cut_in_heads(program: Program) -> None:
    pair = only_pair(module_roles(program(attention("separate", 6, 6, repeat=False))))
    assert pair.units == 6
    assert {c.block for c in pair.cuts} == {4}


def test_one_shared_key_value_head_leaves_only_the_queries_cut(program: Program) -> None:
    pair = only_pair(module_roles(program(attention("separate", 6, 1))))
    assert (names(pair.columns), names(pair.rows), pair.units) == (["q"], ["o"], 6)


def test_a_fused_weight_is_cut_under_a_view(program: Program) -> None:
    pair = only_pair(module_roles(program(attention("fused", 3, 3, repeat=False))))
    weight, bias = pair.columns[0], pair.followers[0]
    assert weight == Cut("qkv", 1, 36, 3, 3)
    assert weight.view((8, 36)) == (8, 3, 3, 4)
    assert bias == Cut("qkv.bias", 0, 36, 3, 3)
    assert bias.view((36,)) == (3, 3, 4)
    assert (names(pair.rows), pair.rows[0].needs_view) == (["o"], False)


def test_a_fused_weight_of_unequal_parts_is_left_whole(program: Program) -> None:
    text = attention("fused", 3, 3, repeat=False)
    text = text.replace("[0:2, 0:6, 12:24]", "[0:2, 0:6, 13:25]")
    assert module_roles(program(text)).pairs == ()


def gated(first: str, second: str) -> str:
    return f"""
func.func @main(%w: tensor<8x20xf32> $weight(gate_up), %down: tensor<10x8xf32> $weight(down),
      %x: tensor<3x8xf32> $input(x)) -> tensor<3x8xf32> {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<3x8xf32>, tensor<8x20xf32>) -> tensor<3x20xf32>
  %1 = stablehlo.slice %0 [0:3, {first}] : (tensor<3x20xf32>) -> tensor<3x10xf32>
  %2 = stablehlo.slice %0 [0:3, {second}] : (tensor<3x20xf32>) -> tensor<3x10xf32>
  %3 = stablehlo.logistic %1 : tensor<3x10xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<3x10xf32>
  %5 = stablehlo.dot_general %4, %down, contracting_dims = [1] x [0]
      : (tensor<3x10xf32>, tensor<10x8xf32>) -> tensor<3x8xf32>
  return %5 : tensor<3x8xf32>
}}
"""


def test_a_fused_gate_is_cut_under_a_view(program: Program) -> None:
    pair = only_pair(module_roles(program(gated("0:10", "10:20"))))
    assert pair.columns[0].view((8, 20)) == (8, 2, 10)
    assert pair.rows == (Cut("down", 0, 10, 1, 10),)


def test_an_interleaved_gate_is_left_whole(program: Program) -> None:
    assert module_roles(program(gated("0:20:2", "1:20:2"))).pairs == ()


TIED = """
func.func private @look_up(tensor<50x8xf32>, tensor<2x6xi64>) -> tensor<2x6x8xf32>
func.func @main(%table: tensor<50x8xf32> $weight(words), %order: tensor<9x8xf32> $weight(places),
      %tokens: tensor<2x6xi64> $input(tokens)) -> tensor<2x6x50xf32> {
  %0 = stablehlo.composite "distc.embedding" %table, %tokens {decomposition = @look_up}
      : (tensor<50x8xf32>, tensor<2x6xi64>) -> tensor<2x6x8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<6xi64>
  %2 = "stablehlo.gather"(%order, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 8>}> : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<6x8xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %4 = stablehlo.add %0, %3 : tensor<2x6x8xf32>
  %5 = stablehlo.dot_general %4, %table, contracting_dims = [2] x [1]
      : (tensor<2x6x8xf32>, tensor<50x8xf32>) -> tensor<2x6x50xf32>
  return %5 : tensor<2x6x50xf32>
}
"""


def test_tables_tied_heads_and_positions(program: Program) -> None:
    roles = module_roles(program(TIED))
    words, places = roles.embeddings
    assert (words.argument, words.rows, words.by_input, words.is_head) == ("words", 50, True, True)
    assert (places.argument, places.by_input, places.is_head) == ("places", False, False)
    (head,) = roles.heads
    assert head.columns == (Cut("words", 0, 50, 1, 50),)


def test_a_composite_without_a_rule_is_seen_through_its_body(program: Program) -> None:
    text = MLP.replace(
        "%5 = stablehlo.tanh %4 : tensor<20x32xf32>",
        """%5 = stablehlo.composite "distc.squash" %4 {decomposition = @squash}
      : (tensor<20x32xf32>) -> tensor<20x32xf32>""",
    )
    body = """
func.func private @squash(%x: tensor<20x32xf32>) -> tensor<20x32xf32> {
  %0 = stablehlo.tanh %x : tensor<20x32xf32>
  return %0 : tensor<20x32xf32>
}
"""
    assert names(only_pair(module_roles(program(text + body))).rows) == ["down"]


def test_functions_that_call_themselves_and_empty_tensors_end(program: Program) -> None:
    text = """
func.func private @again(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = func.call @again(%x) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = func.call @again(%0) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %1 : tensor<0x4xf32>
}
func.func @main(%w: tensor<0x4xf32> $weight(w), %x: tensor<0x4xf32> $input(x)) -> tensor<4x0xf32> {
  %0 = stablehlo.add %x, %w : tensor<0x4xf32>
  %1 = func.call @again(%0) : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<0x4xf32>) -> tensor<4x0xf32>
  return %2 : tensor<4x0xf32>
}
"""
    roles = module_roles(program(text))
    assert (roles.pairs, roles.heads, roles.batch_size) == ((), (), 0)


def test_an_input_that_is_contracted_has_no_batch(program: Program) -> None:
    text = """
func.func @main(%w: tensor<4x3xf32> $weight(w), %x: tensor<4xf32> $input(x)) -> tensor<3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0]
      : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
    roles = module_roles(program(text))
    assert (dict(roles.batch), roles.batch_size) == ({}, 0)


def test_equal_layers_in_a_row_alternate(program: Program) -> None:
    layers = "".join(
        f"""
  %{i + 1} = stablehlo.dot_general %{i}, %w{i}, contracting_dims = [1] x [0]
      : (tensor<2x6xf32>, tensor<6x6xf32>) -> tensor<2x6xf32>"""
        for i in range(5)
    )
    weights = ", ".join(f"%w{i}: tensor<6x6xf32> $weight(w{i})" for i in range(5))
    text = f"""
func.func @main({weights}, %x: tensor<2x6xf32> $input(x)) -> tensor<2x6xf32> {{
  %0 = stablehlo.tanh %x : tensor<2x6xf32>{layers}
  return %5 : tensor<2x6xf32>
}}
"""
    roles = module_roles(program(text))
    assert [(names(p.columns), names(p.rows)) for p in roles.pairs] == [
        (["w0"], ["w1"]),
        (["w2"], ["w3"]),
    ]
    assert [names(h.columns) for h in roles.heads] == [["w4"]]


def test_resnet_pairs_the_convolutions_of_each_block(exported: Exported) -> None:
    roles = module_roles(exported("resnet18:reduced"))
    assert [(p.kind, p.columns[0].argument, p.rows[0].argument) for p in roles.pairs] == [
        (PairKind.CONVOLUTION, f"blocks.{i}.conv1.weight", f"blocks.{i}.conv2.weight")
        for i in range(8)
    ]
    first = roles.pairs[0]
    assert (first.columns[0].dim, first.rows[0].dim, first.units) == (0, 1, 6)
    assert sorted(names(first.followers)) == [
        f"blocks.0.bn1.{n}" for n in ("bias", "running_mean", "running_var", "weight")
    ]
    assert [names(h.columns) for h in roles.heads] == [["fc.weight"]]
    assert roles.batch_size == 2


@pytest.mark.parametrize(
    ("spec", "heads", "groups", "units", "pairs"),
    [
        ("gpt2:reduced", 3, 3, 3, 4),
        ("llama:reduced", 9, 3, 3, 4),
        ("bert:reduced", 5, 5, 5, 4),
    ],
)
def test_transformers_have_an_attention_and_an_mlp_per_layer(
    exported: Exported, spec: str, heads: int, groups: int, units: int, pairs: int
) -> None:
    roles = module_roles(exported(spec))
    assert [p.kind for p in roles.pairs] == [PairKind.ATTENTION, PairKind.LINEAR] * (pairs // 2)
    found = roles.pairs[0].attention
    assert found is not None
    assert (found.heads, found.groups, roles.pairs[0].units) == (heads, groups, units)
    assert all(size == 2 for size in (roles.batch_size, len(roles.embeddings) + (spec[0] == "l")))
