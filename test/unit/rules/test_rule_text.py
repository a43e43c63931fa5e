"""The rule of every op, as people read it: one line per program of `executable.programs`."""

from __future__ import annotations

import pytest
from executable.harness import main_of
from executable.programs import PROGRAMS

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.rules import rule_for

# (op, its rule), in the order of PROGRAMS.
RULES = (
    ("cbrt", "([i, j])->([i, j]) {i=5, j=6}"),
    ("ceil", "([i, j])->([i, j]) {i=5, j=6}"),
    ("cosine", "([i, j])->([i, j]) {i=5, j=6}"),
    ("exponential", "([i, j])->([i, j]) {i=5, j=6}"),
    ("exponential_minus_one", "([i, j])->([i, j]) {i=5, j=6}"),
    ("floor", "([i, j])->([i, j]) {i=5, j=6}"),
    ("log", "([i, j])->([i, j]) {i=5, j=6}"),
    ("log_plus_one", "([i, j])->([i, j]) {i=5, j=6}"),
    ("logistic", "([i, j])->([i, j]) {i=5, j=6}"),
    ("round_nearest_afz", "([i, j])->([i, j]) {i=5, j=6}"),
    ("round_nearest_even", "([i, j])->([i, j]) {i=5, j=6}"),
    ("rsqrt", "([i, j])->([i, j]) {i=5, j=6}"),
    ("sine", "([i, j])->([i, j]) {i=5, j=6}"),
    ("sqrt", "([i, j])->([i, j]) {i=5, j=6}"),
    ("tan", "([i, j])->([i, j]) {i=5, j=6}"),
    ("tanh", "([i, j])->([i, j]) {i=5, j=6}"),
    ("abs", "([i, j])->([i, j]) {i=5, j=6}"),
    ("negate", "([i, j])->([i, j]) {i=5, j=6}"),
    ("sign", "([i, j])->([i, j]) {i=5, j=6}"),
    ("not", "([i, j])->([i, j]) {i=5, j=6}"),
    ("popcnt", "([i, j])->([i, j]) {i=5, j=6}"),
    ("count_leading_zeros", "([i, j])->([i, j]) {i=5, j=6}"),
    ("add", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("subtract", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("multiply", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("maximum", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("minimum", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("and", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("or", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("xor", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("divide", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("remainder", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("power", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("shift_left", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("shift_right_arithmetic", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("shift_right_logical", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("atan2", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("compare", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("select", "([i, j], [i, j], [i, j])->([i, j]) {i=5, j=6}"),
    ("clamp", "([], [i, j], [])->([i, j]) {i=5, j=6}"),
    ("convert", "([i, j])->([i, j]) {i=5, j=6}"),
    ("is_finite", "([i, j])->([i, j]) {i=5, j=6}"),
    ("optimization_barrier", "([i, j], [k])->([i, j], [k]) {i=5, j=6, k=4}"),
    ("dot_general", "([i, j, l], [i, l, k])->([i, j, k]) {i=3, j=5, k=4, l=7} reduction={l}"),
    (
        "convolution",
        "([i, k, l, n], [j, k, m, o])->"
        "([i, j, l, n]) {i=3, j=5, k=4, l=3, m=3, n=6, o=3} reduction={k} need_replication={m, o} permutation={l, n}",
    ),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("reduce", "([i, j, k], [])->([i, k]) {i=5, j=6, k=3} reduction={j}"),
    ("broadcast_in_dim", "([j, _])->([i, j, k]) {i=3, j=5, k=6}"),
    ("concatenate", "([i, j], [i, j])->([i, j]) {i=5, j=9} permutation={j}"),
    ("constant", "()->([i, j]) {i=5, j=3}"),
    ("iota", "()->([i, j]) {i=5, j=6}"),
    ("pad", "([i, j], [])->([i, j]) {i=5, j=14} permutation={j}"),
    ("reshape", "([i, jk, l])->([i, j, kl]) {i=3, j=4, k=3, l=5}"),
    ("reverse", "([i, j])->([i, j]) {i=5, j=6} permutation={j}"),
    ("slice", "([i, j])->([i, j]) {i=5, j=4} permutation={j}"),
    ("transpose", "([j, k, i])->([i, j, k]) {i=5, j=3, k=4}"),
    ("sort", "([i, j])->([i, j]) {i=5, j=6} permutation={j}"),
    (
        "dynamic_slice",
        "([i, j], [], [])->([i, k]) {i=5, j=9, k=3} reduction={j} need_replication={k}",
    ),
    (
        "dynamic_update_slice",
        "([i, j], [i, k], [], [])->([i, j]) {i=5, j=9, k=3} need_replication={k}",
    ),
    ("gather", "([k, l], [i, j])->([i, j, l]) {i=4, j=3, k=7, l=5} reduction={k}"),
    (
        "gather",
        "([k, l, m], [i, j, n])->"
        "([i, j, m]) {i=4, j=3, k=7, l=5, m=6, n=2} reduction={k, l} need_replication={n}",
    ),
    (
        "scatter",
        "([i, j], [k, l], [k, j])->"
        "([i, j]) {i=7, j=5, k=3, l=1} reduction={k} need_replication={l}",
    ),
    ("reduce_window", "([i, j], [])->([i, j]) {i=5, j=6} permutation={j}"),
    ("select_and_scatter", "([i, j], [i, j], [])->([i, j]) {i=5, j=6} permutation={j}"),
    (
        "convolution",
        "([j, il, m], [ik, l, n])->"
        "([j, ik, m]) {i=3, j=2, k=4, l=2, m=5, n=3} reduction={l} need_replication={n} permutation={m}",
    ),
    (
        "convolution",
        "([ij, l, m], [ik, l, n])->"
        "([j, ik, m]) {i=3, j=2, k=3, l=4, m=5, n=3} reduction={l} need_replication={n} permutation={m}",
    ),
    (
        "bitcast_convert",
        "([i, j, k])->([i, j]) {i=5, j=6, k=2} need_replication={k}",
    ),
    (
        "batch_norm_inference",
        "([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=5, j=6, k=3}",
    ),
    (
        "cholesky",
        "([i, j, l])->([i, k, m]) {i=5, j=3, k=3, l=3, m=3} need_replication={j, k, l, m}",
    ),
    (
        "dot",
        "([i, k], [k, j])->([i, j]) {i=5, j=4, k=6} reduction={k}",
    ),
    (
        "fft",
        "([i, j, k])->([i, j, l]) {i=5, j=4, k=6, l=4} need_replication={k, l}",
    ),
    (
        "triangular_solve",
        "([i, l, m], [i, k, j])->([i, k, j]) {i=5, j=4, k=3, l=3, m=3} need_replication={k, l, m}",
    ),
    (
        "custom_call",
        "([i, j])->([i, k], [i, l]) {i=5, j=6, k=2, l=2} need_replication={j, k, l}",
    ),
    ("reduce", "([i, j], [i, j], [], [])->([i], [i]) {i=5, j=6} reduction={j}"),
    ("gather", "([k, l, m], [i, j])->([i, j, m]) {i=4, j=3, k=7, l=5, m=6} reduction={k, l}"),
    (
        "scatter",
        "([i, j, k], [l, m], [l, k])->([i, j, k]) {i=7, j=5, k=4, l=3, m=1} reduction={l} need_replication={m}",
    ),
    (
        "scatter",
        "([i, j], [i, j], [k, l], [k, j], [k, j])->([i, j], [i, j]) {i=7, j=5, k=3, l=1} reduction={k} need_replication={l}",
    ),
    ("select_and_scatter", "([i, j], [i, j], [])->([i, j]) {i=7, j=6} permutation={i, j}"),
    (
        "convolution",
        "([k, l, i], [k, l, j])->([i, j, m]) {i=3, j=5, k=4, l=6, m=4} reduction={k} need_replication={m} sliding={l}",
    ),
    (
        "batch_norm_training",
        "([i, j, k], [j], [j])->([i, j, k], [j], [j]) {i=5, j=6, k=7} permutation={i, k}",
    ),
    (
        "batch_norm_grad",
        "([i, j, k], [k], [k], [k], [i, j, k])->([i, j, k], [k], [k]) {i=5, j=7, k=6} permutation={i, j}",
    ),
    (
        "while",
        "([], [i, j], [i, k], [], [], [l, j])->([], [i, j], [i, m]) {i=5, j=6, k=6, l=6, m=6} need_replication={k, l, m}",
    ),
    ("if", "([], [i], [j, i])->([j, i]) {i=6, j=5}"),
    ("case", "([], [i, j], [j, i])->([j, i], [k]) {i=5, j=6, k=7}"),
    ("map", "([i, j], [i, j])->([i, j]) {i=5, j=6}"),
)


@pytest.mark.parametrize(
    "index", range(len(PROGRAMS)), ids=[f"{i}-{p.op}" for i, p in enumerate(PROGRAMS)]
)
def test_rule_text(index: int) -> None:
    name, text = RULES[index]
    program = PROGRAMS[index]
    assert program.op == f"stablehlo.{name}"
    module = parse_module(program.text, make_context(), "test.mlir")
    op = next(o for o in stablehlo.walk(main_of(module)) if o.name == program.op)
    assert str(rule_for(op)) == text


def _rule(text: str, name: str) -> str | None:
    module = parse_module(text, make_context(), "test.mlir")
    op = next(o for o in stablehlo.walk(main_of(module)) if o.name == name)
    rule = rule_for(op)
    return None if rule is None else str(rule)


def test_a_reduction_from_another_start_value_is_not_cut() -> None:
    # Every rank would count the one.
    text = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4xf32> {
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    assert _rule(text, "stablehlo.reduce") == "([i, j], [])->([i]) {i=4, j=6} need_replication={j}"


def test_groups_of_convolutions_are_major_to_what_each_has() -> None:
    text = """func.func @main(%a: tensor<2x4x6xf32>, %w: tensor<4x2x3xf32>) -> tensor<2x4x4xf32> {
      %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
        window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
        : (tensor<2x4x6xf32>, tensor<4x2x3xf32>) -> tensor<2x4x4xf32>
      return %0 : tensor<2x4x4xf32>
    }"""
    rule = _rule(text, "stablehlo.convolution")
    assert rule is not None and rule.startswith("([j, il, m], [ik, l, n])->([j, ik, m])")


def test_reshapes_whose_borders_do_not_meet_share_what_they_can() -> None:
    text = """func.func @main(%a: tensor<6x4xf32>) -> tensor<4x6xf32> {
      %0 = stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<4x6xf32>
      return %0 : tensor<4x6xf32>
    }"""
    assert _rule(text, "stablehlo.reshape") == (
        "([ij, k])->([il, m]) {i=2, j=3, k=4, l=2, m=6} need_replication={j, k, l, m}"
    )


def test_a_window_that_is_partly_taken_keeps_its_dimension_whole() -> None:
    text = """func.func @main(%a: tensor<8x5xf32>, %i: tensor<3x1xi32>) -> tensor<3x2x5xf32> {
      %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 5>}>
        : (tensor<8x5xf32>, tensor<3x1xi32>) -> tensor<3x2x5xf32>
      return %0 : tensor<3x2x5xf32>
    }"""
    rule = _rule(text, "stablehlo.gather")
    assert rule is not None and "reduction" not in rule.replace("need_replication", "")


def test_ops_without_static_tensors_have_no_rule() -> None:
    text = """func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.negate %a : tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    assert _rule(text, "stablehlo.negate") is None
