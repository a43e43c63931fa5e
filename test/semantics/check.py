"""Run one case: all ranks of the partitioned program against the whole program on one rank.

The whole program is run by our executor and by StableHLO's interpreter, which must agree. Padding
of inputs is poisoned. Partial inputs are made of unequal parts that combine to the value exactly.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import torch
from executable.harness import COMBINE, Partitioned, partition, poison, run_whole
from oracle.interpreter import OracleError, evaluate

from distc.dialect.mesh import Mesh
from distc.dialect.sharding import Reduction, Sharding
from distc.dialect.text import parse_sharding
from distc.runtime import sim
from distc.runtime.errors import DistcError
from distc.runtime.kernels.dtypes import BOUNDARY
from semantics.case import Case
from semantics.compare import Array, difference
from semantics.text import Finished

_BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32,
         torch.float64: torch.int64}  # fmt: skip
# Units in the last place by which two implementations of a function may differ.
_FUNCTIONS = 4.0
_INTERPRETER = 120.0

_whole: dict[int, tuple[Finished, list[torch.Tensor], str]] = {}


def check(case: Case) -> str:
    """Empty where the case passes, else what is wrong."""
    try:
        expected, doubt = whole(case)
        if doubt:
            return doubt
        return compared(expected, sharded(case, expected), case.ulps)
    except (DistcError, AssertionError, RuntimeError, ValueError, TypeError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def whole(case: Case) -> tuple[list[torch.Tensor], str]:
    """Results on one rank, and where the interpreter disagrees."""
    key = id(case.program)
    if key not in _whole:
        expected = run_whole(case.program.text, tensors(case.program))
        _whole[key] = (case.program, expected, _doubt(case, expected))
    return _whole[key][1:]


def _doubt(case: Case, expected: list[torch.Tensor]) -> str:
    if case.interpreter:
        return ""
    try:
        judged = evaluate(case.program.text, case.program.inputs, timeout=_INTERPRETER)
    except OracleError as error:
        return f"the interpreter: {error}"
    for index, (mine, other) in enumerate(zip(expected, judged, strict=True)):
        found = difference(array(mine), other, dtype_name(mine), max(case.ulps, _FUNCTIONS))
        if found:
            return f"executor against interpreter, result {index}: {found}"
    return ""


def sharded(case: Case, expected: list[torch.Tensor]) -> list[torch.Tensor]:
    """Global results of all ranks together."""
    mesh = Mesh.parse(case.mesh)
    inputs = tensors(case.program)
    built = partition(
        case.program.text,
        mesh,
        {i: parse_sharding(s, mesh).normalize(tuple(inputs[i].shape)) for i, s in case.arguments},
        {i: parse_sharding(s, mesh).normalize(case.program.shapes[i]) for i, s in case.results},
    )
    return run(built, inputs, expected)


def run(
    built: Partitioned, inputs: list[torch.Tensor], expected: list[torch.Tensor]
) -> list[torch.Tensor]:
    """Cut the inputs, run all ranks, put the results together."""
    ranks = range(built.mesh.size)
    held = [
        [held_by(x, s, rank) for x, s in zip(inputs, built.arguments, strict=True)]
        for rank in ranks
    ]
    outputs = sim.run(built.program, held)
    return [
        joined([outputs[r][i] for r in ranks], sharding, tuple(whole.shape))
        for i, (sharding, whole) in enumerate(zip(built.results, expected, strict=True))
    ]


def compared(expected: list[torch.Tensor], found: list[torch.Tensor], ulps: float) -> str:
    """Empty where all results are the same."""
    for index, (want, got) in enumerate(zip(expected, found, strict=True)):
        wrong = difference(array(got), array(want), dtype_name(want), ulps)
        if wrong:
            return f"result {index}: {wrong}"
    return ""


def tensors(program: Finished) -> list[torch.Tensor]:
    """The inputs in the types of the arguments."""
    return [
        torch.from_numpy(np.array(x)).to(BOUNDARY[d])
        for x, d in zip(program.inputs, program.dtypes, strict=True)
    ]


def array(x: torch.Tensor) -> Array:
    """A numpy array; bf16 and f16 as f32."""
    wide = x.float() if x.dtype in (torch.bfloat16, torch.float16) else x
    return np.asarray(wide.numpy())


def dtype_name(x: torch.Tensor) -> str:
    """StableHLO's name of the element type."""
    return next(name for name, dtype in BOUNDARY.items() if dtype is x.dtype)


