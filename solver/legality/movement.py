"""What a collective moves, from its own definition: which slots every slot after it reads.

A slot is a place in the local tensor of one rank. Let a replica group be ranks that differ in the
digits of `group`, member j the one with those digits of j, most significant first; c the place of
this rank in its group. Along the dimension that is joined or split, `chunk` elements of a rank's
box make one piece, as `pieces` cuts it (with uneven outer levels it differs between ranks).

    all_reduce          [i]     = ⊕ over j of member j [i]
    all_gather          [i]     = member i / chunk [i % chunk]
    all_slice           [i]     = this rank [c * chunk + i]
    reduce_scatter      [i]     = ⊕ over j of member j [c * chunk + i]
    all_to_all          [i, k]  = member i / chunk [i % chunk, c * chunk' + k]
    to_partial          [i]     = this rank [i] where all digits of `group` are 0, else neutral
    collective_permute  [i]     = the rank that is paired with this one [i], else zero

Uneven shards travel in pieces of one static width w >= chunk, member j's at j * w. Before a split
an element c * chunk + i moves to c * w + i, after a join it comes back from there: what is left is
the above. transforms/localize/steps.py emits the ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from distc.solver.collective_cost import StepKind
from distc.solver.legality.classes import Cut, Digit, Role, StepClass
from distc.solver.legality.terms import (
    Number,
    Truth,
    all_of,
    ceil_div,
    clamp,
    floor_div,
    least,
    times,
)

Rank = tuple[Number, ...]
"""One coordinate per mesh axis of the class."""
Index = tuple[Number, ...]
"""One local index per dimension of the class."""


@dataclass(frozen=True, slots=True)
class Source:
    """A slot that is read.

    Attributes:
        when: whether it is.
        rank, index: where it is.
    """

    when: Truth
    rank: Rank
    index: Index


@dataclass(frozen=True)
class Frame:
    """A class of steps for lengths that are known or not.

    Attributes:
        step_class: the class.
        multiples: length of every dimension, divided by the divisor that the class knows.
    """

    step_class: StepClass
    multiples: tuple[Number, ...]

    def length(self, dim: int) -> Number:
        """Return the length of a dimension above its cuts, in elements."""
        return self.multiples[dim] * self.step_class.dims[dim].divisor

    def coordinate(self, digit: Digit, rank: Rank) -> Number:
        """Return where a rank stands on an axis or a part of one."""
        whole = self.step_class.axes[digit.axis]
        above = floor_div(rank[digit.axis], digit.post)
        return above if digit.size * digit.post == whole else above % digit.size

    def placed(self, rank: Rank, digits: Sequence[Digit], values: Sequence[int]) -> Rank:
        """Return the rank that has other coordinates on some digits."""
        moved = list(rank)
        for digit, value in zip(digits, values, strict=True):
            if digit.size == self.step_class.axes[digit.axis]:
                moved[digit.axis] = value
                continue
            step = value - self.coordinate(digit, tuple(moved))
            moved[digit.axis] = moved[digit.axis] + step * digit.post
        return tuple(moved)

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """Coordinates of the members of a replica group, in its order."""
        return tuple(product(*(range(d.size) for d in self.step_class.group)))

    def member(self, rank: Rank, number: int) -> Rank:
        """Return a member of the replica group of a rank."""
        return self.placed(rank, self.step_class.group, self.places[number])

    def place(self, rank: Rank) -> Number:
        """Return the number of a rank in its replica group."""
        number: Number = 0
        for digit in self.step_class.group:
            number = number * digit.size + self.coordinate(digit, rank)
        return number

    def box(self, dim: int, cut: Cut, rank: Rank) -> tuple[Number, Number]:
        """Return (offset, length) of what a rank holds: ceil after ceil, in whole blocks."""
        offset, length, _ = self._levels(dim, cut, rank)
        return offset * cut.block, length * cut.block

    def chunk(self, dim: int, rank: Rank) -> Number:
        """Return the elements of a piece of a dimension that is joined or split."""
        pieces = self.step_class.dims[dim].pieces
        _, _, chunk = self._levels(dim, pieces, rank)
        return chunk * pieces.block

    def _levels(self, dim: int, cut: Cut, rank: Rank) -> tuple[Number, Number, Number]:
        """Offset and length below all digits, and ceil(length above the last one / its size)."""
        multiple, grain = self.multiples[dim], self.step_class.dims[dim].divisor // cut.block
        offset: Number = 0
        length = chunk = multiple * grain
        for digit in cut.digits:
            is_even = grain % digit.size == 0  # then nothing is rounded: ceil(p * a / p) is a
            grain = grain // digit.size if is_even else 1
            chunk = multiple * grain if is_even else ceil_div(length, digit.size)
            start = times(self.coordinate(digit, rank), chunk, digit.size)
            offset = offset + (start if is_even else least(start, length))
            length = chunk if is_even else clamp(length - start, chunk)
            multiple = length if not is_even else multiple
        return offset, length, chunk


def reads(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    """Return what slot `index` of `rank` is made of after the step."""
    members = range(frame.step_class.members)
    match frame.step_class.kind:
        case StepKind.ALL_REDUCE:
            return [Source(True, frame.member(rank, j), index) for j in members]
        case StepKind.ALL_GATHER:
            return _joined(frame, rank, index)
        case StepKind.ALL_SLICE:
            return [Source(True, rank, _split(frame, rank, rank, index))]
        case StepKind.REDUCE_SCATTER:
            givers = [frame.member(rank, j) for j in members]
            return [Source(True, giver, _split(frame, giver, rank, index)) for giver in givers]
        case StepKind.ALL_TO_ALL:
            pieces = _joined(frame, rank, index)
            return [Source(s.when, s.rank, _split(frame, s.rank, rank, s.index)) for s in pieces]
        case StepKind.TO_PARTIAL:
            coordinates = [frame.coordinate(d, rank) for d in frame.step_class.group]
            return [Source(all_of(*(c == 0 for c in coordinates)), rank, index)]
        case StepKind.PERMUTE:
            return _permuted(frame, rank, index)


def _dim_of(frame: Frame, role: Role) -> int:
    return next(i for i, d in enumerate(frame.step_class.dims) if d.role is role)


def _joined(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    """What a slot reads: of all members the one in whose piece it lies."""
    dim, last = _dim_of(frame, Role.JOINED), frame.step_class.members - 1
    chunk, sources = frame.chunk(dim, rank), []
    for number in range(last + 1):
        start = chunk * number
        # A slot beyond the last piece is padding: what it reads is never a value.
        ends = True if number == last else index[dim] < start + chunk
        inside = all_of(index[dim] >= start, ends)
        piece = _with(index, dim, index[dim] - start)
        sources.append(Source(inside, frame.member(rank, number), piece))
    return sources


def _split(frame: Frame, giver: Rank, rank: Rank, index: Index) -> Index:
    """The slot on `giver` of a slot of the piece that `rank` receives."""
    dim = _dim_of(frame, Role.SPLIT)
    start = times(frame.place(rank), frame.chunk(dim, giver), frame.step_class.members)
    return _with(index, dim, index[dim] + start)


def _permuted(frame: Frame, rank: Rank, index: Index) -> list[Source]:
    """What a known rank receives."""
    axes = frame.step_class.axes
    strides = [prod(axes[i + 1 :]) for i in range(len(axes))]
    number = sum(c * s for c, s in zip(rank, strides, strict=True))
    return [
        Source(True, tuple(giver // s % n for s, n in zip(strides, axes, strict=True)), index)
        for giver, receiver in frame.step_class.pairs
        if receiver == number
    ]


def _with(index: Index, dim: int, value: Number) -> Index:
    return (*index[:dim], value, *index[dim + 1 :])
