"""The cost network of a function: labels' work, conversions between makers and users, pins.

u_op(s)        seconds of the op under strategy s
m(p, c)        seconds of converting the value from how p leaves it to how c wants it
m(p, k)        the copy of a value that several read, from how p leaves it; 0 where there is none
m(k, c)        from how the value is held to how c wants it
u_again(s)     as u_op, 0 where the op does not run again; what is held so must be made so
results        the conversion to the pin; to the state it updates, where that is not pinned; the
               rest is finished where it is partial
captured       what regions read is wanted whole
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distc.dialect.attrs import arg_attr
from distc.dialect.locations import module_path
from distc.dialect.sharding import Sharding
from distc.solver.conversion import conversion_seconds
from distc.solver.search.network import (
    FORBIDDEN,
    TICKS_PER_SECOND,
    CostNetwork,
    Costs,
    make_network,
)
from distc.transforms.plan.copies import CopyVariable, Source, Use
from distc.transforms.plan.layers import Place, numbered, place_of
from distc.transforms.plan.space import (
    AgainVariable,
    ArgumentVariable,
    OpVariable,
    Space,
    Variable,
)
from distc.transforms.state import updating_results

_NOT_FROM_MAKER = (Source.KEPT, Source.AGAIN, Source.NONE)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A value between the variable that makes it and one that wants it, with its price.

    Attributes:
        value: number of the value.
        maker: the variable that makes it.
        user, operand: the variable and which of its operands; the operand is None where the value
            becomes that state or is held by that copy, both are None where it is `wanted` in one
            sharding.
        wanted: a pin, or whole for regions; None where a result is finished as it lies.
        costs: ticks [label of the maker, label of the user].
    """

    value: int
    maker: int
    user: int | None
    operand: int | None
    wanted: Sharding | None
    costs: Costs


def build_network(space: Space) -> CostNetwork:
    """Return the network of a function; variables are numbered as in `space`."""
    return _Builder(space).build()


def build_with_conversions(space: Space) -> tuple[CostNetwork, tuple[Conversion, ...]]:
    """Return the network of a function, and what its tables were added up from."""
    builder = _Builder(space)
    return builder.build(), tuple(builder.conversions)


