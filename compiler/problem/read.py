"""`problem.json` read back; everything in it is checked before anything relies on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec
import numpy as np

from distc.compiler.problem.check import check
from distc.compiler.problem.file import (
    FORBIDDEN_CELL,
    MAX_CELLS,
    SCHEMA,
    LinkRow,
    MachineRow,
    ProblemFile,
    TableRow,
    VariableRow,
)
from distc.runtime.errors import ArtifactError
from distc.runtime.strict_json import RECOMPILE, load_json
from distc.solver.hardware import Hardware
from distc.solver.hardware import Link as WireLink
from distc.solver.problem import Fixed, Label, Link, Problem, Variable
from distc.solver.search.network import FORBIDDEN, Costs
from distc.solver.search.solution import Solution

T = TypeVar("T")


def from_json(text: str, member: str = "problem.json") -> Problem:
    """Parse and check a problem.

    Raises:
        ArtifactError: not plain JSON, another schema, a field of the wrong type, a number that
            refers to nothing, tables that do not fit their variables.
    """
    body = load_json(text, member)
    found = body.get("schema") if isinstance(body, dict) else None
    if found != SCHEMA:
        raise ArtifactError(
            f"{member} has schema {found!r}, this version reads {SCHEMA}",
            help="recompile with this version of distc",
        )
    try:
        return _Reader(msgspec.convert(body, ProblemFile)).problem()
    except (msgspec.ValidationError, ValueError, TypeError, OverflowError) as error:
        raise ArtifactError(f"{member} is malformed: {error}", help=RECOMPILE) from None


class _Reader:
    def __init__(self, file: ProblemFile) -> None:
        self.file = file
        cells = sum(len(t.rows) * max(1, len(t.columns)) for t in file.tables)
        if cells > MAX_CELLS:
            raise ValueError(f"its tables have {cells} cells, at most {MAX_CELLS} are read")
        self.tables = [_costs(t) for t in file.tables]
        self.labels = [
            tuple(
                Label(self._shardings(o), self._shardings(r), self._text(s)) for o, r, s in labels
            )
            for labels in file.labels
        ]

    def problem(self) -> Problem:
        file = self.file
        variables = tuple(map(self._variable, file.variables))
        count = len(variables)
        solution = msgspec.structs.asdict(file.solution)
        for key in ("labels", "smallest"):
            solution[key] = tuple(solution[key])
        problem = Problem(
            entry=file.entry,
            hardware=_hardware(file.hardware),
            variables=variables,
            links=tuple(map(self._link, file.links)),
            solution=Solution(**solution),
            memory=self._memory(count),
            blocks=tuple(v.block for v in file.variables),
            places=tuple(_at(file.texts, v.place, "text") for v in file.variables),
            **({} if file.limit is None else {"limit": file.limit}),
        )
        check(problem)
        return problem

    def _text(self, number: int) -> str:
        return _at(self.file.texts, number, "text")

    def _shardings(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(_at(self.file.shardings, n, "sharding") for n in numbers)

    def _variable(self, raw: VariableRow) -> Variable:
        return Variable(
            name=raw.name,
            kind=self._text(raw.kind),
            op=self._text(raw.op),
            module=self._text(raw.module),
            source=self._text(raw.source),
            op_class=self._text(raw.op_class),
            shapes=tuple(map(tuple, raw.shapes)),
            dtype=self._text(raw.dtype),
            labels=_at(self.labels, raw.labels, "label set"),
            work=_at(self.tables, raw.work, "table"),
            fixed=Fixed(self._text(raw.fixed)),
        )

    def _link(self, raw: LinkRow) -> Link:
        return Link(
            maker=raw.maker,
            result=raw.result,
            user=raw.user,
            operand=raw.operand,
            shape=tuple(raw.shape),
            dtype=self._text(raw.dtype),
            wanted="" if raw.wanted < 0 else _at(self.file.shardings, raw.wanted, "sharding"),
            costs=_at(self.tables, raw.costs, "table"),
        )

    def _memory(self, count: int) -> tuple[Mapping[int, Costs], ...]:
        points: list[Mapping[int, Costs]] = []
        here: dict[int, Costs] = {}
        for point in self.file.memory:
            here = {v: rows for v, rows in here.items() if v not in set(point.gone)}
            for variable, table in point.new:
                if not 0 <= variable < count:
                    raise ValueError(f"a memory point names variable {variable} of {count}")
                here[variable] = _at(self.tables, table, "table")
            points.append(dict(sorted(here.items())))
        return tuple(points)


def _hardware(raw: MachineRow) -> Hardware:
    speeds = [raw.memory_bytes_per_second, raw.efficiency, *raw.flops.values()]
    speeds += [link.get("bytes_per_second", 0.0) for link in (raw.device, raw.node)]
    if min(speeds) <= 0 or raw.devices_per_node < 1:
        raise ValueError(f"a speed of {raw.name} is not positive")
    fields = msgspec.structs.asdict(raw)
    fields["flops"] = MappingProxyType(raw.flops)
    fields["device"], fields["node"] = WireLink(**raw.device), WireLink(**raw.node)
    return Hardware(**fields)


def _costs(raw: TableRow) -> Costs:
    cells = np.array(raw.cells, np.int64)
    if cells.ndim != 2:
        raise ValueError("a table is not two-dimensional")
    if cells.min(initial=0) < FORBIDDEN_CELL or cells.max(initial=0) >= FORBIDDEN:
        raise ValueError("a cost is out of range")
    rows, columns = np.array(raw.rows, np.int64), np.array(raw.columns or [0], np.int64)
    for numbers, size in ((rows, cells.shape[0]), (columns, cells.shape[1])):
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < size:
            raise ValueError(f"a table names row or column {numbers.max()} of {size}")
    table = np.where(cells < 0, FORBIDDEN, cells)[np.ix_(rows, columns)]
    return table if raw.columns else table[:, 0]


def _at(things: Sequence[T], number: int, what: str) -> T:
    if not 0 <= number < len(things):
        raise ValueError(f"{what} {number} is not among the {len(things)} there are")
    return things[number]
