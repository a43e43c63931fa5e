"""Refuse state that does not come back as it went in, or lies differently in two entry points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import SHARDING, arg_attr, from_attr, module_mesh, result_attr
from distc.dialect.locations import file_line, where
from distc.dialect.mesh import Mesh
from distc.runtime.errors import DistcError, IllegalSharding
from distc.transforms.base import Finding, Pass, raise_findings

UPDATES = "dist.updates"
STATE_KINDS = ("parameter", "buffer", "constant", "optimizer", "gradient", "state")
INITIAL = ("zeros", "parameter")

# What an argument of the same name must agree on in all entry points, and what it is called.
_SHARED = {
    "dist.kind": "kind",
    "dist.parameter": "parameter",
    "dist.slot": "slot",
    "dist.initial": "first value",
    "dist.stored": "dtype in the weight files",
    "dist.original_shape": "view",
    SHARDING: "sharding",
}


@dataclass(frozen=True)
class VerifyState(Pass):
    """Check the state of all entry points (docs/adr/0018-state-in-the-ir.md).

    Needs: nothing. Leaves: the module as it is. Fails when

    * a result's `dist.updates` names no argument of its function that is kept between calls, or one
      that another result updates too; when type or sharding differ from the argument's;
    * two entry points have an argument of one `dist.name` with another type, sharding, view, kind,
      parameter, slot or first value; a sharding that one of them leaves open is no difference;
    * `dist.initial` is neither `zeros` nor `parameter` (of a parameter that the module has),
      `dist.count` is no positive number, or a state of kind `optimizer` or `gradient` names no
      `dist.parameter` and `dist.slot`;
    * state is partial between calls and does not start as a sum of `zeros`.

    Example:
        ```mlir
        func.func @main(%w: tensor<8xf32> {dist.name = "w", dist.kind = "parameter",
                                           dist.sharding = [S(x)]})
            -> (tensor<8xf32> {dist.updates = "w", dist.sharding = [R]})
        ```
        is refused: the next call would find a replicated `w` where it reads a shard.

    Why: a rank keeps its tensors between calls as they are. What comes out must lie as what goes
    in, or the second step computes with the wrong numbers.
    """

    name: ClassVar[str] = "verify-state"

    def run(self, module: ir.Module) -> None:
        """Raise one `IllegalSharding` for all findings, or return."""
        raise_findings(list(state_findings(module)), IllegalSharding)


@dataclass(frozen=True, slots=True)
class _Held:
    """One argument: its number, where it stands, its type and what it says of itself."""

    index: int
    place: str
    type: ir.Type
    says: dict[str, Any]


def state_findings(module: ir.Module) -> Iterator[Finding]:
    """Return what is wrong with the state of a module's entry points."""
    known: dict[str, tuple[str, _Held]] = {}
    mesh = _mesh(module)
    for func in stablehlo.functions(module):
        if not stablehlo.is_public(func):
            continue
        held = _held(func)
        yield from _count(func)
        for name, argument in held.items():
            yield from _first_value(name, argument)
            yield from _partial(name, argument, mesh)
            entry, other = known.setdefault(name, (stablehlo.symbol(func), argument))
            if other is not argument:
                yield from _differences(name, argument, other, f"in @{entry}")
        yield from _updates(func, held)
    for name, (_, argument) in known.items():
        owner = _text(argument.says["dist.parameter"])
        if _text(argument.says["dist.initial"]) == "parameter" and owner not in known:
            yield Finding(
                f"state {name!r} starts as the parameter {owner!r}, which no entry point takes",
                argument.place,
                "name a parameter, or let it start as zeros",
            )


def _held(func: ir.Operation) -> dict[str, _Held]:
    """The named arguments of a function that are kept between calls."""
    found: dict[str, _Held] = {}
    block = next(iter(func.regions[0].blocks), None)
    types = func.attributes["function_type"].value.inputs
    for index, kind in enumerate(types):
        says = {key: arg_attr(func, index, key) for key in _SHARED}
        name, role = _text(arg_attr(func, index, "dist.name")), _text(says["dist.kind"])
        if not name or role in ("", "input"):
            continue
        place = file_line(block.arguments[index].location) if block is not None else None
        found[name] = _Held(index, f"{place or where(func)}, argument {index}", kind, says)
    return found


