"""Registration and lookup of factor rules.

A rule function takes the operation and returns its rule, or None where this form of the op has
none. Names are `stablehlo.<op>` and, for composites, `distc.<name>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.regions import inputs
from distc.dialect.rules.narrow import for_narrow_floats
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule

RuleFunction = Callable[[ir.Operation], ShardingRule | None]

_RULES: dict[str, RuleFunction] = {}
_FALLBACK: list[RuleFunction] = []
_FAMILIES = (
    "collectives",
    "composites",
    "contraction",
    "control",
    "convolution",
    "custom",
    "distribution",
    "elementwise",
    "indexing",
    "layout",
    "linear_algebra",
    "normalization",
    "reduction",
    "windows",
)


def sharding_rule(*names: str) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule function for the ops called `names`."""

    def register(function: RuleFunction) -> RuleFunction:
        for name in names:
            if name in _RULES:
                raise ValueError(f"two sharding rules for {name}")
            _RULES[name] = function
        return function

    return register


def _load() -> None:
    for family in _FAMILIES:
        import_module(f"distc.dialect.rules.{family}")


def rule_names() -> tuple[str, ...]:
    """Names of all ops and composites that have a rule, sorted."""
    _load()
    return tuple(sorted(_RULES))


def rule_for(op: ir.Operation) -> ShardingRule | None:
    """Return the rule of `op`, None where it must run on whole values."""
    if not _RULES:
        _load()
    name = op.name
    if name == "stablehlo.composite":
        name = stablehlo.composite(op).name
    if not all(map(stablehlo.is_tensor, (*inputs(op), *op.results))):
        return None
    function = _RULES.get(name)
    found = function(op) if function is not None else None
    if found is None and _FALLBACK:
        found = _FALLBACK[-1](op)
    return None if found is None else for_narrow_floats(op, found)


@contextmanager
def fallback(rule: RuleFunction) -> Iterator[None]:
    """Within the block, ask `rule` about ops that have none of their own (rule discovery)."""
    _FALLBACK.append(rule)
    try:
        yield
    finally:
        _FALLBACK.pop()


def is_degenerate(op: ir.Operation) -> bool:
    """True when an operand or result has no elements: such ops run on whole values."""
    return any(prod(stablehlo.shape(v)) == 0 for v in (*op.operands, *op.results))


def replicated_rule(op: ir.Operation) -> ShardingRule:
    """Return the rule of an op that runs on whole values: nothing may be cut."""
    operands = [stablehlo.shape(v) if stablehlo.is_tensor(v) else () for v in inputs(op)]
    results = [stablehlo.shape(v) if stablehlo.is_tensor(v) else () for v in op.results]
    builder = RuleBuilder([len(s) for s in operands], [len(s) for s in results])
    for i, shape in enumerate(operands):
        for dim, size in enumerate(shape):
            builder.factor(size, {i: dim}, kind=FactorKind.REPLICATE)
    for i, shape in enumerate(results):
        for dim, size in enumerate(shape):
            builder.factor(size, results={i: dim}, kind=FactorKind.REPLICATE)
    return builder.build()
