"""Pins that presets write: cut arguments, batches, and one glob for equal layers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from distc.compiler.constraint_file import Pin, Target
from distc.compiler.roles import Cut, Roles
from distc.dialect.mesh import Mesh

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)|\A\d+(?=\.)")


def cut_pin(cut: Cut, shape: tuple[int, ...], axes: Sequence[str], source: str) -> Pin:
    """Pin an argument cut along `axes`, in whole units, under a view where units repeat."""
    view = cut.view(shape) if cut.needs_view else None
    dim = cut.dim + 1 if view else cut.dim
    block = 1 if view else cut.block
    text = sharded_text(len(view or shape), dim, axes, block)
    return Pin(Target.PARAMETER, escaped(cut.argument), text, view, source=source)


def sharded_text(rank: int, dim: int, axes: Sequence[str], block: int = 1) -> str:
    """Return `[R, S(axes)/block, R]` with the cut at `dim`."""
    parts = ["R"] * rank
    parts[dim] = f"S({','.join(axes)})" + (f"/{block}" if block > 1 else "")
    return f"[{', '.join(parts)}]"


def batch_pins(roles: Roles, axes: Sequence[str], source: str) -> list[Pin]:
    """Pin the batch of every input that has one; none where the batch is one or axes are."""
    if not axes or roles.batch_size < 2:
        return []
    return [
        Pin(
            Target.INPUT,
            escaped(name),
            sharded_text(len(roles.shapes[name]), dim, axes),
            source=source,
        )
        for name, dim in roles.batch.items()
    ]


def data_axes(mesh: Mesh) -> tuple[str, ...]:
    """The axis called data where the mesh has one, else all axes."""
    names = tuple(a.name for a in mesh.axes)
    return ("data",) if "data" in names else names


def escaped(name: str) -> str:
    """Return the glob that matches exactly `name`."""
    return re.sub(r"([*?\[])", r"[\1]", name)


def folded(pins: Iterable[Pin], names: Sequence[str]) -> tuple[Pin, ...]:
    """Replace equal pins of numbered layers by one glob, where it matches no other name.

    `h.0.attn.weight` and `h.1.attn.weight` become `h.*.attn.weight` when both are pinned alike and
    the glob matches only them, else `h.[0-9].attn.weight` under the same condition.
    """
    pins = tuple(pins)
    by_name = {p.pattern: p for p in pins if p.target is Target.PARAMETER}
    return tuple(dict.fromkeys(_fold(pin, by_name, names) for pin in pins))


def _fold(pin: Pin, by_name: Mapping[str, Pin], names: Sequence[str]) -> Pin:
    if pin.target is not Target.PARAMETER:
        return pin
    globs = _NUMBER.sub("*", pin.pattern), _NUMBER.sub(_digits, pin.pattern)
    for glob in globs:
        matched = [n for n in names if fnmatchcase(n, glob)]
        if len(matched) > 1 and all(_same(by_name.get(escaped(n)), pin) for n in matched):
            return replace(pin, pattern=glob)
    return pin


def _digits(number: re.Match[str]) -> str:
    return "[0-9]" * len(number.group())


def _same(other: Pin | None, pin: Pin) -> bool:
    return other is not None and replace(other, pattern=pin.pattern) == pin
