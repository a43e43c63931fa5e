"""Partition a small program, run all ranks in `sim`, put the shards together again.

Padding of inputs is poisoned (NaN, large integers): a rank that lets padding into a result fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import prod

import torch
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.assignment import Assignment
from distc.dialect.attrs import (
    arg_sharding,
    result_sharding,
    set_arg_sharding,
    set_module_mesh,
    set_result_sharding,
)
from distc.dialect.context import make_context, parse_module
from distc.dialect.factors import UNCUT, FactorSharding
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.rules.rule import FactorKind, ShardingRule
from distc.dialect.sharding import Reduction, Sharding
from distc.runtime import sim
from distc.runtime.program import Program
from distc.transforms import make_pass
from distc.transforms.lower import lower
from distc.transforms.verify_partitioned import verify_partitioned

PASSES = ("propagate", "insert-reshards", "reshard-to-collectives", "partition")
DTYPES = {
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
COMBINE = {
    Reduction.SUM: torch.add,
    Reduction.PROD: torch.mul,
    Reduction.MAX: torch.maximum,
    Reduction.MIN: torch.minimum,
    Reduction.AND: torch.bitwise_and,
    Reduction.OR: torch.bitwise_or,
}


def main_of(module: ir.Module) -> ir.Operation:
    """The function @main."""
    return next(f for f in stablehlo.functions(module) if stablehlo.symbol(f) == "main")


def random_inputs(module: ir.Module, seed: int, low: int, high: int) -> list[torch.Tensor]:
    """Whole numbers between low and high in the types of @main's arguments."""
    generator = torch.Generator().manual_seed(seed)
    inputs = []
    for argument in main_of(module).regions[0].blocks[0].arguments:
        dtype = DTYPES[stablehlo.dtype(argument)]
        values = torch.randint(low, high + 1, stablehlo.shape(argument), generator=generator)
        inputs.append(values.to(dtype) if dtype is not torch.bool else values % 2 == 0)
    return inputs


@dataclass
class Partitioned:
    """A partitioned module with the layouts of its signature."""

    module: ir.Module
    program: Program
    mesh: Mesh
    arguments: list[Sharding]
    results: list[Sharding]


def partition(
    text: str,
    mesh: Mesh,
    arguments: dict[int, Sharding] | None = None,
    results: dict[int, Sharding] | None = None,
) -> Partitioned:
    """Pin, propagate, insert, convert, partition, verify and lower."""
    module = parse_module(text, make_context(), "test.mlir")
    set_module_mesh(module, mesh)
    func = main_of(module)
    for i, sharding in (arguments or {}).items():
        set_arg_sharding(func, i, sharding)
    for i, sharding in (results or {}).items():
        set_result_sharding(func, i, sharding)
    for name in PASSES:
        make_pass(name).run(module)
        make_pass("verify-shardings").run(module)
    assert module.operation.verify()
    verify_partitioned(module)
    func = main_of(module)
    signature = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
    found_arguments = [arg_sharding(func, i, mesh) for i in range(len(signature.inputs))]
    found_results = [result_sharding(func, i, mesh) for i in range(len(signature.results))]
    assert all(found_arguments) and all(found_results)
    return Partitioned(
        module,
        lower(module),
        mesh,
        [s for s in found_arguments if s],
        [s for s in found_results if s],
    )


