"""Mesh, axes and sub-axes: pure values, no MLIR."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import prod

from distc.runtime.errors import ConfigError
from distc.runtime.layout import AxisSplit

MAX_RANKS = 1 << 16
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SIZE = re.compile(r"[0-9]{1,18}\Z")


class LinkClass(StrEnum):
    """What connects neighbours on an axis."""

    DEVICE = "device"
    NODE = "node"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class MeshAxis:
    """A named axis of a mesh and the class of its links."""

    name: str
    size: int
    link: LinkClass = LinkClass.DEVICE

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise ConfigError(
                f"mesh axis name {self.name!r} is not an identifier",
                help="use letters, digits and _, starting with a letter: data=2,tensor=4",
            )
        if self.size < 1:
            raise ConfigError(
                f"mesh axis {self.name} has size {self.size}, the least is 1",
                help=f"write {self.name}=1 or leave the axis out",
            )


@dataclass(frozen=True, slots=True, order=True)
class AxisRef:
    """A whole axis (`pre` 1, `size` 0) or the part of it written `name:(pre)size`.

    An axis of size n is seen as pre x size x post, most significant first; the sub-axis is the
    middle part (Shardy's sub-axes).
    """

    name: str
    pre: int = 1
    size: int = 0

    def __str__(self) -> str:
        return f"{self.name}:({self.pre}){self.size}" if self.size else self.name


@dataclass(frozen=True)
class Mesh:
    """Named axes, outermost first; rank ids are row-major over them.

    **Invariants:** axis names are unique; at least one axis; at most `MAX_RANKS` ranks.
    """

    axes: tuple[MeshAxis, ...]
    name: str = field(default="mesh")

    def __post_init__(self) -> None:
        names = [a.name for a in self.axes]
        doubled = sorted({n for n in names if names.count(n) > 1})
        if doubled:
            raise ConfigError(
                f"mesh axis {doubled[0]} appears {names.count(doubled[0])} times",
                help="give every axis its own name",
            )
        if not names:
            raise ConfigError("the mesh has no axis", help="write at least one: --mesh data=2")
        ranks = prod(a.size for a in self.axes)
        if ranks > MAX_RANKS:
            raise ConfigError(
                f"the mesh {self} has {ranks} ranks, the most is {MAX_RANKS}",
                help="use as many ranks as there are devices",
            )

    @classmethod
    def of(cls, **sizes: int) -> Mesh:
        """Build a mesh from keyword sizes: `Mesh.of(data=2, tensor=4)`."""
        return cls(tuple(MeshAxis(n, s) for n, s in sizes.items()))

    @classmethod
    def parse(cls, text: str) -> Mesh:
        """Parse `node=2,gpu=4`.

        Raises:
            ConfigError: a part is not `name=size`.
        """
        axes = []
        for part in text.split(","):
            name, equals, size = part.strip().partition("=")
            if not equals or not _SIZE.match(size.strip()):
                raise ConfigError(
                    f"mesh axis {part.strip()!r} is not name=size in {text!r}",
                    help="write axes outermost first: --mesh node=2,gpu=4",
                )
            axes.append(MeshAxis(name.strip(), int(size)))
        return cls(tuple(axes))

    def __str__(self) -> str:
        return ",".join(f"{a.name}={a.size}" for a in self.axes)

    @cached_property
    def size(self) -> int:
        """Number of ranks."""
        return prod(a.size for a in self.axes)

    @cached_property
    def _strides(self) -> dict[str, tuple[int, int]]:
        strides, stride = {}, 1
        for axis in reversed(self.axes):
            strides[axis.name] = (axis.size, stride)
            stride *= axis.size
        return strides

    def axis_size(self, name: str) -> int:
        """Return the size of the axis called `name`.

        Raises:
            ConfigError: the mesh has no such axis.
        """
        if name not in self._strides:
            raise ConfigError(
                f"unknown mesh axis {name!r}; the mesh is {self}",
                help=f"use one of: {', '.join(a.name for a in self.axes)}",
            )
        return self._strides[name][0]

    def ref_size(self, ref: AxisRef) -> int:
        """Return the number of coordinates of an axis or sub-axis."""
        whole = self.axis_size(ref.name)
        return ref.size or whole

    def split(self, ref: AxisRef) -> AxisSplit:
        """Return how a rank's coordinate on `ref` is computed.

        Raises:
            ConfigError: the sub-axis does not divide its axis.
        """
        whole = self.axis_size(ref.name)
        stride = self._strides[ref.name][1]
        if not ref.size:
            return AxisSplit(ref.name, whole, stride)
        if ref.pre < 1 or ref.size < 2 or whole % (ref.pre * ref.size):
            raise ConfigError(
                f"sub-axis {ref} does not divide axis {ref.name} of size {whole}",
                help="pre * size must divide the axis",
            )
        post = whole // (ref.pre * ref.size)
        return AxisSplit(str(ref), ref.size, stride * post)

    def groups(self, refs: tuple[AxisRef, ...]) -> tuple[tuple[int, ...], ...]:
        """Replica groups along `refs`: in each, ranks ordered by the coordinates of `refs`.

        Ranks of a group differ only on `refs`, first one most significant.
        """
        splits = [self.split(r) for r in refs]
        groups: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        for rank in range(self.size):
            coords = tuple(s.coordinate(rank) for s in splits)
            base = rank - sum(c * s.stride for c, s in zip(coords, splits, strict=True))
            groups.setdefault(base, []).append((coords, rank))
        return tuple(tuple(r for _, r in sorted(groups[b])) for b in sorted(groups))

    def canonical(self, refs: tuple[AxisRef, ...]) -> tuple[AxisRef, ...]:
        """Merge neighbouring parts of one axis and drop axes of size one.

        `x:(1)2, x:(2)2` of an axis of size four is `x`.
        """
        merged: list[AxisRef] = []
        for ref in refs:
            if self.ref_size(ref) == 1:
                continue
            if merged and (joined := self._join(merged[-1], ref)) is not None:
                merged[-1] = joined
                continue
            merged.append(self._whole_if_full(ref))
        return tuple(merged)

    def spelled(self, refs: tuple[AxisRef, ...]) -> tuple[AxisRef, ...]:
        """Drop axes of size one and write a part that is the whole axis as the axis."""
        return tuple(self._whole_if_full(r) for r in refs if self.ref_size(r) > 1)

    def _whole_if_full(self, ref: AxisRef) -> AxisRef:
        full = ref.pre == 1 and ref.size == self.axis_size(ref.name)
        return AxisRef(ref.name) if full else ref

    def _join(self, left: AxisRef, right: AxisRef) -> AxisRef | None:
        if left.name != right.name or not left.size or not right.size:
            return None
        if left.pre * left.size != right.pre:
            return None
        return self._whole_if_full(AxisRef(left.name, left.pre, left.size * right.size))

    def overlap(self, a: AxisRef, b: AxisRef) -> bool:
        """Return whether two references use a common part of an axis.

        Parts that do not come from one factorisation have one too: of an axis of size 6, the halves
        `x:(1)2` say something about the coordinate on `x:(3)2`, since 2 does not divide 3.
        """
        if a.name != b.name:
            return False
        whole = self.axis_size(a.name)
        a_lo, a_hi = (a.pre, a.pre * a.size) if a.size else (1, whole)
        b_lo, b_hi = (b.pre, b.pre * b.size) if b.size else (1, whole)
        if a_lo < b_hi and b_lo < a_hi:
            return True
        return bool(b_lo % a_hi if a_hi <= b_lo else a_lo % b_hi)
