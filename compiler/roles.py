"""What every argument is for: tables, column and row of a linear pair, attention, channels, batch.

Roles are read off the classes of `distc.compiler.dimension_flow`:

    pair       a class that some linear layers make and others contract: the first are columns
               (cut on what they make), the others rows (cut on what they contract), and biases,
               norm parameters and statistics along it follow
    head       a class that a linear layer makes and an output returns, or the loss takes
    embedding  a table read by rows that an input chooses
    batch      a leading dimension of an input that reaches an output untouched

A pair may be cut in `units`: columns of a plain MLP, whole key/value groups of an attention.
Pairs do not share arguments; where two would, the one without a residual connection is kept, then
the one met first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from torch_mlir import ir

from distc.compiler.dimension_flow import (
    DimClass,
    DimensionFlow,
    Linear,
    Node,
    by_node,
)
from distc.compiler.dimension_walk import (
    argument_kind,
    argument_name,
    dimension_flow,
    telling_entries,
)
from distc.dialect import stablehlo

MODEL_KINDS = ("parameter", "buffer", "constant")
"""Kinds of arguments that a model brings along; state of an optimizer follows its parameter."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an argument is cut: dimension `dim` of `size` = outer x units x block."""

    argument: str
    dim: int
    size: int
    outer: int
    units: int

    @property
    def block(self) -> int:
        """Elements of one unit."""
        return self.size // (self.outer * self.units)

    @property
    def needs_view(self) -> bool:
        """True where the units repeat inside the dimension, as in a fused q/k/v weight."""
        return self.outer > 1

    def view(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return `shape` with the dimension written as outer, units and block."""
        inner = (self.block,) if self.block > 1 else ()
        return (*shape[: self.dim], self.outer, self.units, *inner, *shape[self.dim + 1 :])


class PairKind(StrEnum):
    """What stands between the columns and the rows of a pair."""

    LINEAR = "linear"
    ATTENTION = "attention"
    CONVOLUTION = "convolution"


@dataclass(frozen=True, slots=True)
class Attention:
    """Heads, key/value groups, and the columns that make queries, keys and values."""

    heads: int
    groups: int
    query: tuple[str, ...]
    key: tuple[str, ...]
    value: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Columns whose result reaches the contraction of rows with nothing in between that needs it
    whole; `followers` are the biases, norm parameters and statistics along it.
    """

    kind: PairKind
    units: int
    columns: tuple[Cut, ...]
    rows: tuple[Cut, ...]
    followers: tuple[Cut, ...] = ()
    attention: Attention | None = None

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """All arguments of the pair."""
        return self.columns + self.rows + self.followers


@dataclass(frozen=True, slots=True)
class Head:
    """A linear layer whose result is returned: a language model's or a classifier's head."""

    units: int
    columns: tuple[Cut, ...]
    followers: tuple[Cut, ...] = ()

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """All arguments of the head."""
        return self.columns + self.followers


@dataclass(frozen=True, slots=True)
class Embedding:
    """A table [rows, width]; `by_input` if an input chooses the rows (a vocabulary, not
    positions); `is_head` if its rows also make the output (tied weights).
    """

    argument: str
    rows: int
    by_input: bool
    is_head: bool


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of a module's arguments.

    Attributes:
        shapes: every argument's shape, state and inputs.
        state: names of parameters, buffers and constants, in argument order.
        batch: per input, its batch dimension (always 0); inputs without one are absent.
        batch_size: the common batch size, 0 where no input has one.
    """

    shapes: Mapping[str, tuple[int, ...]]
    state: tuple[str, ...]
    embeddings: tuple[Embedding, ...]
    pairs: tuple[Pair, ...]
    heads: tuple[Head, ...]
    batch: Mapping[str, int]
    batch_size: int


def module_roles(module: ir.Module) -> Roles:
    """Return the roles of the arguments of all entry points of a module."""
    flow = dimension_flow(module)
    shapes, state = _arguments(module)
    finder = _Finder(flow, is_loss=_is_loss(module))
    pairs = finder.pairs()
    taken = {c.argument for p in pairs for c in p.cuts}
    heads = finder.heads(taken)
    batch, batch_size = finder.batch(shapes, state)
    return Roles(shapes, state, finder.embeddings(shapes), pairs, heads, batch, batch_size)


def _is_loss(module: ir.Module) -> bool:
    """True when the entry points that tell roles return numbers only."""
    types = [
        result
        for func in telling_entries(module)
        for result in ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
    ]
    return bool(types) and all(ir.RankedTensorType(t).rank == 0 for t in types)


def _arguments(module: ir.Module) -> tuple[dict[str, tuple[int, ...]], tuple[str, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    state: dict[str, None] = {}
    for func in stablehlo.functions(module):
        if not stablehlo.is_public(func) or not func.regions[0].blocks:
            continue
        for index, argument in enumerate(func.regions[0].blocks[0].arguments):
            name, kind = argument_name(func, index), argument_kind(func, index)
            if kind not in (*MODEL_KINDS, "input"):
                continue
            if stablehlo.is_tensor(argument):
                shapes[name] = stablehlo.shape(argument)
            if kind != "input":
                state[name] = None
    return shapes, tuple(state)


class _Finder:
    def __init__(self, flow: DimensionFlow, *, is_loss: bool) -> None:
        self.flow = flow
        self.is_loss = is_loss
        self.classes = flow.classes()
        self.class_of = by_node(self.classes)

    def _cuts(self, found: DimClass, roots: Iterable[int] | None = None) -> tuple[Cut, ...]:
        """Members of a class that are state, of the given roots or of all."""
        wanted = None if roots is None else set(roots)
        cuts = []
        for root, outer in sorted(found.nodes):
            fact = self.flow.roots[root]
            if fact.state and (wanted is None or root in wanted):
                cuts.append(Cut(fact.argument, fact.dim, fact.size, outer, found.units))
        return tuple(cuts)

    def _linears(self, found: DimClass, *, made: bool) -> list[Linear]:
        roots = {r for r, _ in found.nodes}
        return [x for x in self.flow.linears if roots & (x.outputs if made else x.inputs)]

    def _is_plain(self, found: DimClass) -> bool:
        """True when the class can be cut: no op needs it whole, no argument is in it twice."""
        arguments = [c.argument for c in self._cuts(found)]
        return not found.whole and found.units > 1 and len(arguments) == len(set(arguments))

    def pairs(self) -> tuple[Pair, ...]:
        candidates = []
        for found in self.classes:
            columns, rows = self._linears(found, made=True), self._linears(found, made=False)
            if columns and rows and self._is_plain(found):
                outer = max(o for _, o in found.nodes)
                rank = (found.joined, min(x.order for x in columns), outer)
                candidates.append((rank, found, columns, rows))
        chosen: list[tuple[int, Pair]] = []
        taken: set[str] = set()
        for rank, found, columns, rows in sorted(candidates, key=lambda c: c[0]):
            pair = self._pair(found, columns, rows)
            arguments = {c.argument for c in pair.cuts}
            if not arguments & taken:
                taken |= arguments
                chosen.append((rank[1], pair))
        return tuple(pair for _, pair in sorted(chosen, key=lambda c: c[0]))

    def _pair(self, found: DimClass, columns: list[Linear], rows: list[Linear]) -> Pair:
        made = {r for x in columns for r in x.outputs}
        used = {r for x in rows for r in x.inputs}
        attention = self._attention(found)
        convolution = all(x.is_convolution for x in columns)
        kind = PairKind.CONVOLUTION if convolution else PairKind.LINEAR
        others = {r for r, _ in found.nodes} - made - used
        return Pair(
            PairKind.ATTENTION if attention else kind,
            found.units,
            self._cuts(found, made),
            self._cuts(found, used),
            self._cuts(found, others),
            attention,
        )

    def _attention(self, found: DimClass) -> Attention | None:
        roots = {r for r, _ in found.nodes}
        fact = next((a for a in self.flow.attentions if a.query & roots), None)
        if fact is None:
            return None

        def names(side: frozenset[int]) -> tuple[str, ...]:
            return tuple(self.flow.roots[r].argument for r in sorted(side))

        query, key, value = names(fact.query), names(fact.key), names(fact.value)
        return Attention(fact.heads, fact.groups, query, key, value)

    def _ends(self, found: DimClass, columns: list[Linear]) -> bool:
        """True when an output returns the class, or a loss takes it from the last linear layer."""
        if found.returned:
            return self._is_plain(found)
        last = max((x.order for x in self.flow.linears), default=-1)
        return self.is_loss and found.units > 1 and any(x.order == last for x in columns)

    def heads(self, taken: set[str]) -> tuple[Head, ...]:
        found_heads = []
        for found in self.classes:
            columns = self._linears(found, made=True)
            if not columns or not self._ends(found, columns):
                continue
            made = {r for x in columns for r in x.outputs}
            others = {r for r, _ in found.nodes} - made
            head = Head(found.units, self._cuts(found, made), self._cuts(found, others))
            contracted = self._linears(found, made=False)
            if not contracted and not taken & {c.argument for c in head.cuts}:
                found_heads.append(head)
        return tuple(found_heads)

    def embeddings(self, shapes: Mapping[str, tuple[int, ...]]) -> tuple[Embedding, ...]:
        made = {r for x in self.flow.linears for r in x.outputs}
        tables: dict[str, Embedding] = {}
        for lookup in self.flow.lookups:
            for root, outer in lookup.nodes:
                fact = self.flow.roots[root]
                if outer != 1 or fact.dim != 0 or len(shapes[fact.argument]) != 2:
                    continue
                known = tables.get(fact.argument)
                by_input = lookup.by_input or (known is not None and known.by_input)
                tables[fact.argument] = Embedding(fact.argument, fact.size, by_input, root in made)
        return tuple(tables.values())

    def batch(
        self, shapes: Mapping[str, tuple[int, ...]], state: tuple[str, ...]
    ) -> tuple[dict[str, int], int]:
        """Inputs with a batch dimension.

        One that provably passes to an output sets the size; other inputs that lead with the same
        size have it too (a mask read through computed indices cannot be followed). A loss returns
        no dimension: there the first input leads with the batch.
        """
        proved = [
            root.size
            for index, root in enumerate(self.flow.roots)
            if not root.state and root.dim == 0 and root.size > 1 and self._passes((index, 1))
        ]
        inputs = {n: s for n, s in shapes.items() if n not in set(state)}
        if not proved and self.is_loss:
            proved = [s[0] for s in inputs.values() if s and s[0] > 1]
        if not proved:
            return {}, 0
        return {n: 0 for n, s in inputs.items() if s and s[0] == proved[0]}, proved[0]

    def _passes(self, node: Node) -> bool:
        found = self.class_of.get(node)
        return found is not None and found.returned and not found.whole
