"""Classes of steps: what a proof is about, with everything left out that it does not need.

Left out are names, the dimensions and partial axes that a step has nothing to do with, and the
levels above the step: where `before` and `after` cut a dimension by the same leading axes in the
same blocks, the ranks of a group hold the same box above, of some length L, and the step only sees
what lies below. So L is any length:

    all_gather of the last of any number of axes, of size p: one class (all_gather, p, block)

Where that does not hold (several axes at once, parts of axes, blocks that change) a class knows a
divisor D of the length, L = D * k for any k; an exact class knows the length itself, k = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import gcd, lcm, prod

from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.solver.collective_cost import StepKind
from distc.solver.step import Step, permutation


@dataclass(frozen=True, slots=True)
class Digit:
    """A mesh axis or a part of one: the coordinate is `rank[axis] // post % size`."""

    axis: int
    post: int
    size: int


@dataclass(frozen=True, slots=True)
class Cut:
    """How a dimension is cut: digits outermost first, in whole blocks of `block` elements."""

    digits: tuple[Digit, ...] = ()
    block: int = 1


class Role(StrEnum):
    """What a step does to a dimension."""

    KEPT = "kept"
    JOINED = "joined"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class DimClass:
    """One dimension of a step.

    Attributes:
        role: what the step does to it.
        before, after: how it is cut.
        pieces: the cut whose last level are the pieces that the collective joins or splits.
        divisor: of the length above these cuts; in an exact class the length.
    """

    role: Role
    before: Cut
    after: Cut
    pieces: Cut
    divisor: int


Partials = tuple[tuple[Digit, Reduction], ...]


@dataclass(frozen=True, slots=True)
class StepClass:
    """Steps that one proof covers.

    Attributes:
        kind: of the collective.
        axes: sizes of the mesh axes that take part.
        group: the digits in which the ranks of a replica group differ, first one most significant.
        dims: the dimensions that take part.
        partial_before, partial_after: the partial digits that take part, with their kinds.
        reduction: how the collective combines.
        pairs: (from, to) ranks of a permutation.
        is_exact: lengths are the divisors themselves, not any multiples of them.
    """

    kind: StepKind
    axes: tuple[int, ...]
    group: tuple[Digit, ...]
    dims: tuple[DimClass, ...]
    partial_before: Partials = ()
    partial_after: Partials = ()
    reduction: Reduction | None = None
    pairs: tuple[tuple[int, int], ...] = ()
    is_exact: bool = False

    @property
    def members(self) -> int:
        """Ranks of a replica group."""
        return prod(d.size for d in self.group)


@dataclass(frozen=True, slots=True)
class SplitClass:
    """One ceil split of any length into `parts`: the lemma on which all layouts rest."""

    parts: int


Class = StepClass | SplitClass
"""What a proof may be about."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The class of a step, and which mesh axes and dimensions of the step it speaks of."""

    step_class: StepClass
    axes: tuple[str, ...]
    dims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Refs:
    """A cut by axes of the mesh."""

    axes: tuple[AxisRef, ...] = ()
    block: int = 1

    @classmethod
    def of(cls, dim: DimSharding) -> _Refs:
        return cls(dim.axes, dim.block)


@dataclass(frozen=True, slots=True)
class _Dim:
    """A dimension before names are left out."""

    index: int
    role: Role
    before: _Refs
    after: _Refs
    pieces: _Refs

    @property
    def cuts(self) -> tuple[_Refs, ...]:
        """All ways in which a step sees the dimension cut."""
        ends = (self.before, self.after)
        return ends if self.role is Role.KEPT else (*ends, self.pieces)


def classify(
    step: Step, before: Sharding, shape: tuple[int, ...], *, exact: bool = False
) -> Classified:
    """Return the class of a step.

    Args:
        step: the collective and what it leaves.
        before: how the value lies before.
        shape: global, no dimension empty.
        exact: keep all levels and the sizes of `shape`.
    """
    return _Classifier(step, before.normalize(shape), shape, exact).run()


