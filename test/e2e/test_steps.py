"""Training steps: three of them equal single-device PyTorch, for a sample of plans."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e.step_cases import every_point, sample
from e2e.steps import StepCase, run


@pytest.mark.parametrize("case", sample(), ids=str)
def test_three_steps_equal_pytorch(case: StepCase, tmp_path: Path) -> None:
    found = run(case, tmp_path)
    assert found.equal, f"{found.what} is {found.share:.3g} times the allowed difference off"


@pytest.mark.parametrize("case", every_point(), ids=lambda c: c.preset)
def test_every_point_of_sharded_state_equals_pytorch(case: StepCase, tmp_path: Path) -> None:
    found = run(case, tmp_path)
    assert found.equal, f"{found.what} is {found.share:.3g} times the allowed difference off"
