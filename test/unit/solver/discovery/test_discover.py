"""What discovery finds, and what it must not: traps that other tools fall into."""

from __future__ import annotations

import pytest
import torch
from unit.solver.discovery import samples

from distc.dialect.rules.rule import FactorKind
from distc.dialect.sharding import Reduction
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import Discovered, FormKind, Status, from_json, to_json


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def kinds(found: Discovered, operand: int) -> list[tuple[FactorKind, Reduction | None]]:
    """Per dimension of an operand, the kind of its major factor and how it combines."""
    factors = [found.rule.factors[d[0]] for d in found.rule.operands[operand]]
    return [(f.kind, f.reduction) for f in factors]


PASS = (FactorKind.PASS, None)
WHOLE = (FactorKind.REPLICATE, None)


def reduced(kind: Reduction) -> tuple[FactorKind, Reduction]:
    return FactorKind.REDUCTION, kind


def test_bmm_has_all_four_factors() -> None:
    found = discover(samples.BMM)
    assert kinds(found, 0) == [PASS, PASS, reduced(Reduction.SUM)]
    assert kinds(found, 1) == [PASS, reduced(Reduction.SUM), PASS]
    assert found.status is Status.PROVED
    assert {tuple(sorted(p.operands)) for p in found.rule.partial} == {(0,), (1,)}


def test_the_bias_of_baddbmm_counts_once() -> None:
    found = discover(samples.BADDBMM)
    (contracted,) = found.rule.operands[1][2]
    assert found.rule.factors[contracted].reduction is Reduction.SUM
    assert found.forms[contracted].kind is FormKind.SEEDED
    assert found.forms[contracted].operands == (0,)


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


def test_a_maximum_from_another_start_value_is_not_a_sum() -> None:
    # max(x, 5) over shards is still a maximum; a sum from 5 would count 5 on every rank.
    assert kinds(discover(samples.reduction("maximum", "5.0")), 0)[1] == reduced(Reduction.MAX)
    assert kinds(discover(samples.reduction("add", "5.0")), 0)[1] == WHOLE


def test_mean_over_a_cut_dimension_keeps_its_divisor() -> None:
    assert kinds(discover(samples.MEAN), 0) == [PASS, reduced(Reduction.SUM)]


def test_nll_loss_over_classes_is_a_sum_and_never_an_extremum() -> None:
    found = discover(samples.NLL_LOSS)
    assert kinds(found, 0) == [reduced(Reduction.SUM), reduced(Reduction.SUM)]
    assert kinds(found, 1) == [reduced(Reduction.SUM)]


def test_gather_with_one_index_is_a_masked_look_up() -> None:
    found = discover(samples.GATHER_ONE)
    assert kinds(found, 0) == [reduced(Reduction.SUM)]
    assert found.forms[found.rule.operands[0][0][0]].kind is FormKind.SHIFTED


def test_a_row_that_is_selected_is_not_a_maximum() -> None:
    found = discover(samples.SELECT_ROW)
    assert kinds(found, 0) == [WHOLE, PASS]


def test_argmax_does_not_combine() -> None:
    assert kinds(discover(samples.ARGMAX), 0) == [PASS, WHOLE]


def test_softmax_passes_over_rows_alone() -> None:
    assert kinds(discover(samples.SOFTMAX), 0) == [PASS, WHOLE]


def test_only_what_is_linear_takes_partial_sums() -> None:
    def sums(name: str, operands: int = 1, kind: str = "f32") -> set[tuple[int, ...]]:
        found = discover(samples.elementwise(name, operands, kind))
        return {tuple(sorted(p.operands)) for p in found.rule.partial if Reduction.SUM in p.kinds}

    assert sums("negate") == {(0,)}
    assert sums("add", 2) == {(0, 1)}
    assert sums("multiply", 2) == {(0,), (1,)}
    # Not exactly: 3/0 - 1/0 is NaN where 2/0 is infinite.
    assert sums("divide", 2) == set()
    assert sums("divide", 2, "i32") == set()
    for name in ("abs", "floor", "exponential", "sign"):
        assert sums(name) == set(), name


def test_monotone_ops_take_partial_maxima() -> None:
    found = discover(samples.elementwise("exponential"))
    assert any(Reduction.MAX in p.kinds and p.operands == {0} for p in found.rule.partial)
    found = discover(samples.elementwise("negate"))
    assert not any(Reduction.MAX in p.kinds for p in found.rule.partial)


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
    assert (again.rule, again.forms, again.status) == (found.rule, found.forms, found.status)


def test_what_a_partitioner_cannot_copy_is_left_out() -> None:
    found = discover(samples.BADDBMM)
    plain = found.plain_rule()
    (contracted,) = plain.operands[1][2]
    assert plain.factors[contracted].kind is FactorKind.REPLICATE
    assert plain.factors[plain.operands[0][0][0]].kind is FactorKind.PASS
