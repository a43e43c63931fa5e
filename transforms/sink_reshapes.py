"""Patterns that move a merging reshape from before an op to after it.

`f(reshape(x))` becomes `reshape(f(x))` where `f` treats the merged dimensions as it would treat
their factors. So a merge travels down until a split undoes it, and the dimensions the model speaks
of (batch, sequence, heads) stay visible on the way. What cannot pass an op stays merged before it,
dimension by dimension. The patterns only move merges down, so they end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.stablehlo import Ints
from distc.transforms.reshape_factors import (
    Factors,
    common,
    flatten,
    is_plain,
    merge_factors,
    plain,
    positions,
    refine_all,
)
from distc.transforms.worklist import PatternTable

_ELEMENTWISE = (
    "abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "compare", "convert", "cosine",
    "count_leading_zeros", "divide", "exponential", "exponential_minus_one", "floor", "is_finite",
    "log", "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or",
    "popcnt", "power", "reduce_precision", "remainder", "round_nearest_afz", "round_nearest_even",
    "rsqrt", "select", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign",
    "sine", "sqrt", "subtract", "tan", "tanh", "xor",
)  # fmt: skip
ELEMENTWISE = frozenset(f"stablehlo.{name}" for name in _ELEMENTWISE)
_TERMINATORS = ("func.return", "stablehlo.return")
# How many values `_demand` looks at.
_HORIZON = 16


def merged_factors(value: ir.Value) -> Factors:
    """Factors of each dimension of `value` where a reshape makes it, one each where none does."""
    op = stablehlo.defining_op(value)
    if op is None or op.name != "stablehlo.reshape":
        return plain(stablehlo.shape(value))
    return merge_factors(stablehlo.shape(op.operands[0]), stablehlo.shape(value))


def split(value: ir.Value, factors: Factors) -> ir.Value:
    """`value` with each dimension split into its factors, made from before a merge if there is one.

    Splats and broadcasts are made again in the split shape, anything else is reshaped.
    """
    dims = flatten(factors)
    if dims == stablehlo.shape(value):
        return value
    op = stablehlo.defining_op(value)
    if op is None:
        return build.reshape(value, dims)
    attribute = stablehlo.constant_attribute(op)
    if attribute is not None and attribute.is_splat:
        return build.splat_attribute(attribute.get_splat_value(), dims)
    match op.name:
        case "stablehlo.reshape":
            return build.reshape(op.operands[0], dims)
        case "stablehlo.broadcast_in_dim":
            return _split_broadcast(op, factors)
    return build.reshape(value, dims)


def _split_broadcast(op: ir.Operation, factors: Factors) -> ir.Value:
    source, result = op.operands[0], stablehlo.shape(op.results[0])
    places = positions(factors)
    mapping: list[int] = []
    inner: list[Ints] = []
    for size, dim in zip(stablehlo.shape(source), stablehlo.broadcast_dims(op), strict=True):
        whole = size == result[dim]
        inner.append(factors[dim] if whole else (1,))
        mapping += places[dim] if whole else places[dim][:1]
    return build.broadcast_in_dim(split(source, tuple(inner)), flatten(factors), mapping)


def _merge_back(op: ir.Operation, values: Sequence[ir.Value]) -> list[ir.Value]:
    return [build.reshape(v, stablehlo.shape(r)) for v, r in zip(values, op.results, strict=True)]


def _copy(
    op: ir.Operation,
    operands: Sequence[ir.Value],
    dims: Sequence[Ints],
    attributes: dict[str, ir.Attribute] | None = None,
) -> list[ir.Value]:
    """`op` on other operands, results reshaped to what they were."""
    results = [
        build.tensor_type(d, stablehlo.element_type(r))
        for d, r in zip(dims, op.results, strict=True)
    ]
    copy = build.clone(op, operands, results, attributes)
    if "dist.sharding" in copy.attributes:
        del copy.attributes["dist.sharding"]
    return _merge_back(op, list(copy.results))


def sink_through_elementwise(op: ir.Operation) -> list[ir.Value] | None:
    """Elementwise ops: all operands of the result's shape are split alike, scalars stay."""
    dims = stablehlo.shape(op.results[0])
    full = [stablehlo.shape(v) == dims for v in op.operands]
    factors = _agreed(op.results[0], [v for v, f in zip(op.operands, full, strict=True) if f])
    if is_plain(factors):
        return None
    operands = [split(v, factors) if f else v for v, f in zip(op.operands, full, strict=True)]
    return _copy(op, operands, [flatten(factors)])


def _agreed(result: ir.Value, values: Sequence[ir.Value]) -> Factors:
    """Factors to which all `values` are split.

    A cut that some value would have to be reshaped for is taken only where a split further down
    asks for it, and none where only returns follow: else merges would go through the whole
    optimizer and undo nothing.
    """
    known = [merged_factors(v) for v in values]
    wanted = reduce(refine_all, known)
    if is_plain(wanted):
        return wanted
    asked, is_read = _demand(result)
    if is_plain(asked) and not is_read:
        return plain(stablehlo.shape(result))
    fixed = [f for v, f in zip(values, known, strict=True) if not _splits_freely(v)]
    for factors in fixed:
        allowed = refine_all(factors, asked)
        wanted = tuple(common(w, a) for w, a in zip(wanted, allowed, strict=True))
    return wanted


