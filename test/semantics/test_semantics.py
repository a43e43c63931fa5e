"""A deterministic sample of the semantics suite; `make semantics` runs all of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from executable import harness

from semantics import check as judge
from semantics.case import Case
from semantics.check import check
from semantics.compare import difference
from semantics.families import all_cases
from semantics.sample import sample

BATCHES = 24
_SAMPLE = sample(all_cases())


@pytest.mark.parametrize("batch", range(BATCHES))
def test_cases(batch: int) -> None:
    failures = {c.id: found for c in _SAMPLE[batch::BATCHES] if (found := check(c))}
    assert not failures, "\n".join(f"{name}: {found}" for name, found in failures.items())


def test_every_family_is_sampled() -> None:
    assert {c.family for c in _SAMPLE} == {c.family for c in all_cases()}


def test_cases_are_many_and_named_once() -> None:
    names = [c.id for c in all_cases()]
    assert len(names) >= 1000
    assert len(set(names)) == len(names)
    assert all(c.reason for c in all_cases())


def _named(start: str) -> Case:
    return next(c for c in all_cases() if c.id.startswith(start))


def test_an_executor_that_is_wrong_alone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def off_by_one(text: str, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        return [x + 1 for x in harness.run_whole(text, inputs)]

    monkeypatch.setattr(judge, "run_whole", off_by_one)
    monkeypatch.setattr(judge, "_whole", {})
    assert "against interpreter" in check(_named("order/subtract of i32 0:"))


def test_ranks_that_are_wrong_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = _named("zeros/pending sum")
    assert check(case) == ""
    monkeypatch.setattr(judge, "part", lambda x, sharding, rank: x.abs())
    assert "sign of zero" in check(case)


@pytest.mark.parametrize(
    ("actual", "expected", "ulps", "found"),
    [
        ([0.0, 1.0], [-0.0, 1.0], 9.0, "sign of zero"),
        ([np.nan, 1.0], [0.0, 1.0], 9.0, "NaN"),
        ([1.0, 1.0], [np.nan, 1.0], 9.0, "NaN"),
        ([np.inf], [-np.inf], 9.0, "sign of infinity"),
        ([1.0], [np.inf], 9.0, "infinity"),
        ([1.0], [1.0 + 2.0**-22], 0.0, "value"),
        ([1.0], [1.0 + 2.0**-22], 2.0, ""),
        ([np.nan, -0.0, -np.inf], [np.nan, -0.0, -np.inf], 0.0, ""),
    ],
)
def test_comparison(actual: list[float], expected: list[float], ulps: float, found: str) -> None:
    said = difference(np.array(actual, np.float32), np.array(expected, np.float32), "f32", ulps)
    assert said.startswith(found) if found else said == ""
