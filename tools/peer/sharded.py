"""Run a test program in shards: each argument and result cut along its first or last dimension.

Padding of uneven shards is poisoned (NaN, large integers), replicas must agree, and the result
must be that of one device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor
from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.dialect.attrs import (
    arg_sharding,
    result_sharding,
    set_arg_sharding,
    set_module_mesh,
    set_result_sharding,
)
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.runtime import sim
from distc.runtime.layout import TensorLayout
from distc.runtime.shards import cut
from distc.transforms import make_pass
from distc.transforms.base import run_upstream
from distc.transforms.lower import lower
from peer.compare import difference
from peer.programs import PeerProgram, call_target, is_check, parse, set_results

PASSES = ("propagate", "insert-reshards", "reshard-to-collectives", "partition")


class Edge(StrEnum):
    """Which dimension is cut."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Unit:
    """The program under test: its text with arguments for inputs, the inputs, the results."""

    text: str
    inputs: list[Tensor]
    results: list[Tensor]
    kinds: list[str]


def check_sharded(program: PeerProgram, ranks: Sequence[int]) -> str:
    """Run a program cut over each number of ranks; return what differs from one device."""
    unit = separate(program)
    for count in ranks:
        for edge in Edge:
            wrong = check_unit(unit, count, edge)
            if wrong:
                return f"{edge} dimension over {count} ranks: {wrong}"
    return ""


def separate(program: PeerProgram) -> Unit:
    """Make what the checking function reads of `@inputs` its arguments, and run it alone."""
    module = parse(program.text)
    func = next(f for f in hlo.functions(module) if any(map(is_check, hlo.walk(f))))
    func.attributes["sym_name"] = ir.StringAttr.get("main", module.context)
    makers = _take_inputs(func)
    kinds, actual = [], []
    for op in [o.operation for o in func.regions[0].blocks[0].operations]:
        if is_check(op):
            kinds.append(call_target(op))
            actual.append(op.operands[0])
            op.erase()
    set_results(func, actual)
    inputs = [x for maker in makers for x in sim.run_single(lower(module, maker), [])]
    for other in hlo.functions(module):
        if hlo.symbol(other) != "main":
            other.attributes["sym_visibility"] = ir.StringAttr.get("private", module.context)
    if "sym_visibility" in func.attributes:
        del func.attributes["sym_visibility"]
    run_upstream(module, "inline,cse,symbol-dce")
    make_pass("fold-tuples").run(module)
    results = sim.run_single(lower(module, "main"), inputs)
    return Unit(module.operation.get_asm(large_elements_limit=None), inputs, results, kinds)


def _take_inputs(func: ir.Operation) -> list[str]:
    """Replace calls of `@inputs…` by arguments; return the names called, in order."""
    block = func.regions[0].blocks[0]
    makers = []
    for op in [o.operation for o in block.operations]:
        if op.name != "func.call" or len(op.operands):
            continue
        callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
        if "expected" in callee:
            continue
        makers.append(callee)
        for result in op.results:
            result.replace_all_uses_with(block.add_argument(result.type, op.location))
        op.erase()
    return makers


def check_unit(unit: Unit, count: int, edge: Edge) -> str:
    """Partition, run all ranks, put the results together, compare."""
    mesh = Mesh.of(x=count)
    module = parse_module(unit.text, make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    func = main_function(module)
    signature = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
    for index, kind in enumerate(signature.inputs):
        set_arg_sharding(func, index, _edge_sharding(mesh, kind, edge))
    for index, kind in enumerate(signature.results):
        set_result_sharding(func, index, _edge_sharding(mesh, kind, edge))
    for name in PASSES:
        make_pass(name).run(module)
        make_pass("verify-shardings").run(module)
    make_pass("verify-partitioned").run(module)
    func = main_function(module)
    layouts_in = [_layout(arg_sharding(func, i, mesh), x.shape) for i, x in enumerate(unit.inputs)]
    pieces = [
        [poisoned_piece(x, layout, rank) for x, layout in zip(unit.inputs, layouts_in, strict=True)]
        for rank in range(mesh.size)
    ]
    outputs = sim.run(lower(module, "main"), pieces)
    for index, expected in enumerate(unit.results):
        layout = _layout(result_sharding(func, index, mesh), expected.shape)
        actual = assembled([o[index] for o in outputs], layout)
        wrong = difference(actual, expected)
        if wrong:
            return f"result {index}: {wrong}"
    return ""


def main_function(module: ir.Module) -> ir.Operation:
    """The function @main."""
    return next(f for f in hlo.functions(module) if hlo.symbol(f) == "main")


def _edge_sharding(mesh: Mesh, kind: ir.Type, edge: Edge) -> Sharding:
    shape = tuple(ir.RankedTensorType(kind).shape)
    whole = Sharding.replicated(mesh, len(shape))
    if not shape:
        return whole
    dim = 0 if edge is Edge.FIRST else len(shape) - 1
    cut_dim = DimSharding(tuple(AxisRef(a.name) for a in mesh.axes))
    return whole.with_dim(dim, cut_dim).normalize(shape)


def _layout(sharding: Sharding | None, shape: Sequence[int]) -> TensorLayout:
    if sharding is None:
        raise ValueError("a partitioned signature has no sharding")
    return sharding.layout(tuple(shape))


def poisoned_piece(whole: Tensor, layout: TensorLayout, rank: int) -> Tensor:
    """What `rank` holds, padding filled with what shows where it leaks."""
    piece = cut(whole, layout, rank)
    if tuple(piece.shape) == layout.local_shape:
        return piece.contiguous()
    local = torch.empty(layout.local_shape, dtype=whole.dtype)
    local.fill_(_poison(whole.dtype))
    local[tuple(slice(0, n) for n in piece.shape)] = piece
    return local


def _poison(dtype: torch.dtype) -> float | int | bool:
    if dtype is torch.bool:
        return True
    return float("nan") if dtype.is_floating_point or dtype.is_complex else 77


def assembled(pieces: Sequence[Tensor], layout: TensorLayout) -> Tensor:
    """The global value.

    Raises:
        ValueError: two ranks hold the same box with other values, or a piece has another shape.
    """
    whole = torch.zeros(layout.view, dtype=pieces[0].dtype)
    seen: dict[tuple[tuple[int, int], ...], int] = {}
    for rank, piece in enumerate(pieces):
        if tuple(piece.shape) != layout.local_shape:
            raise ValueError(f"rank {rank} gave {list(piece.shape)}, not {layout.local_shape}")
        box = layout.box(rank)
        true = piece[tuple(slice(0, length) for _, length in box)]
        place = tuple(slice(offset, offset + length) for offset, length in box)
        if box in seen and difference(true, whole[place], "check.expect_eq"):
            raise ValueError(f"ranks {seen[box]} and {rank} hold box {box} with other values")
        whole[place] = true
        seen[box] = rank
    return whole
