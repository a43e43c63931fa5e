"""Memory limits as small whole numbers, for solvers that read 32-bit or floating point rows.

    Σ r_i(x_i) ≤ limit    ⟺    Σ (r_i(x_i) − least_i) / unit  ≤  ⌊(limit − Σ least_i) / unit⌋

with unit the greatest common divisor of what is left on the left side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from distc.solver.search.network import CostNetwork, Costs


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One memory point.

    Attributes:
        units: variable → units of each label, of those whose labels differ.
        limit: units that fit; negative where even the least bytes do not.
    """

    units: Mapping[int, Costs]
    limit: int


def memory_rows(network: CostNetwork, limit: int) -> list[MemoryRow]:
    """Return the rows of the points where some assignment is above `limit` bytes."""
    rows = (_row(point, limit) for point in network.memory)
    return [r for r in rows if r.limit < sum(int(u.max()) for u in r.units.values())]


def _row(point: Mapping[int, Costs], limit: int) -> MemoryRow:
    left = limit - sum(int(b.min()) for b in point.values())
    above = {i: b - b.min() for i, b in point.items() if b.max() > b.min()}
    unit = int(np.gcd.reduce([int(np.gcd.reduce(b)) for b in above.values()] or [1]))
    return MemoryRow({i: b // unit for i, b in above.items()}, left // unit)
