"""From strategies found at small sizes to one rule at the written sizes.

Each accepted strategy becomes a factor; a dimension is the product of its factors, and what no
strategy cuts is a factor that must stay whole. Where a size was scaled to search, the factor's
real size is solved for: every dimension's factors multiply to its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from distc.dialect.rules.rule import Factor, FactorKind, PartialRule, ShardingRule
from distc.solver.discovery.bands import Band
from distc.solver.discovery.record import Form, FormKind
from distc.solver.discovery.sizes import Sizes
from distc.solver.discovery.trial import Digit, Strategy

Origin = tuple[str, int]
"""What a factor comes from: ("strategy", number) or ("band", number)."""
Where = tuple[int, int, int]
"""Side (0 operands, 1 results), tensor, dimension."""


@dataclass(slots=True)
class _Dimension:
    """One dimension at two sizes, and the strategies' digits in it, major to minor."""

    old: int
    new: int
    digits: list[tuple[Digit, int]] = field(default_factory=list)

    def covered(self) -> bool:
        return prod(d.size for d, _ in self.digits) == self.old


def _dimensions(strategies: Sequence[Strategy], old: Sizes, new: Sizes) -> dict[Where, _Dimension]:
    found: dict[Where, _Dimension] = {}
    for side in (0, 1):
        for tensor, (a, b) in enumerate(zip(old[side], new[side], strict=True)):
            for dim, (n, m) in enumerate(zip(a, b, strict=True)):
                found[side, tensor, dim] = _Dimension(n, m)
    for number, s in enumerate(strategies):
        for side, digits in enumerate((s.operands, s.results)):
            for tensor, digit in enumerate(digits):
                if digit is not None:
                    found[side, tensor, digit.dim].digits.append((digit, number))
    for dimension in found.values():
        dimension.digits.sort()
    return found


def factor_sizes(strategies: Sequence[Strategy], old: Sizes, new: Sizes) -> list[int | None]:
    """Return the size of each strategy's factor at sizes `new`, None where it cannot be said."""
    dims = _dimensions(strategies, old, new)
    known: dict[int, int] = {}
    for d in dims.values():
        if d.old == d.new:
            known |= {k: digit.size for digit, k in d.digits}
    before = -1
    while before != len(known):
        before = len(known)
        for d in dims.values():
            unknown = [k for _, k in d.digits if k not in known]
            rest = prod(known[k] for _, k in d.digits if k in known)
            if len(unknown) == 1 and d.covered() and rest and d.new % rest == 0:
                known[unknown[0]] = d.new // rest
    return [known.get(k) for k in range(len(strategies))]


def remapped(strategies: Sequence[Strategy], old: Sizes, new: Sizes) -> list[Strategy | None]:
    """Return the strategies at sizes `new`, None where a factor's size cannot be said."""
    sizes = factor_sizes(strategies, old, new)
    dims = _dimensions(strategies, old, new)

    def moved(number: int, side: int, tensor: int, digit: Digit) -> Digit | None:
        pre = _pre(dims[side, tensor, digit.dim], number, sizes)
        size = sizes[number]
        if pre is None or size is None:
            return None
        # A dimension without elements is cut like any other.
        if pre * size and dims[side, tensor, digit.dim].new % (pre * size):
            return None
        return Digit(digit.dim, pre, size)

    found: list[Strategy | None] = []
    for number, s in enumerate(strategies):
        sides = []
        for side, digits in enumerate((s.operands, s.results)):
            sides.append(
                [d if d is None else moved(number, side, i, d) for i, d in enumerate(digits)]
            )
        complete = [
            (a is None) == (b is None)
            for mine, theirs in zip((s.operands, s.results), sides, strict=True)
            for a, b in zip(mine, theirs, strict=True)
        ]
        operands, results = tuple(sides[0]), tuple(sides[1])
        fits = all(complete)
        found.append(
            Strategy(operands, results, s.kind, s.seeds, s.shift, s.groups) if fits else None
        )
    return found


