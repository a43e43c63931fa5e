"""Elementwise kernels where no aten operator means exactly what StableHLO says.

`dtype` is the StableHLO element type of the operands; unsigned integers come in signed storage
(`dtypes.py`). Division by zero and shifts past the width have no defined result in StableHLO;
these follow XLA: x / 0 = -1 (all bits), x rem 0 = x, a shift past the width gives 0 or the sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import STORAGE, WIDTH, is_float

_SIGNED = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
_MANTISSA = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
_EXPONENT = {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}
_UP = 2.0**192  # its cube root is a power of two
_BITS = {"f16": torch.int16, "bf16": torch.int16, "f32": torch.int32, "f64": torch.int64}


def _widened(x: Tensor, dtype: str) -> Tensor:
    """The mathematical value in int64; ui64 keeps its bits."""
    wide = x.to(torch.int64)
    if dtype in ("ui16", "ui32"):
        return wide & ((1 << WIDTH[dtype]) - 1)
    return wide


def _logical_shift(x: Tensor, amount: Tensor | int) -> Tensor:
    """Shift right filling with zeros, in signed storage, 0 <= amount < width."""
    lowest = torch.full_like(x, torch.iinfo(x.dtype).min)
    return (x >> amount) & ~((lowest >> amount) << 1)


def _below_unsigned(a: Tensor, b: Tensor) -> Tensor:
    lowest = torch.iinfo(a.dtype).min
    return (a ^ lowest) < (b ^ lowest)


def _divide_unsigned64(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Quotient and remainder of 64-bit unsigned values, b != 0 (Hacker's Delight 9-3)."""
    huge = b < 0
    divisor = torch.where(huge, 1, b)
    quotient = torch.div(_logical_shift(a, 1), divisor, rounding_mode="trunc") << 1
    rest = a - quotient * divisor
    over = ~_below_unsigned(rest, divisor)
    quotient = quotient + over.to(torch.int64)
    quotient = torch.where(huge, (~_below_unsigned(a, b)).to(torch.int64), quotient)
    return quotient, a - quotient * b


def maximum(a: Tensor, b: Tensor) -> Tensor:
    """The larger; NaN wins, and +0.0 is larger than -0.0.

    torch takes either zero, depending on where an element lies in memory: a shard would differ
    from the whole.
    """
    if a.is_complex():
        return _by_parts(a, b, (a.real > b.real) | ((a.real == b.real) & (a.imag > b.imag)))
    largest = torch.maximum(a, b)
    if not a.dtype.is_floating_point:
        return largest
    integer = _SIGNED[a.element_size() * 8]
    return torch.where(a == b, (a.view(integer) & b.view(integer)).view(a.dtype), largest)


def minimum(a: Tensor, b: Tensor) -> Tensor:
    """The smaller; NaN wins, and -0.0 is smaller than +0.0."""
    if a.is_complex():
        return _by_parts(a, b, (a.real < b.real) | ((a.real == b.real) & (a.imag < b.imag)))
    smallest = torch.minimum(a, b)
    if not a.dtype.is_floating_point:
        return smallest
    integer = _SIGNED[a.element_size() * 8]
    return torch.where(a == b, (a.view(integer) | b.view(integer)).view(a.dtype), smallest)


def _by_parts(a: Tensor, b: Tensor, first: Tensor) -> Tensor:
    """`a` where `first` says so or it is NaN, else `b`."""
    return torch.where((first & ~torch.isnan(b)) | torch.isnan(a), a, b)


