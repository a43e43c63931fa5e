"""Tables looked up and updated: rows cut, ids cut, both; one table used twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semantics.case import Case, Family, Spec
from semantics.text import Program, Value

_F = Family("embeddings")
_VOCABULARY, _WIDTH = 10, 4
_TABLE = np.arange(_VOCABULARY * _WIDTH).reshape(_VOCABULARY, _WIDTH) % 9 - 4
_IDS = np.array([[0, 9, 3], [7, 7, 2]])
_PINS: tuple[tuple[dict[int, Spec], tuple[str, ...]], ...] = (
    ({0: 0}, ("x=2", "x=3", "x=4", "x=2,y=2")),
    ({0: 1}, ("x=3", "x=4")),
    ({1: 0}, ("x=2", "x=4")),
    ({1: 1}, ("x=2", "x=3")),
    ({0: "[S(x), R]", 1: "[S(y), R]"}, ("x=2,y=2",)),
    ({0: "[R, S(x)]", 1: "[R, S(y)]"}, ("x=2,y=2",)),
    ({0: "[S(y), S(x)]"}, ("x=2,y=2",)),
)


def _gradient(p: Program, ids: Value, upstream: Value) -> Value:
    return p.scatter("add", p.constant(0, "f32", (_VOCABULARY, _WIDTH)), ids, upstream)


def _tied_steps(steps: int) -> Program:
    """Look up, multiply by the same table, and update it from both gradients."""
    p = Program()
    table, ids = p.argument(_TABLE, "f32"), p.argument(_IDS)
    for _ in range(steps):
        hidden = p.take(table, ids)
        logits = p.dot(hidden, table, ((2,), (1,)))
        from_head = p.dot(logits, hidden, ((0, 1), (0, 1)))
        back = p.dot(logits, table, ((2,), (0,)))
        gradient = p.same("add", from_head, _gradient(p, ids, back))
        step = p.same("multiply", gradient, p.filled(2.0**-12, gradient))
        table = p.same("subtract", table, step)
    p.made = table  # type: ignore[attr-defined]
    return p


def cases() -> Iterator[Case]:
    """Forward, gradient, tied training."""
    p = Program()
    table, ids = p.argument(_TABLE, "f32"), p.argument(_IDS)
    forward = p.returning(p.take(table, ids))
    p = Program()
    table, ids = p.argument(_TABLE, "f32"), p.argument(_IDS)
    rows = p.take(table, ids)
    gradient = p.returning(_gradient(p, ids, p.same("multiply", rows, p.filled(2, rows))))
    for pins, meshes in _PINS:
        yield from _F.over(
            "forward", "the rows of other shards give nothing, not row zero", forward, pins,
            meshes=meshes, torch="embedding" if 0 in pins and 1 not in pins else "",
        )  # fmt: skip
        for target in (0, 1):
            yield from _F.over(
                "gradient", "rows must not leak between shards, nor count twice", gradient, pins,
                {0: target}, meshes=meshes, torch="embedding_grad" if target == 0 else "",
            )  # fmt: skip
    for steps in (1, 3):
        p = _tied_steps(steps)
        program = p.returning(p.made)  # type: ignore[attr-defined]
        for pins, meshes in _PINS:
            yield from _F.over(
                f"tied weights, {steps} steps", "every shard of the table is updated by both uses",
                program, pins, {0: pins[0]} if 0 in pins else {}, meshes=meshes,
                ulps=8.0 if steps > 1 else 4.0,
            )  # fmt: skip
    p = Program()
    ids = p.argument([[0, 9, 3], [7, 7, 2]])
    upstream = p.argument(np.arange(24).reshape(2, 3, 4), "f32")
    program = p.returning(_gradient(p, ids, upstream))
    spread: tuple[dict[int, Spec], ...] = (
        {0: "[S(x), R]", 1: "[S(x), S(y), R]"},
        {0: "[S(x), S(y)]", 1: "[S(x), S(y), R]"},
        {0: "[R, S(y)]", 1: "[R, S(y), S(x)]"},
        {1: "[R, R, S(x,y)]"},
        {0: "[S(x,y), R]"},
    )
    outs: tuple[Spec, ...] = ("[S(y), R]", "[R, S(x)]", "[S(x), S(y)]")
    for pins in spread:
        for out in outs:
            yield _F.case(
                "gradient on two axes", "the sum over one axis comes before the cut by the other",
                program, "x=2,y=2", pins, {0: out},
            )  # fmt: skip
