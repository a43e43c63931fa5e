"""Bytes as people write them, there and back."""

from __future__ import annotations

import pytest

from distc.runtime.errors import UsageError
from distc.solver.byte_size import enough_bytes, parse_bytes, show_bytes


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("60GiB", 60 << 30), ("1.5 MiB", 3 << 19), ("80GB", 80 * 10**9), ("7b", 7), ("2kib", 2048)],
)
def test_units(text: str, bytes_: int) -> None:
    assert parse_bytes(text) == bytes_


@pytest.mark.parametrize("text", ["60", "GiB", "-1GiB", "1e9B", "60 gigs", ""])
def test_what_is_no_number_of_bytes_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a number of bytes"):
        parse_bytes(text)


@pytest.mark.parametrize("bytes_", [0, 1, 1023, 1024, 1025, 10**6, 123456789, (1 << 40) + 1])
def test_enough_is_never_less(bytes_: int) -> None:
    assert parse_bytes(enough_bytes(bytes_)) >= bytes_
    assert show_bytes(3 << 30) == "3.0 GiB"
