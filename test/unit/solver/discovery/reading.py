"""Short forms of what a discovered rule says, for tests."""

from __future__ import annotations

from distc.dialect.rules.rule import FactorKind
from distc.dialect.sharding import Reduction
from distc.solver.discovery.record import Discovered


def kinds(found: Discovered, operand: int) -> list[tuple[FactorKind, Reduction | None]]:
    """Per dimension of an operand, the kind of its major factor and how it combines."""
    factors = [found.rule.factors[d[0]] for d in found.rule.operands[operand]]
    return [(f.kind, f.reduction) for f in factors]


PASS = (FactorKind.PASS, None)
WHOLE = (FactorKind.REPLICATE, None)


def reduced(kind: Reduction) -> tuple[FactorKind, Reduction]:
    return FactorKind.REDUCTION, kind
