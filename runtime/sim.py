"""Run a program as all ranks in one process, in lockstep: exact and without a backend.

Sums are taken in rank order. A value is dropped on every rank after its last use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from distc.runtime.calls import (
    bind,
    check_inputs,
    has_collective,
    is_collective,
    last_uses,
    located,
    partition_id,
)
from distc.runtime.errors import DistcError, InputError, InternalError
from distc.runtime.executor import output_types
from distc.runtime.kernels.dtypes import to_boundary, to_storage
from distc.runtime.kernels.elementwise import maximum, minimum
from distc.runtime.program import Call, Program

_KINDS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "sum": torch.add,
    "prod": torch.mul,
    "max": maximum,
    "min": minimum,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
}
_CPU = torch.device("cpu")
Values = dict[int, Tensor]


def run(program: Program, inputs_per_rank: Sequence[Sequence[Tensor]]) -> list[list[Tensor]]:
    """Run `program` on as many ranks as there are input lists; return outputs per rank.

    Raises:
        InputError: no ranks, or inputs that do not fit.
        DistcError: an operator failed; names it and its place in the model.
    """
    if not inputs_per_rank:
        raise InputError("no rank to run", help="pass one list of inputs per rank")
    frames: list[Values] = []
    for rank, inputs in enumerate(inputs_per_rank):
        check_inputs(program, inputs, rank)
        pairs = zip(inputs, program.inputs, strict=True)
        frames.append({i: to_storage(x, t.dtype) for i, (x, t) in enumerate(pairs)})
    with torch.no_grad():
        outputs = _lockstep(program, frames)
    types = output_types(program)
    return [[to_boundary(x, t) for x, t in zip(o, types, strict=True)] for o in outputs]


def run_single(program: Program, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Run a program without collectives in this process."""
    return run(program, [inputs])[0]


def _lockstep(program: Program, frames: list[Values]) -> list[list[Tensor]]:
    for call, dead in zip(program.calls, last_uses(program), strict=True):
        _step(call, frames)
        for values in frames:
            for number in dead:
                del values[number]
    return [[values[o] for o in program.outputs] for values in frames]


def _step(call: Call, frames: list[Values]) -> None:
    results: list[tuple[Tensor, ...]]
    try:
        if is_collective(call):
            results = [(r,) for r in _collective(call, [v[_operand(call)] for v in frames])]
        elif any(map(has_collective, call.regions)):
            results = _joint_control(call, frames)
        else:
            results = [_alone(call, rank, values) for rank, values in enumerate(frames)]
    except DistcError:
        raise
    except Exception as error:
        raise located(call.op, call.loc, error) from error
    for values, result in zip(frames, results, strict=True):
        values.update(zip(call.outs, result, strict=True))


def _operand(call: Call) -> int:
    return call.args[0].id  # type: ignore[union-attr]


def _alone(call: Call, rank: int, values: Values) -> tuple[Tensor, ...]:
    if call.op == "distc.partition_id":
        return (partition_id(call, rank, _CPU),)
    regions = [_region(r, rank) for r in call.regions]
    bound = bind(call, values.__getitem__, regions, _CPU)
    result = bound.target(*bound.args, **bound.kwargs)
    return (result,) if isinstance(result, Tensor) else tuple(result)


def _region(program: Program, rank: int) -> Callable[..., tuple[Tensor, ...]]:
    dead = last_uses(program)

    def call_region(*operands: Tensor) -> tuple[Tensor, ...]:
        values = dict(enumerate(operands))
        for call, gone in zip(program.calls, dead, strict=True):
            try:
                result = _alone(call, rank, values)
            except DistcError:
                raise
            except Exception as error:
                raise located(call.op, call.loc, error) from error
            values.update(zip(call.outs, result, strict=True))
            for number in gone:
                del values[number]
        return tuple(values[o] for o in program.outputs)

    return call_region


