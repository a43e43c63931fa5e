"""One candidate: which digits of which dimensions are cut together, and whether it recombines.

A digit `(dim, pre, size)` is the factor of `size` in a dimension written `pre x size x post`: the
whole dimension is (dim, 1, n), the minor part of a merged one has pre > 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction
from distc.runtime import sim
from distc.runtime.errors import DistcError
from distc.runtime.program import ValueType
from distc.solver.discovery.agreement import neutral
from distc.solver.discovery.subject import Instance, Shape, Shapes, Subject


@dataclass(frozen=True, slots=True, order=True)
class Digit:
    """The factor of `size` in dimension `dim`, after `pre` more major elements."""

    dim: int
    pre: int
    size: int

    def shape(self, shape: Shape, length: int) -> Shape:
        """Shape of a tensor of which `length` of the digit are kept."""
        n = shape[self.dim] // self.size * length
        return (*shape[: self.dim], n, *shape[self.dim + 1 :])

    def _apart(self, x: Tensor, length: int) -> Tensor:
        axis = self.dim + 1
        post = x.shape[axis] // (self.pre * length)
        shape = (*x.shape[:axis], self.pre, length, post, *x.shape[axis + 1 :])
        return x.reshape(shape)

    def part(self, x: Tensor, low: int, high: int) -> Tensor:
        """Cut `[ranks, *shape]` to positions low … high-1 of the digit."""
        axis = self.dim + 1
        whole = self._apart(x, self.size)
        return whole.narrow(axis + 1, low, high - low).flatten(axis, axis + 2)

    def put(self, into: Tensor, x: Tensor, low: int, high: int) -> Tensor:
        """Return `into` with positions low … high-1 of the digit taken from `x`."""
        axis = self.dim + 1
        mixed = self._apart(into, self.size).clone()
        part = (axis + 1, low, high - low)
        mixed.narrow(*part).copy_(self._apart(x, self.size).narrow(*part))
        return mixed.flatten(axis, axis + 2)

    def join(self, parts: Sequence[Tensor], bounds: Sequence[tuple[int, int]]) -> Tensor:
        """Undo `part` for all shards."""
        axis = self.dim + 1
        pieces = [self._apart(p, b - a) for p, (a, b) in zip(parts, bounds, strict=True)]
        return torch.cat(pieces, axis + 1).flatten(axis, axis + 2)


@dataclass(frozen=True, slots=True)
class Shift:
    """Move index operand `operand` into the shard; its component `index` of dimension `axis`.

    `masked` says that what the shard does not hold becomes the neutral element in the results.
    """

    operand: int
    axis: int | None
    index: int
    masked: bool


@dataclass(frozen=True, slots=True)
class Strategy:
    """Digits cut together; None where an operand stays whole or a result is combined.

    Attributes:
        kind: how results without a digit combine; None when all shards must agree on them.
        seeds: operands that ranks above the first see as the neutral element of `kind`.
        shift: how an index operand follows.
        groups: whether group counts are divided as the factor is.
    """

    operands: tuple[Digit | None, ...]
    results: tuple[Digit | None, ...]
    kind: Reduction | None = None
    seeds: frozenset[int] = frozenset()
    shift: Shift | None = None
    groups: bool = False

    @property
    def size(self) -> int:
        """Size of the factor."""
        return next(d.size for d in (*self.operands, *self.results) if d is not None)


def bounds(size: int, shards: int) -> list[tuple[int, int]]:
    """Positions of each shard: as even as possible, larger ones first."""
    base, more = divmod(size, shards)
    ends = [0]
    for i in range(shards):
        ends.append(ends[-1] + base + (i < more))
    return [(a, b) for a, b in pairwise(ends) if b > a]


class Rejected(Exception):
    """The op does not take these values."""


@dataclass
class Bench:
    """Runs a subject at fixed global sizes, whole and in shards.

    Attributes:
        subject: the op.
        operands: global shapes of the operands.
        results: global shapes of the results.
        executions: how often something ran.
        hidden: global values that the body makes itself.
        index_dims: result dimension along which (operand, dimension) runs one to one.
    """

    subject: Subject
    operands: Shapes
    results: Shapes
    executions: int = 0
    hidden: list[Tensor] = field(default_factory=list)
    index_dims: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        instance = self.subject.program(self.operands, self.results)
        if instance is None:
            raise Rejected("the op does not verify at its own sizes")
        self.instance = instance
        self.hidden = [sim.run(p, [[]])[0][0][None] for p in self.subject.creators()]
        self.hidden = [
            h if tuple(h.shape[1:]) == s else _resized(h, s)
            for h, s in zip(self.hidden, instance.hidden, strict=True)
        ]

    @property
    def types(self) -> tuple[ValueType, ...]:
        """Types of the operands as written."""
        return self.subject.operands

    def whole(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Return the results `[ranks, *shape]` of the whole op.

        Raises:
            Rejected: the op refuses the values.
        """
        outs = self.run(self.instance, [*inputs, *(self._spread(h) for h in self.hidden)])
        shapes = tuple(tuple(o.shape[1:]) for o in outs)
        if shapes != self.results:
            # Sizes that MLIR lets pass and that the op does not have: a gather over replicas.
            raise Rejected(f"results are {shapes}, declared as {self.results}")
        return outs

    def _spread(self, x: Tensor) -> Tensor:
        return x.expand(self.subject.ranks, *x.shape[1:])

    def run(self, instance: Instance, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run an instance on stacked inputs.

        Raises:
            Rejected: the op refuses the values.
        """
        self.executions += 1
        ranks = self.subject.ranks
        try:
            found = sim.run(instance.program, [[x[r] for x in inputs] for r in range(ranks)])
        except DistcError as error:
            raise Rejected(str(error)) from None
        return [torch.stack([found[r][i] for r in range(ranks)]) for i in range(len(found[0]))]

    def instances(self, strategy: Strategy, shards: int) -> list[Instance] | None:
        """Return the program of each shard, None where one does not verify."""
        found = []
        for low, high in bounds(strategy.size, shards):
            instance = self.subject.program(
                _local(self.operands, strategy.operands, high - low),
                _local(self.results, strategy.results, high - low),
                (high - low, strategy.size) if strategy.groups else (1, 1),
            )
            if instance is None or not self._fits(instance, strategy, high - low):
                return None
            found.append(instance)
        return found

    def _fits(self, instance: Instance, strategy: Strategy, length: int) -> bool:
        return all(
            _cut_dim(tuple(h.shape[1:]), s, strategy.size, length) is not None
            for h, s in zip(self.hidden, instance.hidden, strict=True)
        )

    def shards(
        self, strategy: Strategy, shards: int, inputs: Sequence[Tensor]
    ) -> Iterator[list[Tensor]]:
        """Yield the results of each shard, seeds, shifts and masks applied.

        Raises:
            Rejected: the op refuses a shard or its values.
        """
        instances = self.instances(strategy, shards)
        if instances is None:
            raise Rejected("the op does not verify on shards")
        spans = bounds(strategy.size, shards)
        for rank, (instance, (low, high)) in enumerate(zip(instances, spans, strict=True)):
            local = [
                x if d is None else d.part(x, low, high)
                for x, d in zip(inputs, strategy.operands, strict=True)
            ]
            if rank:
                for i in strategy.seeds:
                    assert strategy.kind is not None
                    local[i] = torch.full_like(local[i], neutral(strategy.kind, local[i].dtype))
            held = None
            if strategy.shift is not None:
                post = self._post(strategy)
                local, held = _shifted(
                    strategy.shift, local, low * post, high * post, strategy, self
                )
            hidden = [
                self._hidden(h, s, strategy.size, low, high)
                for h, s in zip(self.hidden, instance.hidden, strict=True)
            ]
            outs = self.run(instance, [*local, *map(self._spread, hidden)])
            expected = _local(self.results, strategy.results, high - low)
            if tuple(tuple(o.shape[1:]) for o in outs) != expected:
                raise Rejected(f"a shard's results are not {expected}")
            if held is not None and strategy.kind is not None:
                outs = [
                    torch.where(held, o, torch.full_like(o, neutral(strategy.kind, o.dtype)))
                    for o in outs
                ]
            yield outs

    def _post(self, strategy: Strategy) -> int:
        for digit, shape in zip(strategy.operands, self.operands, strict=True):
            if digit is not None:
                return shape[digit.dim] // (digit.pre * digit.size)
        return 1

    def _hidden(self, x: Tensor, shape: Shape, size: int, low: int, high: int) -> Tensor:
        dim = _cut_dim(tuple(x.shape[1:]), shape, size, high - low)
        if dim is None or dim < 0:
            return x
        unit = x.shape[dim + 1] // size
        return x.narrow(dim + 1, low * unit, (high - low) * unit)


def _resized(x: Tensor, shape: Shape) -> Tensor:
    """A created value at another size: its start, repeated where it is longer."""
    for dim, size in enumerate(shape):
        have = x.shape[dim + 1]
        x = x.index_select(dim + 1, torch.arange(size) % have)
    return x


def _cut_dim(whole: Shape, local: Shape, size: int, length: int) -> int | None:
    """The dimension of a hidden value that follows the cut, -1 for none, None for a misfit."""
    differing = [d for d, (n, m) in enumerate(zip(whole, local, strict=True)) if n != m]
    if not differing:
        return -1
    (dim, *more) = differing
    fits = whole[dim] % size == 0 and whole[dim] // size * length == local[dim]
    return dim if fits and not more else None


def _local(shapes: Shapes, digits: Sequence[Digit | None], length: int) -> Shapes:
    return tuple(
        s if d is None else d.shape(s, length) for s, d in zip(shapes, digits, strict=True)
    )


def _shifted(
    shift: Shift,
    local: list[Tensor],
    low: int,
    high: int,
    strategy: Strategy,
    bench: Bench,
) -> tuple[list[Tensor], Tensor | None]:
    """Move an index into the shard; say which results the shard holds (broadcastable)."""
    digit = next(d for d in strategy.operands if d is not None)
    position = strategy.operands.index(digit)
    size = bench.operands[position][digit.dim]
    index = local[shift.operand]
    column = index if shift.axis is None else index.select(shift.axis + 1, shift.index)
    held = None
    if shift.masked:
        column = column.clamp(0, size - 1)
        held = (column >= low) & (column < high)
        held = _over_results(held, shift, bench)
    column = column - low
    local = list(local)
    if shift.axis is None:
        local[shift.operand] = column
    else:
        moved = index.clone()
        moved.select(shift.axis + 1, shift.index).copy_(column)
        local[shift.operand] = moved
    return local, held


def _over_results(held: Tensor, shift: Shift, bench: Bench) -> Tensor:
    """Lay the mask of index positions over the result dimensions that run along them."""
    rank = len(bench.results[0])
    sizes = bench.operands[shift.operand]
    dims = [d for d in range(len(sizes)) if d != shift.axis]
    plain = [d for d in dims if sizes[d] > 1 or (shift.operand, d) in bench.index_dims]
    held = held.reshape(held.shape[0], *(sizes[d] for d in plain))
    dims = plain
    at = [bench.index_dims.get((shift.operand, d)) for d in dims]
    shape = [held.shape[0]] + [1] * rank
    known = [(a, i) for i, a in enumerate(at) if a is not None]
    if len(known) != len(dims):
        raise Rejected("an index dimension has no result dimension")
    order = sorted(known)
    held = held.permute(0, *(i + 1 for _, i in order))
    for place, (a, _) in enumerate(order):
        shape[a + 1] = held.shape[place + 1]
    return held.reshape(shape)
