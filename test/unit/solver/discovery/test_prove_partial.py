"""Partial operands: what Z3 proves, and that it proves nothing that is false."""

from __future__ import annotations

import pytest
from unit.solver.discovery import samples

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.sharding import Reduction
from distc.solver.discovery.prove_partial import partial_is_proved

SUM, PROD, MAX, MIN = Reduction.SUM, Reduction.PROD, Reduction.MAX, Reduction.MIN
AND, OR = Reduction.AND, Reduction.OR
DIVIDED = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<DIVISOR> : tensor<4xf32>
  %0 = stablehlo.divide %a, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
CONCATENATE = """func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<9xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<5xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}"""


def proved(text: str, operands: set[int], kind: Reduction) -> bool:
    module = parse_module(text, make_context(), "test.mlir")
    return partial_is_proved(stablehlo.functions(module)[0], frozenset(operands), kind)


@pytest.mark.parametrize(
    ("name", "count", "dtype", "operands", "kind"),
    [
        ("add", 2, "f32", {0, 1}, SUM),
        ("add", 2, "i32", {0, 1}, SUM),
        ("add", 2, "f32", {0}, MAX),
        ("multiply", 2, "f32", {0}, SUM),
        ("multiply", 2, "i32", {1}, SUM),
        ("multiply", 2, "f32", {0, 1}, PROD),
        ("negate", 1, "f32", {0}, SUM),
        ("maximum", 2, "f32", {0}, MIN),
        ("exponential", 1, "f32", {0}, MAX),
        ("sqrt", 1, "f32", {0}, MIN),
        ("and", 2, "i32", {0}, OR),
        ("or", 2, "i1", {0, 1}, OR),
    ],
)
def test_an_elementwise_op_commutes(
    name: str, count: int, dtype: str, operands: set[int], kind: Reduction
) -> None:
    assert proved(samples.elementwise(name, count, dtype), operands, kind)


@pytest.mark.parametrize(
    ("name", "count", "dtype", "operands", "kind"),
    [
        ("add", 2, "f32", {0}, SUM),  # the other operand would count twice
        ("add", 2, "i32", {0}, MAX),  # integers wrap
        ("multiply", 2, "f32", {0, 1}, SUM),
        ("multiply", 2, "f32", {0}, MAX),  # a negative factor turns the order
        ("negate", 1, "f32", {0}, MAX),
        ("abs", 1, "f32", {0}, SUM),
        ("exponential", 1, "f32", {0}, SUM),
        ("sqrt", 1, "f32", {0}, MAX),  # NaN for the negative part wins
        ("divide", 2, "f32", {0}, SUM),  # by zero
        ("xor", 2, "i32", {0}, OR),
        ("cosine", 1, "f32", {0}, MAX),
    ],
)
def test_what_does_not_commute_is_not_proved(
    name: str, count: int, dtype: str, operands: set[int], kind: Reduction
) -> None:
    assert not proved(samples.elementwise(name, count, dtype), operands, kind)


def test_a_fold_commutes_with_its_own_kind_only() -> None:
    total = samples.reduction("add", "0.0")
    assert proved(total, {0}, SUM)
    assert not proved(total, {0}, MAX)


def test_a_sum_that_starts_elsewhere_counts_its_start_twice() -> None:
    assert not proved(samples.reduction("add", "5.0"), {0}, SUM)


def test_a_maximum_may_start_anywhere() -> None:
    assert proved(samples.reduction("maximum", "5.0"), {0}, MAX)


@pytest.mark.parametrize(("operands", "holds"), [({0}, True), ({1}, True), ({0, 1}, False)])
def test_a_product_is_linear_in_one_factor(operands: set[int], holds: bool) -> None:
    assert proved(samples.BMM, operands, SUM) is holds


def test_moving_takes_all_that_it_moves() -> None:
    assert proved(CONCATENATE, {0, 1}, SUM)
    assert not proved(CONCATENATE, {0}, SUM)
    assert proved(CONCATENATE, {0}, MAX)


def test_a_selection_takes_both_branches_and_not_the_predicate() -> None:
    assert proved(samples.SELECT, {1, 2}, SUM)
    assert not proved(samples.SELECT, {1}, SUM)
    assert not proved(samples.SELECT, {0}, OR)


def test_a_scatter_that_adds_needs_its_target_partial_too() -> None:
    assert proved(samples.SCATTER, {0, 2}, SUM)
    assert not proved(samples.SCATTER, {2}, SUM)


@pytest.mark.parametrize(("divisor", "holds"), [("6.0", True), ("0.0", False)])
def test_a_constant_divisor_is_a_factor_unless_it_is_zero(divisor: str, holds: bool) -> None:
    assert proved(DIVIDED.replace("DIVISOR", divisor), {0}, SUM) is holds


def test_a_body_is_proved_op_by_op() -> None:
    assert proved(samples.MEAN, {0}, SUM)
    assert not proved(samples.SOFTMAX, {0}, SUM)
