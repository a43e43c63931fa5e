"""Random programs under random shardings; `make fuzz` runs many more.

Hypothesis chooses and shrinks; the smallest failing case is written to build/fuzz, ready for
`tools/fuzz.py --replay`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fuzzing.case import Case, check
from fuzzing.choices import Choices
from fuzzing.generate import forward_case, pinned_case
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

HERE = Path(__file__).resolve().parent
CORPUS = sorted((HERE.parent / "fuzzing" / "corpus").glob("*.mlir"))
FAILED = HERE.parent.parent / "build" / "fuzz"
REPRODUCERS = sorted((HERE / "reproducers").glob("*.mlir"))
BATCHES = 8
# Eight batches of twenty and eight of five: two hundred programs.
PROFILE = settings(
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


class Drawn:
    """Choices of hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def below(self, count: int) -> int:
        return self.data.draw(st.integers(0, count - 1))


def _run(name: str, batch: int, count: int, build: Callable[[Choices], Case]) -> None:
    @seed(batch)
    @settings(PROFILE, max_examples=count)
    @given(st.data())
    def program(data: st.DataObject) -> None:
        case = build(Choices(Drawn(data)))
        failure = check(case)
        if failure:
            FAILED.mkdir(parents=True, exist_ok=True)
            # The last one that hypothesis tries is the smallest.
            path = FAILED / f"{name}-{batch}.mlir"
            path.write_text(case.file())
            raise AssertionError(f"{failure}\nreproducer: tools/fuzz.py --replay {path}")

    program()


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_under_random_shardings(batch: int) -> None:
    _run("forward", batch, 20, forward_case)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_functions_and_their_gradients_under_random_shardings(batch: int) -> None:
    stored = [Case.parse(path.read_text()) for path in CORPUS]
    _run("stored", batch, 5, lambda choices: pinned_case(choices, choices.pick(stored)))


@pytest.mark.parametrize("path", REPRODUCERS, ids=[p.stem for p in REPRODUCERS])
def test_cases_that_once_failed(path: Path) -> None:
    assert check(Case.parse(path.read_text())) == ""
