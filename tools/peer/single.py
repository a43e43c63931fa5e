"""Run a test program on one device, or its `interpreter.run_parallel` on as many as it names."""

from __future__ import annotations

import torch
from torch_mlir import ir

from distc.dialect import build
from distc.dialect import stablehlo as hlo
from distc.runtime import sim
from distc.runtime.kernels.dtypes import STORAGE
from distc.transforms.lower import lower
from peer.compare import difference
from peer.programs import PeerProgram, checks_to_results, parse

_BETWEEN_PARTITIONS = (
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.collective_reduce",
)
_NEEDS_DEVICE_IDS = ("stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.reduce_scatter")


class ReplicaMode(Exception):
    """A program of several replicas and partitions at once, which distc does not make."""


def check_single(program: PeerProgram) -> str:
    """Run a program and return what differs from the expected results, "" where nothing does."""
    module = parse(program.text)
    entry, checks = checks_to_results(module)
    values = evaluate(module, entry)
    for index, check in enumerate(checks):
        pair = values[2 * index], values[2 * index + 1]
        wrong = difference(*pair, check.kind, check.tolerance)
        if wrong:
            return wrong
    return ""


def evaluate(module: ir.Module, entry: str) -> list[torch.Tensor]:
    """Run a function without arguments, all its `interpreter.run_parallel` first.

    Raises:
        ReplicaMode: it runs several replicas of several partitions.
    """
    func = next(f for f in hlo.functions(module) if hlo.symbol(f) == entry)
    parallel = [o for o in hlo.walk(func) if o.name == "interpreter.run_parallel"]
    if not parallel:
        return sim.run_single(lower(module, entry), [])
    if len(parallel) > 1:
        raise ValueError("more than one run_parallel")
    return _evaluate_parallel(module, func, parallel[0])


def _evaluate_parallel(
    module: ir.Module, func: ir.Operation, op: ir.Operation
) -> list[torch.Tensor]:
    rows = [[str(s) for s in row] for row in ir.ArrayAttr(op.attributes["programs"])]
    names = [n.lstrip("@") for row in rows for n in row]
    if len(set(names)) != 1 or min(len(rows), len(rows[0])) != 1:
        raise ReplicaMode(f"run_parallel of {rows}")
    if len(rows) > 1:
        _replicas_as_partitions(module, len(rows))
    program = lower(module, names[0])
    inputs = [_constant(v) for v in op.operands]
    each = len(program.inputs)
    ranks = [inputs[i * each : (i + 1) * each] for i in range(len(names))]
    results = (r for rank in sim.run(program, ranks) for r in rank)
    found = dict(zip(op.results, results, strict=True))
    block = func.regions[0].blocks[0]
    returned = block.operations[len(block.operations) - 1].operands
    return [found[v] if v in found else _constant(v) for v in returned]


def _replicas_as_partitions(module: ir.Module, count: int) -> None:
    """Let collectives of n replicas of one partition name n partitions of one replica.

    Those that named partitions joined the one that each replica has.
    """
    with module.context:
        channel = ir.Attribute.parse("#stablehlo.channel_handle<handle = 1, type = 1>")
        for op in list(hlo.walk(module.operation)):
            if op.name == "stablehlo.replica_id":
                with ir.InsertionPoint(op), op.location:
                    op.results[0].replace_all_uses_with(build.partition_id(module.context))
                op.erase()
                continue
            if "replica_groups" not in op.attributes and "source_target_pairs" not in op.attributes:
                continue
            if op.name in _BETWEEN_PARTITIONS and hlo.channel_id(op) > 0:
                _alone(op, count)
            op.attributes["channel_handle"] = channel
            if op.name in _NEEDS_DEVICE_IDS:
                op.attributes["use_global_device_ids"] = ir.UnitAttr.get()


def _alone(op: ir.Operation, count: int) -> None:
    """Let each rank be a group of itself, or send to itself where it did."""
    name = "source_target_pairs" if "source_target_pairs" in op.attributes else "replica_groups"
    rows = [[i] for i in range(count)]
    if name == "source_target_pairs":
        rows = [[i, i] for i in range(count) if hlo.source_target_pairs(op)]
    kind = f"tensor<{len(rows)}x{len(rows[0]) if rows else 2}xi64>"
    values = f"dense<{rows}>" if rows else "dense<>"
    op.attributes[name] = ir.Attribute.parse(f"{values} : {kind}")


def _constant(value: ir.Value) -> torch.Tensor:
    op = hlo.defining_op(value)
    array = None if op is None else hlo.constant_array(op)
    if array is None:
        raise ValueError("an operand of run_parallel is not a constant")
    dtype = hlo.dtype(value)
    tensor = torch.from_numpy(array.copy()).reshape(hlo.shape(value))
    return tensor if dtype in ("ui16", "ui32", "ui64") else tensor.to(STORAGE[dtype])
