"""Random programs of all families, exact in any order of computation."""

from __future__ import annotations

from math import prod

from semantics.text import Finished, Value

from fuzzing import arithmetic, contraction, control, indexing, movement, reduction, windows
from fuzzing.choices import Choices
from fuzzing.pool import MOST_ELEMENTS, Pool

_MAKERS = (
    movement.reshape, movement.reshape, movement.reshape, movement.transpose, movement.transpose,
    movement.broadcast, movement.slice_, movement.pad, movement.concatenate, movement.reverse,
    movement.mask, movement.roll, movement.iota,
    arithmetic.add, arithmetic.add, arithmetic.multiply, arithmetic.extremum, arithmetic.select,
    arithmetic.unary, arithmetic.compare, arithmetic.convert, arithmetic.clamp, arithmetic.logic,
    arithmetic.divide, arithmetic.halve, arithmetic.barrier, arithmetic.bits, arithmetic.finite,
    reduction.reduce, reduction.reduce, reduction.reduce, reduction.argument_of_extremum,
    reduction.pairs, reduction.cumulative, reduction.sort, reduction.top_k,
    contraction.dot, contraction.dot, contraction.dot,
    windows.reduce_window, windows.reduce_window, windows.convolution, windows.convolution,
    windows.select_and_scatter,
    indexing.gather, indexing.gather, indexing.scatter, indexing.scatter,
    indexing.dynamic_slice, indexing.dynamic_update_slice, control.loop, control.branch,
)  # fmt: skip
_LONGEST = 14


def program(choices: Choices) -> tuple[Finished, Pool]:
    """A program; everything that nothing reads is a result, and sometimes more."""
    pool = Pool(choices, special=choices.chance(25))
    length = choices.between(1, _LONGEST)
    pool.values.append(pool.argument(pool.shape(1), pool.dtype()))
    made = 0
    while made < length:
        made += 1
        for value in choices.pick(_MAKERS)(pool):
            if prod(value.shape) <= MOST_ELEMENTS and len(value.shape) <= 6:
                pool.values.append(value)
    return pool.text.returning(*_results(pool)), pool


def _results(pool: Pool) -> list[Value]:
    body = "\n".join(pool.text.lines)
    computed = [v for v in pool.values if v.name.startswith("%v")]
    unread = [v for v in computed if body.count(f"{v.name},") + body.count(f"{v.name})") == 0]
    extra = [v for v in computed if v not in unread and pool.choices.chance(8)]
    results = [*unread[-6:], *extra]
    return results or pool.values[-1:]
