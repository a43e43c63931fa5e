"""The index map of an op: which operand element each term of a result element reads.

    result[e] = ⊕ over ρ of g(operand_o[φ_o(e, ρ)], …)

`φ_o` gives, per operand dimension, a position of `(e, ρ)`, or nothing (a scalar, a stretched
dimension of size one). A reshape has no such map; it keeps the row-major order of all elements.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.numbers import is_neutral
from distc.dialect.sharding import Reduction

ELEMENTWISE = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add and atan2 cbrt ceil clamp compare complex convert cosine count_leading_zeros "
        "divide exponential exponential_minus_one floor imag is_finite log log_plus_one logistic "
        "maximum minimum multiply negate not or popcnt power real reduce_precision remainder "
        "round_nearest_afz round_nearest_even rsqrt select shift_left shift_right_arithmetic "
        "shift_right_logical sign sine sqrt subtract tan tanh xor"
    ).split()
)


@dataclass(frozen=True, slots=True)
class IndexMap:
    """Per operand and dimension, the loop it runs along.

    Attributes:
        loops: number of loops: result dimensions first, then the reduced ones.
        rank: number of result dimensions.
        operands: per operand and dimension the loop, None where it is always zero.
        reduction: how the reduced loops combine, None where there are none.
    """

    loops: int
    rank: int
    operands: tuple[tuple[int | None, ...], ...]
    reduction: Reduction | None = None


def index_map(op: ir.Operation) -> IndexMap | None:
    """Return the index map of `op`, None where it has none of this form."""
    shapes = [stablehlo.shape(v) for v in op.operands]
    result = stablehlo.shape(op.results[0])
    rank = len(result)
    match op.name:
        case name if name in ELEMENTWISE:
            if any(s not in ((), result) for s in shapes):
                return None
            return IndexMap(rank, rank, tuple(tuple(range(len(s))) for s in shapes))
        case "stablehlo.transpose":
            inverse = {source: dim for dim, source in enumerate(stablehlo.permutation(op))}
            return IndexMap(rank, rank, (tuple(inverse[d] for d in range(rank)),))
        case "stablehlo.broadcast_in_dim":
            dims = stablehlo.broadcast_dims(op)
            stretched = [result[r] != shapes[0][d] for d, r in enumerate(dims)]
            one = tuple(None if s else r for r, s in zip(dims, stretched, strict=True))
            return IndexMap(rank, rank, (one,))
        case "stablehlo.dot_general":
            return _dot_general(op, rank)
        case "stablehlo.reduce":
            return _reduce(op, len(shapes[0]), rank)
    return None


def _dot_general(op: ir.Operation, rank: int) -> IndexMap | None:
    if stablehlo.dtype(op.results[0]) == "i1":
        return None
    dims = stablehlo.dot_dims(op)
    ranks = [len(stablehlo.shape(v)) for v in op.operands]
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    loop = 0
    for a, b in zip(dims.lhs_batching, dims.rhs_batching, strict=True):
        left[a] = right[b] = loop
        loop += 1
    for a in dims.lhs_free(ranks[0]):
        left[a] = loop
        loop += 1
    for b in dims.rhs_free(ranks[1]):
        right[b] = loop
        loop += 1
    for a, b in zip(dims.lhs_contracting, dims.rhs_contracting, strict=True):
        left[a] = right[b] = loop
        loop += 1
    maps = tuple(tuple(m[d] for d in range(r)) for m, r in zip((left, right), ranks, strict=True))
    return IndexMap(loop, rank, maps, Reduction.SUM)


def _reduce(op: ir.Operation, operand_rank: int, rank: int) -> IndexMap | None:
    kind = stablehlo.reducer(op)
    count = len(op.results)
    if kind is None or not all(is_neutral(v, kind) for v in list(op.operands)[count:]):
        return None
    reduced = stablehlo.reduce_dims(op)
    kept = [d for d in range(operand_rank) if d not in reduced]
    loops = {d: i for i, d in enumerate((*kept, *reduced))}
    one = tuple(loops[d] for d in range(operand_rank))
    return IndexMap(operand_rank, rank, (one,) * count + ((),) * count, kind)
