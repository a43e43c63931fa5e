"""Rules that other tools get wrong or miss, each executed here."""

from __future__ import annotations

from unit.solver.discovery import samples
from unit.solver.discovery.reading import PASS, WHOLE, kinds, reduced

from distc.dialect.sharding import Reduction
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import FormKind, Status


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


def test_a_maximum_of_negative_numbers_does_not_start_from_zero() -> None:
    # Combining from zeros would give 0 for every row of negative numbers and be rejected.
    assert kinds(discover(samples.reduction("maximum", "0xFF800000")), 0)[1] == reduced(
        Reduction.MAX
    )


def test_a_minimum_of_positive_numbers_does_not_start_from_zero() -> None:
    assert kinds(discover(samples.reduction("minimum", "0x7F800000")), 0)[1] == reduced(
        Reduction.MIN
    )
