"""Which dimensions of a program belong together: arguments' dimensions followed through the IR.

Every dimension of every argument is a root. Walking the ops in program order, each value's
dimensions are written as pieces of roots (`distc.compiler.pieces`), by the same factor rules that
propagation uses. Where an op needs two pieces cut alike they are linked; where it needs the whole
of a piece, the piece is marked. Nothing here looks at a name or at one model's shape.

The result, `DimensionFlow`, holds *classes*: sets of argument dimensions that are cut together or
not at all, with the number of equal units every view of them agrees on (heads, groups, columns).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd

Node = tuple[int, int]
"""(root, outer): the pieces of a root that start after `outer` major positions."""


@dataclass(frozen=True, slots=True)
class Root:
    """Dimension `dim` of the argument called `argument`; `state` is False for an input."""

    argument: str
    dim: int
    size: int
    state: bool


@dataclass(frozen=True, slots=True)
class Linear:
    """A contraction of an activation with state.

    Attributes:
        order: position in the program.
        is_convolution: a convolution, else a dot_general.
        inputs: roots of the state that are contracted.
        outputs: roots of the state that the result keeps.
    """

    order: int
    is_convolution: bool
    inputs: frozenset[int]
    outputs: frozenset[int]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A table read by rows: the nodes of its row dimension; `by_input` if an input says which."""

    nodes: tuple[Node, ...]
    by_input: bool


@dataclass(frozen=True, slots=True)
class Heads:
    """An attention: heads, key/value groups, and the roots of queries, keys and values."""

    heads: int
    groups: int
    query: frozenset[int]
    key: frozenset[int]
    value: frozenset[int]


@dataclass(frozen=True, slots=True)
class DimClass:
    """Argument dimensions that are cut together.

    Attributes:
        nodes: the pieces of roots in it.
        units: the largest number of equal parts that every view of every member agrees on.
        whole: an op needs all of it on one rank.
        joined: an add joins two activations along it (a residual connection).
        returned: an output has it.
    """

    nodes: frozenset[Node]
    units: int
    whole: bool
    joined: bool
    returned: bool


@dataclass(slots=True)
class DimensionFlow:
    """What the walk collected; `classes` evaluates it."""

    roots: list[Root] = field(default_factory=list)
    linears: list[Linear] = field(default_factory=list)
    lookups: list[Lookup] = field(default_factory=list)
    attentions: list[Heads] = field(default_factory=list)
    _index: dict[tuple[str, int], int] = field(default_factory=dict)
    _units: dict[Node, int] = field(default_factory=dict)
    _links: dict[int, list[tuple[int, int, int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _whole: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    _joined: set[Node] = field(default_factory=set)
    _returned: set[Node] = field(default_factory=set)

    def root(self, argument: str, dim: int, size: int, *, state: bool) -> int:
        """Return the root of an argument's dimension; entry points share roots by name."""
        key = (argument, dim)
        if key not in self._index:
            self._index[key] = len(self.roots)
            self.roots.append(Root(argument, dim, size, state))
        return self._index[key]

    def see(self, root: int, outer: int, size: int) -> None:
        """Record that a view has the piece (root, outer) with `size` positions."""
        node = (root, outer)
        self._units[node] = gcd(self._units.get(node, 0), size)

    def link(self, a: Node, b: Node, size: int) -> None:
        """Record that two pieces of `size` positions are cut alike."""
        if a == b:
            return
        self._links[a[0]].append((a[1], *b, size))
        self._links[b[0]].append((b[1], *a, size))

    def keep_whole(self, root: int, outer: int, size: int) -> None:
        """Record that an op needs all `size` positions of a piece."""
        self._whole[root].append((outer, outer * size))

    def join(self, node: Node) -> None:
        """Record that an add joins two activations along the node."""
        self._joined.add(node)

    def return_(self, node: Node) -> None:
        """Record that an output has the node."""
        self._returned.add(node)

    def classes(self) -> list[DimClass]:
        """Return all classes, in the order their first root was met."""
        found: list[DimClass] = []
        done: set[Node] = set()
        for start in sorted(self._units):
            if start in done:
                continue
            nodes, units = self._reach(start)
            done |= nodes
            found.append(
                DimClass(
                    frozenset(nodes),
                    units,
                    whole=any(self._is_whole(n) for n in nodes),
                    joined=bool(nodes & self._joined),
                    returned=bool(nodes & self._returned),
                )
            )
        return found

    def _reach(self, start: Node) -> tuple[set[Node], int]:
        """Nodes linked to `start`, and the units they agree on.

        A link between pieces of `size` positions also links every part of them: with (a, 1) and
        (b, 3) of size 9, the parts after three positions are (a, 3) and (b, 9), of size 3.
        """
        nodes, units = {start}, 0
        queue = deque([start])
        while queue:
            root, outer = queue.popleft()
            units = gcd(units, self._units.get((root, outer), 0))
            for first, other, other_first, size in self._links[root]:
                skipped, rest = divmod(outer, first)
                if rest or not 1 <= skipped < size or size % skipped:
                    continue
                units = gcd(units, size // skipped)
                node = (other, other_first * skipped)
                if node not in nodes:
                    nodes.add(node)
                    queue.append(node)
        return nodes, units

    def _is_whole(self, node: Node) -> bool:
        root, outer = node
        return any(low <= outer < high for low, high in self._whole[root])


def by_node(classes: Iterable[DimClass]) -> Mapping[Node, DimClass]:
    """Return the class of every node."""
    return {node: found for found in classes for node in found.nodes}
