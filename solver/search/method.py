"""The methods of search by name: no more than the names, so that options may be read quickly."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How the cheapest assignment is searched."""

    EXACT = "exact"
    """Elimination, prices for memory, branch and bound (docs/adr/0019-exact-search.md)."""

    Z3 = "z3"
    """Weighted MaxSAT in Z3: some five hundred ops on one mesh axis."""

    ILP = "ilp"
    """A mixed-integer program in HiGHS: needs the extra `distc[ilp]`."""

    BEAM = "beam"
    """Beam search: fast, legal, not proved."""