def divide(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Integer division, rounding toward zero."""
    zero = b == 0
    if dtype == "ui64":
        quotient = _divide_unsigned64(a, torch.where(zero, 1, b))[0]
        return torch.where(zero, -1, quotient)
    x, y = _widened(a, dtype), _widened(b, dtype)
    # INT64_MIN / -1 traps in hardware; negation wraps to the same value.
    safe = torch.where(zero | (y == -1), 1, y)
    quotient = torch.div(x, safe, rounding_mode="trunc")
    quotient = torch.where(y == -1, -x, torch.where(zero, -1, quotient))
    return quotient.to(a.dtype)


def remainder(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Remainder with the sign of the dividend, of floats exact."""
    if dtype not in WIDTH:
        return _float_remainder(a, b)
    zero = b == 0
    if dtype == "ui64":
        return torch.where(zero, a, _divide_unsigned64(a, torch.where(zero, 1, b))[1])
    x, y = _widened(a, dtype), _widened(b, dtype)
    safe = torch.where(zero | (y == -1), 1, y)
    rest = torch.where(y == -1, 0, torch.where(zero, x, torch.fmod(x, safe)))
    return rest.to(a.dtype)


def _float_remainder(a: Tensor, b: Tensor) -> Tensor:
    """Remainder of floats: torch's own gives NaN for subnormal divisors.

    Those of 32 bits and less are normal in f64. Those of f64 are scaled up: a multiple of the
    divisor first, whose remainder has room to be scaled, too.
    """
    if a.dtype is not torch.float64:
        return torch.fmod(a.to(torch.float64), b.to(torch.float64)).to(a.dtype)
    small = (b.abs() < torch.finfo(b.dtype).tiny) & (b != 0)
    scaled = torch.where(small, b * _UP, b)
    rest = torch.fmod(a, scaled)
    return torch.where(small, torch.fmod(rest * _UP, scaled) * (1 / _UP), rest)


def power(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Integer power, wrapping; a negative exponent gives the truncated reciprocal."""
    width = WIDTH[dtype]
    result, base = torch.ones_like(a), a.clone()
    exponent = b.view(torch.int8) if dtype == "ui8" else b
    for bit in range(width):
        chosen = ((exponent >> bit) & 1) != 0
        result = torch.where(chosen, result * base, result)
        base = base * base
    if dtype.startswith("ui"):
        return result
    odd = (b & 1) != 0
    reciprocal = torch.where(a == 1, 1, torch.where(a == -1, torch.where(odd, -1, 1), 0))
    return torch.where(b < 0, reciprocal.to(a.dtype), result)


def _shift_operands(a: Tensor, b: Tensor, dtype: str) -> tuple[Tensor, Tensor, Tensor]:
    width = WIDTH[dtype]
    x = a.view(_SIGNED[width])
    amount = b.view(_SIGNED[width])
    inside = (amount >= 0) & (amount < width)
    return x, torch.where(inside, amount, 0), inside


def shift_left(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Shift left; 0 when the amount is not below the width."""
    x, amount, inside = _shift_operands(a, b, dtype)
    return torch.where(inside, x << amount, 0).view(a.dtype)


def shift_right_logical(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Shift right filling with zeros; 0 when the amount is not below the width."""
    x, amount, inside = _shift_operands(a, b, dtype)
    return torch.where(inside, _logical_shift(x, amount), 0).view(a.dtype)


def shift_right_arithmetic(a: Tensor, b: Tensor, *, dtype: str) -> Tensor:
    """Shift right filling with the sign; only signs when the amount is not below the width."""
    x, amount, inside = _shift_operands(a, b, dtype)
    amount = torch.where(inside, amount, WIDTH[dtype] - 1)
    return (x >> amount).view(a.dtype)


def sign(x: Tensor, *, dtype: str) -> Tensor:
    """-1, ±0, 1 or NaN."""
    if dtype.startswith("ui"):
        return (x != 0).to(x.dtype)
    if not is_float(dtype):
        return torch.sgn(x)
    return torch.where((x == 0) | torch.isnan(x), x, torch.sign(x))


def round_nearest_afz(x: Tensor) -> Tensor:
    """Round to nearest, ties away from zero."""
    whole = torch.trunc(x)
    away = whole + torch.copysign(torch.ones_like(x), x)
    return torch.copysign(torch.where((x - whole).abs() >= 0.5, away, whole), x)


def cbrt(x: Tensor) -> Tensor:
    """Cube root, one Newton step after pow; complex the principal one."""
    if x.is_complex():
        # Zero is apart: its logarithm is not finite.
        zero = x == 0
        return torch.where(zero, x, torch.exp(torch.log(torch.where(zero, 1, x)) / 3))
    wide = x.to(torch.float64)
    size = wide.abs()
    small = size < 1 / _UP  # the cube of its root would lose digits
    size = torch.where(small, size * _UP, size)
    root = size.pow(1.0 / 3.0)
    special = (root == 0) | torch.isinf(root)
    refined = root - (root * root * root - size) / (3.0 * root * root)
    found = torch.where(special, root, refined)
    return torch.copysign(torch.where(small, found * 2.0**-64, found), wide).to(x.dtype)


def log_plus_one(x: Tensor) -> Tensor:
    """log(1 + x); of subnormal numbers themselves, where torch gives zero."""
    found = torch.log1p(x)
    if x.is_complex():
        return found
    return torch.where(x.abs() < torch.finfo(x.dtype).tiny, x, found)


def atan2(y: Tensor, x: Tensor) -> Tensor:
    """Complex arc tangent of y / x: -i log((x + iy) / sqrt(x^2 + y^2)).

    Each product with i and -i swaps parts: multiplied out, infinite parts would give NaN.
    """
    turned = torch.complex(x.real - y.imag, x.imag + y.real)
    angle = torch.log(turned / torch.sqrt(x * x + y * y))
    return torch.complex(angle.imag, -angle.real)


def popcnt(x: Tensor, *, dtype: str) -> Tensor:
    """Number of set bits."""
    bits = _widened(x, "i64" if dtype == "ui64" else dtype)
    if dtype in ("i8", "i16", "i32"):
        bits = bits & ((1 << WIDTH[dtype]) - 1)
    bits = bits - (_logical_shift(bits, 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + (_logical_shift(bits, 2) & 0x3333333333333333)
    bits = (bits + _logical_shift(bits, 4)) & 0x0F0F0F0F0F0F0F0F
    return _logical_shift(bits * 0x0101010101010101, 56).to(x.dtype)


def count_leading_zeros(x: Tensor, *, dtype: str) -> Tensor:
    """Number of zero bits above the highest set bit."""
    width = WIDTH[dtype]
    smeared = x.view(_SIGNED[width])
    shift = 1
    while shift < width:
        smeared = smeared | _logical_shift(smeared, shift)
        shift *= 2
    return (width - popcnt(smeared, dtype=f"i{width}")).to(x.dtype)


def total_order_key(x: Tensor, *, dtype: str) -> Tensor:
    """Integers ordered as IEEE totalOrder orders the floats: -NaN < -inf < -0 < +0 < +NaN."""
    bits = x.contiguous().view(_BITS[dtype])
    return torch.where(bits < 0, bits ^ torch.iinfo(bits.dtype).max, bits)


def convert(x: Tensor, *, source: str, target: str) -> Tensor:
    """Conversion between element types.

    Integers wrap, floats round to nearest even; a float that the integer type cannot hold becomes
    its nearest value and NaN becomes 0; anything but zero becomes true.
    """
    if source in ("c64", "c128") and target not in ("c64", "c128"):
        return convert(x.real, source="f32" if source == "c64" else "f64", target=target)
    if target == "i1":
        return x != 0
    if is_float(source) and target in WIDTH:
        return _float_to_integer(x, target)
    if target in ("f16", "bf16") and source in ("f64", "i32", "i64", "ui32", "ui64"):
        # torch goes by way of f32, which would round twice.
        return _odd_f32(exact_f64(x, source)).to(STORAGE[target])
    if source == "ui64" and target not in WIDTH:
        return _unsigned64_to_float(x, target)
    return _widened(x, source).to(STORAGE[target]) if source in WIDTH else x.to(STORAGE[target])


def exact_f64(x: Tensor, source: str) -> Tensor:
    """Numbers in f64; what does not fit is rounded to odd, so that it can be rounded again."""
    if source not in ("i64", "ui64"):
        wide = _widened(x, source) if source in WIDTH else x
        return wide.to(torch.float64)
    # Eleven bits are more than f64 has room for: the lowest that is left says whether any was set.
    size = torch.where(x < 0, -x, x) if source == "i64" else x
    kept = _logical_shift(size, 11)
    odd = (kept | ((size & 2047) != 0)).to(torch.float64) * 2048.0
    found = torch.where((size >= 0) & (size < 1 << 53), size.to(torch.float64), odd)
    return torch.where(x < 0, -found, found) if source == "i64" else found


def _odd_f32(x: Tensor) -> Tensor:
    """f64 numbers in f32, inexact ones as the neighbour of which the last bit is set."""
    near = x.to(torch.float32)
    wide = near.to(torch.float64)
    inexact = (wide != x) & ~torch.isnan(x)
    bits = near.view(torch.int32) - (inexact & (wide.abs() > x.abs())).to(torch.int32)
    return (bits | inexact.to(torch.int32)).view(torch.float32)


def _float_to_integer(x: Tensor, target: str) -> Tensor:
    width, unsigned = WIDTH[target], target.startswith("ui")
    low = 0 if unsigned else -(1 << (width - 1))
    high = (1 << width) - 1 if unsigned else (1 << (width - 1)) - 1
    wide = torch.nan_to_num(x.to(torch.float64), nan=0.0, posinf=2.0**65, neginf=-(2.0**65))
    above, below = wide >= float(high), wide <= float(low)
    inside = torch.where(above | below, 0.0, wide)
    if target == "ui64":
        upper = inside >= 2.0**63
        whole = torch.where(upper, inside - 2.0**63, inside).to(torch.int64)
        whole = torch.where(upper, whole ^ torch.iinfo(torch.int64).min, whole)
        high = -1
    else:
        whole = inside.to(torch.int64)
    return torch.where(above, high, torch.where(below, low, whole)).to(STORAGE[target])


def _unsigned64_to_float(x: Tensor, target: str) -> Tensor:
    kind = STORAGE[target] if target in ("f32", "f64") else torch.float32
    halved = (_logical_shift(x, 1) | (x & 1)).to(kind) * 2
    return torch.where(x < 0, halved, x.to(kind)).to(STORAGE[target])


def reduce_precision(x: Tensor, *, dtype: str, exponent_bits: int, mantissa_bits: int) -> Tensor:
    """Round to a float format of so many exponent and mantissa bits, kept in its own type."""
    bits = x.contiguous().view(_BITS[dtype])
    drop = _MANTISSA[dtype] - mantissa_bits
    if drop > 0:
        last = (bits >> drop) & 1
        rounded = bits + ((1 << (drop - 1)) - 1) + last
        bits = torch.where(torch.isfinite(x), rounded & -(1 << drop), bits)
    rounded_value = bits.view(x.dtype)
    if exponent_bits < _EXPONENT[dtype]:
        bias = (1 << (exponent_bits - 1)) - 1
        wide = rounded_value.to(torch.float64)
        overflow = wide.abs() >= 2.0 ** (bias + 1)
        underflow = wide.abs() < 2.0 ** (1 - bias)
        infinity = torch.copysign(torch.full_like(x, float("inf")), x)
        zero = torch.copysign(torch.zeros_like(x), x)
        rounded_value = torch.where(overflow, infinity, rounded_value)
        rounded_value = torch.where(underflow, zero, rounded_value)
    # A format without mantissa has no NaN.
    nan = x if mantissa_bits else torch.copysign(torch.full_like(x, float("inf")), x)
    return torch.where(torch.isnan(x), nan, rounded_value)


def bitcast_convert(x: Tensor, *, target: str) -> Tensor:
    """Reinterpret bits; widths may differ by a last dimension of their ratio, lowest bits first."""
    kind = STORAGE[target]
    if kind is torch.bool and x.dtype is not torch.bool:
        words = x.contiguous().unsqueeze(-1).view(torch.uint8).unsqueeze(-1)
        bits = (words >> torch.arange(8, dtype=torch.uint8, device=x.device)) & 1
        return (bits != 0).flatten(-2)
    if x.dtype is torch.bool and kind is not torch.bool:
        weights = 1 << torch.arange(8, dtype=torch.int64, device=x.device)
        octets = x.reshape(*x.shape[:-1], -1, 8).to(torch.int64) * weights
        return octets.sum(-1).to(torch.uint8).view(kind).squeeze(-1)
    if kind.itemsize == x.dtype.itemsize:
        return x.contiguous().view(kind)
    if kind.itemsize < x.dtype.itemsize:
        return x.contiguous().unsqueeze(-1).view(kind)
    return x.contiguous().view(kind).squeeze(-1)


KERNELS: dict[str, Callable[..., Any]] = {
    "atan2": atan2,
    "bitcast_convert": bitcast_convert,
    "cbrt": cbrt,
    "convert": convert,
    "count_leading_zeros": count_leading_zeros,
    "divide": divide,
    "maximum": maximum,
    "minimum": minimum,
    "log_plus_one": log_plus_one,
    "popcnt": popcnt,
    "power": power,
    "reduce_precision": reduce_precision,
    "remainder": remainder,
    "round_nearest_afz": round_nearest_afz,
    "shift_left": shift_left,
    "shift_right_arithmetic": shift_right_arithmetic,
    "shift_right_logical": shift_right_logical,
    "sign": sign,
    "total_order_key": total_order_key,
}
