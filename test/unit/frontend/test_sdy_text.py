"""Shardy's own syntax rewritten to the generic form, line by line."""

from __future__ import annotations

import pytest

from distc.compiler.frontend.sdy_text import mentions_shardy, to_generic
from distc.runtime.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'sdy.mesh @m = <["x"=2]>',
            '"sdy.mesh"() {sym_name = "m", mesh = #sdy.mesh<["x"=2]>} : () -> ()',
        ),
        (
            "%1 = sdy.reshard %0#1 <@m, [{}]> : tensor<8xf32>",
            '%1 = "sdy.reshard"(%0#1) {sharding = #sdy.sharding<@m, [{}]>} '
            ": (tensor<8xf32>) -> tensor<8xf32>",
        ),
        (
            '%1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@m, [{}, {}]> : tensor<8x2xf32>',
            '%1 = "sdy.all_gather"(%0) {sharding = #sdy.sharding<@m, [{}, {}]>} '
            ": (tensor<8x2xf32>) -> tensor<8x2xf32>",
        ),
        (
            '%1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@m, [{}, {"x"}]> : tensor<8x2xi32>',
            '%1 = "sdy.all_to_all"(%0) {sharding = #sdy.sharding<@m, [{}, {"x"}]>} '
            ": (tensor<8x2xi32>) -> tensor<8x2xi32>",
        ),
        (
            "%1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>",
            '%1 = "sdy.propagation_barrier"(%0) {} : (tensor<8xf32>) -> tensor<8xf32>',
        ),
        (
            "sdy.sharding_group %0 group_id=21 : tensor<8xf32>",
            '"sdy.sharding_group"(%0) {} : (tensor<8xf32>) -> ()',
        ),
        ("%c = sdy.constant dense<1> : tensor<i1>", "%c = stablehlo.constant dense<1> : tensor<i1>"),  # noqa: E501
        ("sdy.return %a, %b : tensor<i1>, tensor<2xcomplex<f32>>",
         '"sdy.return"(%a, %b) : (tensor<i1>, tensor<2xcomplex<f32>>) -> ()'),
    ],
)  # fmt: skip
def test_one_operation(text: str, expected: str) -> None:
    assert to_generic(text).strip() == expected


def test_a_region_is_rewritten_inside_and_its_arguments_become_those_of_a_block() -> None:
    text = """%0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>]
      out_shardings=[<@m, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
        %1 = sdy.sharding_constraint %b <@m, [{}]> : tensor<4xf32>
        sdy.return %1 : tensor<4xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>"""
    found = to_generic(text)
    assert found.startswith('%0 = "sdy.manual_computation"(%a) ({ ^bb0(%b: tensor<4xf32>):')
    assert '"sdy.sharding_constraint"(%b)' in found
    assert '"sdy.return"(%1) : (tensor<4xf32>) -> ()' in found
    assert 'in_shardings = #sdy.sharding_per_value<[<@m, [{"x"}]>]>' in found
    assert 'manual_axes = #sdy.manual_axes<{"x"}>' in found


def test_attributes_strings_comments_and_generic_forms_stay() -> None:
    text = (
        "%0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : tensor<f32>\n"
        '// sdy.mesh @n = <["x"=2]>\n'
        'stablehlo.custom_call @f() {text = "sdy.reshard %0"} : () -> ()\n'
        '%1 = "sdy.reshard"(%0) {sharding = #sdy.sharding<@m, []>} : (tensor<f32>) -> tensor<f32>\n'
    )
    assert to_generic(text) == text


def test_lines_stay_where_they_are() -> None:
    text = 'sdy.mesh @m\n  = <[\n  "x"=2]>\n%1 = sdy.reshard\n %0 <@m, []>\n : tensor<f32>\nhere'
    assert to_generic(text).split("\n")[6] == "here"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("\n  %1 = sdy.reshard %0 <@m, [{}]", "m.mlir:2:"),
        ("%1 = sdy.reshard : tensor<f32>", "m.mlir:1:"),
        ("\n\n%1 = sdy.all_together %0 : tensor<f32>", "m.mlir:3:6"),
        ("%1 = sdy.reshard %0 <@m, [{)]> : tensor<f32>", "m.mlir:1:"),
        ("sdy.mesh m = <[]>", "m.mlir:1:"),
    ],
)
def test_what_is_malformed_is_refused_where_it_stands(text: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        to_generic(text, "m.mlir")
    assert str(caught.value.where).startswith(place)


def test_only_shardys_own_words_count_as_a_mention() -> None:
    assert mentions_shardy('sdy.mesh @m = <["x"=2]>')
    assert mentions_shardy('"sdy.mesh"() : () -> ()')
    assert not mentions_shardy("// sdy.mesh\n%0 = stablehlo.abs %a : tensor<f32>")
    assert not mentions_shardy('{text = "no sdy.mesh here"}')
