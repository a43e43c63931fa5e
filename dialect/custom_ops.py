"""Custom ops: names that a `stablehlo.custom_call` may call, and what is known about each.

A user registers an op with `distc.custom_op`; `KNOWN` are the ones other front ends emit and the
runtime has kernels for (`runtime/kernels/custom_calls.py`). Anything else is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.runtime.errors import UsageError

Literal = bool | int | float | str


@dataclass(frozen=True, slots=True)
class CustomOp:
    """A custom op.

    Attributes:
        name: the target of the call, `mylib.swish`.
        rule: its sharding rule as text, `[i, j], [j] -> [i, j]`, None to have it discovered.
        origin: module, or path of the script, that registers it; a child process imports it.
        identity: what changes when its function changes; part of the key of a discovered rule.
    """

    name: str
    rule: str | None = None
    origin: str | None = None
    identity: str = ""


RULE = "dist.rule"
"""Attribute of a custom call: the sharding rule its program gives it."""

POINTWISE = (
    "CompactWyHelper",
    "InspectSharding",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "X64Combine",
    "X64SplitHigh",
    "X64SplitLow",
    "mhlo.erf",
    "xla.megascale.provide_metadata",
)
TRAILING = {
    "Eigh": 2,
    "ProductOfElementaryHouseholderReflectors": 2,
    "Qr": 2,
    "QrDecompositionBlock": 2,
    "mhlo.topk": 1,
}
"""How many trailing dimensions of the first operand the op works on as a whole."""
ALONG = ("ApproxTopK", "PartialReduce")
"""Ops that work along the dimension their `reduction_dim` names."""
KNOWN = (*POINTWISE, *TRAILING, *ALONG)

_REGISTERED: dict[str, CustomOp] = {name: CustomOp(name) for name in KNOWN}


def register(op: CustomOp) -> None:
    """Make a custom op known; again with the same name replaces it.

    Raises:
        UsageError: the name is taken by an op of another front end.
    """
    if op.name in KNOWN:
        raise UsageError(
            f"{op.name!r} is an op that distc knows already", help="give the op another name"
        )
    _REGISTERED[op.name] = op


def find(name: str) -> CustomOp | None:
    """Return the custom op of that name, None where there is none."""
    return _REGISTERED.get(name)


def target(op: ir.Operation) -> str:
    """Name that a `stablehlo.custom_call` calls."""
    return str(ir.StringAttr(op.attributes["call_target_name"]).value)


def literals(op: ir.Operation) -> dict[str, Literal]:
    """Attributes of a `custom_call` that a kernel takes: those of its dictionaries, flat.

    A `backend_config` that is no dictionary comes as text.
    """
    found: dict[str, Literal] = {}
    for name in ("mhlo.attributes", "mhlo.backend_config", "backend_config"):
        attribute = stablehlo.op_attribute(op, name)
        if attribute is None:
            continue
        value = stablehlo.python_value(attribute)
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, dict):
            found |= {k: v for k, v in value.items() if isinstance(v, (bool, int, float, str))}
        elif value:
            found["backend_config"] = str(value)
    return found


def _parsed(text: str) -> Any:
    """A configuration written as JSON, as its value; any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
