"""Z3 proofs that an op commutes with combining partial operands.

Let ⊕ combine partial values, O be the partial operands. An op of the form

    result[e] = start ⊗ g(x[φ(e, ρ₁)], …) ⊗ g(x[φ(e, ρ₂)], …) ⊗ …        (⊗ only where it folds)

commutes with ⊕ over O when, for all elements a, a', c and accumulators s, s',

    term    without ⊗:   g(a ⊕ a', c) = g(a, c) ⊕ g(a', c)
    step    with ⊗:      (s ⊕ s') ⊗ g(a ⊕ a', c) = (s ⊗ g(a, c)) ⊕ (s' ⊗ g(a', c))
    start   with ⊗:      start = start ⊕ start, or start is itself in O

`start` and `step` are an induction over the terms of one result element. Which elements are read
(φ) does not matter: both ranks read the same places. Where an op only moves elements, g picks one
of its operands by a symbol, so the claim holds for every choice. A body is proved op by op.
    -> implemented in `_term`, `_step`, `_start`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import z3
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.literals import constant_array
from distc.dialect.numbers import is_neutral
from distc.dialect.sharding import Reduction
from distc.solver.discovery.symbols import (
    ORDER,
    Element,
    arguments,
    chosen,
    combine,
    function_of,
    same,
    symbol,
)

TIMEOUT_MS = 2_000
_IDEMPOTENT = ORDER | {Reduction.AND, Reduction.OR}
_MOVES: dict[str, tuple[int, ...] | None] = {
    "stablehlo.broadcast": (0,),
    "stablehlo.broadcast_in_dim": (0,),
    "stablehlo.concatenate": None,
    "stablehlo.dynamic_broadcast_in_dim": (0,),
    "stablehlo.dynamic_gather": (0,),
    "stablehlo.dynamic_pad": (0, 1),
    "stablehlo.dynamic_reshape": (0,),
    "stablehlo.dynamic_slice": (0,),
    "stablehlo.dynamic_update_slice": (0, 1),
    "stablehlo.gather": (0,),
    "stablehlo.pad": (0, 1),
    "stablehlo.real_dynamic_slice": (0,),
    "stablehlo.reshape": (0,),
    "stablehlo.reverse": (0,),
    "stablehlo.slice": (0,),
    "stablehlo.torch_index_select": (0,),
    "stablehlo.transpose": (0,),
}
"""Ops whose result elements are elements of these operands (all where not said)."""
_PRODUCTS = ("stablehlo.dot", "stablehlo.dot_general", "stablehlo.convolution")
Term = Callable[[Sequence[Element]], Element | None]


@dataclass(frozen=True, slots=True)
class _Form:
    """How an element of one result is computed.

    Attributes:
        data: operands whose elements `term` takes, in order.
        term: g.
        fold: ⊗, None where there is one term.
        start: operand that the fold starts from, None where it starts from what ⊗ leaves alone.
    """

    data: tuple[int, ...]
    term: Term
    fold: Reduction | None = None
    start: int | None = None


def partial_is_proved(function: ir.Operation, arguments_: frozenset[int], kind: Reduction) -> bool:
    """True when a function is proved to commute with combining these arguments by `kind`.

    Args:
        function: the op alone, or a body; every result must depend on the arguments.
        arguments_: positions of the partial arguments.
        kind: how their parts combine.
    """
    block = function.regions[0].blocks[0]
    partial = {block.arguments[i] for i in arguments_}
    *ops, last = [view.operation for view in block.operations]
    for op in ops:
        mine = frozenset(i for i, v in enumerate(op.operands) if v in partial)
        if not mine:
            continue
        if not _commutes(op, mine, kind):
            return False
        partial |= set(op.results)
    return all(v in partial for v in last.operands)


def _commutes(op: ir.Operation, partial: frozenset[int], kind: Reduction) -> bool:
    axioms: list[z3.BoolRef] = []
    forms = _forms(op, axioms)
    if forms is None:
        return False
    read = {i for f in forms for i in (*f.data, f.start) if i is not None}
    dtypes = [stablehlo.dtype(v) for v in op.operands]
    return partial <= read and all(_proved(f, dtypes, partial, kind, axioms) for f in forms)


def _proved(
    form: _Form,
    dtypes: Sequence[str],
    partial: frozenset[int],
    kind: Reduction,
    axioms: list[z3.BoolRef],
) -> bool:
    made = arguments([dtypes[i] for i in form.data], _within(form, partial), kind)
    if made is None:
        return False
    terms = [form.term(side) for side in made]
    one, two, both = terms
    if one is None or two is None or both is None:
        return False
    if form.fold is None:
        return _term(one, two, both, kind, axioms)
    return _start(form, dtypes, partial, kind) and _step(form, dtypes, (one, two, both), kind)


def _within(form: _Form, partial: frozenset[int]) -> frozenset[int]:
    return frozenset(at for at, i in enumerate(form.data) if i in partial)


def _term(
    one: Element, two: Element, both: Element, kind: Reduction, axioms: list[z3.BoolRef]
) -> bool:
    wanted = combine(kind, one, two)
    return wanted is not None and _holds(same(both, wanted), axioms)


def _step(
    form: _Form,
    dtypes: Sequence[str],
    terms: tuple[Element, Element, Element],
    kind: Reduction,
) -> bool:
    one, two, both = terms
    dtype = dtypes[form.data[0]]
    s, t = symbol("s", dtype, kind), symbol("s_other", dtype, kind)
    if form.fold is None or s is None or t is None or one.domain is not s.domain:
        return False
    together = combine(kind, s, t)
    left = combine(form.fold, together, both) if together is not None else None
    first, second = combine(form.fold, s, one), combine(form.fold, t, two)
    right = combine(kind, first, second) if first is not None and second is not None else None
    return left is not None and right is not None and _holds(same(left, right), [])


def _start(form: _Form, dtypes: Sequence[str], partial: frozenset[int], kind: Reduction) -> bool:
    if kind in _IDEMPOTENT or form.start in partial:
        return True
    # What ⊗ leaves alone, combined with itself: 0 + 0 and 1 · 1 are what they were, 1 + 1 is not.
    return form.start is None and kind is form.fold


def _holds(claim: z3.BoolRef, axioms: Sequence[z3.BoolRef]) -> bool:
    """True when nothing contradicts the claim, within the time limit."""
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*axioms, z3.Not(claim))
    return bool(solver.check() == z3.unsat)


def _forms(op: ir.Operation, axioms: list[z3.BoolRef]) -> list[_Form] | None:
    """One form per result, None where the op has none."""
    count = len(op.operands)
    if op.name in _MOVES:
        places = _MOVES[op.name] or tuple(range(count))
        return [_Form(places, _picked)]
    match op.name:
        case "stablehlo.optimization_barrier":
            return [_Form((i,), _picked) for i in range(count)]
        case "stablehlo.convert":
            return [_Form((0,), _picked)] if _keeps_values(op) else None
        case "stablehlo.divide":
            return [_Form((0,), _scaled)] if _has_constant_divisor(op) else None
        case "stablehlo.reduce" | "stablehlo.reduce_window":
            return _folds(op)
        case "stablehlo.scatter":
            return _scatter(op)
        case name if name in _PRODUCTS:
            if stablehlo.dtype(op.results[0]) == "i1":
                return None
            return [_Form((0, 1), _of("stablehlo.multiply", axioms), Reduction.SUM)]
    function = function_of(op.name, axioms)
    return None if function is None else [_Form(tuple(range(count)), _of(op.name, axioms))]


def _of(name: str, axioms: list[z3.BoolRef]) -> Term:
    function = function_of(name, axioms)
    assert function is not None
    return lambda elements: function(*elements)


def _picked(elements: Sequence[Element]) -> Element | None:
    """One of the elements, whichever."""
    picked = elements[0]
    for i, element in enumerate(elements[1:], 1):
        picked = chosen(z3.Int("which") == i, element, picked)
    return picked


def _scaled(elements: Sequence[Element]) -> Element | None:
    """The element times a constant that is neither zero nor NaN."""
    (element,) = elements
    if element.other is None or not z3.is_bool(element.other):
        return None
    return Element(element.domain, element.value * z3.Real("factor"), element.other)


def _has_constant_divisor(op: ir.Operation) -> bool:
    constant = stablehlo.defining_op(op.operands[1])
    if constant is None or constant.name != "stablehlo.constant":
        return False
    values = constant_array(constant)
    return values is not None and bool(np.isfinite(values).all() and (values != 0).all())


def _keeps_values(op: ir.Operation) -> bool:
    """A float that becomes a float of at least its width."""
    widths = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
    source, target = (stablehlo.dtype(v) for v in (op.operands[0], op.results[0]))
    if source not in widths or target not in widths:
        return False
    return source == target or widths[source] < widths[target]


def _folds(op: ir.Operation) -> list[_Form] | None:
    """Reductions and windows: each result folds its operand, from its start value."""
    kinds = stablehlo.reducers(op)
    results = len(op.results)
    if len(kinds) != results or any(k is None for k in kinds):
        return None
    forms = []
    for i, kind in enumerate(kinds):
        assert kind is not None
        start = None if is_neutral(op.operands[results + i], kind) else results + i
        forms.append(_Form((i,), _picked, kind, start))
    return forms


def _scatter(op: ir.Operation) -> list[_Form] | None:
    """Updates that replace are picked; others are folded onto the operand."""
    if len(op.results) != 1:
        return None
    if stablehlo.returns_update(op):
        return [_Form((0, 2), _picked)]
    kind = stablehlo.reducer(op)
    return None if kind is None else [_Form((2,), _picked, kind, 0)]
