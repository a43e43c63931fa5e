"""Check the rank program: collectives that every rank can run, layouts that cover each value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import (
    SHARDING,
    arg_attr,
    arg_sharding,
    module_mesh,
    result_attr,
    result_sharding,
)
from distc.dialect.locations import where
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Sharding
from distc.runtime.errors import InputError
from distc.transforms.base import Finding, Pass, raise_findings

COLLECTIVES = (
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_permute",
    "stablehlo.reduce_scatter",
)
_GLOBAL_SHAPE = "dist.global_shape"


@dataclass(frozen=True, slots=True)
class PartitionReport:
    """What was checked: collectives by name, values whose layout covers them, ranks."""

    ranks: int
    collectives: dict[str, int] = field(default_factory=dict)
    layouts: int = 0


@dataclass(frozen=True)
class VerifyPartitioned(Pass):
    """Refuse a rank program that could hang, mix up groups or lose elements.

    Needs the output of `partition` (also after optimisation). Changes nothing. Fails when a `dist`
    op is left, ranks would draw their own random numbers, groups do not hold every rank exactly
    once or differ in size, a permutation sends or receives twice, two collectives share a channel,
    a collective stands in a region that not every rank must enter, a local type is not the one its
    sharding says, or the boxes of a signature value do not hold every element exactly once per
    replica.

    Example:
        ```mlir
        %1 = stablehlo.all_reduce %0 {replica_groups = [[0, 1], [1, 2]]}
        ```
        is refused: rank 1 is in two groups, rank 3 in none.

    A mismatched collective gives wrong numbers without an error on some backends, so nothing that
    fails here is ever run.
    """

    name: ClassVar[str] = "verify-partitioned"

    def run(self, module: ir.Module) -> None:
        """Check the module."""
        verify_partitioned(module)


def verify_partitioned(module: ir.Module) -> PartitionReport:
    """Check a partitioned module and say what was checked.

    Raises:
        InputError: all findings, located, the first in front.
    """
    mesh = module_mesh(module)
    if mesh is None:
        return PartitionReport(1)
    findings: list[Finding] = []
    counts: Counter[str] = Counter()
    channels: dict[int, str] = {}
    layouts = 0
    for func in stablehlo.functions(module):
        layouts += _check_signature(func, mesh, findings)
        for op in stablehlo.walk(func):
            if op.name.startswith("dist."):
                findings.append(
                    Finding(f"{op.name} is left after partition", where(op), "run partition")
                )
            if SHARDING in op.attributes:
                findings.append(
                    Finding(f"{op.name} still has a sharding", where(op), "run partition")
                )
            if op.name == "stablehlo.rng" and mesh.size > 1:
                findings.append(
                    Finding(
                        "stablehlo.rng draws other numbers on every rank",
                        where(op),
                        "export in eval mode, or pass the random numbers as an input",
                    )
                )
            if op.name in COLLECTIVES:
                counts[op.name.removeprefix("stablehlo.")] += 1
                findings.extend(_check_collective(op, func, mesh, channels))
    raise_findings(findings, InputError)
    return PartitionReport(mesh.size, dict(sorted(counts.items())), layouts)


def _check_collective(
    op: ir.Operation, func: ir.Operation, mesh: Mesh, channels: dict[int, str]
) -> Iterator[Finding]:
    channel = stablehlo.channel_id(op)
    place = where(op)
    if channel < 1 or channel in channels:
        other = f", as {channels[channel]}" if channel in channels else ""
        yield Finding(
            f"{op.name} has channel {channel}{other}",
            place,
            "give every collective its own, from 1",
        )
    channels[channel] = place
    if op.parent is None or op.parent.operation != func:
        yield Finding(
            f"{op.name} stands in a region that not every rank must enter",
            place,
            "move it out of the branch or loop",
        )
    if op.name == "stablehlo.collective_permute":
        yield from _check_pairs(op, mesh)
    else:
        yield from _check_groups(op, mesh)


def _check_groups(op: ir.Operation, mesh: Mesh) -> Iterator[Finding]:
    groups = stablehlo.replica_groups(op)
    members = Counter(rank for group in groups for rank in group)
    wrong = [r for r in sorted(set(members) | set(range(mesh.size))) if members[r] != 1]
    if wrong:
        yield Finding(
            f"{op.name} has groups {list(map(list, groups))}: rank {wrong[0]} is in "
            f"{members[wrong[0]]} of them, the mesh has {mesh.size} ranks",
            where(op),
            "every rank of the mesh belongs to exactly one group",
        )
    if len({len(group) for group in groups}) > 1:
        yield Finding(
            f"{op.name} has groups of different sizes {[len(g) for g in groups]}",
            where(op),
            "make all groups equally large",
        )


def _check_pairs(op: ir.Operation, mesh: Mesh) -> Iterator[Finding]:
    pairs = stablehlo.source_target_pairs(op)
    for label, side in (("sends", 0), ("receives", 1)):
        counted = Counter(pair[side] for pair in pairs)
        wrong = [r for r, n in counted.items() if n > 1 or not 0 <= r < mesh.size]
        if wrong:
            yield Finding(
                f"{op.name}: rank {wrong[0]} {label} {counted[wrong[0]]} times in a mesh of "
                f"{mesh.size} ranks",
                where(op),
                "a rank sends at most once and receives at most once",
            )


def _check_signature(func: ir.Operation, mesh: Mesh, findings: list[Finding]) -> int:
    signature = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
    checked = 0
    sides = (
        ("argument", signature.inputs, arg_sharding, arg_attr),
        ("result", signature.results, result_sharding, result_attr),
    )
    for label, types, sharding_of, attribute_of in sides:
        for i, kind in enumerate(types):
            sharding, shape = sharding_of(func, i, mesh), attribute_of(func, i, _GLOBAL_SHAPE)
            if sharding is None or shape is None:
                continue
            checked += 1
            problem = _layout_problem(sharding, tuple(shape), tuple(kind.shape))
            if problem is not None:
                name = f"{label} {i} of @{stablehlo.symbol(func)} {problem}"
                findings.append(Finding(name, where(func), "report this with the reproducer"))
    return checked


def _layout_problem(
    sharding: Sharding, shape: tuple[int, ...], local: tuple[int, ...]
) -> str | None:
    expected = sharding.local_shape(shape)
    if expected != local:
        return f"has local shape {list(local)}, {sharding} of {list(shape)} is {list(expected)}"
    layout = sharding.layout(shape)
    for dim, cut in enumerate(layout.dims):
        boxes = sorted({cut.extent(rank) for rank in range(sharding.mesh.size)})
        end = 0
        for offset, length in boxes:
            if length and offset != end:
                return f"covers dimension {dim} with a gap or overlap at {offset} (expected {end})"
            end += length
        if end != cut.size:
            return f"holds {end} of {cut.size} elements of dimension {dim}"
    return None
