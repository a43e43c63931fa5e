"""The form of `problem.json`.

Equal texts, shardings, label sets and tables stand once and are referred to by number; of a table
its distinct rows and columns. So a model of many equal layers takes little more than one of few.

    "shardings": ["[R, R]", "[S(t), R]", …]
    "labels":    [[[[0], [1], 2], …], …]        label sets: per label operands, results, source
    "tables":    [[rows, columns, [[cells]]]]   row and column of each label; -1 is forbidden
    "variables": [[name, kind, op, …]]          one a line
    "links":     [[maker, result, user, …]]     one a line
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from distc.solver.search.solution import Status

SCHEMA = 1
MAX_BYTES = 64 << 20
"""Size of a member; a larger problem is not kept."""

MAX_CELLS = 1 << 26
"""Cells of all tables together, written out."""

FORBIDDEN_CELL = -1


class VariableRow(NamedTuple):
    name: str
    kind: int
    op: int
    module: int
    source: int
    op_class: int
    shapes: list[list[int]]
    dtype: int
    labels: int
    work: int
    fixed: int
    block: int
    place: int


class LinkRow(NamedTuple):
    maker: int
    result: int
    user: int
    operand: int
    shape: list[int]
    dtype: int
    wanted: int
    costs: int


class TableRow(NamedTuple):
    rows: list[int]
    columns: list[int]
    cells: list[list[int]]


class PointRow(NamedTuple):
    """A memory point by what differs from the one before."""

    gone: list[int]
    new: list[tuple[int, int]]


class MachineRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    devices_per_node: int
    memory_bytes: int
    memory_bytes_per_second: float
    flops: dict[str, float]
    efficiency: float
    launch_seconds: float
    overlap: float
    device: dict[str, float]
    node: dict[str, float]


class SolutionRow(msgspec.Struct, forbid_unknown_fields=True):
    status: Status
    labels: list[int]
    cost: int
    lower_bound: int
    least_bytes: int
    rounds: int
    smallest: list[int]


class ProblemFile(msgspec.Struct, forbid_unknown_fields=True):
    schema: int
    entry: str
    limit: int | None
    hardware: MachineRow
    solution: SolutionRow
    texts: list[str]
    shardings: list[str]
    labels: list[list[tuple[list[int], list[int], int]]]
    tables: list[TableRow]
    memory: list[PointRow]
    variables: list[VariableRow]
    links: list[LinkRow]
