"""Make every op find its operands as it needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import SHARDING, module_mesh, op_shardings, set_op_shardings, to_attr
from distc.dialect.mesh import Mesh
from distc.dialect.regions import CONTROL_FLOW, captures
from distc.dialect.sharding import Sharding
from distc.runtime.errors import ConfigError
from distc.transforms.base import Pass, replace_op
from distc.transforms.dataflow import FunctionGraph, Node
from distc.transforms.planning import Planner, is_creator


@dataclass(frozen=True)
class InsertReshards(Pass):
    """Insert `dist.reshard` where an op needs an operand in another sharding than it has.

    Needs the shardings of `propagate`. Leaves every op consistent with its rule: operands as the
    op needs them, results as it makes them; results of functions as pinned. One reshard per value
    and sharding, before its first use; constants and iotas are made again instead. Fails when the
    module has no mesh.

    Example:
        ```mlir
        %1 = stablehlo.dot_general %0, %w {dist.sharding = [[R, R] P(sum: t)]}
        %2 = stablehlo.tanh %1 {dist.sharding = [[R, R]]}
        ```
        becomes
        ```mlir
        %1 = stablehlo.dot_general %0, %w {dist.sharding = [[R, R] P(sum: t)]}
        %2 = dist.reshard %1 {sharding = [R, R]}
        %3 = stablehlo.tanh %2 {dist.sharding = [[R, R]]}
        ```

    A value gathered late is held for a short time, so reshards stand before their first use.
    """

    name: ClassVar[str] = "insert-reshards"

    def run(self, module: ir.Module) -> None:
        """Rewrite every annotated function."""
        mesh = module_mesh(module)
        if mesh is None:
            raise ConfigError(
                "the module declares no mesh", help="give --mesh, or a dist.mesh op in the module"
            )
        with module.context:
            for func in stablehlo.functions(module):
                if _is_annotated(func):
                    _Rewriter(func, mesh).run()


def _is_annotated(func: ir.Operation) -> bool:
    if "res_attrs" in func.attributes and any(SHARDING in d for d in func.attributes["res_attrs"]):
        return True
    return stablehlo.is_public(func)


Read = tuple[ir.Operation, int, int]
"""An op in a region, the operand that it reads from outside, and that value's number."""


class _Rewriter:
    def __init__(self, func: ir.Operation, mesh: Mesh) -> None:
        self.graph = FunctionGraph.read(func, mesh)
        self.planner = Planner(self.graph)
        self._made: dict[tuple[int, Sharding], ir.Value] = {}
        self._defining = {v: n for n in self.graph.nodes for v in n.results}
        numbers = {v.handle: i for i, v in enumerate(self.graph.values)}
        # Read before anything is rewritten: a value's handle is replaced where it is resharded.
        self._reads = [
            [(inner, at, numbers[inner.operands[at]]) for inner, at in captures(node.op)]
            for node in self.graph.nodes
        ]
        for node in self.graph.nodes:
            self._restore(node)

    def _restore(self, node: Node) -> None:
        """Take the shardings that `propagate` left as wishes: assignments come out the same."""
        for value, sharding in zip(
            node.results, op_shardings(node.op, self.graph.mesh) or (), strict=False
        ):
            self.planner.shardings[value] = sharding
            if not sharding.partial:
                self.planner.wishes[value] = sharding

    def run(self) -> None:
        for node, reads in zip(self.graph.nodes, self._reads, strict=True):
            self._rewrite(node, reads)
        terminator = self._terminator()
        for position, (value, pin) in enumerate(
            zip(self.graph.returned, self.graph.result_pins, strict=True)
        ):
            target = pin or self.planner.shardings[value].without_partial()
            terminator.operands[position] = self._as_needed(value, target, terminator)
        self._drop_idle_reshards()

    def _terminator(self) -> ir.Operation:
        operations = self.graph.func.regions[0].blocks[0].operations
        last: ir.Operation = operations[len(operations) - 1].operation
        return last

    def _rewrite(self, node: Node, reads: list[Read]) -> None:
        if node.op.name == "dist.reshard":
            return
        graph, shardings = self.graph, self.planner.shardings
        assignment = self.planner.assignment(node)
        inside: dict[int, Sharding] = {}
        for position, value in enumerate(node.operands):
            needed = assignment.operand(position, graph.values[value].shape)
            if position < len(node.op.operands):
                node.op.operands[position] = self._as_needed(value, needed, node.op)
            else:
                inside[value] = needed
        self._supply_regions(node.op, reads, inside)
        for position, value in enumerate(node.results):
            made = assignment.result(position, graph.values[value].shape)
            if made == shardings[value]:
                continue
            after = self._reshard(node.op.results[position], shardings[value], node.op, after=True)
            node.op.results[position].replace_all_uses_except(after.results[0], after)
            self._made[(value, shardings[value])] = after.results[0]
        made_all = [assignment.result(i, graph.values[v].shape) for i, v in enumerate(node.results)]
        set_op_shardings(node.op, made_all)

    def _supply_regions(
        self, op: ir.Operation, reads: list[Read], inside: dict[int, Sharding]
    ) -> None:
        """Let control flow read values as it needs them; other regions know nothing of shards."""
        for inner, position, value in reads:
            rank = len(self.graph.values[value].shape)
            whole = Sharding.replicated(self.graph.mesh, rank)
            needed = inside[value] if op.name in CONTROL_FLOW else whole
            inner.operands[position] = self._as_needed(value, needed, op)

    def _as_needed(self, value: int, needed: Sharding, user: ir.Operation) -> ir.Value:
        if self.planner.shardings[value] == needed:
            return self._made.get((value, needed), self.graph.values[value].handle)
        key = (value, needed)
        if key not in self._made:
            node = self._defining.get(value)
            if node is not None and is_creator(node) and not needed.partial:
                clone = node.op.clone(ip=ir.InsertionPoint(user)).operation
                set_op_shardings(clone, [needed])
                self._made[key] = clone.results[0]
            else:
                source = self._made.get(
                    (value, self.planner.shardings[value]), self.graph.values[value].handle
                )
                self._made[key] = self._reshard(source, needed, user).results[0]
        return self._made[key]

    def _reshard(
        self, source: ir.Value, target: Sharding, anchor: ir.Operation, *, after: bool = False
    ) -> ir.Operation:
        point = ir.InsertionPoint.after(anchor) if after else ir.InsertionPoint(anchor)
        op = stablehlo.defining_op(source)
        location = op.location if op is not None else anchor.location
        return ir.Operation.create(
            "dist.reshard",
            results=[source.type],
            operands=[source],
            attributes={"sharding": to_attr(target, anchor.context)},
            loc=location,
            ip=point,
        )

    def _drop_idle_reshards(self) -> None:
        """Remove reshards to the sharding a value has, and creators nobody uses any more."""
        for node in self.graph.nodes:
            if node.op.name == "dist.reshard":
                before = self.planner.shardings[node.operands[0]]
                if before == self.planner.shardings[node.results[0]]:
                    replace_op(node.op, [node.op.operands[0]])
            elif is_creator(node) and not list(node.op.results[0].uses):
                node.op.erase()
