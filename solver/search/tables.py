"""Tables interned by content: equal tables have equal numbers, so equal work is found and reused.

Layers of a model repeat. Eliminating a variable of one layer combines the same tables as in the
layer before; with numbered tables that is a dictionary look-up. After a few layers the message
from layer to layer is the one before plus a constant, and everything further is found.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from distc.solver.search.network import Costs


class TableStore:
    """Cost tables by number."""

    def __init__(self) -> None:
        self.tables: list[Costs] = []
        self._by_content: dict[tuple[tuple[int, ...], bytes], int] = {}
        self._by_object: dict[int, int] = {}
        self._kept: list[NDArray[np.int64]] = []

    def add(self, table: Costs) -> int:
        """Return the number of a table, a new one for new content."""
        known = self._by_object.get(id(table))
        if known is not None:
            return known
        plain = np.ascontiguousarray(table)
        key = (plain.shape, blake2b(plain.data if plain.size else b"", digest_size=16).digest())
        number = self._by_content.setdefault(key, len(self.tables))
        if number == len(self.tables):
            self.tables.append(plain)
        # An object's id is only known to be its own while the object lives.
        self._kept.append(table)
        self._by_object[id(table)] = number
        return number

    def __getitem__(self, number: int) -> Costs:
        return self.tables[number]
