"""An op's assignment as an attribute, so that what was planned is what is carried out.

dist.factors = ["data", "", "tensor"]         per factor of the op's rule, its axes
dist.through = "P(sum: x) 0,2"                operands that stay partial, where there are any
"""

from __future__ import annotations

import re

from torch_mlir import ir

from distc.dialect.assignment import Assignment
from distc.dialect.factors import FactorSharding
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.rules.rule import ShardingRule
from distc.dialect.text import parse_sharding
from distc.runtime.errors import IllegalSharding

FACTORS = "dist.factors"
THROUGH = "dist.through"
_THROUGH = re.compile(r"(P\(.*\)) ([0-9,]+)\Z")


def set_assignment(op: ir.Operation, assignment: Assignment) -> None:
    """Write an assignment on its op."""
    texts = [",".join(map(str, f.axes)) for f in assignment.factors]
    op.attributes[FACTORS] = ir.ArrayAttr.get([ir.StringAttr.get(t) for t in texts])
    if assignment.partial:
        parts = " + ".join(f"P({kind}: {axis})" for axis, kind in assignment.partial)
        operands = ",".join(map(str, sorted(assignment.through)))
        op.attributes[THROUGH] = ir.StringAttr.get(f"{parts} {operands}")


def planned_assignment(op: ir.Operation, rule: ShardingRule, mesh: Mesh) -> Assignment | None:
    """Return the assignment written on an op, None where there is none.

    Raises:
        IllegalSharding: it has another number of factors than the op's rule.
    """
    if FACTORS not in op.attributes:
        return None
    texts = [str(ir.StringAttr(t).value) for t in ir.ArrayAttr(op.attributes[FACTORS])]
    if len(texts) != len(rule.factors):
        raise IllegalSharding(
            f"{op.name} has {FACTORS} for {len(texts)} factors, its rule has {len(rule.factors)}",
            help="plan the module again, or take the attribute off",
        )
    factors = tuple(FactorSharding(_axes(t, mesh)) for t in texts)
    if THROUGH not in op.attributes:
        return Assignment(rule, mesh, factors)
    found = _THROUGH.match(str(ir.StringAttr(op.attributes[THROUGH]).value))
    if found is None:
        raise IllegalSharding(
            f"{op.name} has an unreadable {THROUGH}", help="plan the module again"
        )
    partial = parse_sharding(f"[] {found[1]}", mesh).partial
    through = frozenset(int(i) for i in found[2].split(","))
    return Assignment(rule, mesh, factors, partial, through)


def _axes(text: str, mesh: Mesh) -> tuple[AxisRef, ...]:
    if not text:
        return ()
    return parse_sharding(f"[S({text})]", mesh).dims[0].axes
