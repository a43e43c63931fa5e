"""The values of a program under construction, and how large they can be.

Floats hold whole numbers, so that sums are exact in any order; `bound` keeps them small enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from semantics.text import Program, Shape, Value

from fuzzing.choices import Choices
from fuzzing.data import Inputs, exact_limit, is_float, largest

MOST_ELEMENTS = 700
DTYPES = ("f32", "i32", "f64", "bf16", "i64", "i1", "f16", "i8", "ui8")
_COMMON = ("f32", "f32", "f32", "i32", "i32", "f64", "bf16", "i1", "i64", "f16", "i8", "ui8")


@dataclass
class Pool:
    """A function @main that grows; new values are of earlier ones.

    Attributes:
        choices: who decides.
        text: the builder.
        values: what may be used, oldest first.
        inputs: how the data of each argument is made.
        bounds: per value name, what no finite element exceeds.
        special: whether arguments may hold NaN, infinities and -0.0.
    """

    choices: Choices
    text: Program = field(default_factory=Program)
    values: list[Value] = field(default_factory=list)
    inputs: list[Inputs] = field(default_factory=list)
    bounds: dict[str, int] = field(default_factory=dict)
    special: bool = False

    def argument(self, shape: Shape, dtype: str, low: int = -3, high: int = 3) -> Value:
        """A new argument of whole numbers between low and high."""
        if dtype == "ui8":
            low = max(low, 0)
        special = self.special and is_float(dtype)
        made = Inputs(self.choices.below(10_000), low, high, special)
        value = self.text.argument(made.array(shape, dtype), dtype, shape)
        self.inputs.append(made)
        # Parts of a partial argument are larger than the value.
        return self.keep(value, 32 if is_float(dtype) else max(abs(low), abs(high)))

    def keep(self, value: Value, bound: int) -> Value:
        """Remember how large a value can be; integers wrap."""
        limit = largest(value.dtype)
        self.bounds[value.name] = bound if bound <= limit or is_float(value.dtype) else limit
        return value

    def bound(self, value: Value) -> int:
        """What no finite element of a value exceeds."""
        return self.bounds[value.name]

    def dtype(self) -> str:
        """An element type, common ones more often."""
        return self.choices.pick(_COMMON)

    def size(self) -> int:
        """The size of a dimension, 0 to 9."""
        return 0 if self.choices.chance(2) else self.choices.between(1, 9)

    def shape(self, low: int = 0, high: int = 4, most: int = MOST_ELEMENTS // 3) -> Shape:
        """A shape of few elements."""
        rank = high - self.choices.below(high - low + 1) if self.choices.chance(70) else low
        dims: list[int] = []
        for _ in range(rank):
            size = self.size()
            dims.append(size if size * prod(dims) <= most else 1)
        return tuple(dims)

    def any(self, *dtypes: str, rank: int = 0) -> Value:
        """A value of a type and at least a rank, mostly a late one; else a new argument."""
        wanted = dtypes or DTYPES
        fit = [v for v in self.values if v.dtype in wanted and len(v.shape) >= rank]
        if not fit or self.choices.chance(3):
            dtype = self.choices.pick(dtypes) if dtypes else self.dtype()
            return self.argument(self.shape(rank, max(rank, 4)), dtype)
        if self.choices.chance(30):
            return fit[self.choices.below(len(fit))]
        return fit[-1 - self.choices.below(min(3, len(fit)))]

    def number(self) -> Value:
        """Any value but a boolean."""
        return self.any(*(d for d in DTYPES if d != "i1"))

    def like(self, value: Value, dtype: str | None = None) -> Value:
        """A value of the same shape: one that is there, a constant, a broadcast or an argument."""
        dtype = dtype or value.dtype
        same = [v for v in self.values if v.shape == value.shape and v.dtype == dtype]
        kind = self.choices.below(10)
        if same and kind < 5:
            return same[self.choices.below(len(same))]
        if kind < 7:
            number = self.choices.between(0, 2)
            return self.keep(self.text.constant(number, dtype, value.shape), number)
        if kind < 9:
            dims = self.choices.some(range(len(value.shape)))
            row = self.argument(tuple(value.shape[d] for d in dims), dtype)
            return self.keep(self.text.spread(row, value.shape, dims), self.bound(row))
        return self.argument(value.shape, dtype)

    def small(self, value: Value, bound: int = 3) -> Value:
        """The value, clamped where it may exceed `bound`."""
        if self.bound(value) <= bound or value.dtype == "i1":
            return value
        low = 0 if value.dtype == "ui8" else -bound
        ends = [self.text.constant(n, value.dtype) for n in (low, bound)]
        return self.keep(self.text.clamp(ends[0], value, ends[1]), bound)

    def within(self, value: Value, times: int) -> Value:
        """The value, clamped where `times` of it would no longer be exact."""
        limit = exact_limit(value.dtype)
        if not is_float(value.dtype) or self.bound(value) * times <= limit:
            return value
        return self.small(value, max(1, min(3, limit // max(1, times))))
