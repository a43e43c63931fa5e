"""Element types that torch has no arithmetic for, held in wider ones: i2, i4, f4, f6, f8.

A value lies in a carrier (`i8`, `ui8` or `f32`) that holds every number of the narrow type
exactly (`narrow_types.py`). Operations compute in the carrier; `narrow` then brings results back:
integers wrap, floats round to the nearest, ties to even. A sum, product, quotient or root that was
rounded to f32 first rounds to the same number: f32 has twice the digits of any of them and more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import is_float
from distc.runtime.kernels.elementwise import convert, exact_f64
from distc.runtime.narrow_types import CARRIERS, FLOATS, INTEGERS, Beyond, Format, number


def convert_narrow(x: Tensor, *, source: str, format: str) -> Tensor:
    """Numbers of element type `source` as those of a narrow type, in its carrier, rounded once.

    As `convert`: integers wrap, a float past an integer type becomes its nearest number.
    """
    if source in ("c64", "c128"):
        x, source = x.real, "f32" if source == "c64" else "f64"
    if format in FLOATS:
        return narrow(exact_f64(x, source), format=format).to(torch.float32)
    found = convert(x, source=source, target=CARRIERS[format])
    if not is_float(source):
        return narrow(found, format=format)
    width = INTEGERS[format]
    if format.startswith("u"):
        return found.clamp(0, (1 << width) - 1)
    return found.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)


def narrow(x: Tensor, *, format: str) -> Tensor:
    """The carrier's values brought back to what the narrow type `format` can hold."""
    if format in INTEGERS:
        unused = 8 - INTEGERS[format]
        return (x << unused) >> unused
    kind = FLOATS[format]
    wide = x.to(torch.float64)
    step = _power_of_two(_exponent(wide, kind) - kind.mantissa_bits)
    found = torch.round(wide / step) * step
    past = found.abs() > kind.largest
    limit = {Beyond.INFINITY: float("inf"), Beyond.NAN: float("nan")}
    beyond = torch.full_like(found, limit.get(kind.beyond, kind.largest))
    found = torch.where(past, torch.copysign(beyond, found), found)
    if kind.nan < 0:
        found = torch.where(torch.isnan(wide), -0.0, found)
    if not kind.signed_zero:
        found = torch.where(found == 0, 0.0, found)
    if kind.unsigned:
        least = 2.0**-kind.bias
        found = torch.where(wide < 0, float("nan"), found.clamp(min=least))
    return found.to(x.dtype)


def _exponent(x: Tensor, kind: Format) -> Tensor:
    """The power of two that leads each f64 number, at least that of the smallest normal one.

    From its bits: compilers of kernels do not have `frexp` for every type.
    """
    exponent = ((x.view(torch.int64) >> 52) & 0x7FF) - 1023
    least = 1 - kind.bias if kind.mantissa_bits else -kind.bias
    return exponent.clamp(min=least, max=1023)


def _power_of_two(exponent: Tensor) -> Tensor:
    """2 to the power of integers between -1022 and 1023, exactly."""
    return ((exponent + 1023) << 52).view(torch.float64)


def to_bits(x: Tensor, *, format: str) -> Tensor:
    """The code of each number, in the low bits of a ui8."""
    if format in INTEGERS:
        return x.to(torch.uint8) & ((1 << INTEGERS[format]) - 1)
    kind = FLOATS[format]
    size = x.to(torch.float64).abs()
    exponent = _exponent(size, kind)
    if kind.unsigned:
        code = (exponent + kind.bias).to(torch.float64)
    else:
        # A normal number's leading one adds one to the exponent field, a subnormal's zero none.
        mantissa = size * _power_of_two(kind.mantissa_bits - exponent)
        code = mantissa + ((exponent + kind.bias - 1) << kind.mantissa_bits)
    infinity = ((1 << kind.exponent_bits) - 1) << kind.mantissa_bits
    code = torch.where(torch.isinf(size), float(infinity), code)
    code = torch.where(torch.isnan(size), float(max(kind.nan, 0)), code).to(torch.int64)
    if not kind.unsigned:
        negative = torch.signbit(x) & (kind.signed_zero | ~torch.isnan(x))
        code = code | (negative.to(torch.int64) << (kind.width - 1))
    return code.to(torch.uint8)


def from_bits(code: Tensor, *, format: str) -> Tensor:
    """The numbers of codes in the low bits of a ui8, in the carrier of `format`."""
    if format in INTEGERS:
        carrier = torch.uint8 if format.startswith("u") else torch.int8
        return narrow(code.view(carrier), format=format)
    kind = FLOATS[format]
    numbers = [number(c, kind) for c in range(1 << kind.width)]
    values = torch.tensor(numbers, dtype=torch.float32, device=code.device)
    return values[code.to(torch.int64)]


def regroup_bits(code: Tensor, *, old: int, new: int) -> Tensor:
    """Codes of `old` bits as codes of `new` bits along a last dimension, lowest bits first."""
    if new < old:
        shifts = torch.arange(0, old, new, dtype=torch.uint8, device=code.device)
        return (code.unsqueeze(-1) >> shifts) & ((1 << new) - 1)
    shifts = torch.arange(0, new, old, dtype=torch.uint8, device=code.device)
    return (code << shifts).sum(-1, dtype=torch.uint8)


KERNELS: dict[str, Callable[..., Any]] = {
    "convert_narrow": convert_narrow,
    "from_bits": from_bits,
    "narrow": narrow,
    "regroup_bits": regroup_bits,
    "to_bits": to_bits,
}
