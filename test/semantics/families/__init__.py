"""The cases, one module a family; `all_cases()` is the whole suite in one order."""

from __future__ import annotations

from functools import cache

from semantics.case import Case
from semantics.families import (
    control,
    convolutions,
    creation,
    embeddings,
    indices,
    moving,
    nan,
    order,
    partials,
    reshapes,
    sizes,
    statistics,
    ties,
    windows,
    wrap,
    zeros,
)

_FAMILIES = (
    nan, zeros, indices, ties, moving, wrap, sizes, order, creation, statistics, convolutions,
    windows, reshapes, embeddings, partials, control,
)  # fmt: skip


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case; names are unique."""
    return tuple(case for family in _FAMILIES for case in family.cases())