def run_whole(text: str, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Run the program as it is on one rank."""
    program = lower(parse_module(text, make_context(), "test.mlir"))
    return sim.run(program, [inputs])[0]


def run_sharded(
    partitioned: Partitioned, inputs: list[torch.Tensor], shapes: list[tuple[int, ...]]
) -> list[torch.Tensor]:
    """Run all ranks; return the global results (`shapes` are their global shapes)."""
    ranks = range(partitioned.mesh.size)
    locals_ = [
        [cut(x, s, rank) for x, s in zip(inputs, partitioned.arguments, strict=True)]
        for rank in ranks
    ]
    outputs = sim.run(partitioned.program, locals_)
    return [
        join([outputs[rank][i] for rank in ranks], sharding, shape)
        for i, (sharding, shape) in enumerate(zip(partitioned.results, shapes, strict=True))
    ]


def cut(x: torch.Tensor, sharding: Sharding, rank: int) -> torch.Tensor:
    """What `rank` holds of `x`, padding poisoned, a partial value as unequal parts."""
    layout = sharding.layout(tuple(x.shape))
    local = torch.full(layout.local_shape, poison(x.dtype), dtype=x.dtype)
    box = layout.box(rank)
    inner = tuple(slice(0, length) for _, length in box)
    outer = tuple(slice(offset, offset + length) for offset, length in box)
    local[inner] = _part(x, sharding, rank)[outer]
    return local


def _part(x: torch.Tensor, sharding: Sharding, rank: int) -> torch.Tensor:
    """The part of a partial value that `rank` holds: the parts combine to `x`."""
    if not sharding.partial:
        return x
    mesh, kind = sharding.mesh, sharding.partial[0][1]
    first = all(mesh.split(axis).coordinate(rank) == 0 for axis, _ in sharding.partial)
    others = prod(mesh.ref_size(axis) for axis, _ in sharding.partial) - 1
    match kind:
        case Reduction.SUM:
            return x + 5 * others if first else torch.full_like(x, -5)
        case Reduction.MAX:
            return x if first else x - 1
        case Reduction.MIN:
            return x if first else x + 1
    raise ValueError(f"no parts for {kind}")


def poison(dtype: torch.dtype) -> float | int | bool:
    """A value that shows when it leaks."""
    if dtype is torch.bool:
        return True
    return float("nan") if dtype.is_floating_point else 77


def join(parts: list[torch.Tensor], sharding: Sharding, shape: tuple[int, ...]) -> torch.Tensor:
    """The global value; replicas must agree, partial parts are combined."""
    layout = sharding.layout(shape)
    boxes: dict[object, dict[object, torch.Tensor]] = {}
    splits = [sharding.mesh.split(a) for a, _ in sharding.partial]
    for rank, part in enumerate(parts):
        assert tuple(part.shape) == layout.local_shape, (part.shape, layout.local_shape)
        box = layout.box(rank)
        true = part[tuple(slice(0, length) for _, length in box)]
        place = tuple(s.coordinate(rank) for s in splits)
        held = boxes.setdefault(box, {})
        if place in held:
            assert torch.equal(held[place].nan_to_num(), true.nan_to_num()), (
                f"replicas of box {box} differ on rank {rank}: {held[place]} and {true}"
            )
        held[place] = true
    whole = torch.zeros(shape, dtype=parts[0].dtype)
    for box, held in boxes.items():
        combine = COMBINE[sharding.partial[0][1]] if sharding.partial else None
        value = reduce(combine, held.values()) if combine else next(iter(held.values()))
        whole[tuple(slice(offset, offset + length) for offset, length in box)] = value  # type: ignore[attr-defined]
    return whole


def factor_cuts(rule: ShardingRule, mesh: Mesh) -> list[Assignment]:
    """Every factor that may be cut, by all axes of the mesh; and pairs by one axis each."""
    axes = tuple(AxisRef(a.name) for a in mesh.axes)
    closed = (FactorKind.REPLICATE, FactorKind.OPEN)
    free = [i for i, f in enumerate(rule.factors) if f.kind not in closed]
    cuts = [{i: FactorSharding(axes)} for i in free]
    if len(axes) > 1:
        cuts += [
            {i: FactorSharding(axes[:1]), j: FactorSharding(axes[1:])}
            for i in free
            for j in free
            if i != j
        ]
    return [
        Assignment(rule, mesh, tuple(c.get(i, UNCUT) for i in range(len(rule.factors))))
        for c in cuts
    ]
