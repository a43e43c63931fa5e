"""An op at other sizes: attributes that name sizes, and the shapes of all values of a body.

A body is resized by its own ops' factors: dimensions that share a factor change together. Whether
the change means the same is not assumed here; execution decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.regions import inputs
from distc.dialect.rules import rule_for

Shape = tuple[int, ...]


def local_attributes(
    op: ir.Operation,
    operands: Sequence[ir.Value],
    results: Sequence[Shape],
    groups: tuple[int, int],
) -> dict[str, ir.Attribute]:
    """Return the attributes of `op` that name sizes, rewritten for these operands and results.

    Args:
        op: the op at its written sizes.
        operands: operands with the wanted types.
        results: wanted shapes of the results.
        groups: the part (kept, of) of group counts that is kept.
    """
    context = op.context
    match op.name:
        case "stablehlo.slice":
            bounds = stablehlo.slice_bounds(op)
            old, new = stablehlo.shape(op.operands[0]), stablehlo.shape(operands[0])
            limit = _follow(bounds.limit, old, new)
            return {"limit_indices": build.i64_array(limit, context)}
        case "stablehlo.dynamic_slice":
            return {"slice_sizes": build.i64_array(results[0], context)}
        case "stablehlo.gather":
            old, new = stablehlo.shape(op.operands[0]), stablehlo.shape(operands[0])
            sizes = _follow(stablehlo.slice_sizes(op), old, new)
            return {"slice_sizes": build.i64_array(sizes, context)}
        case "stablehlo.fft":
            old, new = stablehlo.shape(op.operands[0]), stablehlo.shape(operands[0])
            length = stablehlo.integers(op, "fft_length")
            tail = len(length)
            return {
                "fft_length": build.i64_array(_follow(length, old[-tail:], new[-tail:]), context)
            }
        case "stablehlo.convolution" if groups[0] != groups[1]:
            return _group_counts(op, groups)
    return {}


def _follow(named: Sequence[int], old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Where an attribute names the whole size of a dimension, name its new size."""
    return [n if a == o else a for a, o, n in zip(named, old, new, strict=True)]


def _group_counts(op: ir.Operation, groups: tuple[int, int]) -> dict[str, ir.Attribute]:
    names = ("feature_group_count", "batch_group_count")
    counts = {name: stablehlo.integer(op, name, 1) for name in names}
    return {
        name: build.i64(count * groups[0] // groups[1], op.context)
        for name, count in counts.items()
        if count > 1 and count * groups[0] % groups[1] == 0
    }


@dataclass(slots=True)
class _Resizing:
    """What is known about new sizes: of dimensions, and of the factors of each op."""

    dims: dict[tuple[ir.Value, int], int] = field(default_factory=dict)
    factors: dict[tuple[int, int], int] = field(default_factory=dict)
    conflict: bool = False

    def set_dim(self, value: ir.Value, dim: int, size: int) -> bool:
        known = self.dims.setdefault((value, dim), size)
        self.conflict |= known != size
        return known != size

    def set_factor(self, key: tuple[int, int], size: int) -> None:
        self.conflict |= self.factors.setdefault(key, size) != size


def own_sizes(function: ir.Operation) -> dict[ir.Value, Shape]:
    """Return the shape of every value in the block of a function as written."""
    block = function.regions[0].blocks[0]
    values = [*block.arguments, *(r for view in block.operations for r in view.operation.results)]
    return {v: stablehlo.shape(v) for v in values}


def resized_values(
    function: ir.Operation, operands: Sequence[Shape], results: Sequence[Shape]
) -> dict[ir.Value, Shape] | None:
    """Return the shape of every value of a function whose signature has these shapes.

    None where they do not fit together or an op has no rule to follow.
    """
    block = function.regions[0].blocks[0]
    ops = [view.operation for view in block.operations]
    returned = list(ops[-1].operands)
    state = _Resizing()
    for value, shape in zip([*block.arguments, *returned], [*operands, *results], strict=True):
        for dim, size in enumerate(shape):
            state.set_dim(value, dim, size)
    relations = [_relations(op) for op in ops[:-1]]
    if any(r is None for r in relations):
        return None
    before = -1
    while before != len(state.dims) + len(state.factors) and not state.conflict:
        before = len(state.dims) + len(state.factors)
        for index, relation in enumerate(relations):
            for value, dim, sizes, numbers in relation or ():
                _learn(state, index, value, dim, sizes, numbers)
    if state.conflict:
        return None
    values = [*block.arguments, *(r for op in ops[:-1] for r in op.results)]
    return {
        v: tuple(state.dims.get((v, d), n) for d, n in enumerate(stablehlo.shape(v)))
        for v in values
    }


Relation = tuple[ir.Value, int, tuple[int, ...], tuple[int, ...]]


def _relations(op: ir.Operation) -> list[Relation] | None:
    """Per dimension of operands and results: (value, dim, factor sizes, factor numbers)."""
    rule = rule_for(op)
    if rule is None:
        return None
    found = []
    tensors = zip([*inputs(op), *op.results], [*rule.operands, *rule.results], strict=True)
    for value, dims in tensors:
        for dim, numbers in enumerate(dims):
            if numbers:
                sizes = tuple(rule.factors[f].size for f in numbers)
                found.append((value, dim, sizes, numbers))
    return found


def _learn(
    state: _Resizing,
    op: int,
    value: ir.Value,
    dim: int,
    sizes: tuple[int, ...],
    numbers: tuple[int, ...],
) -> None:
    """Pass a new size between a dimension and its factors; the major one takes the change."""
    minor = prod(sizes[1:])
    for number, size in zip(numbers[1:], sizes[1:], strict=True):
        state.set_factor((op, number), size)
    major = (op, numbers[0])
    known = state.dims.get((value, dim))
    if known is not None:
        if known % minor:
            state.conflict = True
            return
        state.set_factor(major, known // minor)
    elif major in state.factors:
        state.set_dim(value, dim, state.factors[major] * minor)
