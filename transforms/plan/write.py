"""Chosen labels written back: how arguments lie, each op's assignment, copies, ops run again.

A copy is a `dist.constraint` before its first reader, an op that runs again a clone before the
first op of the backward pass that needs it. What the backward pass does again is marked: equal
collectives and ops would be shared, and their results held since the forward pass.
`propagate` takes all of it as given and derives everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect.assignment import FixedAssignment
from distc.dialect.assignment_text import set_assignment
from distc.dialect.attrs import AGAIN, SHARDING, to_attr, update_arg_attrs
from distc.dialect.sharding import Sharding
from distc.transforms.plan.copies import CopyVariable, Pass, Source, Use
from distc.transforms.plan.space import AgainVariable, ArgumentVariable, OpVariable, Space


def write_plan(space: Space, labels: Sequence[int]) -> None:
    """Write the labels of a function's variables on its arguments and ops."""
    graph = space.graph
    position = {v: i for i, v in enumerate(graph.arguments)}
    pins = {}
    _Readers(space, labels).write()
    for variable, label in zip(space.variables, labels, strict=True):
        match variable:
            case ArgumentVariable(value=value, labels=ways):
                attribute = to_attr(ways[label], graph.func.context)
                pins[position[value]] = {SHARDING: attribute}
            case OpVariable(node=node, labels=strategies):
                assignment = strategies[label].assignment
                if not isinstance(assignment, FixedAssignment):
                    set_assignment(graph.nodes[node].op, assignment)
    update_arg_attrs(graph.func, pins)


class _Readers:
    """Gives every reader what it reads, op by op in program order."""

    def __init__(self, space: Space, labels: Sequence[int]) -> None:
        self.space, self.graph, self.labels = space, space.graph, labels
        self.copies: dict[int, ir.Value] = {}
        """Copies by variable."""
        self.runs: dict[int, ir.Operation] = {}
        """Second runs by node."""
        self.held: set[tuple[int, Sharding]] = set()
        """Values and what the forward pass converted them to."""

    def write(self) -> None:
        for number, node in enumerate(self.graph.nodes):
            for position in range(len(node.op.operands)):
                use = Use(number, position)
                if use in self.space.supplier:
                    node.op.operands[position] = self._read(use, node.op)

    def _read(self, use: Use, before: ir.Operation) -> ir.Value:
        """What a reader reads, made before `before` where it has to be."""
        number = self.space.supplier[use]
        variable = self.space.variables[number]
        assert isinstance(variable, CopyVariable)
        held, value = variable.labels[self.labels[number]], variable.group.value
        match held.source:
            case Source.MADE:
                return self._own(use, value, held.sharding, before)
            case Source.KEPT:
                return self.copies[number - 1]
            case Source.COPY:
                if number not in self.copies:
                    self.copies[number] = self._convert(value, held.sharding, before)
                return self.copies[number]
            case Source.AGAIN:
                return self._again(value, before)
            case Source.NONE:
                raise AssertionError(f"value {value} is read and not held")

    def _own(self, use: Use, value: int, made: Sharding, before: ir.Operation) -> ir.Value:
        """A value as it was made; `insert-reshards` converts it for its reader.

        Where the forward pass has converted it alike, the backward pass does so for itself.
        """
        needed = self._needed(use)
        backward = use.again or self.space.parts.of(use.node) is Pass.BACKWARD
        if needed != made and not needed.partial:
            if backward and (value, needed) in self.held:
                return self._convert(value, needed, before)
            self.held.add((value, needed))
        return self.graph.values[value].handle

    def _needed(self, use: Use) -> Sharding:
        numbers = self.space.again if use.again else self.space.number_of_node
        number = numbers[use.node]
        variable = self.space.variables[number]
        assert isinstance(variable, OpVariable | AgainVariable)
        chosen = variable.labels[self.labels[number]]
        assert chosen is not None
        return chosen.operands[use.position]

    def _again(self, value: int, before: ir.Operation) -> ir.Value:
        """A value that is made once more, with all it takes."""
        maker, position = self.space.maker[value]
        first = self.space.variables[maker]
        assert isinstance(first, OpVariable)
        if first.node not in self.runs:
            self.runs[first.node] = self._run_again(first.node, before)
        result: ir.Value = self.runs[first.node].results[position]
        return result

    def _run_again(self, node: int, before: ir.Operation) -> ir.Operation:
        found = self.graph.nodes[node]
        operands = [
            self._read(Use(node, position, again=True), before)
            if value in self.space.maker
            else self.graph.values[value].handle
            for position, value in enumerate(found.operands)
        ]
        clone: ir.Operation = found.op.clone(ip=ir.InsertionPoint(before)).operation
        for position, operand in enumerate(operands):
            clone.operands[position] = operand
        clone.attributes[AGAIN] = ir.UnitAttr.get(clone.context)
        number = self.space.again[node]
        variable = self.space.variables[number]
        assert isinstance(variable, AgainVariable)
        chosen = variable.labels[self.labels[number]]
        assert chosen is not None
        set_assignment(clone, chosen.assignment)
        return clone

    def _convert(self, value: int, sharding: Sharding, before: ir.Operation) -> ir.Value:
        """Make a constraint, marked where the value has been converted so before."""
        source = self.graph.values[value].handle
        attributes = {"sharding": to_attr(sharding, before.context)}
        if (value, sharding) in self.held:
            attributes[AGAIN] = ir.UnitAttr.get(before.context)
        self.held.add((value, sharding))
        result: ir.Value = ir.Operation.create(
            "dist.constraint",
            results=[source.type],
            operands=[source],
            attributes=attributes,
            loc=before.location,
            ip=ir.InsertionPoint(before),
        ).results[0]
        return result
