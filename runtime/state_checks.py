"""State is one thing everywhere: what every reader of a manifest checks across its entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distc.runtime.manifest import EntryPoint, TensorRecord

OWNED_KINDS = ("optimizer", "gradient")
"""Kinds of state that belong to a parameter."""


def check_state(entries: tuple[EntryPoint, ...]) -> None:
    """Check that what is kept between calls is one thing everywhere.

    Raises:
        ValueError: a state that two entry points hold differently, that belongs to no parameter,
            or that starts as what it cannot; a result that updates no state, or another type.
    """
    known: dict[str, TensorRecord] = {}
    for entry in entries:
        for record in entry.state:
            _check_first_value(record)
            other = known.setdefault(record.name, record)
            if _held(other) != _held(record):
                raise ValueError(
                    f"state {record.name} differs between entry points: "
                    f"{_held_text(other)}, and {_held_text(record)} in {entry.name}"
                )
        _check_updates(entry)
    for record in known.values():
        owner = known.get(record.parameter)
        if record.initial == "parameter" and (owner is None or owner.shape != record.shape):
            raise ValueError(f"state {record.name} starts as a copy of no parameter of its shape")


def _held(record: TensorRecord) -> tuple[object, ...]:
    return (
        record.kind, record.dtype, record.layout, record.partial, record.parameter, record.slot,
        record.initial, record.stored,
    )  # fmt: skip


def _held_text(record: TensorRecord) -> str:
    return f"{record.kind} {record.dtype}{list(record.shape)} {record.sharding}"


def _check_first_value(record: TensorRecord) -> None:
    if record.kind in OWNED_KINDS and not (record.parameter and record.slot):
        raise ValueError(f"state {record.name} of kind {record.kind} names no parameter or slot")
    if record.stored and (record.kind != "parameter" or record.initial):
        raise ValueError(f"state {record.name} is no parameter of the weight files to be rounded")
    if record.initial == "parameter" and not record.parameter:
        raise ValueError(f"state {record.name} starts as its parameter and names none")
    if record.partial and (
        record.initial != "zeros" or any(p.kind != "sum" for p in record.partial)
    ):
        raise ValueError(f"state {record.name} is partial and does not start as a sum of zeros")


def _check_updates(entry: EntryPoint) -> None:
    kept = {r.name: r for r in entry.state}
    seen: set[str] = set()
    for result in (r for r in entry.results if r.updates):
        old = kept.get(result.updates)
        where = f"result {result.name} of {entry.name}"
        if old is None or result.updates in seen:
            what = "no state that it takes" if old is None else "a state that another result does"
            raise ValueError(f"{where} updates {result.updates!r}, {what}")
        same = (old.dtype, old.layout, old.partial) == (result.dtype, result.layout, result.partial)
        if not same:
            raise ValueError(f"{where} is {_held_text(result)}, the state is {_held_text(old)}")
        seen.add(result.updates)
