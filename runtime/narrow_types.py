"""Element types narrower than a program's: what they hold, and the wider type that carries them.

Formats of numbers and what they do beyond their largest: OCP 8-bit Floating Point Specification
1.0 (E4M3FN, E5M2), OCP Microscaling Formats 1.0 (E2M1FN, E2M3FN, E3M2FN, E8M0FNU), and the FNUZ
and IEEE-like variants as MLIR's builtin types describe them. Standard library only; every layer
may import this module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

INTEGERS = {"i2": 2, "i4": 4, "ui2": 2, "ui4": 4}


class Beyond(StrEnum):
    """What numbers become that round past the largest finite one."""

    INFINITY = "infinity"
    NAN = "nan"
    LARGEST = "largest"


@dataclass(frozen=True, slots=True)
class Format:
    """A small floating-point format.

    `nan` is the code of NaN (without the sign bit), -1 where there is none; `signed_zero` is false
    where the code of -0.0 means NaN, and `unsigned` formats have neither a sign nor a zero.
    """

    exponent_bits: int
    mantissa_bits: int
    bias: int
    largest: float
    beyond: Beyond
    nan: int
    signed_zero: bool = True
    unsigned: bool = False

    @property
    def width(self) -> int:
        """Bits of a number."""
        return self.exponent_bits + self.mantissa_bits + (not self.unsigned)


FLOATS = {
    "f4E2M1FN": Format(2, 1, 1, 6.0, Beyond.LARGEST, -1),
    "f6E2M3FN": Format(2, 3, 1, 7.5, Beyond.LARGEST, -1),
    "f6E3M2FN": Format(3, 2, 3, 28.0, Beyond.LARGEST, -1),
    "f8E3M4": Format(3, 4, 3, 15.5, Beyond.INFINITY, 0x78),
    "f8E4M3": Format(4, 3, 7, 240.0, Beyond.INFINITY, 0x7C),
    "f8E4M3FN": Format(4, 3, 7, 448.0, Beyond.NAN, 0x7F),
    "f8E4M3FNUZ": Format(4, 3, 8, 240.0, Beyond.NAN, 0x80, signed_zero=False),
    "f8E4M3B11FNUZ": Format(4, 3, 11, 30.0, Beyond.NAN, 0x80, signed_zero=False),
    "f8E5M2": Format(5, 2, 15, 57344.0, Beyond.INFINITY, 0x7E),
    "f8E5M2FNUZ": Format(5, 2, 16, 57344.0, Beyond.NAN, 0x80, signed_zero=False),
    "f8E8M0FNU": Format(8, 0, 127, 2.0**127, Beyond.NAN, 0xFF, unsigned=True),
}

CARRIERS = {
    **{name: "ui8" if name.startswith("u") else "i8" for name in INTEGERS},
    **dict.fromkeys(FLOATS, "f32"),
}
"""The type of programs that holds each value of a narrow type exactly."""


def number(code: int, kind: Format) -> float:
    """The number of one code; a NaN keeps its sign where the format has one."""
    sign_bit = 0 if kind.unsigned else 1 << (kind.width - 1)
    size, sign = code & ~sign_bit, -1.0 if code & sign_bit else 1.0
    if kind.unsigned:
        return math.nan if code == kind.nan else 2.0 ** (code - kind.bias)
    if not kind.signed_zero and code == kind.nan:
        return math.nan
    exponent, mantissa = divmod(size, 1 << kind.mantissa_bits)
    last = (1 << kind.exponent_bits) - 1
    if kind.beyond is Beyond.INFINITY and exponent == last:
        return math.copysign(math.nan if mantissa else math.inf, sign)
    if kind.nan >= 0 and size == kind.nan:
        return math.copysign(math.nan, sign)
    lead = 1.0 if exponent else 0.0
    fraction = lead + mantissa / (1 << kind.mantissa_bits)
    return sign * float(fraction * 2.0 ** (max(exponent, 1) - kind.bias))
