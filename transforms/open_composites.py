"""Open composites: replace them by their decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import AGAIN
from distc.dialect.locations import where
from distc.runtime.errors import InputError
from distc.transforms.base import Pass, replace_op


@dataclass(frozen=True)
class OpenComposites(Pass):
    """Replace composites by the body of their decomposition.

    Needs nothing. Leaves no composite whose name is in `only` (all composites when it is empty);
    decompositions stay as private functions. Fails when a decomposition is missing or has several
    blocks.

    Example:
        ```mlir
        %0 = stablehlo.composite "distc.silu" %x {decomposition = @silu}
        ```
        becomes
        ```mlir
        %0 = stablehlo.logistic %x
        %1 = stablehlo.multiply %x, %0
        ```

    `propagate` opens just the composites whose cut dimensions need collectives inside; this pass
    is for looking at the rest.
    """

    name: ClassVar[str] = "open-composites"
    only: tuple[str, ...] = ()

    def run(self, module: ir.Module) -> None:
        """Open all matching composites, those in opened bodies included."""
        with module.context:
            while found := self._matching(module):
                for op in found:
                    inline(module, op)

    def _matching(self, module: ir.Module) -> list[ir.Operation]:
        return [
            op
            for func in stablehlo.functions(module)
            if stablehlo.is_public(func)
            for op in stablehlo.walk(func)
            if op.name == "stablehlo.composite"
            and (not self.only or stablehlo.composite(op).name in self.only)
        ]


def inline(module: ir.Module, op: ir.Operation) -> None:
    """Replace one composite by a copy of its decomposition; `op` is gone afterwards.

    Raises:
        InputError: the decomposition is not a function of one block in this module.
    """
    symbol = stablehlo.composite(op).decomposition
    body = next((f for f in stablehlo.functions(module) if stablehlo.symbol(f) == symbol), None)
    if body is None or not body.regions or len(body.regions[0].blocks) != 1:
        raise InputError(
            f"composite {stablehlo.composite(op).name} has no decomposition @{symbol} of one block",
            where=where(op),
            help="define the private function in the same module",
        )
    block = body.regions[0].blocks[0]
    copies = dict(zip(block.arguments, op.operands, strict=True))
    results: list[ir.Value] = []
    for inner in block.operations:
        if inner.operation.name == "func.return":
            results = [copies[v] for v in inner.operands]
            break
        clone = inner.operation.clone(ip=ir.InsertionPoint(op)).operation
        for position, operand in enumerate(inner.operands):
            clone.operands[position] = copies[operand]
        clone.location = op.location
        if AGAIN in op.attributes:
            clone.attributes[AGAIN] = op.attributes[AGAIN]
        copies.update(zip(inner.results, clone.results, strict=True))
    replace_op(op, results)
