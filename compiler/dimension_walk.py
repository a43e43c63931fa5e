"""The walk over the IR that fills a `DimensionFlow`: one generic step over factor rules.

Four kinds of ops need more than their rule: a reshape (its pieces are regrouped), a slice (equal
parts of a dimension are views of it: fused weights), a contraction with state (a linear layer)
and a table look-up. A composite without a rule, and a call, is walked through its body.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.compiler.dimension_flow import DimensionFlow, Heads, Linear, Lookup
from distc.compiler.pieces import (
    NO_ROOT,
    Dim,
    Piece,
    aligned,
    distributed,
    extent,
    merged,
    reshape_groups,
)
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr, result_attr
from distc.dialect.regions import inputs
from distc.dialect.rules import rule_for
from distc.dialect.rules.rule import FactorKind, ShardingRule

_LINEARS = ("stablehlo.dot_general", "stablehlo.convolution")
_MAX_OPS = 1_000_000
"""Bodies are walked once per call; beyond this many ops a call is taken as one opaque op."""


def dimension_flow(module: ir.Module) -> DimensionFlow:
    """Follow the dimensions of the arguments through the entry points that tell their roles."""
    flow = DimensionFlow()
    functions = {stablehlo.symbol(f): f for f in stablehlo.functions(module)}
    for func in telling_entries(module):
        _Walk(flow, functions).entry(func)
    return flow


def telling_entries(module: ir.Module) -> list[ir.Operation]:
    """Return the entry points whose arguments tell what they are for.

    Those that change no state, where there are any: a backward pass uses every weight the other
    way round, so a training program is read from its `evaluate`.
    """
    entries = [
        f for f in stablehlo.functions(module) if stablehlo.is_public(f) and f.regions[0].blocks
    ]
    return [f for f in entries if not _updates_state(f)] or entries


def _updates_state(func: ir.Operation) -> bool:
    results = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
    return any(result_attr(func, i, "dist.updates") is not None for i in range(len(results)))


def argument_name(func: ir.Operation, index: int) -> str:
    """Name of an argument: its `dist.name`, or `argN` in a program that names none."""
    name = arg_attr(func, index, "dist.name")
    return f"arg{index}" if name is None else str(ir.StringAttr(name).value)


def argument_kind(func: ir.Operation, index: int) -> str:
    """`dist.kind` of an argument; one that does not say is an `input`."""
    kind = arg_attr(func, index, "dist.kind")
    return "input" if kind is None else str(ir.StringAttr(kind).value)


class _Walk:
    def __init__(self, flow: DimensionFlow, functions: dict[str, ir.Operation]) -> None:
        self.flow = flow
        self.functions = functions
        self.dims: dict[ir.Value, tuple[Dim, ...]] = {}
        self.dynamic: set[ir.Value] = set()
        self.order = 0
        self.active: set[str] = set()

    def entry(self, func: ir.Operation) -> None:
        block = func.regions[0].blocks[0]
        for index, argument in enumerate(block.arguments):
            if not stablehlo.is_tensor(argument):
                continue
            name = argument_name(func, index)
            state = argument_kind(func, index) != "input"
            self.dims[argument] = tuple(
                merged([Piece(size, self.flow.root(name, dim, size, state=state))])
                for dim, size in enumerate(stablehlo.shape(argument))
            )
            self._see(self.dims[argument])
            if not state:
                self.dynamic.add(argument)
        for result in self._body(block):
            for piece in self._pieces(result):
                self.flow.return_((piece.root, piece.outer))

    def _body(self, block: ir.Block) -> list[ir.Value]:
        """Walk a function's block and return the values it returns."""
        for op in block.operations:
            if op.operation.name == "func.return":
                return list(op.operation.operands)
            self._op(op.operation)
        return []

    def _pieces(self, value: ir.Value) -> list[Piece]:
        return [p for dim in self.dims.get(value, ()) for p in dim if p.has_root]

    def _see(self, dims: Sequence[Dim]) -> None:
        for dim in dims:
            for piece in dim:
                if piece.has_root:
                    self.flow.see(piece.root, piece.outer, piece.size)

    def _keep_whole(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if piece.has_root:
                self.flow.keep_whole(piece.root, piece.outer, piece.size)

    def _set(self, value: ir.Value, dims: Sequence[Dim]) -> None:
        self.dims[value] = tuple(merged(d) for d in dims)
        self._see(dims)

    def _op(self, op: ir.Operation) -> None:
        self.order += 1
        if any(operand in self.dynamic for operand in inputs(op)):
            self.dynamic.update(op.results)
        rule = rule_for(op)
        if op.name == "stablehlo.reshape":
            self._reshape(op)
        elif op.name == "stablehlo.slice" and rule is not None:
            self._slice(op, rule)
        elif rule is not None:
            self._rule(op, rule)
        elif (body := self._callee(op)) is not None:
            self._call(op, body)
        else:
            for operand in op.operands:
                self._keep_whole(self._pieces(operand))

    def _callee(self, op: ir.Operation) -> ir.Operation | None:
        """Function a composite or a call stands for; None where it may not be entered."""
        match op.name:
            case "stablehlo.composite":
                symbol = stablehlo.composite(op).decomposition
            case "func.call":
                symbol = str(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
            case _:
                return None
        func = self.functions.get(symbol)
        if func is None or not func.regions[0].blocks:
            return None
        return None if symbol in self.active or self.order > _MAX_OPS else func

    def _call(self, op: ir.Operation, func: ir.Operation) -> None:
        block = func.regions[0].blocks[0]
        for argument, operand in zip(block.arguments, op.operands, strict=True):
            self.dims[argument] = self.dims.get(operand, ())
            self.dynamic.discard(argument)
            if operand in self.dynamic:
                self.dynamic.add(argument)
        symbol = stablehlo.symbol(func)
        self.active.add(symbol)
        returned = self._body(block)
        self.active.discard(symbol)
        for result, value in zip(op.results, returned, strict=True):
            self.dims[result] = self.dims.get(value, ())

    def _reshape(self, op: ir.Operation) -> None:
        operand, result = op.operands[0], op.results[0]
        source, target = stablehlo.shape(operand), stablehlo.shape(result)
        groups = reshape_groups(source, target)
        if groups is None:
            return
        dims: list[Dim] = [()] * len(target)
        for before, after in groups:
            pieces = merged(p for d in before for p in self._dim(operand, d))
            dealt = distributed(pieces, [target[d] for d in after])
            if dealt is None:
                self._keep_whole(pieces)
                dealt = [(Piece(target[d]),) for d in after]
            for dim, part in zip(after, dealt, strict=True):
                dims[dim] = part
        self._set(result, dims)

    def _dim(self, value: ir.Value, dim: int) -> Dim:
        known = self.dims.get(value)
        size = stablehlo.shape(value)[dim]
        return known[dim] if known else merged([Piece(size)])

    def _slice(self, op: ir.Operation, rule: ShardingRule) -> None:
        """One of P equal parts of a dimension is a view of it; any other cut needs it whole."""
        bounds = stablehlo.slice_bounds(op)
        operand, result = op.operands[0], op.results[0]
        dims: list[Dim] = []
        for dim, size in enumerate(stablehlo.shape(operand)):
            start, limit, stride = bounds.start[dim], bounds.limit[dim], bounds.strides[dim]
            pieces = self._dim(operand, dim)
            taken = stablehlo.shape(result)[dim]
            if taken == size:
                dims.append(pieces)
                continue
            part = limit - start
            equal = stride == 1 and part > 0 and start % part == 0 and size % part == 0
            dealt = distributed(pieces, [size // part, part]) if equal else None
            self._keep_whole(pieces if dealt is None else dealt[0])
            self._see(() if dealt is None else dealt)
            dims.append((Piece(taken),) if dealt is None else dealt[1])
        self._set(result, dims)

    def _rule(self, op: ir.Operation, rule: ShardingRule) -> None:
        """Link what the rule gives one factor, and hand it to the results."""
        factors: dict[int, Dim] = {}
        for operand, dims in zip(inputs(op), rule.operands, strict=True):
            for dim, ids in enumerate(dims):
                pieces = self._dim(operand, dim)
                dealt = distributed(pieces, [rule.factors[f].size for f in ids])
                if dealt is None:
                    self._keep_whole(pieces)
                    continue
                for factor, part in zip(ids, dealt, strict=True):
                    factors[factor] = self._unify(op, factors.get(factor), part)
        weight = self._weight(op)
        for factor, part in factors.items():
            self._restrict(op, rule, factor, part, weight)
        if weight is not None:
            self._linear(op, rule, weight)
        if op.name == "stablehlo.composite" and stablehlo.composite(op).name == "distc.attention":
            self._attention(op)
        for result, dims in zip(op.results, rule.results, strict=True):
            self._set(result, [self._result(result, d, ids, factors) for d, ids in enumerate(dims)])

    def _result(
        self, result: ir.Value, dim: int, ids: tuple[int, ...], factors: dict[int, Dim]
    ) -> Dim:
        size = stablehlo.shape(result)[dim]
        pieces = tuple(p for f in ids for p in factors.get(f, ()))
        return pieces if extent(pieces) == size else (Piece(size),)

    def _unify(self, op: ir.Operation, held: Dim | None, part: Dim) -> Dim:
        if held is None:
            return part
        pairs = aligned(held, part)
        if pairs is None:
            self._keep_whole((*held, *part))
            return ()
        joins = op.name == "stablehlo.add" and all(v in self.dynamic for v in op.operands)
        for a, b in pairs:
            self._see([(a, b)])
            if not (a.has_root and b.has_root):
                continue
            self.flow.link((a.root, a.outer), (b.root, b.outer), a.size)
            if joins and a.root != b.root:
                self.flow.join((a.root, a.outer))
        return tuple(a if a.has_root else b for a, b in pairs)

    def _restrict(
        self, op: ir.Operation, rule: ShardingRule, factor: int, part: Dim, weight: int | None
    ) -> None:
        """Record what cutting `factor` would break."""
        kind = rule.factors[factor].kind
        if kind is FactorKind.PASS or (kind is FactorKind.REDUCTION and weight is not None):
            return
        if self._is_lookup(op, rule, factor):
            nodes = tuple((p.root, p.outer) for p in part if p.has_root)
            self.flow.lookups.append(Lookup(nodes, op.operands[1] in self.dynamic))
            return
        self._keep_whole(part)

    def _is_lookup(self, op: ir.Operation, rule: ShardingRule, factor: int) -> bool:
        """True for the row dimension of a table that is state."""
        composite = op.name == "stablehlo.composite" and (
            stablehlo.composite(op).name == "distc.embedding"
        )
        if not composite and op.name != "stablehlo.gather":
            return False
        if op.operands[0] in self.dynamic or factor not in rule.operands[0][0]:
            return False
        taken = composite or stablehlo.slice_sizes(op)[0] == 1
        return taken and len(stablehlo.shape(op.operands[0])) > 1

    def _weight(self, op: ir.Operation) -> int | None:
        """Operand of a contraction that is state where the other one is an activation."""
        if op.name not in _LINEARS:
            return None
        static = [i for i in (0, 1) if op.operands[i] not in self.dynamic]
        if len(static) != 1 or not self._pieces(op.operands[static[0]]):
            return None
        return static[0]

    def _linear(self, op: ir.Operation, rule: ShardingRule, weight: int) -> None:
        sides: dict[bool, set[int]] = {True: set(), False: set()}
        for dim, ids in enumerate(rule.operands[weight]):
            contracted = any(rule.factors[f].kind is FactorKind.REDUCTION for f in ids)
            kept = any(f in d for f in ids for d in rule.results[0])
            roots = {p.root for p in self._dim(op.operands[weight], dim) if p.root != NO_ROOT}
            if contracted or kept:
                sides[contracted] |= roots
        self.flow.linears.append(
            Linear(
                self.order,
                op.name == "stablehlo.convolution",
                frozenset(sides[True]),
                frozenset(sides[False]),
            )
        )

    def _attention(self, op: ir.Operation) -> None:
        query, key, value = (self._dim(op.operands[i], 1) for i in range(3))
        groups = next((p.size for p in key if p.has_root), extent(key))
        roots = [frozenset(p.root for p in d if p.has_root) for d in (query, key, value)]
        self.flow.attentions.append(Heads(extent(query), groups, *roots))