def held_by(x: torch.Tensor, sharding: Sharding, rank: int) -> torch.Tensor:
    """What `rank` holds of `x`."""
    layout = sharding.layout(tuple(x.shape))
    local = torch.full(layout.local_shape, poison(x.dtype), dtype=x.dtype)
    box = layout.box(rank)
    inner = tuple(slice(0, length) for _, length in box)
    outer = tuple(slice(offset, offset + length) for offset, length in box)
    local[inner] = part(x, sharding, rank)[outer]
    return local


def part(x: torch.Tensor, sharding: Sharding, rank: int) -> torch.Tensor:
    """The rank's part of a partial value: parts differ and combine to `x` exactly."""
    if not sharding.partial:
        return x
    mesh, kind = sharding.mesh, sharding.partial[0][1]
    places = [mesh.split(axis) for axis, _ in sharding.partial]
    first = all(s.coordinate(rank) == 0 for s in places)
    others = reduce(lambda n, s: n * s.size, places, 1) - 1
    match kind:
        case Reduction.SUM if x.dtype.is_floating_point:
            # A zero keeps its sign only among zeros: the others hold -0.0.
            odd = (x == 0) | ~torch.isfinite(x)
            mine = torch.where(odd, x, x + 4 * others)
            return mine if first else torch.where(odd, -0.0, -4.0).to(x.dtype)
        case Reduction.SUM:
            return x + 5 * others if first else torch.full_like(x, -5)
        case Reduction.PROD:
            return x if first else torch.ones_like(x)
        case Reduction.MAX:
            return x if first else torch.where(x == _least(x.dtype), x, x - 1)
        case Reduction.MIN:
            return x if first else torch.where(x == _greatest(x.dtype), x, x + 1)
        case Reduction.AND:
            return x if first else x | (torch.arange(x.numel()).reshape(x.shape) % 4).to(x.dtype)
        case Reduction.OR:
            return x if first else x & (torch.arange(x.numel()).reshape(x.shape) % 4).to(x.dtype)


def _least(dtype: torch.dtype) -> float:
    return -math.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def _greatest(dtype: torch.dtype) -> float:
    return math.inf if dtype.is_floating_point else torch.iinfo(dtype).max


def joined(parts: list[torch.Tensor], sharding: Sharding, shape: tuple[int, ...]) -> torch.Tensor:
    """The global value; replicas must agree bit by bit, partial parts are combined."""
    layout = sharding.layout(shape)
    boxes: dict[object, dict[object, torch.Tensor]] = {}
    splits = [sharding.mesh.split(a) for a, _ in sharding.partial]
    for rank, value in enumerate(parts):
        assert tuple(value.shape) == layout.local_shape, (value.shape, layout.local_shape)
        box = layout.box(rank)
        true = value[tuple(slice(0, length) for _, length in box)]
        place = tuple(s.coordinate(rank) for s in splits)
        held = boxes.setdefault(box, {})
        same = place not in held or _equal_bits(held[place], true)
        assert same, f"replicas of box {box} differ: {held.get(place)} and, on {rank}, {true}"
        held[place] = true
    result = torch.zeros(shape, dtype=parts[0].dtype)
    for box, held in boxes.items():
        combine = COMBINE[sharding.partial[0][1]] if sharding.partial else None
        value = reduce(combine, held.values()) if combine else next(iter(held.values()))
        result[tuple(slice(o, o + n) for o, n in box)] = value  # type: ignore[attr-defined]
    return result


def _equal_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    a, b = a.contiguous(), b.contiguous()
    if a.dtype in _BITS:
        # A NaN has many forms, all the same to a program.
        a, b = (torch.where(x != x, float("nan"), x).to(x.dtype) for x in (a, b))
        a, b = a.view(_BITS[a.dtype]), b.view(_BITS[b.dtype])
    return torch.equal(a, b)
