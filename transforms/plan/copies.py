"""Values that are converted once for several readers: variables of their own.

A value that is read more than once may be read as it was made, each reader converting what it
needs, or be converted once and held. Readers of the forward pass, of the backward pass and of the
update are apart: what the forward pass was given may be kept for the backward pass, or be converted
again there, which takes time and no memory in between (a weight gathered twice: ZeRO-3).

    made    read as it was made; each reader pays for its own conversion
    copy    converted once, before its first reader in the group
    kept    the copy of the forward pass, still held

What one of them costs stands in the pairs (maker, copy) and (forward, backward).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


Use = tuple[int, int]
"""Number of a node and of its operand."""


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
        keeps: the copy of the forward pass may be kept for them.
    """

    value: int
    part: Pass
    uses: tuple[Use, ...]
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class CopyVariable:
    """How a value is held for a group of readers."""

    group: UseGroup
    labels: tuple[Held, ...]


class Parts:
    """Tells which part of a step the nodes of a function are in, by their module paths."""

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        names = (arg_attr(graph.func, a, "dist.name") for a in range(len(graph.arguments)))
        self._state = {str(n.value) for n in names if n is not None}

    def of(self, node: int) -> Pass:
        """Return the part that a node is in; what is done to a parameter alone is its update."""
        path = module_path(self.graph.nodes[node].op.location) or ""
        if path.endswith(_BACKWARD):
            return Pass.BACKWARD
        return Pass.UPDATE if path in self._state else Pass.FORWARD

    def groups(self, value: int) -> Iterator[UseGroup]:
        """Yield the groups of readers of a value that may share a copy."""
        found: dict[Pass, list[Use]] = {part: [] for part in Pass}
        for node, position in self.graph.uses[value]:
            # What regions read is no operand of the op that has them.
            if position < len(self.graph.nodes[node].op.operands):
                found[self.of(node)].append((node, position))
        forward, backward, update = (tuple(found[part]) for part in Pass)
        if len(forward) == 1 and len(backward) == 1:
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
    whole = [s for s in dict.fromkeys(needed) if not s.partial]
    return (
        *(Held(s, Source.MADE) for s in dict.fromkeys(made)),
        *(Held(s, Source.COPY) for s in whole),
        *(Held(s, Source.KEPT) for s in kept if group.keeps),
    )
