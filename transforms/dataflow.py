"""A function as Python sees it during planning: numbered values, nodes in order, rules, uses.

MLIR handles are read once; everything that iterates works on integers. Valid until the function
is changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.assignment import Assignment, FixedAssignment
from distc.dialect.assignment_text import planned_assignment
from distc.dialect.attrs import arg_attr, arg_sharding, is_dist_op, op_shardings, result_sharding
from distc.dialect.factors import UNCUT
from distc.dialect.manual import is_manual, manual_shardings
from distc.dialect.mesh import Mesh
from distc.dialect.regions import CONTROL_FLOW, captured, inputs
from distc.dialect.rules import rule_for
from distc.dialect.rules.registry import replicated_rule
from distc.dialect.rules.rule import ShardingRule
from distc.dialect.sharding import Sharding

CREATORS = ("stablehlo.constant", "stablehlo.iota")


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: its shape, bytes per element, and whether only weights and constants made it."""

    handle: ir.Value
    shape: tuple[int, ...]
    itemsize: int

    @property
    def bytes_(self) -> int:
        """Global bytes."""
        return prod(self.shape) * self.itemsize


@dataclass(frozen=True, slots=True)
class Node:
    """An op: value numbers of its operands and results, its rule, or what is fixed already.

    What the regions of control flow read from outside follows its operands. An op fixes its
    assignment itself (a manual computation), or a plan has fixed it.
    """

    op: ir.Operation
    operands: tuple[int, ...]
    results: tuple[int, ...]
    rule: ShardingRule
    has_rule: bool
    fixed: Assignment | None = None


@dataclass(slots=True)
class FunctionGraph:
    """All of a function's values and nodes, what its signature pins, what other regions read."""

    func: ir.Operation
    mesh: Mesh
    values: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    arguments: tuple[int, ...] = ()
    returned: tuple[int, ...] = ()
    uses: list[list[tuple[int, int]]] = field(default_factory=list)
    weights: list[bool] = field(default_factory=list)
    pinned: dict[int, Sharding] = field(default_factory=dict)
    captured: set[int] = field(default_factory=set)
    result_pins: tuple[Sharding | None, ...] = ()

    @classmethod
    def read(cls, func: ir.Operation, mesh: Mesh) -> FunctionGraph:
        """Number the values of `func` and find the rule of each op."""
        graph = cls(func, mesh)
        numbers: dict[ir.Value, int] = {}
        block = func.regions[0].blocks[0]
        for i, argument in enumerate(block.arguments):
            kind = arg_attr(func, i, "dist.kind")
            numbers[argument] = graph._add(argument, kind is not None and kind.value != "input")
            pin = arg_sharding(func, i, mesh)
            if pin is not None:
                graph.pinned[numbers[argument]] = pin.normalize(graph.values[-1].shape)
        graph.arguments = tuple(range(len(graph.values)))
        for view in block.operations:
            op = view.operation
            operands = tuple(numbers[v] for v in inputs(op))
            if op.name not in CONTROL_FLOW:
                graph.captured |= {numbers[v] for v in captured(op)}
            if op.name == "func.return":
                graph.returned = operands
                continue
            graph._add_node(op, operands, numbers)
        graph.result_pins = tuple(
            pin.normalize(graph.values[v].shape)
            if (pin := result_sharding(func, i, mesh)) is not None
            else None
            for i, v in enumerate(graph.returned)
        )
        return graph

    def _add(self, handle: ir.Value, weight: bool) -> int:
        shape = stablehlo.shape(handle) if stablehlo.is_tensor(handle) else ()
        self.values.append(Value(handle, shape, itemsize(handle)))
        self.uses.append([])
        self.weights.append(weight)
        return len(self.values) - 1

    def _add_node(
        self, op: ir.Operation, operands: tuple[int, ...], numbers: dict[ir.Value, int]
    ) -> None:
        index = len(self.nodes)
        for position, value in enumerate(operands):
            self.uses[value].append((index, position))
        weight = all(self.weights[v] for v in operands)
        results = []
        for result in op.results:
            numbers[result] = self._add(result, weight)
            results.append(numbers[result])
        if is_manual(op):
            rule = replicated_rule(op)
            fixed = FixedAssignment(
                rule, self.mesh, (UNCUT,) * len(rule.factors), (), frozenset(), frozenset(),
                *manual_shardings(op, self.mesh),
            )  # fmt: skip
            self.nodes.append(Node(op, operands, tuple(results), rule, True, fixed))
            return
        found = rule_for(op)
        rule = found or replicated_rule(op)
        planned = planned_assignment(op, rule, self.mesh)
        self.nodes.append(Node(op, operands, tuple(results), rule, found is not None, planned))
        if is_dist_op(op):
            shardings = op_shardings(op, self.mesh) or ()
            for value, sharding in zip(results, shardings, strict=True):
                self.pinned[value] = sharding.normalize(self.values[value].shape)

    def use_count(self, value: int) -> int:
        """Number of uses, returns and regions that read it included."""
        return len(self.uses[value]) + self.returned.count(value) + (value in self.captured)


def itemsize(handle: ir.Value) -> int:
    """Bytes per element of a tensor; one for anything else."""
    if not stablehlo.is_tensor(handle):
        return 1
    element = stablehlo.element_type(handle)
    parts = 2 if isinstance(element, ir.ComplexType) else 1
    number = element.element_type if isinstance(element, ir.ComplexType) else element
    return parts * max(1, int(getattr(number, "width", 8)) // 8)
