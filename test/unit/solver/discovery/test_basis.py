"""How each part of a rule was established is part of the rule."""

from __future__ import annotations

import pytest
from unit.solver.discovery import samples

from distc.compiler.op_samples import SAMPLES
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import Discovered, FormKind, Status
from distc.solver.discovery.revalidate import Revalidation
from distc.solver.discovery.subject import Subject
from distc.solver.discovery.trial import Digit, Strategy


def statuses(found: Discovered, kind: FormKind) -> set[Status]:
    pairs = zip(found.forms, found.bases, strict=True)
    return {b.status for f, b in pairs if f.kind is kind and b is not None}


def test_a_window_of_a_known_op_is_proved() -> None:
    assert statuses(discover(SAMPLES["reduce_window"]), FormKind.WINDOW) == {Status.PROVED}


def test_partial_operands_of_a_known_op_are_proved() -> None:
    assert {b.status for b in discover(samples.BMM).partial_bases} == {Status.PROVED}


def test_a_look_up_is_validated_and_says_so_with_its_count() -> None:
    found = discover(samples.GATHER_ONE)
    assert statuses(found, FormKind.SHIFTED) == {Status.VALIDATED}
    assert found.status is Status.VALIDATED
    assert "validated by execution only" in found.why() and "trials agreed" in found.why()
    assert all(b.trials > 0 for b in found.bases if b is not None)


def test_what_stays_whole_has_no_basis() -> None:
    found = discover(samples.SELECT_ROW)
    whole = [b for f, b in zip(found.forms, found.bases, strict=True) if f.kind is FormKind.WHOLE]
    assert whole and set(whole) == {None}


def test_a_rule_needs_a_basis_for_every_factor() -> None:
    found = discover(samples.elementwise("negate"))
    with pytest.raises(ValueError, match="1 bases for 2 factors"):
        Discovered(found.rule, found.forms, found.bases[:1], found.partial_bases)


def test_a_strategy_that_held_by_accident_does_not_hold_again() -> None:
    subject = Subject(samples.SOFTMAX)
    written = (subject.operand_shapes, subject.result_shapes)
    again = Revalidation(subject, written, [])
    rows = Strategy((Digit(0, 1, 4),), (Digit(0, 1, 4),))
    columns = Strategy((Digit(1, 1, 6),), (Digit(1, 1, 6),))
    held, refused = again.strategies([rows, columns], [False, False])
    assert held is not None and held > 0
    assert refused is None and "did not hold" in again.notes[0]
