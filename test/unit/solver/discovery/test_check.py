"""Rules that somebody wrote: right ones pass, wrong ones get a counter-example."""

from __future__ import annotations

import pytest
from unit.solver.discovery import samples

from distc.runtime.errors import InputError
from distc.solver.discovery.check import counter_example

PRODUCT = samples.reduction("multiply", "1.0")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (samples.BMM, "[b, i, k], [b, k, j] -> [b, i, j] reduction={k}"),
        (samples.MEAN, "[i, j] -> [i] reduction={j}"),
        (samples.SOFTMAX, "[i, j] -> [i, j] need_replication={j}"),
        (samples.CUMULATIVE, "[i, j], [] -> [i, j] need_replication={j}"),
    ],
)
def test_a_right_rule_has_no_counter_example(text: str, rule: str) -> None:
    assert counter_example(text, rule) is None


@pytest.mark.parametrize(
    ("text", "rule", "where"),
    [
        (samples.SOFTMAX, "[i, j] -> [i, j]", "cut into 2 along j (of size 6)"),
        (samples.MEAN, "[i, j] -> [i] max={j}", "along j (of size 6)"),
        (samples.SELECT_ROW, "[i, j] -> [_, j] max={i}", "cut into 2 along"),
        (samples.CUMULATIVE, "[i, j], [] -> [i, j]", "along j (of size 6)"),
    ],
)
def test_a_wrong_rule_is_refuted_with_values(text: str, rule: str, where: str) -> None:
    found = counter_example(text, rule)
    assert found is not None and where in found


def test_a_reduction_that_sees_the_zeros_of_padding_is_refuted() -> None:
    # Even shards would do: a product over four of six columns meets two zeros.
    found = counter_example(PRODUCT, "[i, j], [] -> [i] prod={j}")
    assert found is not None and "cut into 4 along j" in found


def test_a_rule_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="dimensions"):
        counter_example(samples.SOFTMAX, "[i] -> [i]")
