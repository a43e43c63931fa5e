"""From a call of a program to a Python call: target, arguments, keyword arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from distc.runtime.errors import DistcError, InputError, InternalError
from distc.runtime.kernels import CREATES, REGIONS, resolve
from distc.runtime.kernels.dtypes import BOUNDARY, STORAGE
from distc.runtime.program import Arg, Call, Dtype, Program, Ref


class Bound(NamedTuple):
    """What to call."""

    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def is_collective(call: Call) -> bool:
    """True where ranks talk to each other."""
    return call.op.startswith("collective.")


def has_collective(program: Program) -> bool:
    """True where the program or a region of it talks to other ranks."""
    return any(is_collective(c) or any(map(has_collective, c.regions)) for c in program.calls)


def references(call: Call) -> tuple[int, ...]:
    """Ids of the values a call reads, with repetitions."""
    found: list[int] = []

    def visit(arg: Arg) -> None:
        if isinstance(arg, Ref):
            found.append(arg.id)
        if isinstance(arg, list):
            for inner in arg:
                visit(inner)

    for arg in (*call.args, *call.kwargs.values()):
        visit(arg)
    return tuple(found)


def last_uses(program: Program) -> tuple[tuple[int, ...], ...]:
    """Per call, the ids that nothing after it reads and that it reads or defines itself."""
    needed = set(program.outputs)
    rows: list[tuple[int, ...]] = []
    for call in reversed(program.calls):
        touched = dict.fromkeys((*references(call), *call.outs))
        dead = tuple(i for i in touched if i not in needed)
        needed.update(dead)
        rows.append(dead)
    return tuple(reversed(rows))


def bind(
    call: Call, value: Callable[[int], Any], regions: Sequence[Any], device: torch.device
) -> Bound:
    """Return the Python call for a call that is not a collective.

    Args:
        call: the call.
        value: what stands for a value id.
        regions: what stands for each region, callable.
        device: where literals become tensors.
    """
    native = call.op.startswith("aten.")

    def convert(arg: Arg) -> Any:
        match arg:
            case Ref(id=number):
                return value(number)
            case Dtype(name=name):
                return STORAGE[name] if native else name
            case list():
                return [convert(a) for a in arg]
            case _:
                return arg

    args = tuple(convert(a) for a in call.args)
    kwargs = {k: convert(v) for k, v in call.kwargs.items()}
    if call.op in CREATES:
        kwargs["device"] = device
    if call.op.startswith("control."):
        args = (*regions, *args)
    else:
        kwargs |= dict(zip(REGIONS.get(call.op, ("region",)), regions, strict=False))
    return Bound(resolve(call.op), args, kwargs)


def bind_collective(call: Call, value: Callable[[int], Any], collectives: Any) -> Bound:
    """Return the Python call for a collective."""
    name = call.op.partition(".")[2]
    method = getattr(collectives, name, None)
    if name not in COLLECTIVES or method is None:
        raise InternalError(
            f"the program calls {call.op!r}, which these collectives do not have",
            help="recompile with this version of distc",
        )
    operand = call.args[0]
    if not isinstance(operand, Ref):
        raise InternalError(f"{call.op} of a literal", help="recompile with this version of distc")
    return Bound(method, (value(operand.id),), dict(call.kwargs))


COLLECTIVES = ("all_gather", "all_reduce", "all_to_all", "permute", "reduce_scatter")


def partition_id(call: Call, rank: int, device: torch.device) -> torch.Tensor:
    """The rank's number, a scalar."""
    return torch.full((), rank, dtype=STORAGE[call.types[0].dtype], device=device)


def located(call_op: str, loc: str, error: Exception) -> DistcError:
    """Return the error of distc for an exception inside a call."""
    text = str(error).strip().splitlines()
    reason = text[0] if text else "no message"
    return DistcError(
        f"{call_op} failed: {type(error).__name__}: {reason}",
        where=loc or None,
        help="check the inputs' values and the free memory; the place is in the model's source",
        code="E-RUNTIME",
    )


def check_inputs(program: Program, inputs: Sequence[torch.Tensor], rank: int | None = None) -> None:
    """Check number, shapes and element types of a program's inputs.

    Raises:
        InputError: one does not fit; the message has both.
    """
    who = "" if rank is None else f" on rank {rank}"
    if len(inputs) != len(program.inputs):
        raise InputError(
            f"program {program.name} takes {len(program.inputs)} inputs, "
            f"{len(inputs)} were given{who}",
            help="pass every input, in the order of the program",
        )
    for index, (given, wanted) in enumerate(zip(inputs, program.inputs, strict=True)):
        kinds = (STORAGE[wanted.dtype], BOUNDARY[wanted.dtype])
        if tuple(given.shape) != wanted.shape or given.dtype not in kinds:
            raise InputError(
                f"input {index} is {list(given.shape)} {given.dtype}{who}, "
                f"the program takes {list(wanted.shape)} {wanted.dtype}",
                help="pass this rank's local part in the type the program was compiled for",
            )
