"""A seeded sample of random programs; `make fuzz` runs many more."""

from __future__ import annotations

import pytest
from executable.random_shardings import check

PER_TEST = 10


@pytest.mark.parametrize("batch", range(20))
def test_random_programs_under_random_shardings(batch: int) -> None:
    for seed in range(batch * PER_TEST, (batch + 1) * PER_TEST):
        check(seed)
