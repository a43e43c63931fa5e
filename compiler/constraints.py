"""Pins applied to a module: `dist.sharding` on the arguments and results of its entry points.

Inputs and parameters that no pin matches stay without a sharding: propagation decides. Results
that no pin matches and that carry no sharding yet are pinned replicated: a program returns whole
values unless its user says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from math import prod

from torch_mlir import ir

from distc.compiler.constraint_file import (
    Constraints,
    Pin,
    State,
    Target,
    load_constraints,
    parse_constraints,
)
from distc.compiler.dimension_walk import argument_kind, argument_name
from distc.compiler.module_state import OWNED_KINDS, argument_text
from distc.dialect import stablehlo
from distc.dialect.attrs import (
    SHARDING,
    module_mesh,
    result_attr,
    result_sharding,
    set_arg_attr,
    set_arg_sharding,
    set_module_mesh,
    set_result_sharding,
)
from distc.dialect.mesh import Mesh
from distc.dialect.sharding import DimSharding, Sharding
from distc.dialect.text import parse_sharding
from distc.runtime.errors import ConfigError, DistcError, IllegalSharding
from distc.transforms import make_pass
from distc.transforms.apply_views import apply_view
from distc.transforms.state import pin_updates, updating_results

__all__ = [
    "Constraints",
    "Pin",
    "apply_constraints",
    "load_constraints",
    "parse_constraints",
    "result_name",
]

Aliases = Mapping[str, Sequence[str]]
"""Argument name → other names of the same tensor (tied weights)."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """An argument or a result of an entry point, by the names under which it may be pinned."""

    func: ir.Operation
    index: int
    target: Target
    names: tuple[str, ...]
    shape: tuple[int, ...]
    state: State = State.PARAMETER

    def matches(self, pin: Pin) -> bool:
        """True when the pin's pattern names this slot, or the parameter whose state it is."""
        if self.target is Target.PARAMETER and pin.target is Target.MODULE:
            modules = (m for n in self.names for m in _modules(n))
            return any(fnmatchcase(m, pin.pattern) for m in modules)
        return self.target is pin.target and any(fnmatchcase(n, pin.pattern) for n in self.names)


def apply_constraints(
    module: ir.Module, constraints: Constraints, mesh: Mesh, aliases: Aliases | None = None
) -> None:
    """Set the pinned shardings on all entry points, and views where pins ask for them.

    Raises:
        ConfigError: a pattern matches nothing; an unknown axis; a state the program has not.
        IllegalSharding: a sharding that does not parse or fit (rank, axis used twice, block), a
            view of another number of elements.
    """
    if module_mesh(module) is None:
        set_module_mesh(module, mesh)
    slots = _slots(module, aliases or {})
    parsed = {pin: _parse(pin, mesh) for pin in constraints.pins}
    for pin in constraints.pins:
        _check_matches(pin, parsed[pin], slots)
    for slot in slots:
        held = [p for p in constraints.pins if _holds(p, parsed[p], slot)]
        decided = _deciding(slot, held, parsed)
        if decided is not None:
            _pin_slot(module, slot, decided, _for_state(parsed[decided], decided, slot))
        elif slot.target is Target.OUTPUT and result_sharding(slot.func, slot.index, mesh) is None:
            whole = Sharding.replicated(mesh, len(slot.shape))
            set_result_sharding(slot.func, slot.index, whole)
    for func in {slot.func for slot in slots}:
        pin_updates(func, mesh)
    if any(p.view is not None for p in constraints.pins):
        make_pass("merge-reshapes").run(module)


def _slots(module: ir.Module, aliases: Aliases) -> list[_Slot]:
    slots: list[_Slot] = []
    for func in stablehlo.functions(module):
        if not stablehlo.is_public(func) or not func.regions[0].blocks:
            continue
        for index, argument in enumerate(func.regions[0].blocks[0].arguments):
            if stablehlo.is_tensor(argument):
                name = argument_name(func, index)
                kind = argument_kind(func, index)
                target = Target.INPUT if kind == "input" else Target.PARAMETER
                owner = argument_text(func, index, "dist.parameter") or name
                names = tuple(dict.fromkeys((owner, *aliases.get(owner, ()), name)))
                state = State(kind) if kind in OWNED_KINDS else State.PARAMETER
                slots.append(_Slot(func, index, target, names, stablehlo.shape(argument), state))
        updates = updating_results(func)
        results = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
        for index, kind_ in enumerate(results):
            if index in updates:
                continue  # it lies as the state that it updates
            if isinstance(kind_, ir.RankedTensorType):
                names = (result_name(func, index),)
                slots.append(_Slot(func, index, Target.OUTPUT, names, tuple(kind_.shape)))
    return slots


def result_name(func: ir.Operation, index: int) -> str:
    """Name of a result: its `dist.name`, or `resultN` in a program that names none."""
    name = result_attr(func, index, "dist.name")
    return f"result{index}" if name is None else str(ir.StringAttr(name).value)


def _modules(parameter: str) -> list[str]:
    """Paths of the modules a parameter is in, outermost first."""
    parts = parameter.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def _parse(pin: Pin, mesh: Mesh) -> Sharding:
    try:
        sharding = parse_sharding(pin.sharding, mesh)
    except DistcError as error:
        raise _located(error, pin, "sharding") from None
    if sharding.partial and pin.state is not State.GRADIENT:
        raise IllegalSharding(
            f"{pin} is pinned to the partial value {pin.sharding}",
            where=pin.where("sharding"),
            help="parameters, inputs and outputs are finished values: leave P(…) out; gradients "
            'between micro-batches may be partial: state = "gradient"',
        )
    return sharding


