"""What discovery finds: reductions, partial operands, merged dimensions, windows, records."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from unit.solver.discovery import samples
from unit.solver.discovery.reading import PASS, kinds, reduced

from distc.dialect.rules.rule import FactorKind
from distc.dialect.sharding import Reduction
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import Status, from_json, to_json


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("name", "init", "kind"),
    [
        ("add", "0.0", Reduction.SUM),
        ("maximum", "0xFF800000", Reduction.MAX),
        ("minimum", "0x7F800000", Reduction.MIN),
        ("multiply", "1.0", Reduction.PROD),
    ],
)
def test_reductions_combine_by_their_kind(name: str, init: str, kind: Reduction) -> None:
    assert kinds(discover(samples.reduction(name, init)), 0) == [PASS, reduced(kind)]


@pytest.mark.parametrize(
    ("name", "init", "kind"), [("and", "-1", Reduction.AND), ("or", "0", Reduction.OR)]
)
def test_bitwise_reductions(name: str, init: str, kind: Reduction) -> None:
    assert kinds(discover(samples.reduction(name, init, "i32")), 0) == [PASS, reduced(kind)]


def sums(name: str, operands: int = 1, kind: str = "f32") -> set[tuple[int, ...]]:
    """Sets of operands of an elementwise op that may be partial sums together."""
    found = discover(samples.elementwise(name, operands, kind))
    return {tuple(sorted(p.operands)) for p in found.rule.partial if Reduction.SUM in p.kinds}


@pytest.mark.parametrize(
    ("name", "operands", "wanted"),
    [
        ("negate", 1, {(0,)}),
        ("add", 2, {(0, 1)}),
        ("subtract", 2, {(0, 1)}),
        ("multiply", 2, {(0,), (1,)}),
        ("abs", 1, set()),
        ("floor", 1, set()),
        ("exponential", 1, set()),
        ("sign", 1, set()),
    ],
)
def test_what_is_linear_takes_partial_sums_and_nothing_else(
    name: str, operands: int, wanted: set[tuple[int, ...]]
) -> None:
    assert sums(name, operands) == wanted


@pytest.mark.parametrize("kind", ["f32", "i32"])
def test_a_partial_dividend_is_refused(kind: str) -> None:
    # 3/0 - 1/0 is NaN where 2/0 is infinite; 1/2 + 1/2 is 0 in integers.
    assert sums("divide", 2, kind) == set()


def partial_kinds(text: str, operand: int) -> set[Reduction]:
    """Kinds over which one operand alone may be partial."""
    rules = discover(text).rule.partial
    return {k for p in rules if p.operands == {operand} for k in p.kinds}


def test_an_increasing_op_takes_partial_maxima() -> None:
    assert Reduction.MAX in partial_kinds(samples.elementwise("exponential"), 0)


def test_a_decreasing_op_does_not() -> None:
    assert not partial_kinds(samples.elementwise("negate"), 0) & {Reduction.MAX, Reduction.MIN}


def test_a_conversion_to_integers_that_loses_nan_takes_no_partial_maxima() -> None:
    text = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xi32> {
  %0 = stablehlo.convert %a : (tensor<4x6xf32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}"""
    assert partial_kinds(text, 0) == set()


def test_reshape_factors_are_major_to_minor() -> None:
    found = discover(
        "func.func @main(%a: tensor<4x12x5xf32>) -> tensor<4x3x20xf32> {\n"
        "  %0 = stablehlo.reshape %a : (tensor<4x12x5xf32>) -> tensor<4x3x20xf32>\n"
        "  return %0 : tensor<4x3x20xf32>\n}"
    )
    assert str(found.rule).startswith("([i, jk, l])->([i, j, kl]) {i=4, j=3, k=4, l=5}")
    assert found.status is Status.PROVED


def test_windows_and_reversals_are_permutations() -> None:
    found = discover(
        "func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
        "  %0 = stablehlo.reverse %a, dims = [1] : tensor<4x8xf32>\n"
        "  return %0 : tensor<4x8xf32>\n}"
    )
    (flipped,) = found.rule.results[0][1]
    assert found.rule.factors[flipped].kind is FactorKind.PERMUTATION
    assert found.forms[flipped].reversed and (
        found.forms[flipped].low,
        found.forms[flipped].high,
    ) == (0, 0)


def test_iota_is_made_in_parts() -> None:
    found = discover(
        "func.func @main() -> tensor<6x4xi32> {\n"
        "  %0 = stablehlo.iota dim = 0 : tensor<6x4xi32>\n  return %0 : tensor<6x4xi32>\n}"
    )
    assert [found.rule.factors[d[0]].kind for d in found.rule.results[0]] == [FactorKind.PASS] * 2


def test_a_record_comes_back_as_it_was() -> None:
    found = discover(samples.GATHER_ONE)
    again = from_json(to_json(found))
    assert replace(again, seconds=0.0) == replace(found, seconds=0.0)


def test_what_a_partitioner_cannot_copy_is_left_out() -> None:
    found = discover(samples.BADDBMM)
    plain = found.plain_rule()
    (contracted,) = plain.operands[1][2]
    assert plain.factors[contracted].kind is FactorKind.REPLICATE
    assert plain.factors[plain.operands[0][0][0]].kind is FactorKind.PASS