def _joint_control(call: Call, frames: list[Values]) -> list[tuple[Tensor, ...]]:
    """Control flow whose regions talk to other ranks: all ranks must take the same way."""
    operands = [[values[a.id] for a in call.args] for values in frames]  # type: ignore[union-attr]
    if call.op == "control.while":
        return _joint_while(call, operands)
    if call.op not in ("control.if", "control.case"):
        raise InternalError(f"{call.op} holds a collective", help="report this program")
    index = int(_agreed(call, [o[0] for o in operands]))
    if call.op == "control.if":
        index = 0 if index else 1
    count = len(call.regions)
    region = call.regions[index if 0 <= index < count else count - 1]
    return [tuple(o) for o in _lockstep(region, [dict(enumerate(o[1:])) for o in operands])]


def _joint_while(call: Call, operands: list[list[Tensor]]) -> list[tuple[Tensor, ...]]:
    cond, body = call.regions
    carried = int(call.kwargs["carried"])  # type: ignore[arg-type]
    captured = [o[carried:] for o in operands]
    states = [o[:carried] for o in operands]
    while True:
        full = [s + c for s, c in zip(states, captured, strict=True)]
        flags = _lockstep(cond, [dict(enumerate(o)) for o in full])
        if not bool(_agreed(call, [f[0] for f in flags])):
            return [tuple(s) for s in states]
        states = _lockstep(body, [dict(enumerate(o)) for o in full])


def _agreed(call: Call, values: list[Tensor]) -> Any:
    found = {v.item() for v in values}
    if len(found) > 1:
        raise DistcError(
            f"ranks take different ways at {call.op}, which holds a collective: {sorted(found)}",
            where=call.loc or None,
            help="make the predicate the same on every rank",
            code="E-DIVERGED",
        )
    return found.pop()


def _collective(call: Call, values: list[Tensor]) -> list[Tensor]:
    options: dict[str, Any] = dict(call.kwargs)
    if call.op == "collective.permute":
        return _permute(values, options["pairs"])
    results: list[Tensor | None] = [None] * len(values)
    for group in options["groups"]:
        if any(not 0 <= r < len(values) for r in group):
            raise InputError(
                f"{call.op} names ranks {group}, {len(values)} ranks run",
                where=call.loc or None,
                help="run with as many ranks as the program was compiled for",
            )
        members = [values[r] for r in group]
        for rank, result in zip(group, _in_group(call.op, members, options), strict=True):
            results[rank] = result
    missing = [r for r, result in enumerate(results) if result is None]
    if missing:
        raise InputError(
            f"ranks {missing} are in no group of {call.op}",
            where=call.loc or None,
            help="run with as many ranks as the program was compiled for",
        )
    return [r for r in results if r is not None]


def _in_group(op: str, members: list[Tensor], options: dict[str, Any]) -> list[Tensor]:
    count = len(members)
    match op:
        case "collective.all_reduce":
            return [reduce(_KINDS[options["kind"]], members)] * count
        case "collective.all_gather":
            return [torch.cat(members, options["dim"])] * count
        case "collective.reduce_scatter":
            total = reduce(_KINDS[options["kind"]], members)
            return _split(total, count, options["dim"])
        case "collective.all_to_all":
            pieces = [_split(m, count, options["split_dim"]) for m in members]
            return [torch.cat([p[i] for p in pieces], options["concat_dim"]) for i in range(count)]
        case _:
            raise InternalError(f"unknown collective {op}", help="recompile with this version")


def _split(value: Tensor, count: int, dim: int) -> list[Tensor]:
    size = value.shape[dim] // count
    # Copies, so that a rank does not keep the other ranks' parts alive.
    return [value.narrow(dim, i * size, size).clone() for i in range(count)]


def _permute(values: list[Tensor], pairs: Sequence[Sequence[int]]) -> list[Tensor]:
    source = {target: origin for origin, target in pairs}
    return [values[source[r]] if r in source else torch.zeros_like(v) for r, v in enumerate(values)]
