"""Control flow: regions are callables from tensors to a tuple of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

Region = Callable[..., tuple[Tensor, ...]]


def while_loop(cond: Region, body: Region, *operands: Tensor, carried: int) -> tuple[Tensor, ...]:
    """Run `body` while `cond` holds; operands past `carried` are captured and stay."""
    state, captured = operands[:carried], operands[carried:]
    while bool(cond(*state, *captured)[0]):
        state = tuple(body(*state, *captured))
    return tuple(state)


def if_(
    then: Region, otherwise: Region, predicate: Tensor, *captured: Tensor
) -> tuple[Tensor, ...]:
    """Run one of two regions."""
    return then(*captured) if bool(predicate) else otherwise(*captured)


def case(*operands: Region | Tensor, branches: int) -> tuple[Tensor, ...]:
    """Run the branch numbered by the operand after the regions; the last where out of range."""
    regions, index, captured = operands[:branches], operands[branches], operands[branches + 1 :]
    number = int(index)  # type: ignore[arg-type]
    chosen = regions[number if 0 <= number < branches else branches - 1]
    return chosen(*captured)  # type: ignore[operator]


def map_(region: Region, *operands: Tensor, shape: Sequence[int]) -> tuple[Tensor, ...]:
    """Run a scalar region on every element at once."""
    return tuple(r.expand(tuple(shape)) for r in region(*operands))


KERNELS: dict[str, Callable[..., Any]] = {"case": case, "if": if_, "map": map_, "while": while_loop}
