"""Masks of dropout as StableHLO: a function of seed, draw, site and place, cut like any value.

    key    = threefry(draw; seed)                       once per forward
    bits   = threefry(site · 2⁴⁴ + place; key)          place: row-major in the whole tensor
    keep   = low 32 bits of bits < (1 − p) · 2³²

A place is made of `iota`, so ranks draw their part of one mask, whatever the plan. The same in
PyTorch is `runtime.kernels.random.keep_mask`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from torch_mlir import ir

from distc.compiler.frontend.dropout import Site
from distc.dialect import build, stablehlo
from distc.runtime.errors import InputError
from distc.runtime.kernels.random import LOW_BITS, SITE_BITS, keep_below, threefry


class Word:
    """An i64 value that computes as Python's integers and PyTorch's tensors do."""

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    def _with(self, name: str, other: Word | int) -> Word:
        value = self.value
        right = (
            build.splat(other, stablehlo.shape(value), stablehlo.element_type(value))
            if isinstance(other, int)
            else other.value
        )
        return Word(build.binary(name, value, right))

    def __add__(self, other: Word | int) -> Word:
        return self._with("add", other)

    def __and__(self, other: Word | int) -> Word:
        return self._with("and", other)

    def __or__(self, other: Word | int) -> Word:
        return self._with("or", other)

    def __xor__(self, other: Word | int) -> Word:
        return self._with("xor", other)

    def __lshift__(self, other: int) -> Word:
        return self._with("shift_left", other)

    def __rshift__(self, other: int) -> Word:
        return self._with("shift_right_arithmetic", other)


def threefry_body(values: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit `threefry`: the body of the composite `distc.threefry`.

    Args:
        values: counters i64 of any shape, the key i64 scalar.
    """
    counters, key = values
    shape = stablehlo.shape(counters)
    spread = build.broadcast_in_dim(key, shape, ()) if shape else key
    return [threefry(Word(counters), Word(spread)).value]


def counters(site: Site, element: ir.Type) -> ir.Value:
    """The counter of every element of a mask, i64.

    Raises:
        InputError: a mask that is too large to be counted.
    """
    if prod(site.shape) > 1 << SITE_BITS:
        raise InputError(
            f"dropout {site.number} has {list(site.shape)} elements, at most 2^{SITE_BITS} are "
            "counted",
            help="drop smaller tensors",
        )
    total = build.splat(site.number << SITE_BITS, site.shape, element)
    for dim in range(len(site.shape)):
        place = build.iota(dim, site.shape, element)
        stride = build.splat(prod(site.shape[dim + 1 :]), site.shape, element)
        total = build.binary("add", total, build.binary("multiply", place, stride))
    return total


def kept_where(bits: ir.Value, site: Site) -> ir.Value:
    """The mask, i1: true where an element is kept."""
    shape, element = stablehlo.shape(bits), stablehlo.element_type(bits)
    low = build.binary("and", bits, build.splat(LOW_BITS, shape, element))
    return build.compare(low, build.splat(keep_below(site.rate), shape, element), "LT")
