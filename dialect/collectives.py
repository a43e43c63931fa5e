"""What each single collective may change: the legality of one step between two shardings.

A step is judged by the shardings alone, on one mesh and one global shape:

    all_gather          last axes leave dimensions
    all_slice           further axes go on dimensions
    all_reduce          partial axes are completed
    reduce_scatter      partial axes are completed and go on dimensions
    all_to_all          last axes leave some dimensions and go on others
    collective_permute  equal local shapes, other ranks
    to_partial          replicated axes become partial

An axis may leave or join a dimension only where the split before it stays in place, that is
where the shorter split is exactly an outer level of the longer one (uneven dimensions split
level by level; see `runtime.layout`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.layout import DimLayout

Atoms = tuple[AxisRef, ...]


def step_error(name: str, source: Sharding, target: Sharding, shape: tuple[int, ...]) -> str | None:
    """Return why op `dist.<name>` cannot lead from `source` to `target`, None where it can."""
    step = _Step(source.normalize(shape), target.normalize(shape), shape)
    reason = _RULES[name](step)
    return f"dist.{name} cannot lead from {source} to {target}: {reason}" if reason else None


class _Step:
    """Two shardings of one value, split into the axis parts ("atoms") that both speak of."""

    def __init__(self, source: Sharding, target: Sharding, shape: tuple[int, ...]) -> None:
        self.source, self.target, self.shape = source, target, shape
        self.mesh: Mesh = source.mesh
        self._cuts = _cut_points(self.mesh, source.used_axes + target.used_axes)
        self.left: list[AxisRef] = []
        self.joined: list[AxisRef] = []
        self.misplaced: list[int] = []
        for dim in range(len(shape)):
            self._compare(dim)
        before, after = self._partial(self.source), self._partial(self.target)
        self.completed = tuple(p for p in before if p not in after)
        self.opened = tuple(p for p in after if p not in before)

    def _atoms(self, refs: Atoms) -> Atoms:
        return tuple(a for ref in refs for a in _refine(self.mesh, ref, self._cuts))

    def _partial(self, sharding: Sharding) -> tuple[tuple[AxisRef, Reduction], ...]:
        return tuple((a, k) for ref, k in sharding.partial for a in self._atoms((ref,)))

    def _compare(self, dim: int) -> None:
        old, new = self.source.dims[dim], self.target.dims[dim]
        before, after = self._atoms(old.axes), self._atoms(new.axes)
        common = min(len(before), len(after))
        if before[:common] != after[:common]:
            self.misplaced.append(dim)
            return
        self.left += before[common:]
        self.joined += after[common:]
        if not _nests(self.mesh, self.shape[dim], old, new):
            self.misplaced.append(dim)


def _cut_points(mesh: Mesh, refs: Atoms) -> dict[str, set[int]]:
    cuts: dict[str, set[int]] = {}
    for ref in refs:
        low, high = _span(mesh, ref)
        cuts.setdefault(ref.name, set()).update((low, high))
    return cuts


def _span(mesh: Mesh, ref: AxisRef) -> tuple[int, int]:
    return ref.pre, ref.pre * mesh.ref_size(ref)


def _refine(mesh: Mesh, ref: AxisRef, cuts: dict[str, set[int]]) -> Atoms:
    low, high = _span(mesh, ref)
    points = sorted(c for c in cuts[ref.name] if low <= c <= high)
    if len(points) < 2 or any(b % a for a, b in pairwise(points)):
        return (ref,)
    parts = (AxisRef(ref.name, a, b // a) for a, b in pairwise(points))
    return tuple(r for part in parts for r in mesh.canonical((part,)))


def _layout(mesh: Mesh, size: int, dim: DimSharding) -> DimLayout:
    return DimLayout(size, tuple(mesh.split(a) for a in dim.axes), dim.block)


def _nests(mesh: Mesh, size: int, old: DimSharding, new: DimSharding) -> bool:
    """True where one split is an outer level of the other, on every rank."""
    if old == new:
        return True
    first, second = _layout(mesh, size, old), _layout(mesh, size, new)
    if first.is_even and second.is_even:
        return True
    short, long = sorted((first, second), key=lambda d: len(d.splits))
    if long.splits[: len(short.splits)] != short.splits:
        return False
    level = len(short.splits)
    return all(long.level_extents(r)[level] == short.extent(r) for r in range(mesh.size))


def _names(refs: list[AxisRef]) -> str:
    return ", ".join(map(str, refs))


def _in_place(step: _Step) -> str | None:
    if not step.misplaced:
        return None
    dim = step.misplaced[0]
    return f"the outer split of dimension {dim} of size {step.shape[dim]} moves"


def _partial_kept(step: _Step) -> str | None:
    if step.completed or step.opened:
        refs = [a for a, _ in step.completed + step.opened]
        return f"{_names(refs)} changes between partial and not"
    return None


def _dims_kept(step: _Step) -> str | None:
    if step.left or step.joined or step.misplaced:
        return "the dimensions are cut differently"
    return None


def _all_gather(step: _Step) -> str | None:
    if step.joined:
        return f"{_names(step.joined)} joins a dimension"
    if not step.left:
        return "no axis leaves a dimension"
    return _in_place(step) or _partial_kept(step)


def _all_slice(step: _Step) -> str | None:
    if step.left:
        return f"{_names(step.left)} leaves a dimension"
    if not step.joined:
        return "no axis joins a dimension"
    return _in_place(step) or _partial_kept(step)


def _all_reduce(step: _Step) -> str | None:
    if step.opened:
        return f"{_names([a for a, _ in step.opened])} becomes partial"
    if not step.completed:
        return "no partial axis is completed"
    return _dims_kept(step)


def _reduce_scatter(step: _Step) -> str | None:
    if step.opened:
        return f"{_names([a for a, _ in step.opened])} becomes partial"
    if step.left:
        return f"{_names(step.left)} leaves a dimension"
    completed = [a for a, _ in step.completed]
    if not completed or Counter(completed) != Counter(step.joined):
        return (
            f"the completed axes are [{_names(completed)}], "
            f"those that join a dimension [{_names(step.joined)}]"
        )
    return _in_place(step)


def _all_to_all(step: _Step) -> str | None:
    if not step.left or Counter(step.left) != Counter(step.joined):
        return (
            f"the axes that leave a dimension are [{_names(step.left)}], "
            f"those that join one [{_names(step.joined)}]"
        )
    return _in_place(step) or _partial_kept(step)


def _collective_permute(step: _Step) -> str | None:
    before = step.source.local_shape(step.shape)
    after = step.target.local_shape(step.shape)
    if before != after:
        return f"local shapes {list(before)} and {list(after)} differ"
    if _partial_sizes(step.source) != _partial_sizes(step.target):
        return "the number of parts of the partial value changes"
    return None


def _partial_sizes(sharding: Sharding) -> dict[Reduction, int]:
    sizes: dict[Reduction, int] = {}
    for ref, kind in sharding.partial:
        sizes[kind] = sizes.get(kind, 1) * sharding.mesh.ref_size(ref)
    return sizes


def _to_partial(step: _Step) -> str | None:
    if step.completed:
        return f"{_names([a for a, _ in step.completed])} is completed"
    if not step.opened:
        return "no axis becomes partial"
    return _dims_kept(step)


_RULES: dict[str, Callable[[_Step], str | None]] = {
    "all_gather": _all_gather,
    "all_reduce": _all_reduce,
    "all_slice": _all_slice,
    "all_to_all": _all_to_all,
    "collective_permute": _collective_permute,
    "reduce_scatter": _reduce_scatter,
    "to_partial": _to_partial,
}

COLLECTIVES = frozenset(_RULES)
