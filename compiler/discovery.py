"""Rules for what has none: composites and custom ops are discovered while a model is planned.

`RuleDiscovery` answers `rule_for` where the registry has no rule. It looks in the cache on disk,
then asks the sandbox, within a time for each op and for all. The notices name every rule that was
found, and every op that stays without one and runs on whole values. A rule that came with a custom
op is executed too, and refused with a counter-example where shards do not give the whole.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from torch_mlir import ir

from distc.dialect import custom_ops, stablehlo
from distc.dialect.locations import where
from distc.dialect.rules.registry import fallback
from distc.dialect.rules.rule import Factor, FactorKind, ShardingRule
from distc.runtime.errors import DistcError, InputError, UnsupportedOp
from distc.solver.discovery import Discovered, RuleCache, Sandbox, isolate, key_of

SECONDS_PER_OP = 20.0
SECONDS_IN_ALL = 60.0


@dataclass
class RuleDiscovery:
    """Discovers rules during one compile.

    Attributes:
        any_op: also ask about plain StableHLO ops without a rule.
        cache: the records on disk.
        notices: which rules were found, and why they are believed; what stayed without one.
    """

    any_op: bool = False
    cache: RuleCache = field(default_factory=RuleCache)
    notices: list[str] = field(default_factory=list)
    _sandbox: Sandbox | None = None
    _known: dict[str, Discovered | None] = field(default_factory=dict)
    _agreed: set[str] = field(default_factory=set)
    _left: float = SECONDS_IN_ALL

    def __call__(self, op: ir.Operation) -> ShardingRule | None:
        """Return the rule that a partitioner can carry out for `op`, None where none was found."""
        if not self._asks(op):
            if op.name.startswith("stablehlo.") and op.name != "stablehlo.custom_call":
                self._notice(op, "no rule is written for it; its shards could not be carried out")
            return None
        found = self.discovered(op)
        if found is None:
            return None
        if op.name == "stablehlo.composite":
            return found.plain_rule(FactorKind.OPEN)
        return _copied_alike(found.plain_rule())

    def discovered(self, op: ir.Operation) -> Discovered | None:
        """Return what is known about `op`, discovering it where nothing is."""
        try:
            text = isolate(op)
        except DistcError as error:
            self._notice(op, error.message)
            return None
        custom = _custom(op)
        key = key_of(text, custom.identity if custom is not None else "")
        if key not in self._known:
            cached = self.cache.get(key)
            if cached is not None:
                self._found(op, cached, "from the cache")
            self._known[key] = cached or self._discover(op, text, key, custom)
        return self._known[key]

    def check_given(self, module: ir.Module) -> None:
        """Execute the rules that came with the custom ops of a module.

        Raises:
            InputError: a rule does not hold.
        """
        for op in stablehlo.walk(module.operation):
            custom = _custom(op)
            if custom is not None and custom.rule is not None and custom.identity:
                self._check(op, custom, custom.rule)

    def _check(self, op: ir.Operation, custom: custom_ops.CustomOp, rule: str) -> None:
        text = isolate(op)
        key = key_of(text, f"{custom.identity} given {rule}")
        if key in self._agreed:
            return
        if not self.cache.has_agreed(key):
            counter = self._refuted(text, custom, rule, where(op))
            if counter is not None:
                raise InputError(
                    f"the sharding rule {rule!r} of {custom.name} does not hold: {counter}",
                    where=where(op),
                    help="correct the rule, or leave it out to have one discovered",
                )
            self.cache.put_agreed(key)
        self._agreed.add(key)
        self.notices.append(f"rule of {custom.name} given, holds in every execution tried: {rule}")

    def _refuted(self, text: str, custom: custom_ops.CustomOp, rule: str, place: str) -> str | None:
        """A counter-example, found in the child, or here where no file defines the op."""
        try:
            if custom.origin is not None:
                return self._child().refute(text, rule, [custom.origin])
            from distc.solver.discovery.check import counter_example

            return counter_example(text, rule)
        except UnsupportedOp as error:
            raise InputError(
                f"the sharding rule {rule!r} of {custom.name} cannot be checked: {error.message}",
                where=place,
                help="make the op run alone, or leave its rule out",
            ) from None

    def _child(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = Sandbox(SECONDS_PER_OP)
        return self._sandbox

    def close(self) -> None:
        """End the child process, if one was started, and say how the cache did."""
        self.notices += [n for n in self.cache.notices if n not in self.notices]
        if self.cache.hits + self.cache.misses:
            self.notices.append(self.cache.report())
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def _asks(self, op: ir.Operation) -> bool:
        if op.name == "stablehlo.custom_call":
            return _custom(op) is not None
        return self.any_op or op.name == "stablehlo.composite"

    def _discover(
        self, op: ir.Operation, text: str, key: str, custom: custom_ops.CustomOp | None
    ) -> Discovered | None:
        if self._left <= 0:
            self._notice(op, f"the {SECONDS_IN_ALL:g} s for discovery are spent")
            return None
        origins = [custom.origin] if custom is not None and custom.origin is not None else []
        started = time.monotonic()
        try:
            found = self._child().discover(text, origins)
        except DistcError as error:
            self._notice(op, error.message)
            return None
        finally:
            self._left -= time.monotonic() - started
        self.cache.put(key, found)
        self._found(op, found, f"discovered in {time.monotonic() - started:.1f} s")
        return found

    def _found(self, op: ir.Operation, found: Discovered, how: str) -> None:
        """Say where a rule comes from, and why it is believed."""
        text = f"rule of {describe(op)} {how}, {found.why()}: {found.rule}"
        if text not in self.notices:
            self.notices.append(text)

    def _notice(self, op: ir.Operation, why: str) -> None:
        place = where(op)
        text = f"{op.name} runs on whole values: {why}" + (f", at {place}" if place else "")
        if text not in self.notices:
            self.notices.append(text)


@contextmanager
def discovering(discovery: RuleDiscovery) -> Iterator[None]:
    """Within the block, `rule_for` asks `discovery` about ops without a rule."""
    try:
        with fallback(discovery):
            yield
    finally:
        discovery.close()


def _custom(op: ir.Operation) -> custom_ops.CustomOp | None:
    """The custom op that a `custom_call` calls."""
    if op.name != "stablehlo.custom_call" or "call_target_name" not in op.attributes:
        return None
    return custom_ops.find(custom_ops.target(op))


def _copied_alike(rule: ShardingRule) -> ShardingRule:
    """Keep pass factors only: shards are padded where uneven, and a reduction would see it."""
    factors = tuple(
        Factor(f.size, FactorKind.REPLICATE) if f.kind is FactorKind.REDUCTION else f
        for f in rule.factors
    )
    return replace(rule, factors=factors)


def describe(op: ir.Operation) -> str:
    """Name of an op for people: the target of a call, the name of a composite."""
    if op.name == "stablehlo.composite":
        return stablehlo.composite(op).name
    custom = _custom(op)
    return custom.name if custom is not None else str(op.name)
