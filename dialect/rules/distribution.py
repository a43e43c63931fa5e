"""Rules of the `dist` ops: they change where a value lies, not what it is."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect.rules.elementwise import pointwise
from distc.dialect.rules.registry import sharding_rule
from distc.dialect.rules.rule import ShardingRule


@sharding_rule("dist.constraint", "dist.reshard")
def _reshard(op: ir.Operation) -> ShardingRule:
    """Every dimension passes; the op's own sharding is what its result has."""
    return pointwise(op).build()
