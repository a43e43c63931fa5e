"""Which rank writes which box: each box once, the bytes spread evenly over the ranks."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from distc.runtime.artifact import TensorRecord
from distc.runtime.checkpoint.index import Box
from distc.runtime.dtypes import torch_dtype


def owners(records: Iterable[TensorRecord], ranks: int) -> dict[str, dict[int, Box]]:
    """Return tensor name → rank that writes → the box it writes; the same on every rank.

    Boxes are given out from the largest down, each to the holder with least to write so far.
    """
    boxes: list[tuple[int, str, Box, list[int]]] = []
    found: dict[str, dict[int, Box]] = {}
    for record in records:
        found[record.name] = {}
        holders: dict[Box, list[int]] = {}
        for rank in range(ranks):
            holders.setdefault(record.layout.box(rank), []).append(rank)
        itemsize = torch_dtype(record.dtype).itemsize
        for box, held in holders.items():
            bytes_ = prod(length for _, length in box) * itemsize
            if bytes_:
                boxes.append((bytes_, record.name, box, held))
    load = [0] * ranks
    for bytes_, name, box, held in sorted(boxes, key=lambda b: (-b[0], b[1], b[2])):
        rank = min(held, key=lambda r: (load[r], r))
        load[rank] += bytes_
        found[name][rank] = box
    return found
