"""What discovery found: a factor rule, how a shard computes each factor, and why it is believed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from distc.dialect.rules.rule import Dims, Factor, FactorKind, PartialRule, ShardingRule
from distc.dialect.sharding import Reduction
from distc.runtime.errors import InputError

SCHEMA = 1


class Status(StrEnum):
    """Why a rule is believed."""

    PROVED = "proved"
    VALIDATED = "validated"


class FormKind(StrEnum):
    """What a rank runs where a factor is cut."""

    PLAIN = "plain"
    SHIFTED = "shifted"
    SEEDED = "seeded"
    WINDOW = "window"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Form:
    """How a rank computes its part under one factor.

    Attributes:
        kind: plain (the op on shards), shifted (an index operand is moved into the shard), seeded
            (some operands count once: other ranks see the neutral element), window (the result
            shard needs a window of the operand: neighbours' elements), whole (may not be cut).
        operands: the index operand of `shifted`, the operands of `seeded`.
        component: which component of the index `shifted` moves, None where it has one.
        low: of `window`, elements needed before the rank's own, at most.
        high: of `window`, elements needed after the rank's own, at most.
        reversed: of `window`, whether shards come in opposite order.
    """

    kind: FormKind = FormKind.PLAIN
    operands: tuple[int, ...] = ()
    component: int | None = None
    low: int = 0
    high: int = 0
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class Discovered:
    """A discovered rule.

    Attributes:
        rule: the factor rule; window factors are `permutation` in it.
        forms: one per factor of the rule.
        status: proved by Z3, or validated by execution on other sizes.
        executions: how often the op ran.
        seconds: how long the search took.
        notes: what was left out and why.
    """

    rule: ShardingRule
    forms: tuple[Form, ...]
    status: Status
    executions: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def plain_rule(self, otherwise: FactorKind = FactorKind.REPLICATE) -> ShardingRule:
        """Return the rule for a partitioner that copies the op with local types.

        Factors of any other form become `otherwise`.
        """
        factors = tuple(
            f if form.kind is FormKind.PLAIN else Factor(f.size, otherwise)
            for f, form in zip(self.rule.factors, self.forms, strict=True)
        )
        return replace(self.rule, factors=factors)


def to_json(found: Discovered) -> str:
    """Return the canonical text of a discovered rule."""
    rule = found.rule
    body = {
        "schema": SCHEMA,
        "factors": [[f.size, f.kind, f.reduction] for f in rule.factors],
        "operands": rule.operands,
        "results": rule.results,
        "partial": [[sorted(p.operands), sorted(p.kinds)] for p in rule.partial],
        "forms": [
            [f.kind, f.operands, f.component, f.low, f.high, f.reversed] for f in found.forms
        ],
        "status": found.status,
        "executions": found.executions,
        "seconds": round(found.seconds, 4),
        "notes": found.notes,
    }
    return json.dumps(body, sort_keys=True)


def from_json(text: str) -> Discovered:
    """Parse what `to_json` wrote.

    Raises:
        InputError: another schema or a damaged record.
    """
    try:
        body: dict[str, Any] = json.loads(text)
        if body["schema"] != SCHEMA:
            raise ValueError(f"schema {body['schema']}")
        rule = ShardingRule(
            tuple(
                Factor(size, FactorKind(kind), Reduction(reduction) if reduction else None)
                for size, kind, reduction in body["factors"]
            ),
            tuple(map(_dims, body["operands"])),
            tuple(map(_dims, body["results"])),
            tuple(
                PartialRule(frozenset(operands), frozenset(map(Reduction, kinds)))
                for operands, kinds in body["partial"]
            ),
        )
        forms = tuple(
            Form(FormKind(kind), tuple(operands), component, low, high, flipped)
            for kind, operands, component, low, high, flipped in body["forms"]
        )
        if len(forms) != len(rule.factors):
            raise ValueError(f"{len(forms)} forms for {len(rule.factors)} factors")
        return Discovered(
            rule,
            forms,
            Status(body["status"]),
            int(body["executions"]),
            float(body["seconds"]),
            tuple(body["notes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a discovered rule: {type(error).__name__} {error}",
            help="delete the record; the rule is discovered again",
        ) from None


def _dims(raw: list[list[int]]) -> Dims:
    return tuple(tuple(d) for d in raw)
