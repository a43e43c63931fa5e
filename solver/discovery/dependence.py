"""Which positions of a result depend on which positions of an operand, seen by changing them.

    D[(o, d), (r, e)][k, l] is true when changing operand o at position k of dimension d
    changes result r at position l of dimension e

A missed dependence costs a candidate, never a wrong rule: candidates are executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from distc.solver.discovery.sample import ALL, Regime, Sampler
from distc.solver.discovery.subject import Shape
from distc.solver.discovery.trial import Bench, Digit, Rejected

Place = tuple[int, int]
Matrix = NDArray[np.bool_]
FULL_PROBE = 48
"""Sizes up to which every position is changed."""
BUDGET = 600
"""Executions that probing may take."""


@dataclass
class Dependence:
    """The matrices of one subject at one size.

    Attributes:
        matrices: D, for pairs with any dependence.
        probed: per (operand, dimension), the positions that were changed.
    """

    matrices: dict[tuple[Place, Place], Matrix] = field(default_factory=dict)
    probed: dict[Place, tuple[int, ...]] = field(default_factory=dict)

    def read(self) -> frozenset[int]:
        """Operands that some result was seen to depend on."""
        return frozenset(place[0] for place, _ in self.matrices)

    def depends(self, operand: int, result: int) -> bool:
        """True when the result was seen to depend on the operand."""
        return any(a[0] == operand and b[0] == result for a, b in self.matrices)


def probe(bench: Bench, sampler: Sampler, regimes: Sequence[Regime] = ALL) -> Dependence:
    """Change each operand slice by slice under several inputs."""
    found = Dependence()
    work = sum(sum(s) for s in bench.operands) * len(regimes)
    limit = FULL_PROBE if work <= BUDGET else max(6, FULL_PROBE * BUDGET // work)
    for number, regime in enumerate(regimes):
        try:
            inputs = sampler.inputs(bench.operands, regime, bench.subject.ranks)
            wanted = bench.whole(inputs)
        except Rejected:
            continue
        for operand, shape in enumerate(bench.operands):
            for dim, size in enumerate(shape):
                places = _positions(size, limit)
                found.probed[operand, dim] = places
                for k in places:
                    changed = _changed(inputs, operand, dim, k, sampler, number)
                    _compare(found, bench, changed, wanted, (operand, dim), k)
    return found


def _positions(size: int, limit: int) -> tuple[int, ...]:
    if size <= limit:
        return tuple(range(size))
    middle = size // 2
    chosen = {0, 1, middle - 1, middle, size - 2, size - 1}
    step = max(1, size // max(1, limit - len(chosen)))
    return tuple(sorted(chosen | set(range(0, size, step))))


def _changed(
    inputs: list[Tensor], operand: int, dim: int, k: int, sampler: Sampler, number: int
) -> list[Tensor]:
    """Inputs with one slice replaced: other whole numbers, much larger and smaller by turns."""
    x = inputs[operand].clone()
    part = x.select(dim + 1, k)
    fresh = sampler.tensor(sampler.types[operand].dtype, tuple(part.shape), Regime.SIGNED)
    if fresh.dtype is torch.bool:
        fresh = ~part
    elif fresh.dtype.is_floating_point:
        fresh = fresh + (1000.5 if (number + k) % 2 else -1000.5)
    part.copy_(fresh)
    return [x if i == operand else t for i, t in enumerate(inputs)]


def _compare(
    found: Dependence,
    bench: Bench,
    changed: list[Tensor],
    wanted: list[Tensor],
    place: Place,
    k: int,
) -> None:
    try:
        outs = bench.whole(changed)
    except Rejected:
        return
    size = bench.operands[place[0]][place[1]]
    for result, (a, b) in enumerate(zip(outs, wanted, strict=True)):
        different = _differs(a, b)
        if not bool(different.any()):
            continue
        for dim in range(len(bench.results[result])):
            others = [d for d in range(different.dim()) if d != dim + 1]
            along = different.amax(others) if others else different
            key = (place, (result, dim))
            if key not in found.matrices:
                shape = (size, bench.results[result][dim])
                found.matrices[key] = np.zeros(shape, dtype=np.bool_)
            found.matrices[key][k] |= along.numpy()


def _differs(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype in (torch.uint16, torch.uint32, torch.uint64):
        a, b = (
            a.long() if a.dtype is not torch.uint64 else a.view(torch.int64),
            (b.long() if b.dtype is not torch.uint64 else b.view(torch.int64)),
        )
    different = a != b
    if a.dtype.is_floating_point or a.is_complex():
        different &= ~(a.isnan() & b.isnan())
    return different


def matches(
    matrix: Matrix, probed: Sequence[int], dims: tuple[int, int]
) -> list[tuple[Digit, Digit]]:
    """Digits of two dimensions that agree wherever there is a dependence, the largest ones.

    Args:
        matrix: D of the two dimensions.
        probed: rows that were looked at.
        dims: numbers of the operand's and the result's dimension.
    """
    rows, columns = matrix.shape
    seen = [k for k in probed if matrix[k].any()]
    if not seen:
        return []
    left, right = np.nonzero(matrix)
    found = [
        (Digit(dims[0], a, size), Digit(dims[1], b, size))
        for size in _divisors(rows)
        if size > 1 and columns % size == 0
        for a in _divisors(rows // size)
        for b in _divisors(columns // size)
        if np.array_equal(_value(left, rows, a, size), _value(right, columns, b, size))
        and len(set(_value(np.array(seen), rows, a, size))) > 1
    ]
    return [m for m in found if not any(_inside(m, other) for other in found)]


def _value(positions: NDArray[np.intp], n: int, pre: int, size: int) -> NDArray[np.intp]:
    """The digit's value at each position."""
    return positions // (n // (pre * size)) % size


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def _inside(inner: tuple[Digit, Digit], outer: tuple[Digit, Digit]) -> bool:
    return inner != outer and all(
        i.pre % o.pre == 0 and (o.pre * o.size) % (i.pre * i.size) == 0
        for i, o in zip(inner, outer, strict=True)
    )


def spans(matrix: Matrix) -> list[tuple[int, int] | None]:
    """Per result position, the first and last operand position it depends on."""
    found: list[tuple[int, int] | None] = []
    for column in matrix.T:
        (rows,) = np.nonzero(column)
        found.append((int(rows[0]), int(rows[-1])) if rows.size else None)
    return found


def places(shapes: Sequence[Shape]) -> Iterator[Place]:
    """All (tensor, dimension) pairs."""
    for tensor, shape in enumerate(shapes):
        for dim in range(len(shape)):
            yield tensor, dim
