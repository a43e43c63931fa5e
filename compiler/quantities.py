"""Numbers as people write them on the command line: counts, shares."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from distc.runtime.errors import UsageError

_COUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?)([KMBT]?)\Z")
_COUNT_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_MOST = 10**18


def parse_count(text: str, option: str) -> int:
    """Return `7e9`, `7B` or `7000000000` as a whole number.

    Raises:
        UsageError: no number, or one below 1 or above 10^18.
    """
    match = _COUNT.match(text.strip())
    number = Fraction(match.group(1)) * _COUNT_UNITS[match.group(2)] if match else Fraction(0)
    if not 1 <= number <= _MOST:
        raise UsageError(f"{option} is {text!r}, not a count", help=f"write {option} 7e9")
    return round(number)


def parse_share(text: str, option: str, whole: int) -> int:
    """Return how many of `whole` `1/16`, `0.003` or `4e6` means: up to 1 a share, else a count.

    Raises:
        UsageError: no number above 0, or more than `whole`.
    """
    share = _fraction(text.strip())
    if share is None or share <= 0:
        raise UsageError(f"{option} is {text!r}, no share", help=f"write {option} 1/16")
    number = math.ceil(share * whole) if share <= 1 else round(share)
    if number > whole:
        raise UsageError(
            f"{option} {text} is {number} of {whole} parameters",
            help=f"a share up to 1 or a count up to {whole} is needed",
        )
    return number


def _fraction(text: str) -> Fraction | None:
    if len(text) > 40 or re.search(r"[eE][+-]?[0-9]{3,}", text):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
