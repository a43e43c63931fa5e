"""Times as users write them: `60s`, `2m`, `500ms`, `1.5h`."""

from __future__ import annotations

import re

from distc.runtime.errors import UsageError

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_FORM = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)\Z", re.ASCII)


def parse_duration(text: str, option: str) -> float:
    """Return a time in seconds.

    Args:
        text: a number and its unit.
        option: who asks, for the message: `--budget`.

    Raises:
        UsageError: no number, no unit, or another unit.
    """
    found = _FORM.match(text)
    if found is None:
        raise UsageError(
            f"{option} {text}: not a number with one of the units {', '.join(_SECONDS)}",
            help=f"write {option} 60s",
        )
    number, unit = found.groups()
    return float(number) * _SECONDS[unit]