def _pre(dimension: _Dimension, number: int, sizes: Sequence[int | None]) -> int | None:
    """Elements more major than strategy `number` in a dimension at the new size."""
    before, at = 1, 1
    for digit, k in dimension.digits:
        gap = digit.pre // at
        if gap > 1 and dimension.old != dimension.new:
            return None
        before *= gap
        if k == number:
            return before
        size = sizes[k]
        if size is None:
            return None
        before *= size
        at = digit.pre * digit.size
    return None


def assemble(
    strategies: Sequence[Strategy],
    bands: Sequence[Band],
    partial: Sequence[PartialRule],
    sizes: Sizes,
) -> tuple[ShardingRule, tuple[Form, ...], tuple[Origin | None, ...]]:
    """Write strategies and bands, all at the written `sizes`, as one rule.

    Returns:
        The rule, and per factor its form and what it comes from (None where it stays whole).
    """
    return _Assembly(strategies, bands, sizes).build(tuple(partial))


class _Assembly:
    def __init__(self, strategies: Sequence[Strategy], bands: Sequence[Band], sizes: Sizes) -> None:
        self.strategies, self.bands, self.sizes = strategies, bands, sizes
        self.dims = _dimensions(strategies, sizes, sizes)
        self.factors: list[Factor] = []
        self.forms: list[Form] = []
        self.numbers: dict[Origin, int] = {}

    def build(
        self, partial: tuple[PartialRule, ...]
    ) -> tuple[ShardingRule, tuple[Form, ...], tuple[Origin | None, ...]]:
        tensors: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {}
        for side in (1, 0):
            for tensor, shape in enumerate(self.sizes[side]):
                tensors[side, tensor] = tuple(
                    self._dim((side, tensor, dim)) for dim in range(len(shape))
                )
        rule = ShardingRule(
            tuple(self.factors),
            tuple(tensors[0, i] for i in range(len(self.sizes[0]))),
            tuple(tensors[1, i] for i in range(len(self.sizes[1]))),
            partial,
        )
        origins = {number: origin for origin, number in self.numbers.items()}
        return rule, tuple(self.forms), tuple(origins.get(i) for i in range(len(self.factors)))

    def _dim(self, where: Where) -> tuple[int, ...]:
        dimension = self.dims[where]
        if not dimension.digits:
            return self._whole(where, dimension.new)
        factors: list[int] = []
        at = 1
        for digit, number in dimension.digits:
            if digit.pre > at:
                factors.append(self._fresh(digit.pre // at))
            factors.append(self._strategy(number))
            at = digit.pre * digit.size
        if at < dimension.new:
            factors.append(self._fresh(dimension.new // at))
        return tuple(factors)

    def _whole(self, where: Where, size: int) -> tuple[int, ...]:
        if size == 1:
            return ()
        side, tensor, dim = where
        for number, band in enumerate(self.bands):
            if (band.operands, band.results)[side][tensor] == dim:
                form = Form(FormKind.WINDOW, low=band.low, high=band.high, reversed=band.reversed)
                return (self._add(("band", number), Factor(size, FactorKind.PERMUTATION), form),)
        return (self._fresh(size),)

    def _fresh(self, size: int) -> int:
        self.factors.append(Factor(size, FactorKind.REPLICATE))
        self.forms.append(Form(FormKind.WHOLE))
        return len(self.factors) - 1

    def _add(self, key: Origin, factor: Factor, form: Form) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.factors)
            self.factors.append(factor)
            self.forms.append(form)
        return self.numbers[key]

    def _strategy(self, number: int) -> int:
        s = self.strategies[number]
        combined = s.kind is not None and any(d is None for d in s.results)
        kind = FactorKind.REDUCTION if combined else FactorKind.PASS
        factor = Factor(s.size, kind, s.kind if combined else None)
        return self._add(("strategy", number), factor, _form(s))


def _form(s: Strategy) -> Form:
    if s.shift is not None:
        component = None if s.shift.axis is None else s.shift.index
        return Form(FormKind.SHIFTED, (s.shift.operand,), component)
    if s.seeds:
        return Form(FormKind.SEEDED, tuple(sorted(s.seeds)))
    return Form(FormKind.PLAIN)
