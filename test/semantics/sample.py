"""The cases that `make test` runs: some of every family."""

from __future__ import annotations

from collections.abc import Sequence

from semantics.case import Case

_EVERY = 9


def sample(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Every ninth case of each family, so that meshes and shardings take turns."""
    chosen: list[Case] = []
    seen: dict[str, int] = {}
    for case in cases:
        number = seen.get(case.family, 0)
        seen[case.family] = number + 1
        if number % _EVERY == 0:
            chosen.append(case)
    return tuple(chosen)
