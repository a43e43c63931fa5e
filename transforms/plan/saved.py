"""A function's search as a `Problem`: variables with names, labels as text, prices with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr
from distc.dialect.locations import file_line, module_path
from distc.dialect.sharding import Sharding
from distc.solver.compute_cost import OpClass
from distc.solver.problem import ARGUMENT, COPY, NO_LIMIT, Fixed, Label, Link, Problem, Variable
from distc.solver.search.network import CostNetwork
from distc.solver.search.solution import Solution
from distc.transforms.dataflow import Value
from distc.transforms.plan.build import Conversion
from distc.transforms.plan.copies import CopyVariable
from distc.transforms.plan.space import AgainVariable, ArgumentVariable, OpVariable, Space
from distc.transforms.plan.space import Variable as SpaceVariable
from distc.transforms.plan.work import global_work, value_dtype


def save_problem(
    space: Space,
    network: CostNetwork,
    conversions: Sequence[Conversion],
    solution: Solution,
    limit: int = NO_LIMIT,
) -> Problem:
    """Return what was searched and what was found, free of the function.

    Args:
        space: variables and labels.
        network: what was searched.
        conversions: what its tables were added up from.
        solution: what was found.
        limit: bytes per rank.
    """
    saver = _Saver(space)
    return Problem(
        entry=stablehlo.symbol(space.graph.func),
        hardware=space.pricing.hardware,
        variables=saver.variables(),
        links=tuple(saver.link(c) for c in conversions),
        solution=solution,
        memory=network.memory,
        limit=limit,
        blocks=network.blocks,
        places=network.places,
    )


class _Saver:
    def __init__(self, space: Space) -> None:
        self.space, self.graph = space, space.graph
        self.names: Counter[str] = Counter()
        self._texts: dict[Sharding, str] = {}
        self._labels: dict[int, tuple[Label, ...]] = {}

    def variables(self) -> tuple[Variable, ...]:
        """All variables, numbered as in the space."""
        return tuple(map(self._variable, self.space.variables))

    def _variable(self, variable: SpaceVariable) -> Variable:
        match variable:
            case ArgumentVariable():
                return self._argument(variable)
            case OpVariable():
                return self._op(variable)
            case CopyVariable():
                return self._copy(variable)
            case AgainVariable():
                return self._again(variable)

    def link(self, conversion: Conversion) -> Link:
        """A conversion by the numbers of its ends."""
        user, operand, wanted = conversion.user, conversion.operand, conversion.wanted
        value = self.graph.values[conversion.value]
        is_copy = isinstance(self.space.variables[conversion.maker], CopyVariable)
        return Link(
            maker=conversion.maker,
            result=0 if is_copy else self.space.maker[conversion.value][1],
            user=-1 if user is None else user,
            operand=-1 if operand is None else operand,
            shape=value.shape,
            dtype=value_dtype(value),
            wanted="" if wanted is None else self._text(wanted),
            costs=conversion.costs,
        )

    def _argument(self, variable: ArgumentVariable) -> Variable:
        func, number = self.graph.func, variable.value
        name, kind = (arg_attr(func, number, f"dist.{key}") for key in ("name", "kind"))
        value = self.graph.values[number]
        fixed = Fixed.NO
        if number in self.graph.pinned:
            fixed = Fixed.PIN
        elif self.space.lies_whole(number):
            fixed = Fixed.SMALL
        return Variable(
            name=self._named(f"argument{number}" if name is None else str(name.value)),
            kind="input" if kind is None else str(kind.value),
            op=ARGUMENT,
            module="",
            source="",
            op_class="",
            shapes=(value.shape,),
            dtype=value_dtype(value),
            labels=tuple(Label((), (self._text(s),)) for s in variable.labels),
            work=np.zeros(len(variable.labels), np.int64),
            fixed=fixed,
        )

    def _op(self, variable: OpVariable) -> Variable:
        node = self.graph.nodes[variable.node]
        results = [self.graph.values[v] for v in node.results]
        path, kind = module_path(node.op.location) or "", _kind(node.op.name)
        if node.op.name == "stablehlo.composite":
            kind = stablehlo.composite(node.op).name
        pinned = any(v in self.graph.pinned for v in node.results)
        return Variable(
            name=self._named(f"{path}:{kind}" if path else kind),
            kind="op",
            op=kind,
            module=path,
            source=file_line(node.op.location) or "",
            op_class=str(global_work(node, self.graph.values).op_class),
            shapes=tuple(v.shape for v in results),
            dtype=_dtype(results),
            labels=self._strategies(variable),
            work=variable.costs,
            fixed=Fixed.PIN if pinned or node.fixed is not None else Fixed.NO,
        )

    def _again(self, variable: AgainVariable) -> Variable:
        """The second run of an op, by the name of the first."""
        first = self._op(OpVariable(variable.node, variable.strategies, variable.costs[1:]))
        node = self.graph.nodes[variable.node]
        nothing = Label(("",) * len(node.operands), ("",) * len(node.results), "not run")
        return replace(
            first,
            name=self._named(f"{first.name}@again"),
            labels=(nothing, *first.labels),
            work=variable.costs,
            fixed=Fixed.NO,
        )

    def _copy(self, variable: CopyVariable) -> Variable:
        """A copy goes by the name of what makes the value, and of the part of the step."""
        group = variable.group
        maker = self.space.variables[self.space.maker[group.value][0]]
        path, source = "", ""
        if isinstance(maker, OpVariable):
            location = self.graph.nodes[maker.node].op.location
            path, source = module_path(location) or "", file_line(location) or ""
        elif isinstance(maker, ArgumentVariable):
            name = arg_attr(self.graph.func, maker.value, "dist.name")
            path = f"argument{maker.value}" if name is None else str(name.value)
        value = self.graph.values[group.value]
        return Variable(
            name=self._named(f"{path}:{COPY}@{group.part}"),
            kind=COPY,
            op=COPY,
            module=path,
            source=source,
            op_class=str(OpClass.VIEW),
            shapes=(value.shape,),
            dtype=value_dtype(value),
            labels=tuple(
                Label((), (self._text(h.sharding),), str(h.source)) for h in variable.labels
            ),
            work=np.zeros(len(variable.labels), np.int64),
        )

    def _strategies(self, variable: OpVariable) -> tuple[Label, ...]:
        """Equal ops share one tuple of strategies, and so of labels."""
        key = id(variable.labels)
        if key not in self._labels:
            self._labels[key] = tuple(
                Label(tuple(map(self._text, s.operands)), tuple(map(self._text, s.results)))
                for s in variable.labels
            )
        return self._labels[key]

    def _text(self, sharding: Sharding) -> str:
        if sharding not in self._texts:
            self._texts[sharding] = str(sharding)
        return self._texts[sharding]

    def _named(self, name: str) -> str:
        """The name, with a number where it is taken."""
        self.names[name] += 1
        count = self.names[name]
        return name if count == 1 else self._named(f"{name}.{count}")


def _kind(op: str) -> str:
    return op.removeprefix("stablehlo.")


def _dtype(results: Sequence[Value]) -> str:
    return value_dtype(results[0]) if results else ""
