"""Other sizes for a subject: small ones to search at, different ones to validate at.

Dimensions of equal size are changed together, alone or with those of one other size in the same
ratio (a stride, a group count, a merged dimension); sizes the op does not verify with stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from distc.solver.discovery.subject import Shapes, Subject

SEARCH = (6, 5, 7, 4, 8, 9, 10, 12)
VALIDATE = (7, 9, 5, 8, 11, 6, 10, 12)
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
        if value < 2 or value not in _values(sizes) or (keep and value in _SMALL):
            continue
        better = _replaced(subject, sizes, value, [t for t in targets if t not in used])
        if better is not None:
            sizes, target = better
            used.add(target)
    return sizes


def _values(sizes: Sizes) -> set[int]:
    return {n for side in sizes for shape in side for n in shape}


def _replaced(
    subject: Subject, sizes: Sizes, value: int, targets: Sequence[int]
) -> tuple[Sizes, int] | None:
    """Change `value` to the first target the op verifies with."""
    taken = _values(sizes)
    for target in _candidates(value, targets):
        if target in taken:
            continue
        changed = _with(sizes, {value: target})
        if subject.program(*changed) is not None:
            return changed, target
    for other in sorted(taken - {value, 0, 1}):
        for changed, target in _in_ratio(sizes, value, other):
            if subject.program(*changed) is not None:
                return changed, target
    return _solved(subject, sizes, value, targets)


def _candidates(value: int, targets: Sequence[int]) -> Iterator[int]:
    yield from targets
    yield from (d for d in range(4, min(value, 65)) if value % d == 0 and d not in targets)


def _in_ratio(sizes: Sizes, value: int, other: int) -> Iterator[tuple[Sizes, int]]:
    """Scale two sizes alike: down to something small, or up where they are tiny."""
    for down in (16, 12, 8, 6, 4, 3, 2):
        if value % down == 0 and other % down == 0 and value // down > 3 and other // down > 1:
            yield _with(sizes, {value: value // down, other: other // down}), value // down
    if value < 4:
        yield _with(sizes, {value: 3 * value, other: 3 * other}), 3 * value


def _solved(
    subject: Subject, sizes: Sizes, value: int, targets: Sequence[int]
) -> tuple[Sizes, int] | None:
    """Change `value` and look for the size of a result that goes with it."""
    own = {n for s in sizes[1] for n in s} - {n for s in sizes[0] for n in s}
    others = {n for s in sizes[0] for n in s if n > 12 and n != value}
    tries = [{value: t} for t in targets[:2]]
    tries += [{value: value // 16, o: o // 16} for o in others if not value % 16 and not o % 16]
    for change in tries if value > 12 else ():
        for result in own:
            for solution in _SOLVED:
                changed = _with(sizes, {**change, result: solution})
                if subject.program(*changed) is not None:
                    return changed, change[value]
    return None


def _with(sizes: Sizes, change: dict[int, int]) -> Sizes:
    def side(shapes: Shapes) -> Shapes:
        return tuple(tuple(change.get(n, n) for n in s) for s in shapes)

    return side(sizes[0]), side(sizes[1])
