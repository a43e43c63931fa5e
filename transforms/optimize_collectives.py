"""Fewer collectives for the same values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import module_mesh, op_shardings, set_op_shardings, value_sharding
from distc.dialect.mesh import Mesh
from distc.transforms.base import Pass, replace_op, run_upstream


@dataclass(frozen=True)
class OptimizeCollectives(Pass):
    """Share equal collectives and finish a sum of partial sums once.

    Needs collectives instead of reshards, before `partition`. Leaves a program with the same values
    and at most as many collectives. Never fails.

    Example:
        ```mlir
        %2 = dist.all_reduce %0 {sharding = [R]}
        %3 = dist.all_reduce %1 {sharding = [R]}
        %4 = stablehlo.add %2, %3
        ```
        becomes
        ```mlir
        %2 = stablehlo.add %0, %1 {dist.sharding = [[R] P(sum: t)]}
        %3 = dist.all_reduce %2 {sharding = [R]}
        ```

    Two parallel branches that end in row-sharded layers (attention and MLP side by side) then cost
    one all-reduce, not two. Only where nothing else uses the branches' own sums.
    """

    name: ClassVar[str] = "optimize-collectives"

    def run(self, module: ir.Module) -> None:
        """Rewrite all functions."""
        mesh = module_mesh(module)
        if mesh is None:
            return
        run_upstream(module, "cse")
        with module.context:
            for func in stablehlo.functions(module):
                for op in list(stablehlo.walk(func)):
                    if op.name in ("stablehlo.add", "stablehlo.subtract"):
                        _finish_once(op, mesh)


def _finish_once(op: ir.Operation, mesh: Mesh) -> None:
    sums = [stablehlo.defining_op(v) for v in op.operands]
    left, right = sums
    if left is None or right is None or left == right:
        return
    if not all(s is not None and s.name == "dist.all_reduce" for s in sums):
        return
    if any(len(stablehlo.users(v)) != 1 for v in op.operands):
        return
    parts = [left.operands[0], right.operands[0]]
    before = [value_sharding(v, mesh) for v in parts]
    after = [op_shardings(s, mesh) for s in (left, right)]
    if before[0] is None:
        return
    linear = all(k == "sum" for _, k in before[0].partial)
    if before[0] != before[1] or after[0] != after[1] or not linear:
        return
    if after[0] != op_shardings(op, mesh):
        return
    with ir.InsertionPoint(op), op.location:
        combined = ir.Operation.create(op.name, results=[op.results[0].type], operands=parts)
        set_op_shardings(combined, [before[0]])
        finished = ir.Operation.create(
            "dist.all_reduce",
            results=[op.results[0].type],
            operands=[combined.results[0]],
            attributes={"sharding": left.attributes["sharding"]},
        )
    replace_op(op, [finished.results[0]])
    left.erase()
    right.erase()
