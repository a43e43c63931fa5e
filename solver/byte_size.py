"""Numbers of bytes as people write and read them: `60GiB`, `1.5 MiB`."""

from __future__ import annotations

import re
from math import ceil

from distc.runtime.errors import UsageError

_UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 1 << 10,
    "MIB": 1 << 20,
    "GIB": 1 << 30,
    "TIB": 1 << 40,
}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*\Z")
_NAMES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def parse_bytes(text: str, option: str = "--memory") -> int:
    """Return a number of bytes.

    Raises:
        UsageError: not a number with a unit.
    """
    found = _TEXT.match(text)
    unit = None if found is None else _UNITS.get(found.group(2).upper())
    if found is None or unit is None:
        raise UsageError(
            f"{option} {text!r} is not a number of bytes", help=f"write {option} 60GiB, or 512MiB"
        )
    return int(float(found.group(1)) * unit)


def show_bytes(bytes_: int) -> str:
    """Return a number of bytes with the unit that reads best: `328 B`, `1.5 MiB`."""
    number, names = float(bytes_), list(_NAMES)
    while abs(number) >= 1024 and len(names) > 1:
        number /= 1024
        names.pop(0)
    return f"{number:.1f} {names[0]}" if names[0] != "B" else f"{bytes_} B"


def enough_bytes(bytes_: int) -> str:
    """Return a number that is no smaller, as an option takes it: `71GiB`, `1.3MiB`."""
    place = next(i for i in reversed(range(len(_NAMES))) if bytes_ >= 1024**i or i == 0)
    tenths = ceil(bytes_ * 10 / 1024**place)
    return f"{tenths / 10:g}{_NAMES[place]}"
