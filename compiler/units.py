"""Seconds, bytes and types as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from distc.solver.byte_size import show_bytes


def duration(seconds: float) -> str:
    """Return seconds with the unit that reads best: `4.12 µs`, `0 s`."""
    if seconds == 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-12:.3g} ps"


def size(bytes_: float) -> str:
    """Return bytes with the unit that reads best: `328 B`, `1.5 MiB`."""
    return show_bytes(round(bytes_))


def tensor(dtype: str, shape: Sequence[int]) -> str:
    """Return `f32[512,64]`."""
    return f"{dtype}[{','.join(map(str, shape))}]"
