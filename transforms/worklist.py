"""The rewriting engine of the clean-up passes: patterns over a worklist, to a fixpoint.

Every op is looked at once in program order, and again whenever an op it reads or that reads it
changed. Ops without uses go on the way. The order depends only on the module, so results are
deterministic; a module's size bounds the work as long as every pattern makes progress.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """Apply `table` (op name → patterns, tried in order) inside `root`; return the rewrites made."""
    return _Worklist(root, table).run()


class _Worklist:
    """Pending ops under tickets, because an erased op's handle may be that of a new one."""

    def __init__(self, root: ir.Operation, table: PatternTable) -> None:
        self.table = table
        self.queue: deque[int] = deque()
        self.pending: dict[int, ir.Operation] = {}
        self.tickets: dict[ir.Operation, int] = {}
        self.known: set[ir.Operation] = set()
        self.issued = 0
        for op in stablehlo.walk(root):
            self.known.add(op)
            self.push(op)

    def push(self, op: ir.Operation) -> None:
        if op in self.tickets:
            return
        self.issued += 1
        self.tickets[op] = self.issued
        self.pending[self.issued] = op
        self.queue.append(self.issued)

    def run(self) -> int:
        rewrites = 0
        while self.queue:
            op = self.pending.pop(self.queue.popleft(), None)
            if op is None:
                continue
            del self.tickets[op]
            if is_dead(op):
                self.erase(op)
                continue
            rewrites += self.apply(op)
        return rewrites

    def apply(self, op: ir.Operation) -> bool:
        for pattern in self.table.get(op.name, ()):
            with op.location, ir.InsertionPoint(op):
                found = pattern(op)
            if found is None:
                continue
            values = [found] if isinstance(found, ir.Value) else list(found)
            self.replace(op, values)
            return True
        return False

    def replace(self, op: ir.Operation, values: Iterable[ir.Value]) -> None:
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
        if op not in self.known:
            self.known.add(op)
            for operand in op.operands:
                self.discover(operand)
        self.push(op)

    def erase(self, op: ir.Operation) -> None:
        sources = [source for v in op.operands if (source := stablehlo.defining_op(v)) is not None]
        for inner in [*stablehlo.walk(op), op]:
            self.forget(inner)
        op.erase()
        for source in dict.fromkeys(sources):
            self.push(source)

    def forget(self, op: ir.Operation) -> None:
        self.known.discard(op)
        ticket = self.tickets.pop(op, None)
        if ticket is not None:
            del self.pending[ticket]
