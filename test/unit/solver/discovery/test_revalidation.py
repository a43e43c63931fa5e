"""What the search found is believed only after an independent validation."""

from __future__ import annotations

import pytest
from unit.solver.discovery import samples

from distc.dialect.sharding import Reduction
from distc.solver.discovery.bands import Band
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import Status, from_json, to_json
from distc.solver.discovery.revalidate import Revalidation
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Digit, Strategy

WINDOW = """func.func @main(%a: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1, 3>,
   padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
   ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<5x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}"""


def revalidation(text: str) -> Revalidation:
    subject = Subject(text)
    return Revalidation(subject, (subject.operand_shapes, subject.result_shapes), [])


def rows(kind: Reduction) -> Strategy:
    """The inner dimension of 4 x 6 cut, results combined."""
    return Strategy((Digit(1, 1, 6),), (None,), kind)


def test_a_right_reduction_holds_with_up_to_five_shards() -> None:
    (agreed,) = revalidation(samples.MEAN).strategies([rows(Reduction.SUM)], [False])
    assert agreed is not None
    assert agreed >= 3 * len((2, 3, 4, 5))


@pytest.mark.parametrize("kind", [Reduction.MAX, Reduction.MIN, Reduction.PROD])
def test_a_wrong_reduction_does_not_hold_again(kind: Reduction) -> None:
    again = revalidation(samples.MEAN)
    assert again.strategies([rows(kind)], [False]) == [None]
    assert "did not hold" in again.notes[0]


def test_a_window_that_is_too_narrow_is_refused() -> None:
    again = revalidation(WINDOW)
    assert again.band(Band((1,), (1,), 1, 1, False), False) is not None
    assert again.band(Band((1,), (1,), 0, 1, False), False) is None


def test_partial_operands_are_refused_where_the_op_is_not_linear() -> None:
    again = revalidation(samples.elementwise("abs"))
    assert again.partial((0,), Reduction.SUM, False) is None
    assert "not partial over sum" in again.notes[0]


def test_a_validated_rule_says_how_often() -> None:
    found = discover(samples.MEAN)
    bases = [b for b in found.bases if b is not None]
    assert bases and all(b.status is Status.VALIDATED and b.trials >= 3 for b in bases)
    assert "trials" in found.why()


def test_how_a_rule_was_established_is_in_its_record() -> None:
    found = discover(samples.MEAN)
    again = from_json(to_json(found))
    assert (again.bases, again.partial_bases) == (found.bases, found.partial_bases)
