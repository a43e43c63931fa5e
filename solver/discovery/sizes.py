"""Other sizes for a subject: small ones to search at, different ones to validate at.

Dimensions of equal size are changed together, alone where the op verifies. Only where the op
would be costly they change with those of one other size in the same ratio (a stride, a group
count, a merged dimension): factors found there are solved for at the written sizes afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from distc.solver.discovery.subject import Shapes, Subject

SEARCH = (6, 5, 7, 4, 8, 9, 10, 12)
VALIDATE = (7, 9, 5, 8, 11, 6, 10, 12)
COSTLY = 4_000
"""Elements above which ratios are tried."""
_SMALL = range(4, 13)
_SOLVED = range(1, 33)
Sizes = tuple[Shapes, Shapes]


def chosen(subject: Subject, targets: Sequence[int], keep: bool) -> Sizes:
    """Return shapes of operands and results in which each class of sizes has a target size.

    Args:
        subject: the op.
        targets: preferred sizes, in order.
        keep: leave sizes from 4 to 12 as they are.
    """
    sizes = (subject.operand_shapes, subject.result_shapes)
    used: set[int] = set()
    for value in sorted(_values(sizes), reverse=True):
        if value == 1 or value not in _values(sizes) or (keep and value in _SMALL):
            continue
        better = _replaced(subject, sizes, value, [t for t in targets if t not in used])
        if better is not None:
            sizes, target = better
            used.add(target)
    return _in_ratios(subject, sizes)


def _values(sizes: Sizes) -> set[int]:
    return {n for side in sizes for shape in side for n in shape}


def elements(sizes: Sizes) -> int:
    """Number of elements of all operands and results."""
    return sum(prod(shape) for side in sizes for shape in side)


def _replaced(
    subject: Subject, sizes: Sizes, value: int, targets: Sequence[int]
) -> tuple[Sizes, int] | None:
    """Change `value` to the first target the op verifies with."""
    taken = _values(sizes)
    for target in targets:
        # A size equal to a group count would hide that each group has several.
        if target in taken or target in subject.group_counts:
            continue
        changed = _with(sizes, {value: target})
        if subject.program(*changed) is not None:
            return changed, target
    return None


def _in_ratios(subject: Subject, sizes: Sizes) -> Sizes:
    """While the op is costly, shrink two sizes alike, those that weigh most first."""
    while elements(sizes) > COSTLY:
        better = next(
            (
                changed
                for value in _by_weight(sizes)
                for changed in _shrunk(sizes, value)
                if subject.program(*changed) is not None
            ),
            None,
        )
        if better is None:
            return sizes
        sizes = better
    return sizes


def _by_weight(sizes: Sizes) -> list[int]:
    """Sizes above twelve, those that multiply into the largest tensor most often first."""
    largest = max((shape for side in sizes for shape in side), key=prod)
    counts = Counter(n for n in largest if n > 12)
    return sorted(counts, key=lambda n: -(n ** counts[n]))


def _shrunk(sizes: Sizes, value: int) -> Iterator[Sizes]:
    others = sorted(_values(sizes) - {value, 0, 1}, reverse=True)
    for other in others:
        for down in (16, 12, 8, 6, 4, 3, 2):
            if value % down == 0 and other % down == 0 and value // down > 3 and other // down > 1:
                yield _with(sizes, {value: value // down, other: other // down})
    own = {n for s in sizes[1] for n in s} - {n for s in sizes[0] for n in s}
    for group in ((value,), *((value, other) for other in others)):
        change = {n: n // 16 for n in group}
        if min(change.values()) < 4 or any(k % 16 for k in change):
            continue
        for result in own:
            yield from (_with(sizes, {**change, result: n}) for n in _SOLVED)


def _with(sizes: Sizes, change: dict[int, int]) -> Sizes:
    def side(shapes: Shapes) -> Shapes:
        return tuple(tuple(change.get(n, n) for n in s) for s in shapes)

    return side(sizes[0]), side(sizes[1])