def _splits_freely(value: ir.Value) -> bool:
    """True for what is made again in the split shape: splats, iotas and broadcasts."""
    op = stablehlo.defining_op(value)
    if op is None:
        return False
    made_again = ("stablehlo.broadcast_in_dim", "stablehlo.iota")
    return op.name in made_again or stablehlo.splat_value(op) is not None


def _demand(value: ir.Value) -> tuple[Factors, bool]:
    """What reads `value`, seen through a few elementwise ops.

    Returns the factors into which reshapes split it, and whether anything but a return reads it.
    """
    dims = stablehlo.shape(value)
    found, waiting, seen, is_read = plain(dims), [value], 0, False
    while waiting and seen < _HORIZON:
        seen += 1
        for user, _ in stablehlo.users(waiting.pop()):
            if user.name == "stablehlo.reshape":
                found = refine_all(found, merge_factors(stablehlo.shape(user.result), dims))
            elif user.name in ELEMENTWISE and stablehlo.shape(user.result) == dims:
                waiting.append(user.result)
            else:
                is_read = is_read or user.name not in _TERMINATORS
    return found, is_read


def sink_through_broadcast(op: ir.Operation) -> list[ir.Value] | None:
    """A dimension that is not expanded keeps its factors."""
    source = op.operands[0]
    inner = merged_factors(source)
    if is_plain(inner):
        return None
    factors = list(plain(stablehlo.shape(op.results[0])))
    for dim, place in enumerate(stablehlo.broadcast_dims(op)):
        if len(inner[dim]) > 1:
            factors[place] = inner[dim]
    return _merge_back(op, [_split_broadcast(op, tuple(factors))])


def sink_through_transpose(op: ir.Operation) -> list[ir.Value] | None:
    """The factors of a dimension move together."""
    factors = merged_factors(op.operands[0])
    if is_plain(factors):
        return None
    places = positions(factors)
    order = [p for dim in stablehlo.permutation(op) for p in places[dim]]
    return _merge_back(op, [build.transpose(split(op.operands[0], factors), order)])


def sink_through_reduce(op: ir.Operation) -> list[ir.Value] | None:
    """A reduced dimension is reduced over all its factors, in the same order of elements."""
    count = len(op.operands) // 2
    inputs = list(op.operands)[:count]
    factors = merged_factors(inputs[0])
    for value in inputs[1:]:
        other = merged_factors(value)
        factors = tuple(common(a, b) for a, b in zip(factors, other, strict=True))
    if is_plain(factors):
        return None
    reduced = stablehlo.reduce_dims(op)
    places = positions(factors)
    over = sorted(p for dim in reduced for p in places[dim])
    kept = flatten(tuple(f for dim, f in enumerate(factors) if dim not in reduced))
    operands = [split(v, factors) for v in inputs] + list(op.operands)[count:]
    attributes = {"dimensions": build.i64_array(over, op.context)}
    return _copy(op, operands, [kept] * count, attributes)


@dataclass(frozen=True, slots=True)
class _CutDim:
    """One dimension of a slice, taken apart: factors, start and limit of each."""

    factors: Ints
    start: Ints
    limit: Ints


