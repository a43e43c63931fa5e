"""One discovery from text to rule: search, settle at the written sizes, prove or validate again.

What was found is never believed for the executions that found it: each factor, window and set of
partial operands is proved, or holds again with other data, more shard counts and other sizes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from distc.dialect import stablehlo
from distc.dialect.rules.rule import PartialRule, ShardingRule
from distc.dialect.sharding import Reduction
from distc.runtime.errors import UnsupportedOp
from distc.solver.discovery.assemble import assemble, remapped
from distc.solver.discovery.bands import Band
from distc.solver.discovery.dependence import Dependence
from distc.solver.discovery.linearity import partial_operands
from distc.solver.discovery.prove import prove_strategy
from distc.solver.discovery.prove_partial import partial_is_proved
from distc.solver.discovery.prove_windows import window_is_proved
from distc.solver.discovery.record import Basis, Discovered, Form, Status
from distc.solver.discovery.revalidate import AFFORDABLE, Revalidation, runs
from distc.solver.discovery.sample import ALL
from distc.solver.discovery.search import Outcome, search
from distc.solver.discovery.sizes import SEARCH, Sizes, chosen, elements
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Rejected, Strategy
from distc.solver.discovery.trials import Trials


def discover(text: str) -> Discovered:
    """Return the rule of the op or body in `text`, which `isolate` made.

    Raises:
        UnsupportedOp: the op cannot run, so nothing can be found out.
        InputError: the text is not a module with a function @main.
    """
    started = time.perf_counter()
    subject = Subject(text)
    written: Sizes = (subject.operand_shapes, subject.result_shapes)
    trials, outcome, settled = _searched(subject, written)
    again = Revalidation(subject, written, list(outcome.notes))
    strategies = _settled(subject, again, settled)
    bands = _windows(subject, again, outcome.bands)
    partial = _partial(subject, again, trials, _read(subject, outcome.dependence))
    rule, forms, origins = assemble(
        [s for s, _ in strategies], [b for b, _ in bands], [p for p, _ in partial], written
    )
    believed = {"strategy": [b for _, b in strategies], "band": [b for _, b in bands]}
    bases = tuple(None if o is None else believed[o[0]][o[1]] for o in origins)
    rule, forms = _with_constants(subject, rule, forms)
    return Discovered(
        rule,
        forms,
        bases,
        tuple(b for _, b in partial),
        trials.bench.executions + again.executions,
        time.perf_counter() - started,
        tuple(again.notes),
    )


def _searched(subject: Subject, written: Sizes) -> tuple[Trials, Outcome, list[Strategy]]:
    """Search at small sizes; at the written ones where a factor's size would stay unknown.

    Returns:
        The trials, what the search found, and the strategies at the written sizes.
    """
    sizes = chosen(subject, SEARCH, keep=True)
    try:
        trials = Trials(subject, sizes if runs(subject, sizes) else written)
    except Rejected as error:
        raise UnsupportedOp(
            f"{subject.name} does not run at its own sizes: {error}",
            help="give the op a rule by hand",
        ) from None
    if subject.operands and not trials.is_empty and next(trials.trials(ALL), None) is None:
        raise UnsupportedOp(
            f"{subject.name} runs on none of the values that were tried: {trials.refused}",
            help="give the op a rule by hand",
        )
    outcome = search(trials)
    moved = remapped(outcome.strategies, trials.sizes, written)
    lost = sum(m is None for m in moved)
    if lost and elements(written) <= AFFORDABLE and trials.sizes != written:
        trials = Trials(subject, written)
        outcome = search(trials)
        moved = list(outcome.strategies)
    elif lost:
        note = f"{lost} factors have no size in the op as written"
        outcome = replace(outcome, notes=(*outcome.notes, note))
    return trials, outcome, [m for m in moved if m is not None]


def _settled(
    subject: Subject, again: Revalidation, strategies: list[Strategy]
) -> list[tuple[Strategy, Basis]]:
    """The strategies that hold again, and why each is believed."""
    op = subject.op
    proved = [op is not None and prove_strategy(op, _at_operands(subject, s)) for s in strategies]
    trials = again.strategies(strategies, proved)
    return [
        (s, _basis(p, n))
        for s, p, n in zip(strategies, proved, trials, strict=True)
        if n is not None
    ]


def _windows(subject: Subject, again: Revalidation, bands: list[Band]) -> list[tuple[Band, Basis]]:
    """The windows that are enough at the written sizes too."""
    found = []
    for band in bands:
        fitted = again.fitted(band)
        if fitted is None:
            continue
        operands = tuple(None if p is None else fitted.operands[p] for p in subject.places())
        proved = window_is_proved(subject.op, replace(fitted, operands=operands))
        trials = again.band(fitted, proved)
        if trials is not None:
            found.append((fitted, _basis(proved, trials)))
    return found


def _partial(
    subject: Subject, again: Revalidation, trials: Trials, read: frozenset[int]
) -> list[tuple[PartialRule, Basis]]:
    """Sets of operands that may be partial together: kinds that are proved, kinds that are not."""
    grouped: dict[tuple[tuple[int, ...], Status], list[tuple[Reduction, int]]] = {}
    for operands, kind in partial_operands(trials, read):
        proved = partial_is_proved(subject.function, frozenset(operands), kind)
        agreed = again.partial(operands, kind, proved)
        if agreed is not None:
            status = _basis(proved, agreed).status
            grouped.setdefault((operands, status), []).append((kind, agreed))
    return [
        (
            PartialRule(frozenset(operands), frozenset(k for k, _ in kinds)),
            Basis(status, sum(n for _, n in kinds)),
        )
        for (operands, status), kinds in grouped.items()
    ]


def _basis(proved: bool, trials: int) -> Basis:
    return Basis(Status.PROVED if proved else Status.VALIDATED, trials)


def _at_operands(subject: Subject, strategy: Strategy) -> Strategy:
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

    def moved(operands: Iterable[int]) -> tuple[int, ...]:
        return tuple(at[i] for i in operands)

    operands = tuple(
        ((),) * len(stablehlo.shape(value)) if p is None else rule.operands[p]
        for value, p in zip(subject.op.operands, places, strict=True)
    )
    partial = tuple(replace(p, operands=frozenset(moved(p.operands))) for p in rule.partial)
    return (
        replace(rule, operands=operands, partial=partial),
        tuple(replace(f, operands=moved(f.operands)) for f in forms),
    )


def _read(subject: Subject, dependence: Dependence) -> frozenset[int]:
    """Operands that results depend on; scalars are not probed and count as read."""
    scalars = {i for i, s in enumerate(subject.operand_shapes) if not s}
    return dependence.read() | scalars
