"""Chosen labels written back: how arguments lie, each op's assignment, and copies.

A copy is a `dist.constraint` before its first reader. What the backward pass converts again is one,
too, marked as its own: equal collectives would be shared and the value held since the forward pass.
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
from distc.transforms.plan.space import ArgumentVariable, OpVariable, Space


def write_plan(space: Space, labels: Sequence[int]) -> None:
    """Write the labels of a function's variables on its arguments and ops."""
    graph = space.graph
    position = {v: i for i, v in enumerate(graph.arguments)}
    pins = {}
    # Copies are found by the operands of their readers, as the function was read.
    _Copies(space, labels).write()
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


class _Copies:
    def __init__(self, space: Space, labels: Sequence[int]) -> None:
        self.space, self.graph, self.labels = space, space.graph, labels
        self.made: dict[tuple[int, Sharding], ir.Value] = {}
        """Copies of the forward pass, by value and how they are held."""

    def write(self) -> None:
        for number, variable in enumerate(self.space.variables):
            if isinstance(variable, CopyVariable):
                self._write(number, variable)

    def _write(self, number: int, variable: CopyVariable) -> None:
        held, group = variable.labels[self.labels[number]], variable.group
        match held.source:
            case Source.MADE:
                self._again(number, variable)
            case Source.COPY:
                again = self._is_held(group.value, held.sharding)
                copy = self._convert(group.value, held.sharding, group.uses[0], again=again)
                self.made[group.value, held.sharding] = copy
                self._read(group.uses, copy)
            case Source.KEPT:
                self._read(group.uses, self.made[group.value, held.sharding])

    def _again(self, number: int, variable: CopyVariable) -> None:
        """Where both passes convert a value alike, let the backward pass do it for itself."""
        value = variable.group.value
        made = variable.labels[self.labels[number]].sharding
        for use in variable.group.uses:
            needed = self._needed(use)
            if needed == made or needed.partial:
                continue
            backward = self.space.parts.of(use[0]) is Pass.BACKWARD
            if backward and self._is_held(value, needed):
                self._read((use,), self._convert(value, needed, use, again=True))
            self.made.setdefault((value, needed), self.graph.values[value].handle)

    def _is_held(self, value: int, sharding: Sharding) -> bool:
        return (value, sharding) in self.made

    def _needed(self, use: Use) -> Sharding:
        node, position = use
        number = self.space.number_of_node[node]
        variable = self.space.variables[number]
        assert isinstance(variable, OpVariable)
        return variable.labels[self.labels[number]].operands[position]

    def _read(self, uses: Sequence[Use], value: ir.Value) -> None:
        for node, position in uses:
            self.graph.nodes[node].op.operands[position] = value

    def _convert(self, value: int, sharding: Sharding, use: Use, *, again: bool) -> ir.Value:
        """Make a constraint before a reader."""
        source, reader = self.graph.values[value].handle, self.graph.nodes[use[0]].op
        attributes = {"sharding": to_attr(sharding, reader.context)}
        if again:
            attributes[AGAIN] = ir.UnitAttr.get(reader.context)
        result: ir.Value = ir.Operation.create(
            "dist.constraint",
            results=[source.type],
            operands=[source],
            attributes=attributes,
            loc=reader.location,
            ip=ir.InsertionPoint(reader),
        ).results[0]
        return result
