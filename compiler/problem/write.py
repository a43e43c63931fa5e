"""A problem as `problem.json`: equal problems give equal bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from distc.compiler.problem.file import (
    FORBIDDEN_CELL,
    SCHEMA,
    LinkRow,
    MachineRow,
    PointRow,
    TableRow,
    VariableRow,
)
from distc.solver.hardware import Hardware
from distc.solver.problem import Label, Link, Problem, Variable
from distc.solver.search.network import FORBIDDEN, Costs
from distc.solver.search.tables import TableStore

_LINED = ("labels", "tables", "memory", "variables", "links")
"""Lists that stand one item a line."""


def to_json(problem: Problem) -> str:
    """Return the canonical text: equal problems give equal bytes."""
    return _Writer(problem).text()


class _Numbers:
    """Things by number, in the order in which they are first met."""

    def __init__(self) -> None:
        self.of: dict[object, int] = {}

    def __call__(self, thing: object) -> int:
        return self.of.setdefault(thing, len(self.of))


class _Writer:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.texts, self.shardings, self.labels = _Numbers(), _Numbers(), _Numbers()
        self.tables = TableStore()
        self._sets: dict[int, int] = {}

    def text(self) -> str:
        p = self.problem
        blocks, places = p.blocks or (-1,) * len(p.variables), p.places or ("",) * len(p.variables)
        variables = [
            self._variable(v, b, s) for v, b, s in zip(p.variables, blocks, places, strict=True)
        ]
        links = [self._link(link) for link in p.links]
        memory = self._memory(p.memory)
        body: dict[str, object] = {
            "schema": SCHEMA,
            "entry": p.entry,
            "limit": p.limit if p.memory else None,
            "hardware": _machine(p.hardware),
            "solution": asdict(p.solution),
            "texts": list(self.texts.of),
            "shardings": list(self.shardings.of),
            "labels": [_plain(s) for s in self.labels.of],
            "tables": [_table(t) for t in self.tables.tables],
            "memory": memory,
            "variables": variables,
            "links": links,
        }
        parts = [f"{json.dumps(key)}: {_lines(key, value)}" for key, value in body.items()]
        return "{" + ",\n".join(parts) + "}\n"

    def _variable(self, variable: Variable, block: int, place: str) -> VariableRow:
        return VariableRow(
            name=variable.name,
            kind=self.texts(variable.kind),
            op=self.texts(variable.op),
            module=self.texts(variable.module),
            source=self.texts(variable.source),
            op_class=self.texts(variable.op_class),
            shapes=[list(s) for s in variable.shapes],
            dtype=self.texts(variable.dtype),
            labels=self._set(variable.labels),
            work=self.tables.add(variable.work),
            fixed=self.texts(str(variable.fixed)),
            block=block,
            place=self.texts(place),
        )

    def _set(self, labels: tuple[Label, ...]) -> int:
        """The number of a set of labels; equal ops share one object."""
        if id(labels) not in self._sets:
            numbered = tuple(
                (
                    tuple(map(self.shardings, x.operands)),
                    tuple(map(self.shardings, x.results)),
                    self.texts(x.source),
                )
                for x in labels
            )
            self._sets[id(labels)] = self.labels(numbered)
        return self._sets[id(labels)]

    def _link(self, link: Link) -> LinkRow:
        return LinkRow(
            link.maker,
            link.result,
            link.user,
            link.operand,
            list(link.shape),
            self.texts(link.dtype),
            self.shardings(link.wanted) if link.wanted else -1,
            self.tables.add(link.costs),
        )

    def _memory(self, points: Sequence[Mapping[int, Costs]]) -> list[PointRow]:
        found: list[PointRow] = []
        before: dict[int, int] = {}
        for point in points:
            here = {v: self.tables.add(rows) for v, rows in sorted(point.items())}
            gone = [v for v in before if v not in here]
            found.append(PointRow(gone, [(v, t) for v, t in here.items() if before.get(v) != t]))
            before = here
        return found


def _machine(hardware: Hardware) -> dict[str, object]:
    plain = {k: getattr(hardware, k) for k in MachineRow.__struct_fields__}
    links = {k: asdict(getattr(hardware, k)) for k in ("device", "node")}
    return {**plain, "flops": dict(sorted(hardware.flops.items())), **links}


def _plain(labels: object) -> object:
    return json.loads(json.dumps(labels))


def _table(table: Costs) -> TableRow:
    """A table as its distinct rows and columns."""
    whole = np.where(table >= FORBIDDEN, FORBIDDEN_CELL, table.reshape(len(table), -1))
    rows, row_of = np.unique(whole, axis=0, return_inverse=True)
    cells, column_of = np.unique(rows, axis=1, return_inverse=True)
    columns = [] if table.ndim == 1 else column_of.reshape(-1).tolist()
    return TableRow(row_of.reshape(-1).tolist(), columns, cells.tolist())


def _lines(key: str, value: object) -> str:
    if key not in _LINED or not isinstance(value, list):
        return json.dumps(value, sort_keys=True, allow_nan=False)
    lines = ",\n".join(json.dumps(v, allow_nan=False, separators=(",", ":")) for v in value)
    return f"[\n{lines}\n]"