def _located(error: DistcError, pin: Pin, key: str, name: str | None = None) -> DistcError:
    message = error.message if name is None else f"{error.message} ({name})"
    return type(error)(message, where=pin.where(key), help=error.help, code=error.code)


def _fits(pin: Pin, sharding: Sharding, slot: _Slot) -> bool:
    """True unless a module pin meets a parameter with other dimensions than its sharding."""
    if pin.target is not Target.MODULE:
        return True
    if pin.view is not None:
        return prod(pin.view) == prod(slot.shape) and len(pin.view) >= len(slot.shape)
    return len(slot.shape) == sharding.rank


def _holds(pin: Pin, sharding: Sharding, slot: _Slot) -> bool:
    return slot.matches(pin) and _fits(pin, sharding, slot)


def _deciding(slot: _Slot, pins: Sequence[Pin], parsed: Mapping[Pin, Sharding]) -> Pin | None:
    """The last pin on this state; without one, a state lies as its parameter is pinned."""
    if slot.state is State.PARAMETER:
        own = [p for p in pins if p.state is State.PARAMETER]
        return own[-1] if own else None
    fitting = [p for p in pins if _covers(p, parsed[p], slot)]
    own = [p for p in fitting if p.state is slot.state]
    inherited = [p for p in fitting if p.state is State.PARAMETER]
    return next(iter((own or inherited)[-1:]), None)


def _covers(pin: Pin, sharding: Sharding, slot: _Slot) -> bool:
    """True when a pin can hold for this state: a counter of a parameter has other dimensions."""
    if pin.view is not None:
        return prod(pin.view) == prod(slot.shape)
    return sharding.rank == len(slot.shape)


def _for_state(sharding: Sharding, pin: Pin, slot: _Slot) -> Sharding:
    """A parameter's sharding for its state: a factored moment has size one where it was summed."""
    if slot.state is State.PARAMETER:
        return sharding
    whole = DimSharding()
    shape = pin.view or slot.shape
    dims = (whole if n == 1 else d for d, n in zip(sharding.dims, shape, strict=True))
    return Sharding(sharding.mesh, tuple(dims), sharding.partial if pin.state is slot.state else ())


def _check_matches(pin: Pin, sharding: Sharding, slots: Sequence[_Slot]) -> None:
    """Refuse a pin that pins nothing: its pattern, its rank or its state is a mistake."""
    matched = [s for s in slots if s.matches(pin)]
    if not matched:
        raise ConfigError(
            f"{pin} matches nothing in the program",
            where=pin.where(pin.target),
            help=_nearest(pin, slots),
        )
    if not any(_fits(pin, sharding, s) for s in matched):
        shapes = sorted({str(list(s.shape)) for s in matched})
        wanted = f"view {list(pin.view)}" if pin.view is not None else pin.sharding
        raise IllegalSharding(
            f"{wanted} fits no parameter of {pin}; their shapes are {', '.join(shapes[:4])}",
            where=pin.where("view" if pin.view is not None else "sharding"),
            help="a module pin holds for the parameters with as many dimensions as its sharding",
        )
    if pin.state is not State.PARAMETER and not _has_state(pin.state, slots):
        raise ConfigError(
            f"{pin} pins the state {pin.state!r}, the program has none: it only computes outputs",
            where=pin.where("state"),
            help="leave state out to pin the parameter itself",
        )


def _has_state(state: State, slots: Sequence[_Slot]) -> bool:
    return any(
        argument_kind(s.func, s.index) == state for s in slots if s.target is not Target.OUTPUT
    )


def _nearest(pin: Pin, slots: Sequence[_Slot]) -> str:
    """The next step for a pattern without a match: the names that look most like it."""
    target = Target.PARAMETER if pin.target is Target.MODULE else pin.target
    names = [n for s in slots if s.target is target for n in s.names]
    if pin.target is Target.MODULE:
        names = [m for n in names for m in _modules(n)]
    known = list(dict.fromkeys(names))
    if not known:
        return f"the program has no {pin.target}; remove the pin"
    literal = re.sub(r"[*?\[\]!]+", "", pin.pattern)
    close = get_close_matches(literal, known, n=3, cutoff=0.5) or known[:3]
    return f"did you mean {', '.join(close)}? distc inspect lists all {len(known)} names"


def _pin_slot(module: ir.Module, slot: _Slot, pin: Pin, sharding: Sharding) -> None:
    shape = slot.shape if pin.view is None else pin.view
    name = slot.names[0]
    if prod(shape) != prod(slot.shape):
        raise IllegalSharding(
            f"view {list(shape)} holds {prod(shape)} elements, {name} {list(slot.shape)} holds "
            f"{prod(slot.shape)}",
            where=pin.where("view"),
            help="a view is the original shape with dimensions split",
        )
    try:
        normal = sharding.normalize(shape)
    except DistcError as error:
        raise _located(error, pin, "sharding", name) from None
    if slot.target is Target.OUTPUT:
        set_result_sharding(slot.func, slot.index, normal)
        return
    if pin.view is not None:
        _view(module, slot, pin)
    set_arg_sharding(slot.func, slot.index, normal)


def _view(module: ir.Module, slot: _Slot, pin: Pin) -> None:
    """Hold an argument under the pin's view; a sharding it brought along is of its old rank."""
    set_arg_attr(slot.func, slot.index, SHARDING, None)
    try:
        with module.context:
            apply_view(module, slot.func, slot.index, pin.view or ())
    except DistcError as error:
        raise _located(error, pin, "view") from None
