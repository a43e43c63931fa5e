"""One mesh for all of a module's Shardy meshes.

Shardy lets every sharding name its own mesh over the same devices; our modules have one. Meshes of
one size and device order are cut at each other's borders: over 8 devices, x=8 and a=2,b=4 are
both read on axes of 2 and 4, where x is the two together.

    borders of a mesh   products of its sizes from the outside: a=2,b=4 has 1, 2, 8
    common axes         between neighbouring borders of all meshes: 1, 2, 8
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from distc.compiler.frontend.sdy_grammar import SdyAxis, SdyMesh, SdySharding
from distc.dialect.mesh import AxisRef, Mesh, MeshAxis
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.errors import DistcError, InputError

_NOT_NAME = re.compile(r"\W")


class CommonMesh:
    """The mesh that stands for several of Shardy's, and their shardings read on it."""

    def __init__(self, meshes: Mapping[str, SdyMesh], name: str, where: str = "") -> None:
        """Find the common axes of `meshes`; maximal and empty ones do not count.

        Raises:
            InputError: the meshes differ in size or device order, or their axes cut each other.
        """
        self.meshes, self.where = dict(meshes), where
        wide = {n: m for n, m in meshes.items() if m.size > 1}
        self.device_ids = self._device_order(wide)
        sizes = {m.size for m in wide.values()} or {1}
        if len(sizes) > 1:
            listed = ", ".join(f"@{n} of {m.size}" for n, m in wide.items())
            raise InputError(
                f"meshes of different sizes are used together: {listed} devices",
                where=where or None,
                help="use one mesh, or meshes over the same devices",
            )
        self._borders = sorted({b for m in wide.values() for b in _borders(m)} | {1, *sizes})
        for low, high in pairwise(self._borders):
            if high % low:
                raise InputError(
                    f"the axes of the meshes {', '.join('@' + n for n in wide)} cut each other: "
                    f"{low} does not divide {high}",
                    where=where or None,
                    help="use meshes whose axes are refinements of each other",
                )
        self.mesh = Mesh(self._axes(wide), name)

    def _device_order(self, wide: Mapping[str, SdyMesh]) -> tuple[int, ...]:
        orders = {m.device_ids or tuple(range(m.size)) for m in wide.values()}
        if len(orders) > 1 and len({m.size for m in wide.values()}) == 1:
            raise InputError(
                f"the meshes {', '.join('@' + n for n in wide)} order their devices differently",
                where=self.where or None,
                help="use one device order in a program",
            )
        order = next(iter(orders), (0,))
        return () if order == tuple(range(len(order))) else order

    def _axes(self, wide: Mapping[str, SdyMesh]) -> tuple[MeshAxis, ...]:
        named: dict[tuple[int, int], str] = {}
        for mesh in wide.values():
            borders = _borders(mesh)
            for (axis, _), span in zip(mesh.axes, pairwise(borders), strict=True):
                named.setdefault(span, axis)
        axes: list[MeshAxis] = []
        for low, high in pairwise(self._borders):
            wanted = _NOT_NAME.sub("_", named.get((low, high), f"axis_{low}_{high}"))
            taken = {a.name for a in axes}
            name = wanted if not wanted[:1].isdigit() and wanted else f"axis_{wanted}"
            while name in taken:
                name += "_"
            axes.append(MeshAxis(name, high // low))
        return tuple(axes) or (MeshAxis("device", 1),)

    def sharding(self, sharding: SdySharding, shape: tuple[int, ...]) -> Sharding | None:
        """Read a sharding of a value of `shape`; None where it leaves everything open.

        A maximal sharding reads as replicated: every rank holds what one device was to hold.

        Raises:
            InputError: another number of dimensions, or an unknown mesh or axis.
        """
        if sharding.says_nothing and sharding.dims:
            return None
        source = self.resolve(sharding)
        if source.size == 1:
            return Sharding.replicated(self.mesh, len(shape))
        if len(sharding.dims) != len(shape):
            raise InputError(
                f"a sharding of {len(sharding.dims)} dimensions on a value of shape {list(shape)}",
                where=self.where or None,
                help="write one {…} per dimension",
            )
        dims = tuple(DimSharding(self.axes(source, d.axes)) for d in sharding.dims)
        partial = tuple((a, Reduction.SUM) for a in self.axes(source, sharding.unreduced))
        try:
            return Sharding(self.mesh, dims, partial).normalize(shape)
        except DistcError as error:
            raise InputError(error.message, where=self.where or None, help=error.help) from None

    def resolve(self, sharding: SdySharding) -> SdyMesh:
        """The mesh a sharding is on.

        Raises:
            InputError: no such mesh.
        """
        if isinstance(sharding.mesh, SdyMesh):
            return sharding.mesh
        if sharding.mesh not in self.meshes:
            raise InputError(
                f"a sharding names the mesh @{sharding.mesh}, which is not declared",
                where=self.where or None,
                help=f"declare sdy.mesh @{sharding.mesh}",
            )
        return self.meshes[sharding.mesh]

    def axes(self, source: SdyMesh, axes: tuple[SdyAxis, ...]) -> tuple[AxisRef, ...]:
        """Axes of one of the meshes as axes of the common one."""
        return self.mesh.canonical(tuple(r for a in axes for r in self._refs(source, a)))

    def _refs(self, source: SdyMesh, axis: SdyAxis) -> list[AxisRef]:
        borders = dict(zip((n for n, _ in source.axes), pairwise(_borders(source)), strict=True))
        if axis.name not in borders:
            raise InputError(
                f"unknown mesh axis {axis.name!r}",
                where=self.where or None,
                help=f"the mesh has {', '.join(borders) or 'no axes'}",
            )
        low, high = borders[axis.name]
        if axis.size:
            if axis.pre < 1 or axis.size < 1 or (high // low) % (axis.pre * axis.size):
                raise InputError(
                    f"sub-axis {axis.name}:({axis.pre}){axis.size} does not divide the axis of "
                    f"size {high // low}",
                    where=self.where or None,
                    help="pre * size must divide the axis",
                )
            low, high = low * axis.pre, low * axis.pre * axis.size
        return self._between(low, high)

    def _between(self, low: int, high: int) -> list[AxisRef]:
        """The common axes, or parts of them, between two borders."""
        found: list[AxisRef] = []
        for axis, (start, end) in zip(self.mesh.axes, pairwise(self._borders), strict=False):
            a, b = max(low, start), min(high, end)
            if a >= b:
                continue
            if a % start or b % a or end % b:
                raise InputError(
                    f"a sub-axis from {low} to {high} cuts axis {axis.name} of the common mesh",
                    where=self.where or None,
                    help="use one mesh in the program",
                )
            whole = (a, b) == (start, end)
            found.append(AxisRef(axis.name) if whole else AxisRef(axis.name, a // start, b // a))
        return found


def _borders(mesh: SdyMesh) -> list[int]:
    borders = [1]
    for _, size in mesh.axes:
        borders.append(borders[-1] * size)
    return borders