def _cut_dim(factors: Ints, start: int, limit: int) -> _CutDim:
    """Say [start, limit) of the merged dimension in its factors, as far as that can be said.

    Whole minors are a range of the major factor; a range within one minor is that one element of
    the major factor and the range in the rest.
    """
    minor = prod(factors[1:])
    if len(factors) == 1 or start >= limit:
        return _CutDim((prod(factors),), (start,), (limit,))
    if start % minor == 0 and limit % minor == 0:
        rest = factors[1:]
        return _CutDim(factors, (start // minor, *(0 for _ in rest)), (limit // minor, *rest))
    major = start // minor
    if major != (limit - 1) // minor:
        return _CutDim((prod(factors),), (start,), (limit,))
    inner = _cut_dim(factors[1:], start - major * minor, limit - major * minor)
    return _CutDim((factors[0], *inner.factors), (major, *inner.start), (major + 1, *inner.limit))


def sink_through_slice(op: ir.Operation) -> list[ir.Value] | None:
    """A range of whole minors is a range of the major factor."""
    bounds = stablehlo.slice_bounds(op)
    dims = [
        _cut_dim(known if stride == 1 else (prod(known),), low, high)
        for known, low, high, stride in zip(
            merged_factors(op.operands[0]), bounds.start, bounds.limit, bounds.strides, strict=True
        )
    ]
    factors = tuple(d.factors for d in dims)
    if is_plain(factors):
        return None
    strides = [s for d, s in zip(dims, bounds.strides, strict=True) for _ in d.factors]
    source = split(op.operands[0], factors)
    start = [n for d in dims for n in d.start]
    limit = [n for d in dims for n in d.limit]
    return _merge_back(op, [build.slice_(source, start, limit, strides)])


def _padded_dim(known: Ints, low: int, high: int, between: int) -> Ints:
    """Factors of a merged dimension of which padding leaves all but the major one alone."""
    whole, minor = prod(known), prod(known[1:])
    if len(known) > 1 and whole and not between and (low or high):
        if low % whole == 0 and high % whole == 0 and min(low, high) >= 0:
            return (1, *known)
    movable = between == 0 and low % minor == 0 and high % minor == 0
    return known if movable else (whole,)


def sink_through_pad(op: ir.Operation) -> list[ir.Value] | None:
    """Padding by whole minors pads the major factor, padding by whole merges a new one before it.

    The latter is what the gradient of one of several equal parts is: of queries in a fused weight.
    """
    padding = stablehlo.padding(op)
    factors = [
        _padded_dim(*dim)
        for dim in zip(
            merged_factors(op.operands[0]), padding.low, padding.high, padding.interior, strict=True
        )
    ]
    if is_plain(tuple(factors)):
        return None

    def spread(amounts: Ints, whole: bool = False) -> list[int]:
        return [
            n
            for amount, dim in zip(amounts, factors, strict=True)
            for n in (amount if whole else amount // prod(dim[1:]), *(0 for _ in dim[1:]))
        ]

    source = split(op.operands[0], tuple(factors))
    low, high = spread(padding.low), spread(padding.high)
    between = spread(padding.interior, whole=True)
    return _merge_back(op, [build.pad(source, op.operands[1], low, high, between)])


def sink_through_concatenate(op: ir.Operation) -> list[ir.Value] | None:
    """Dimensions not joined are split alike; the joined one when all pieces have one minor.

    Equal merges are joined on a new major dimension: heads of q, k and v stay beside one another.
    """
    operands = list(op.operands)
    dim = stablehlo.concatenate_dim(op)
    pieces = [merged_factors(v)[dim] for v in operands]
    same_minor = len({piece[1:] for piece in pieces}) == 1
    if not same_minor:
        pieces = [(prod(piece),) for piece in pieces]
    elif len(set(pieces)) == 1 and len(pieces[0]) > 1:
        pieces = [(1, *piece) for piece in pieces]

    def with_joined(factors: Factors, joined: Ints) -> Factors:
        return (*factors[:dim], joined, *factors[dim + 1 :])

    others = with_joined(merged_factors(operands[0]), (1,))
    for value in operands[1:]:
        other = with_joined(merged_factors(value), (1,))
        others = tuple(common(a, b) for a, b in zip(others, other, strict=True))
    known = [with_joined(others, piece) for piece in pieces]
    if is_plain(known[0]):
        return None
    values = [split(v, factors) for v, factors in zip(operands, known, strict=True)]
    place = positions(known[0])[dim][0]
    return _merge_back(op, [build.concatenate(values, place)])


def sink_through_reverse(op: ir.Operation) -> list[ir.Value] | None:
    """A reversed dimension is reversed in each of its factors."""
    factors = merged_factors(op.operands[0])
    if is_plain(factors):
        return None
    places = positions(factors)
    over = [p for dim in stablehlo.reverse_dims(op) for p in places[dim]]
    attributes = {"dimensions": build.i64_array(over, op.context)}
    return _copy(op, [split(op.operands[0], factors)], [flatten(factors)], attributes)


def sink_through_gather(op: ir.Operation) -> list[ir.Value] | None:
    """Merged dimensions of the indices are merged dimensions of the result."""
    operand, indices = op.operands
    dims = stablehlo.gather_dims(op)
    factors = merged_factors(indices)
    vector = dims.index_vector_dim
    if vector < len(factors):
        whole = (prod(factors[vector]),)
        factors = (*factors[:vector], whole, *factors[vector + 1 :])
    if is_plain(factors) or dims.start_indices_batching_dims:
        return None
    batch = iter([f for d, f in enumerate(factors) if d != vector])
    rank = len(stablehlo.shape(op.results[0]))
    result = tuple((0,) if d in dims.offset_dims else next(batch) for d in range(rank))
    places = positions(result)
    moved = replace(
        dims,
        offset_dims=tuple(places[d][0] for d in dims.offset_dims),
        index_vector_dim=len(flatten(factors[:vector])),
    )
    found = build.gather(
        operand,
        split(indices, factors),
        moved,
        stablehlo.slice_sizes(op),
        stablehlo.indices_are_sorted(op),
    )
    return _merge_back(op, [found])


PATTERNS: PatternTable = {
    **{name: [sink_through_elementwise] for name in sorted(ELEMENTWISE)},
    "stablehlo.broadcast_in_dim": [sink_through_broadcast],
    "stablehlo.concatenate": [sink_through_concatenate],
    "stablehlo.gather": [sink_through_gather],
    "stablehlo.pad": [sink_through_pad],
    "stablehlo.reduce": [sink_through_reduce],
    "stablehlo.reverse": [sink_through_reverse],
    "stablehlo.slice": [sink_through_slice],
    "stablehlo.transpose": [sink_through_transpose],
}