class _Builder:
    def __init__(self, space: Space) -> None:
        self.space, self.graph = space, space.graph
        self.unary: list[Costs] = []
        self.conversions: list[Conversion] = []
        self.tables: dict[tuple[object, ...], Costs] = {}
        self._made_by = {v: i for i, n in enumerate(self.graph.nodes) for v in n.results}

    def build(self) -> CostNetwork:
        for variable in self.space.variables:
            if isinstance(variable, OpVariable | AgainVariable):
                self.unary.append(variable.costs)
            else:
                self.unary.append(np.zeros(len(variable.labels), np.int64))
        for number, variable in enumerate(self.space.variables):
            match variable:
                case OpVariable():
                    self._operands(number, variable)
                case CopyVariable():
                    self._copy(number, variable)
                case AgainVariable():
                    self._again(number, variable)
        self._results()
        for value in sorted(self.graph.captured):
            self._pin(value, Sharding.replicated(self.graph.mesh, len(self._shape(value))))
        places = numbered([self._place(v) for v in self.space.variables])
        pairs = [(c.maker, c.user, c.costs) for c in self.conversions if c.user is not None]
        return make_network(
            self.unary, pairs, (), [p.block for p in places], [p.name for p in places]
        )

    def _shape(self, value: int) -> tuple[int, ...]:
        return self.graph.values[value].shape

    def _operands(self, number: int, variable: OpVariable) -> None:
        node = self.graph.nodes[variable.node]
        for position, value in enumerate(node.operands):
            if value in self.space.maker:
                maker, result = self.space.maker[value]
                supplier = self.space.supplier.get(Use(variable.node, position), maker)
                made = self.space.made(supplier, result)
                needed = self.space.needed(number, position)
                table = self._priced(value, made, needed)
                table = self._without_none(supplier, table)
                self.conversions.append(Conversion(value, supplier, number, position, None, table))

    def _without_none(self, supplier: int, table: Costs) -> Costs:
        """What is not held cannot be read."""
        found = self.space.variables[supplier]
        if not isinstance(found, CopyVariable):
            return table
        held = np.array([h.source is not Source.NONE for h in found.labels])
        return table if held.all() else np.where(held[:, None], table, FORBIDDEN)

    def _again(self, number: int, variable: AgainVariable) -> None:
        """What a second run reads, and that it leaves what is held of it."""
        node = self.graph.nodes[variable.node]
        for position, value in enumerate(node.operands):
            if value not in self.space.maker:
                continue
            supplier = self.space.supplier[Use(variable.node, position, again=True)]
            held = self.space.made(supplier, 0)
            table = self._priced(value, held, self.space.needed(number, position))
            table = self._without_none(supplier, table)
            table = np.where(self._too_late(supplier, variable.node)[:, None], FORBIDDEN, table)
            table = np.hstack([np.zeros((len(table), 1), np.int64), table])
            self.conversions.append(Conversion(value, supplier, number, position, None, table))
        for position, value in enumerate(node.results):
            if value in self.space.saver:
                self._remade(number, variable, position, value)

    def _too_late(self, supplier: int, node: int) -> NDArray[np.bool_]:
        """True for labels by which a value is made again after a second run would read it."""
        copy = self.space.variables[supplier]
        assert isinstance(copy, CopyVariable)
        runs_at = self.space.parts.runs_at
        made_at = runs_at.get(self._made_by.get(copy.group.value, -1), -1)
        late = made_at > runs_at[node]
        return np.array([late and h.source is Source.AGAIN for h in copy.labels])

    def _remade(self, number: int, variable: AgainVariable, position: int, value: int) -> None:
        saver = self.space.saver[value]
        copy = self.space.variables[saver]
        assert isinstance(copy, CopyVariable)
        rows = [
            [
                FORBIDDEN
                if h.source is Source.AGAIN and (s is None or s.results[position] != h.sharding)
                else 0
                for h in copy.labels
            ]
            for s in variable.labels
        ]
        table = np.array(rows, np.int64)
        self.conversions.append(Conversion(value, number, saver, None, None, table))

    def _copy(self, number: int, variable: CopyVariable) -> None:
        """What a copy costs, by how the value is made; what is kept costs nothing."""
        value = variable.group.value
        maker, result = self.space.maker[value]
        made = self.space.made(maker, result)
        shardings = [h.sharding for h in variable.labels]
        table = self._priced(value, made, shardings)
        same = np.array([[m == s for s in shardings] for m in made])
        source = np.array([h.source for h in variable.labels])
        table = np.where(same != (source == Source.MADE), FORBIDDEN, table)
        table = np.where(np.isin(source, _NOT_FROM_MAKER), 0, table)
        self.conversions.append(Conversion(value, maker, number, None, None, table))
        if variable.group.keeps:
            self._kept(number, variable)

    def _kept(self, number: int, variable: CopyVariable) -> None:
        """Only a copy of the forward pass can be kept: it is the copy before this one."""
        before = self.space.variables[number - 1]
        assert isinstance(before, CopyVariable)
        copies = [h.sharding if h.source is Source.COPY else None for h in before.labels]
        rows = [
            [
                0 if h.source is not Source.KEPT or h.sharding == copy else FORBIDDEN
                for h in variable.labels
            ]
            for copy in copies
        ]
        table = np.array(rows, np.int64)
        value = variable.group.value
        self.conversions.append(Conversion(value, number - 1, number, None, None, table))

    def _results(self) -> None:
        updates = updating_results(self.graph.func)
        for index, (value, pin) in enumerate(
            zip(self.graph.returned, self.graph.result_pins, strict=True)
        ):
            if value not in self.space.maker:
                continue
            if pin is not None:
                self._pin(value, pin)
            elif index in updates:
                maker, result = self.space.maker[value]
                state, _ = self.space.maker[self.graph.arguments[updates[index]]]
                table = self._priced(
                    value, self.space.made(maker, result), self.space.made(state, 0)
                )
                self.conversions.append(Conversion(value, maker, state, None, None, table))
            else:
                self._finish(value)

    def _finish(self, value: int) -> None:
        """What is returned lies as it was made, but is never partial."""
        maker, result = self.space.maker[value]
        made = self.space.made(maker, result)
        table = np.diag(self._priced(value, made, [s.without_partial() for s in made]))
        self.unary[maker] = np.minimum(self.unary[maker] + table, FORBIDDEN)
        self.conversions.append(Conversion(value, maker, None, None, None, table[:, None]))

    def _pin(self, value: int, wanted: Sharding) -> None:
        if value not in self.space.maker:
            return
        maker, result = self.space.maker[value]
        table = self._priced(value, self.space.made(maker, result), [wanted])
        self.unary[maker] = np.minimum(self.unary[maker] + table[:, 0], FORBIDDEN)
        self.conversions.append(Conversion(value, maker, None, None, wanted, table))

    def _priced(self, value: int, made: Sequence[Sharding], needed: Sequence[Sharding]) -> Costs:
        """Ticks [label of the maker, label of the user]; equal rows and columns priced once."""
        found = self.graph.values[value]
        key = (found.shape, found.itemsize, tuple(made), tuple(needed))
        known = self.tables.get(key)
        if known is not None:
            return known
        rows, columns = list(dict.fromkeys(made)), list(dict.fromkeys(needed))
        hardware = self.space.pricing.hardware
        seconds = conversion_seconds(rows, columns, found.shape, found.itemsize, hardware)
        whole = np.rint(seconds * TICKS_PER_SECOND).astype(np.int64)
        row_of = {s: i for i, s in enumerate(rows)}
        column_of = {s: i for i, s in enumerate(columns)}
        table = whole[np.ix_([row_of[s] for s in made], [column_of[s] for s in needed])]
        self.tables[key] = table
        return table

    def _place(self, variable: Variable) -> Place:
        match variable:
            case OpVariable(node=number):
                node = self.graph.nodes[number]
                return place_of(module_path(node.op.location) or "", node.op.name)
            case AgainVariable(node=number):
                node = self.graph.nodes[number]
                place = place_of(module_path(node.op.location) or "", node.op.name)
                return Place(place.block, f"{place.name}:again")
            case CopyVariable(group=group):
                maker, _ = self.space.maker[group.value]
                place = self._place(self.space.variables[maker])
                return Place(place.block, f"{place.name}:{group.part}")
            case ArgumentVariable(value=value):
                name = arg_attr(self.graph.func, value, "dist.name")
                return place_of("" if name is None else str(name.value), "argument")
