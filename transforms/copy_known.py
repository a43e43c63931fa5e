"""Each op that reads what constants and small buffers alone make gets its own copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.attrs import arg_attr
from distc.transforms.base import Pass
from distc.transforms.dataflow import CREATORS, itemsize
from distc.transforms.sink_reshapes import ELEMENTWISE

_MOVERS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "broadcast_in_dim",
        "concatenate",
        "iota",
        "pad",
        "reshape",
        "reverse",
        "slice",
        "transpose",
    )
)
_CHEAP = _MOVERS | ELEMENTWISE | frozenset(CREATORS)
_TABLES = ("buffer", "constant")
"""Kinds of arguments that masks and position tables are made from."""

_LONGEST = 64
"""Ops of a chain; a longer one stays shared."""


@dataclass(frozen=True)
class CopyKnown(Pass):
    """Copy masks, position tables and their like to each op that reads them.

    Needs nothing. A value is known when elementwise ops and ops that move elements make it from
    constants, iotas and buffers of at most `max_argument_bytes`, in at most 64 ops; each op that
    is not known itself and reads one gets copies of all that makes it, right before it. Never
    fails.

    Example:
        ```mlir
        %m = stablehlo.compare LE, %row, %column : …      // read by every layer
        %1 = stablehlo.select %m, %a, %zero : …
        %2 = stablehlo.select %m, %b, %zero : …
        ```
        becomes
        ```mlir
        %m1 = stablehlo.compare LE, %row1, %column1 : …
        %1 = stablehlo.select %m1, %a, %zero : …
        %m2 = stablehlo.compare LE, %row2, %column2 : …
        %2 = stablehlo.select %m2, %b, %zero : …
        ```

    So a rank makes the part that each op needs, and a plan of one layer does not depend on that of
    another through its mask. Copies that stay equal become one again after `partition`.
    """

    name: ClassVar[str] = "copy-known"
    max_argument_bytes: int = 1 << 16

    def run(self, module: ir.Module) -> None:
        """Rewrite every public function."""
        with module.context, ir.Location.unknown():
            for func in stablehlo.functions(module):
                if stablehlo.is_public(func):
                    _Copier(func, self.max_argument_bytes).run()


class _Copier:
    def __init__(self, func: ir.Operation, max_argument_bytes: int) -> None:
        self.block = func.regions[0].blocks[0]
        self.chains: dict[ir.Value, tuple[ir.Operation, ...]] = {}
        """Known value → the ops that make it, in order."""
        for index, argument in enumerate(self.block.arguments):
            kind = arg_attr(func, index, "dist.kind")
            is_table = kind is not None and kind.value in _TABLES
            if is_table and _bytes(argument) <= max_argument_bytes:
                self.chains[argument] = ()

    def run(self) -> None:
        ops = [view.operation for view in self.block.operations]
        order = {op.results[0]: i for i, op in enumerate(ops) if len(op.results)}
        readers = []
        for op in ops:
            chain = self._chain(op, order)
            if chain is None:
                readers.append(op)
                continue
            self.chains[op.results[0]] = chain
        for op in readers:
            self._copy_for(op, order)
        for op in reversed(ops):
            if len(op.results) and op.results[0] in self.chains and not _is_used(op):
                op.erase()

    def _chain(
        self, op: ir.Operation, order: dict[ir.Value, int]
    ) -> tuple[ir.Operation, ...] | None:
        if op.name not in _CHEAP or any(v not in self.chains for v in op.operands):
            return None
        before = {o.results[0]: o for v in op.operands for o in self.chains[v]}
        if len(before) >= _LONGEST:
            return None
        return (*sorted(before.values(), key=lambda o: order[o.results[0]]), op)

    def _copy_for(self, op: ir.Operation, order: dict[ir.Value, int]) -> None:
        wanted = {o.results[0]: o for v in op.operands for o in self.chains.get(v, ())}
        if all(o.name in CREATORS for o in wanted.values()):
            return
        copies: dict[ir.Value, ir.Value] = {}
        for source in sorted(wanted.values(), key=lambda o: order[o.results[0]]):
            operands = [copies.get(v, v) for v in source.operands]
            # At the reader's place: it belongs to the layer that reads it.
            place = ir.InsertionPoint(op)
            copy = build.clone(source, operands, loc=op.location, ip=place)
            copies[source.results[0]] = copy.results[0]
        for number, operand in enumerate(list(op.operands)):
            if operand in copies:
                op.operands[number] = copies[operand]


def _bytes(value: ir.Value) -> int:
    return prod(stablehlo.shape(value)) * itemsize(value)


def _is_used(op: ir.Operation) -> bool:
    return any(next(iter(r.uses), None) is not None for r in op.results)
