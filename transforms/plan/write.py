"""Chosen labels written back: how arguments lie, and each op's assignment.

`propagate` takes both as given and derives everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from distc.dialect.assignment import FixedAssignment
from distc.dialect.assignment_text import set_assignment
from distc.dialect.attrs import SHARDING, to_attr, update_arg_attrs
from distc.transforms.plan.space import ArgumentVariable, Space


def write_plan(space: Space, labels: Sequence[int]) -> None:
    """Write the labels of a function's variables on its arguments and ops."""
    graph = space.graph
    position = {v: i for i, v in enumerate(graph.arguments)}
    pins = {}
    for variable, label in zip(space.variables, labels, strict=True):
        if isinstance(variable, ArgumentVariable):
            attribute = to_attr(variable.labels[label], graph.func.context)
            pins[position[variable.value]] = {SHARDING: attribute}
            continue
        assignment = variable.labels[label].assignment
        if not isinstance(assignment, FixedAssignment):
            set_assignment(graph.nodes[variable.node].op, assignment)
    update_arg_attrs(graph.func, pins)
