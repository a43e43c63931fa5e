"""What discovery found: a factor rule, how a shard computes each factor, and why it is believed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from distc.dialect.rules.rule import Dims, Factor, FactorKind, PartialRule, ShardingRule
from distc.dialect.sharding import Reduction
from distc.runtime.errors import InputError

SCHEMA = 2


class Status(StrEnum):
    """Why a rule is believed."""

    PROVED = "proved"
    VALIDATED = "validated"


@dataclass(frozen=True, slots=True)
class Basis:
    """Why one factor, or one set of partial operands, is believed.

    Attributes:
        status: proved, or validated.
        trials: executions that agreed with the whole: in the search, and again with other data,
            shard counts and sizes where it is not proved.
    """

    status: Status
    trials: int


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
        bases: one per factor of the rule, None where it may not be cut.
        partial_bases: one per entry of the rule's partial operands.
        executions: how often the op ran.
        seconds: how long the search took.
        notes: what was left out and why.
    """

    rule: ShardingRule
    forms: tuple[Form, ...]
    bases: tuple[Basis | None, ...]
    partial_bases: tuple[Basis, ...] = ()
    executions: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.forms) != len(self.rule.factors) or len(self.bases) != len(self.forms):
            raise ValueError(
                f"{len(self.forms)} forms and {len(self.bases)} bases "
                f"for {len(self.rule.factors)} factors"
            )
        if len(self.partial_bases) != len(self.rule.partial):
            raise ValueError(
                f"{len(self.partial_bases)} bases for {len(self.rule.partial)} partial rules"
            )

    @property
    def status(self) -> Status:
        """Proved when every claim of the rule is; a rule without claims is validated."""
        claims = [b for b in (*self.bases, *self.partial_bases) if b is not None]
        proved = bool(claims) and all(b.status is Status.PROVED for b in claims)
        return Status.PROVED if proved else Status.VALIDATED

    def why(self) -> str:
        """Return how the rule was established, in words."""
        claims = [b for b in (*self.bases, *self.partial_bases) if b is not None]
        open_ = [b for b in claims if b.status is Status.VALIDATED]
        if not claims:
            return "nothing may be cut"
        if not open_:
            return "proved"
        trials = sum(b.trials for b in open_)
        share = "" if len(open_) == len(claims) else f"{len(claims) - len(open_)} claims proved, "
        return (
            f"{share}{len(open_)} of {len(claims)} claims validated by execution only "
            f"({trials} trials agreed)"
        )

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
        "bases": [_basis_json(b) for b in found.bases],
        "partial_bases": [_basis_json(b) for b in found.partial_bases],
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
        return Discovered(
            rule,
            forms,
            tuple(_basis(b) if b is not None else None for b in body["bases"]),
            tuple(map(_basis, body["partial_bases"])),
            int(body["executions"]),
            float(body["seconds"]),
            tuple(body["notes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"not a discovered rule: {type(error).__name__} {error}",
            help="delete the record; the rule is discovered again",
        ) from None


def _basis_json(basis: Basis | None) -> list[str | int] | None:
    return None if basis is None else [basis.status, basis.trials]


def _basis(raw: list[Any]) -> Basis:
    status, trials = raw
    return Basis(Status(status), int(trials))


def _dims(raw: list[list[int]]) -> Dims:
    return tuple(tuple(d) for d in raw)
