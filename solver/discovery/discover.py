"""One discovery from text to rule: search, settle at the written sizes, prove or validate again."""

from __future__ import annotations

import time
from dataclasses import replace

from distc.dialect import stablehlo
from distc.dialect.rules.rule import ShardingRule
from distc.solver.discovery.assemble import assemble, remapped
from distc.solver.discovery.linearity import partial_rules
from distc.solver.discovery.prove import proved
from distc.solver.discovery.record import Discovered, Form, Status
from distc.solver.discovery.search import Search
from distc.solver.discovery.sizes import COSTLY, VALIDATE, Sizes, chosen, elements
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Rejected, Strategy


def discover(text: str) -> Discovered:
    """Return the rule of the op or body in `text`, which `isolate` made.

    Raises:
        UnsupportedOp: the op cannot run, so nothing can be found out.
        InputError: the text is not a module with a function @main.
    """
    started = time.perf_counter()
    subject = Subject(text)
    search = Search(subject)
    outcome = search.run()
    notes = list(outcome.notes)
    strategies, executions = _validated(subject, search.sizes, outcome.strategies, notes)
    executions += search.bench.executions
    written: Sizes = (subject.operand_shapes, subject.result_shapes)
    settled = []
    for before, after in zip(
        strategies, remapped(strategies, search.sizes, written), strict=True
    ):
        if after is None:
            notes.append(f"a factor of {before.size} has no size in the op as written")
        else:
            settled.append(after)
    partial = partial_rules(search)
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
    partial = tuple(
        replace(p, operands=frozenset(at[i] for i in p.operands)) for p in rule.partial
    )
    moved = tuple(replace(f, operands=tuple(at[i] for i in f.operands)) for f in forms)
    return replace(rule, operands=operands, partial=partial), moved


def _validated(
    subject: Subject, sizes: Sizes, strategies: list[Strategy], notes: list[str]
) -> tuple[list[Strategy], int]:
    """Keep the strategies that hold again at other sizes, uneven ones included."""
    if not strategies:
        return [], 0
    others = chosen(subject, VALIDATE, keep=False)
    if elements(others) > 2 * COSTLY:
        others = sizes
    try:
        again = Search(subject, others, seed=1)
    except Rejected:
        again = Search(subject, sizes, seed=1)
        others = sizes
    again.prepare()
    kept = []
    for strategy, moved in zip(
        strategies, remapped(strategies, sizes, others), strict=True
    ):
        if moved is None or again.verified(moved):
            kept.append(strategy)
        else:
            notes.append(f"a factor of {strategy.size} did not hold at {others}")
    return kept, again.bench.executions
