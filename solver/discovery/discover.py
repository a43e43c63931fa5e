"""One discovery from text to rule: search, settle at the written sizes, prove or validate again."""

from __future__ import annotations

import time
from dataclasses import replace

from distc.dialect import stablehlo
from distc.dialect.rules.rule import ShardingRule
from distc.runtime.errors import UnsupportedOp
from distc.solver.discovery.assemble import assemble, remapped
from distc.solver.discovery.dependence import Dependence
from distc.solver.discovery.linearity import partial_rules
from distc.solver.discovery.prove import proved
from distc.solver.discovery.record import Discovered, Form, Status
from distc.solver.discovery.sample import ALL
from distc.solver.discovery.search import Outcome, Search
from distc.solver.discovery.sizes import SEARCH, VALIDATE, Sizes, chosen, elements
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Rejected, Strategy

AFFORDABLE = 20_000
"""Elements up to which an op is also run at sizes that were not shrunk."""


def discover(text: str) -> Discovered:
    """Return the rule of the op or body in `text`, which `isolate` made.

    Raises:
        UnsupportedOp: the op cannot run, so nothing can be found out.
        InputError: the text is not a module with a function @main.
    """
    started = time.perf_counter()
    subject = Subject(text)
    written: Sizes = (subject.operand_shapes, subject.result_shapes)
    search, outcome, settled = _searched(subject, written)
    notes = list(outcome.notes)
    strategies, executions = _validated(subject, written, settled, notes)
    executions += search.bench.executions
    settled = [s for s in strategies if s is not None]
    partial = partial_rules(search, _read(subject, outcome.dependence))
    rule, forms = assemble(settled, outcome.bands, partial, written)
    at_op = [_of_op(subject, s) for s in settled]
    status = Status.PROVED if proved(subject.op, at_op) else Status.VALIDATED
    rule, forms = _with_constants(subject, rule, forms)
    seconds = time.perf_counter() - started
    return Discovered(rule, forms, status, executions, seconds, tuple(notes))


def _of_op(subject: Subject, strategy: Strategy) -> Strategy:
    """The strategy with an entry per operand of the op; constants stay whole."""
    places = subject.places()
    operands = tuple(None if p is None else strategy.operands[p] for p in places)
    return replace(strategy, operands=operands)


def _with_constants(
    subject: Subject, rule: ShardingRule, forms: tuple[Form, ...]
) -> tuple[ShardingRule, tuple[Form, ...]]:
    """Number operands as the op does; constants, which stayed what they are, have no factors."""
    places = subject.places()
    if subject.op is None or list(places) == list(range(len(places))):
        return rule, forms
    at = {p: i for i, p in enumerate(places) if p is not None}
    operands = tuple(
        ((),) * len(stablehlo.shape(value)) if p is None else rule.operands[p]
        for value, p in zip(subject.op.operands, places, strict=True)
    )
    partial = tuple(replace(p, operands=frozenset(at[i] for i in p.operands)) for p in rule.partial)
    moved = tuple(replace(f, operands=tuple(at[i] for i in f.operands)) for f in forms)
    return replace(rule, operands=operands, partial=partial), moved


def _searched(subject: Subject, written: Sizes) -> tuple[Search, Outcome, list[Strategy]]:
    """Search at small sizes; at the written ones where a factor's size would stay unknown.

    Returns:
        The search, its outcome, and the strategies at the written sizes.
    """
    sizes = chosen(subject, SEARCH, keep=True)
    try:
        search = Search(subject, sizes if runs(subject, sizes) else written)
    except Rejected as error:
        raise UnsupportedOp(
            f"{subject.name} does not run at its own sizes: {error}",
            help="give the op a rule by hand",
        ) from None
    outcome = search.run()
    moved = remapped(outcome.strategies, search.sizes, written)
    lost = sum(m is None for m in moved)
    if lost and elements(written) <= AFFORDABLE and search.sizes != written:
        search = Search(subject, written)
        outcome = search.run()
        moved = list(outcome.strategies)
    elif lost:
        outcome.notes.append(f"{lost} factors have no size in the op as written")
    return search, outcome, [m for m in moved if m is not None]


def _read(subject: Subject, dependence: Dependence) -> frozenset[int]:
    """Operands that results depend on; scalars are not probed and count as read."""
    scalars = {i for i, s in enumerate(subject.operand_shapes) if not s}
    return dependence.read() | scalars


def _validated(
    subject: Subject, written: Sizes, strategies: list[Strategy], notes: list[str]
) -> tuple[list[Strategy], int]:
    """Keep the strategies that hold again at other sizes, uneven ones included."""
    if not strategies:
        return [], 0
    others = chosen(subject, VALIDATE, keep=False)
    if elements(others) > AFFORDABLE or not runs(subject, others):
        others = chosen(subject, SEARCH, keep=True)
    if not runs(subject, others):
        others = written
    again = Search(subject, others, seed=1)
    again.prepare()
    kept = []
    same: Search | None = None
    for strategy, moved in zip(strategies, remapped(strategies, written, others), strict=True):
        if moved is None and same is None and 0 < elements(written) <= AFFORDABLE:
            # The factor has no counterpart at other sizes (a reshape): new data, same sizes.
            same = Search(subject, written, seed=2)
            same.prepare()
        if moved is not None and again.verified(moved):
            kept.append(strategy)
        elif moved is None and same is not None and same.verified(strategy):
            kept.append(strategy)
        else:
            notes.append(f"a factor of {strategy.size} did not hold at {others}")
    return kept, again.bench.executions + (same.bench.executions if same is not None else 0)


def runs(subject: Subject, sizes: Sizes) -> bool:
    """True when the op verifies at `sizes` and its results have them."""
    try:
        search = Search(subject, sizes)
    except Rejected:
        return False
    return not subject.operands or next(iter(search.trials(ALL)), None) is not None
