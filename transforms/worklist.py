"""The rewriting engine of the clean-up passes: patterns over a worklist, to a fixpoint.

Every op is looked at once in program order, and again whenever an op it reads or that reads it
changed. Ops without uses go on the way. The order depends only on the module, so results are
deterministic; a module's size bounds the work as long as every pattern makes progress.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from torch_mlir import ir

from distc.dialect import stablehlo

Pattern: TypeAlias = Callable[[ir.Operation], "ir.Value | Sequence[ir.Value] | None"]
"""What replaces the results of an op, or None where the pattern does not apply.

New ops go before the op and have its location: both are ambient while a pattern runs.
"""
PatternTable: TypeAlias = Mapping[str, Sequence[Pattern]]

_EFFECTS = frozenset(
    {
        "stablehlo.custom_call",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.send",
        "stablehlo.recv",
        "func.call",
    }
)
_DIALECTS = ("stablehlo", "dist", "arith", "tensor", "shape", "chlo")


def merge_tables(*tables: PatternTable) -> PatternTable:
    """One table with the patterns of all, earlier tables first."""
    merged: dict[str, list[Pattern]] = {}
    for table in tables:
        for name, patterns in table.items():
            merged.setdefault(name, []).extend(patterns)
    return merged


def is_dead(op: ir.Operation) -> bool:
    """True for an op without side effects whose results nobody uses."""
    if op.name.partition(".")[0] not in _DIALECTS or op.name in _EFFECTS:
        return False
    results = list(op.results)
    return bool(results) and not any(_is_used(r) for r in results)


def _is_used(value: ir.Value) -> bool:
    return next(iter(value.uses), None) is not None


def rewrite(root: ir.Operation, table: PatternTable) -> int:
    """Apply `table` (op name → patterns, tried in order) inside `root`; count the rewrites."""
    return _Worklist(root, table).run()


class _Worklist:
    """Pending ops under tickets, because an erased op's handle may be that of a new one.

    Ops are known by their first result: the hash of a value is its address, the hash of an op
    changes with its operands. Ops without results have no patterns and never wait.
    """

    def __init__(self, root: ir.Operation, table: PatternTable) -> None:
        self.table = table
        self.queue: deque[int] = deque()
        self.pending: dict[int, tuple[ir.Value, ir.Operation]] = {}
        self.tickets: dict[ir.Value, int] = {}
        self.known: set[ir.Value] = set()
        self.issued = 0
        for op in stablehlo.walk(root):
            self.known.update(list(op.results)[:1])
            self.push(op)

    def push(self, op: ir.Operation) -> None:
        """Queue an op that has patterns, unless it waits already; without patterns, every op."""
        if self.table and op.name not in self.table:
            return
        key = next(iter(op.results), None)
        if key is None or key in self.tickets:
            return
        self.issued += 1
        self.tickets[key] = self.issued
        self.pending[self.issued] = key, op
        self.queue.append(self.issued)

    def run(self) -> int:
        """Work until nothing waits; return the number of rewrites."""
        rewrites = 0
        while self.queue:
            key, op = self.pending.pop(self.queue.popleft(), (None, None))
            if key is None or op is None:
                continue
            del self.tickets[key]
            if is_dead(op):
                self.erase(op)
                continue
            rewrites += self.apply(op)
        return rewrites

    def apply(self, op: ir.Operation) -> bool:
        """Replace `op` by what the first pattern that applies makes."""
        for pattern in self.table.get(op.name, ()):
            with op.location, ir.InsertionPoint(op):
                found = pattern(op)
            if found is None:
                continue
            self.replace(op, [found] if isinstance(found, ir.Value) else list(found))
            return True
        return False

    def replace(self, op: ir.Operation, values: Sequence[ir.Value]) -> None:
        """Let `values` stand for the results of `op` and erase it."""
        for result, value in zip(list(op.results), values, strict=True):
            for user, _ in stablehlo.users(result):
                self.push(user)
            result.replace_all_uses_with(value)
            self.discover(value)
        self.erase(op)

    def discover(self, value: ir.Value) -> None:
        """Queue the ops a pattern made, operands before users."""
        op = stablehlo.defining_op(value)
        if op is None:
            return
        if op.results[0] not in self.known:
            self.known.add(op.results[0])
            for operand in op.operands:
                self.discover(operand)
        self.push(op)

    def erase(self, op: ir.Operation) -> None:
        """Erase a dead op and what is dead without it; look again at what lost a use."""
        doomed = {op.results[0]: op}
        while doomed:
            _, dead = doomed.popitem()
            sources = {
                source.results[0]: source
                for v in dead.operands
                if (source := stablehlo.defining_op(v)) is not None
            }
            for inner in [*stablehlo.walk(dead), dead]:
                self.forget(inner)
            dead.erase()
            for key, source in sources.items():
                if is_dead(source):
                    doomed[key] = source
                else:
                    self.push(source)

    def forget(self, op: ir.Operation) -> None:
        """Drop every trace of an op that goes."""
        for key in op.results:
            self.known.discard(key)
            ticket = self.tickets.pop(key, None)
            if ticket is not None:
                del self.pending[ticket]