def _count(func: ir.Operation) -> Iterator[Finding]:
    if "dist.count" not in func.attributes:
        return
    count = func.attributes["dist.count"]
    if not isinstance(count, ir.IntegerAttr) or count.value < 1:
        yield Finding(
            f"dist.count is {count}", where(func), "write how often a step runs it: 4 : i64"
        )


def _first_value(name: str, held: _Held) -> Iterator[Finding]:
    initial = held.says["dist.initial"]
    if initial is not None and _text(initial) not in INITIAL:
        yield Finding(
            f"state {name!r} has dist.initial {initial}",
            held.place,
            f"use one of: {', '.join(INITIAL)}, or leave it out to read the weight files",
        )
    owned = _text(held.says["dist.kind"]) in ("optimizer", "gradient")
    if owned and not (_text(held.says["dist.parameter"]) and _text(held.says["dist.slot"])):
        yield Finding(
            f"state {name!r} says not which parameter and slot it is",
            held.place,
            'write dist.parameter = "fc.weight", dist.slot = "exp_avg"',
        )


def _mesh(module: ir.Module) -> Mesh | None:
    """The module's mesh, None where it has none; a wrong one is told by `verify-shardings`."""
    try:
        return module_mesh(module)
    except DistcError:
        return None


def _partial(name: str, held: _Held, mesh: Mesh | None) -> Iterator[Finding]:
    attribute = held.says[SHARDING]
    if attribute is None or mesh is None:
        return
    try:
        sharding = from_attr(attribute, mesh)
    except DistcError:
        return
    zeros = _text(held.says["dist.initial"]) == "zeros"
    if sharding.partial and not (zeros and all(k == "sum" for _, k in sharding.partial)):
        yield Finding(
            f"state {name!r} is held as {sharding} and does not start as a sum of zeros",
            held.place,
            'only sums with dist.initial = "zeros" may be partial between calls',
        )


def _differences(name: str, held: _Held, other: _Held, whose: str) -> Iterator[Finding]:
    if held.type != other.type:
        yield Finding(
            f"state {name!r} has the type {held.type}, {other.type} {whose}",
            held.place,
            "one name is one state: give it one type",
        )
        return
    for key, what in _SHARED.items():
        mine, theirs = held.says[key], other.says[key]
        if _differ(mine, theirs, may_be_open=key == SHARDING):
            yield Finding(
                f"state {name!r} has the {what} {_shown(mine)}, {_shown(theirs)} {whose}",
                held.place,
                f"one name is one state: give it one {what}",
            )


def _updates(func: ir.Operation, held: dict[str, _Held]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for index, kind in enumerate(func.attributes["function_type"].value.results):
        updates = result_attr(func, index, UPDATES)
        if updates is None:
            continue
        place, name = f"{where(func)}, result {index}", _text(updates)
        if name not in held:
            yield Finding(
                f"dist.updates names {updates}, no state that @{stablehlo.symbol(func)} takes",
                place,
                f"name one of: {', '.join(held) or 'none, it takes no state'}",
            )
            continue
        if name in seen:
            yield Finding(
                f"results {seen[name]} and {index} both update {name!r}", place, "keep one"
            )
        seen[name] = index
        yield from _result(func, index, kind, name, held[name], place)


def _result(
    func: ir.Operation, index: int, kind: ir.Type, name: str, held: _Held, place: str
) -> Iterator[Finding]:
    if kind != held.type:
        yield Finding(
            f"result {index} is {kind} and updates {name!r}, which is {held.type}",
            place,
            "convert or reshape the result: state keeps its type",
        )
        return
    mine, theirs = result_attr(func, index, SHARDING), held.says[SHARDING]
    if _differ(mine, theirs, may_be_open=True):
        yield Finding(
            f"result {index} has the sharding {mine} and updates {name!r}, which has {theirs}",
            place,
            "leave the result's out: it takes the argument's",
        )


def _differ(mine: Any, theirs: Any, *, may_be_open: bool) -> bool:
    if mine is None or theirs is None:
        return (mine is None) != (theirs is None) and not may_be_open
    return bool(mine != theirs)


def _text(attribute: Any) -> str:
    return str(attribute.value) if isinstance(attribute, ir.StringAttr) else ""


def _shown(attribute: Any) -> str:
    return "none" if attribute is None else str(attribute)
