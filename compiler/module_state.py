"""The persistent state of a module: what its entry points keep between calls, by name.

Read from the argument attributes that docs/adr/0018-state-in-the-ir.md defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch_mlir import ir

from distc.compiler.dimension_walk import argument_kind, argument_name
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr

OWNED_KINDS = ("optimizer", "gradient")
"""Kinds of state that belong to a parameter."""


@dataclass(frozen=True, slots=True)
class StateArgument:
    """One argument that is no input.

    Attributes:
        name: unique in the module.
        kind: `parameter`, `buffer`, `constant`, `optimizer`, `gradient` or `state`.
        parameter: the parameter that `optimizer` and `gradient` state belongs to, else "".
        slot: which state of the parameter (`exp_avg`, `grad`), else "".
        shape: global shape of the argument.
    """

    name: str
    kind: str
    parameter: str
    slot: str
    shape: tuple[int, ...]


def module_state(module: ir.Module) -> Mapping[str, StateArgument]:
    """Return the state of all entry points by name, in the order it is first met."""
    found: dict[str, StateArgument] = {}
    for func in stablehlo.functions(module):
        if not stablehlo.is_public(func) or not func.regions[0].blocks:
            continue
        for index, argument in enumerate(func.regions[0].blocks[0].arguments):
            kind = argument_kind(func, index)
            if kind == "input" or not stablehlo.is_tensor(argument):
                continue
            name = argument_name(func, index)
            found.setdefault(
                name,
                StateArgument(
                    name,
                    kind,
                    argument_text(func, index, "dist.parameter"),
                    argument_text(func, index, "dist.slot"),
                    stablehlo.shape(argument),
                ),
            )
    return found


def argument_text(func: ir.Operation, index: int, name: str) -> str:
    """Return a text attribute of an argument, "" where it has none."""
    attribute = arg_attr(func, index, name)
    return "" if attribute is None else str(ir.StringAttr(attribute).value)
