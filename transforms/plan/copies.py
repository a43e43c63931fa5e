"""Values that are converted once for several readers: variables of their own.

A value that is read more than once may be read as it was made, each reader converting what it
needs, or be converted once and held. Readers of the forward pass, of the backward pass and of the
update are apart: what the forward pass was given may be kept for the backward pass, or be converted
again there, which takes time and no memory in between (a weight gathered twice: ZeRO-3).

    made    read as it was made; each reader pays for its own conversion
    copy    converted once, before its first reader in the group
    kept    the copy of the forward pass, still held
    again   made by running the op that made it once more, just before it is read
    none    not held: nothing reads it

What one of them costs stands in the pairs (maker, copy) and (forward, backward). Where ops may run
again, what the backward pass reads of the forward pass has a variable of its own, and ops that run
again are readers like others; each op that runs again is a variable, too, which may be absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from distc.dialect.attrs import arg_attr
from distc.dialect.locations import module_path
from distc.dialect.sharding import Sharding
from distc.transforms.dataflow import FunctionGraph


class Pass(StrEnum):
    """The part of a step that an op is in."""

    FORWARD = "forward"
    BACKWARD = "backward"
    UPDATE = "update"


class Source(StrEnum):
    """Where readers find a value."""

    MADE = "made"
    COPY = "copy"
    KEPT = "kept"
    AGAIN = "again"
    NONE = "none"


class Use(NamedTuple):
    """A reader: number of a node and of its operand; `again` where the node runs once more."""

    node: int
    position: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """A way to hold a value for its readers."""

    sharding: Sharding
    source: Source


@dataclass(frozen=True, slots=True)
class UseGroup:
    """Readers that share a copy of a value.

    Attributes:
        value: what they read.
        part: of the step they are in; of both passes together, where each has one reader.
        uses: the readers, in program order.
        keeps: the copy of the forward pass, the variable before, may be kept for them.
        saves: whether the value lies until the backward pass is this group's to say.
        remakes: the op that makes the value may run again for them.
    """

    value: int
    part: Pass
    uses: tuple[Use, ...]
    keeps: bool = False
    saves: bool = False
    remakes: bool = False

    @property
    def may_be_none(self) -> bool:
        """True where all readers may be absent."""
        return all(use.again for use in self.uses)


@dataclass(frozen=True, slots=True)
class CopyVariable:
    """How a value is held for a group of readers."""

    group: UseGroup
    labels: tuple[Held, ...]


class Parts:
    """Which part of a step nodes are in, by their module paths, and who reads values together.

    Args:
        graph: the function.
        repeatable: nodes of the forward pass that may run again in the backward pass.
    """

    def __init__(self, graph: FunctionGraph, repeatable: frozenset[int] = frozenset()) -> None:
        self.graph = graph
        names = (arg_attr(graph.func, a, "dist.name") for a in range(len(graph.arguments)))
        self._state = {str(n.value) for n in names if n is not None}
        self._made_by = {v: i for i, n in enumerate(graph.nodes) for v in n.results}
        self._parts: dict[int, Pass] = {}
        self.runs_at: dict[int, int] = {}
        """Nodes that may run again → the node of the backward pass before which they do.

        The first that reads what they make, or what is made of it again.
        """
        for node in sorted(repeatable, reverse=True):
            self._offer(node)

    def of(self, node: int) -> Pass:
        """Return the part that a node is in; what is done to a parameter alone is its update."""
        if node not in self._parts:
            path = module_path(self.graph.nodes[node].op.location) or ""
            other = Pass.UPDATE if path in self._state else Pass.FORWARD
            self._parts[node] = Pass.BACKWARD if path.endswith(_BACKWARD) else other
        return self._parts[node]

    @property
    def has_backward(self) -> bool:
        """True for a step with a backward pass."""
        return any(self.of(n) is Pass.BACKWARD for n in range(len(self.graph.nodes)))

    def _offer(self, node: int) -> None:
        """Let a node run again if something in the backward pass reads what it makes."""
        found = self.graph.nodes[node]
        if self.of(node) is not Pass.FORWARD:
            return
        readers = [reader for v in found.results for reader, _ in self.graph.uses[v]]
        direct = [r for r in readers if self.of(r) is Pass.BACKWARD]
        points = direct or [self.runs_at[r] for r in readers if r in self.runs_at]
        if points:
            self.runs_at[node] = min(points)

    def point(self, use: Use) -> int:
        """Return the node at which a reader reads."""
        return self.runs_at[use.node] if use.again else use.node

    def groups(self, value: int) -> Iterator[UseGroup]:
        """Yield the groups of readers of a value that may share a copy."""
        found: dict[Pass, list[Use]] = {part: [] for part in Pass}
        for node, position in self.graph.uses[value]:
            # What regions read is no operand of the op that has them.
            if position < len(self.graph.nodes[node].op.operands):
                found[self.of(node)].append(Use(node, position))
            if node in self.runs_at:
                found[Pass.BACKWARD].append(Use(node, position, again=True))
        found[Pass.BACKWARD].sort(key=self.point)
        forward, backward, update = (tuple(found[part]) for part in Pass)
        remakes = self._made_by.get(value, -1) in self.runs_at
        if backward and (remakes or any(use.again for use in backward)):
            if forward:
                yield UseGroup(value, Pass.FORWARD, forward)
            kept = bool(forward)
            yield UseGroup(value, Pass.BACKWARD, backward, kept, saves=True, remakes=remakes)
        elif len(forward) == 1 and len(backward) == 1:
            yield UseGroup(value, Pass.FORWARD, (*forward, *backward))
        elif forward and backward:
            yield UseGroup(value, Pass.FORWARD, forward)
            yield UseGroup(value, Pass.BACKWARD, backward, keeps=True)
        elif len(forward) + len(backward) > 1:
            yield UseGroup(value, Pass.FORWARD if forward else Pass.BACKWARD, forward + backward)
        if len(update) > 1:
            yield UseGroup(value, Pass.UPDATE, update)


_BACKWARD = "#bwd"


def ways_to_hold(
    group: UseGroup, made: Sequence[Sharding], needed: Sequence[Sharding], kept: Sequence[Sharding]
) -> tuple[Held, ...]:
    """Return the labels of a group.

    Args:
        group: the readers.
        made: how the value may be made.
        needed: how a reader may want it.
        kept: how the forward pass may hold a copy.
    """
    # A partial value is passed on or finished: it is not made partial in another way and held.
    # What ops make again is saved as it was made, or not at all.
    whole = [s for s in dict.fromkeys(needed) if not s.partial and not group.remakes]
    ways = dict.fromkeys(made)
    return (
        *(Held(s, Source.MADE) for s in ways),
        *(Held(s, Source.COPY) for s in whole),
        *(Held(s, Source.KEPT) for s in kept if group.keeps and not group.remakes),
        *(Held(s, Source.AGAIN) for s in ways if group.remakes),
        *(Held(s, Source.NONE) for s in made[:1] if group.saves and group.may_be_none),
    )
