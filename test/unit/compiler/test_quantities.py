"""Counts and shares as people write them."""

from __future__ import annotations

import pytest

from distc.compiler.quantities import parse_count, parse_share
from distc.runtime.errors import UsageError


@pytest.mark.parametrize(
    ("text", "count"), [("7e9", 7 * 10**9), ("6.7B", 6_700_000_000), ("12", 12), ("1.5K", 1500)]
)
def test_counts(text: str, count: int) -> None:
    assert parse_count(text, "--parameters") == count


@pytest.mark.parametrize(
    ("text", "count"), [("1/3", 34), ("1", 100), ("0.5", 50), ("2", 2), ("3e1", 30)]
)
def test_shares_round_up(text: str, count: int) -> None:
    assert parse_share(text, "--trainable", 100) == count


@pytest.mark.parametrize("text", ["", "-1", "nan", "1e999999999", "9" * 50, "x"])
def test_what_is_no_number_is_refused(text: str) -> None:
    for parse in (
        lambda: parse_count(text, "--parameters"),
        lambda: parse_share(text, "--trainable", 100),
    ):
        with pytest.raises(UsageError) as caught:
            parse()
        assert caught.value.help.startswith(("write --", "a share"))