class _Classifier:
    def __init__(self, step: Step, before: Sharding, shape: tuple[int, ...], exact: bool) -> None:
        self.step, self.before, self.shape, self.exact = step, before, shape, exact
        self.after = step.sharding.normalize(shape)
        self.mesh: Mesh = before.mesh
        self.ranks_are_named = step.kind is StepKind.PERMUTE

    def run(self) -> Classified:
        dims = [d for d in map(self._dim, range(len(self.shape))) if self._takes_part(d)]
        partial_before, partial_after = self._partials()
        shared = [0 if self.exact or self.ranks_are_named else self._shared(d) for d in dims]
        names = self._names(dims, shared, (*partial_before, *partial_after))
        place = {name: i for i, name in enumerate(names)}

        def digits(refs: Sequence[AxisRef]) -> tuple[Digit, ...]:
            return tuple(self._digit(ref, place[ref.name]) for ref in refs)

        def below(cut: _Refs, above: int) -> Cut:
            axes = cut.axes[above:]
            return Cut(digits(axes), cut.block) if axes else Cut()

        classes = tuple(
            DimClass(
                dim.role,
                below(dim.before, above),
                below(dim.after, above),
                below(dim.pieces, above),
                self.shape[dim.index] if self.exact else self._divisor(dim, above),
            )
            for dim, above in zip(dims, shared, strict=True)
        )
        pairs = permutation(self.before, self.after, self.shape) if self.ranks_are_named else ()
        step_class = StepClass(
            self.step.kind,
            tuple(self.mesh.axis_size(name) for name in names),
            () if self.ranks_are_named else digits(self.step.axes),
            classes,
            tuple((*digits((ref,)), kind) for ref, kind in partial_before),  # type: ignore[misc]
            tuple((*digits((ref,)), kind) for ref, kind in partial_after),  # type: ignore[misc]
            self.step.reduction,
            pairs or (),
            self.exact,
        )
        return Classified(step_class, names, tuple(d.index for d in dims))

    def _dim(self, index: int) -> _Dim:
        before, after = _Refs.of(self.before.dims[index]), _Refs.of(self.after.dims[index])
        if self.ranks_are_named:
            return _Dim(index, Role.KEPT, before, after, _Refs())
        if index == self.step.source_dim:
            pieces = _Refs(after.axes + self.step.axes, before.block)
            return _Dim(index, Role.JOINED, before, after, pieces)
        if index == self.step.target_dim:
            pieces = _Refs(before.axes + self.step.axes, after.block)
            return _Dim(index, Role.SPLIT, before, after, pieces)
        return _Dim(index, Role.KEPT, before, after, _Refs())

    def _takes_part(self, dim: _Dim) -> bool:
        """Whether a dimension is worked on, is cut differently afterwards, or differs in a group.

        Any other one has the same box on all ranks of a group, and every slot keeps its index.
        """
        if dim.role is not Role.KEPT or dim.before != dim.after:
            return True
        return any(self.ranks_are_named or self._moves(ref) for ref in dim.before.axes)

    def _moves(self, ref: AxisRef) -> bool:
        return any(self.mesh.overlap(ref, axis) for axis in self.step.axes)

    def _partials(self) -> tuple[list[tuple[AxisRef, Reduction]], ...]:
        """Partial axes that appear, disappear, or in which the ranks of a group differ."""
        both = set(self.before.partial) & set(self.after.partial)
        if self.ranks_are_named:
            return list(self.before.partial), list(self.after.partial)
        return tuple(
            [item for item in side if item not in both or self._moves(item[0])]
            for side in (self.before.partial, self.after.partial)
        )

    def _shared(self, dim: _Dim) -> int:
        """Number of leading axes that cut a dimension alike wherever a step sees it."""
        if len({cut.block for cut in dim.cuts}) > 1:
            return 0
        count = 0
        for axes in zip(*(cut.axes for cut in dim.cuts), strict=False):
            if len(set(axes)) > 1 or self._moves(axes[0]):
                break
            count += 1
        return count

    def _names(
        self,
        dims: Sequence[_Dim],
        shared: Sequence[int],
        partials: Sequence[tuple[AxisRef, Reduction]],
    ) -> tuple[str, ...]:
        if self.ranks_are_named:
            return tuple(a.name for a in self.mesh.axes)
        used = {ref.name for ref in self.step.axes} | {ref.name for ref, _ in partials}
        for dim, above in zip(dims, shared, strict=True):
            used |= {ref.name for cut in dim.cuts for ref in cut.axes[above:]}
        return tuple(a.name for a in self.mesh.axes if a.name in used)

    def _digit(self, ref: AxisRef, axis: int) -> Digit:
        whole = self.mesh.axis_size(ref.name)
        size = self.mesh.ref_size(ref)
        return Digit(axis, whole // (ref.pre * size), size)

    def _divisor(self, dim: _Dim, above: int) -> int:
        """What divides the length above the cuts that are left, and is worth knowing."""
        size = self.shape[dim.index]
        left = [_Refs(cut.axes[above:], cut.block) for cut in dim.cuts if cut.axes[above:]]
        blocks = {cut.block for cut in left}
        if len(blocks) == 1 and all(len(cut.axes) == 1 for cut in left):
            return blocks.pop()
        if above:
            outer = prod(self.mesh.ref_size(ref) for ref in dim.before.axes[:above])
            if size % (outer * dim.before.block):
                return dim.before.block
            size //= outer
        return gcd(size, lcm(*(self._grain(cut) for cut in left)))

    def _grain(self, cut: _Refs) -> int:
        return cut.block * prod(self.mesh.ref_size(ref) for ref in cut.axes)
