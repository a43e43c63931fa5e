"""The index map of an op: which operand element each term of a result element reads.

    result[e] = ⊕ over ρ of g(operand_o[φ_o(e, ρ)], …)

`φ_o` gives, per operand dimension, a position of `(e, ρ)`, or nothing: a scalar, a stretched
dimension of size one, or a dimension that g reads as a whole (a sort's, a window's). The result's
loops along the latter are `fixed`. A reshape has no such map; it keeps the row-major order.
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
        operands: per operand and dimension the loop, None where the position does not follow one.
        reduction: how the reduced loops combine, None where there are none.
        fixed: loops that may not be cut: each of their positions reads whole dimensions.
    """

    loops: int
    rank: int
    operands: tuple[tuple[int | None, ...], ...]
    reduction: Reduction | None = None
    fixed: frozenset[int] = frozenset()


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
        case "stablehlo.convolution":
            return _convolution(op)
    fixed = _fixed_dims(op, rank)
    return None if fixed is None else _lines(op, fixed)


def _fixed_dims(op: ir.Operation, rank: int) -> frozenset[int] | None:
    """Dimensions that an op reads as a whole, the others being independent; None if unknown."""
    match op.name:
        case "stablehlo.reverse":
            return frozenset(stablehlo.reverse_dims(op))
        case "stablehlo.concatenate":
            return frozenset({stablehlo.concatenate_dim(op)})
        case "stablehlo.sort":
            return frozenset({stablehlo.sort(op).dim})
        case "stablehlo.slice":
            bounds = stablehlo.slice_bounds(op)
            whole = zip(bounds.start, bounds.limit, bounds.strides, strict=True)
            sizes = stablehlo.shape(op.operands[0])
            return frozenset(d for d, b in enumerate(whole) if b != (0, sizes[d], 1))
        case "stablehlo.pad":
            padding = stablehlo.padding(op)
            added = zip(padding.low, padding.high, padding.interior, strict=True)
            return frozenset(d for d, p in enumerate(added) if p != (0, 0, 0))
        case "stablehlo.fft":
            return frozenset(range(rank - len(stablehlo.integers(op, "fft_length")), rank))
        case "stablehlo.cholesky" | "stablehlo.triangular_solve":
            return frozenset({rank - 2, rank - 1})
        case "stablehlo.reduce_window":
            return _windowed(op, rank)
    return None


def _windowed(op: ir.Operation, rank: int) -> frozenset[int]:
    window = stablehlo.window(op)
    steps = zip(window.sizes, window.strides, window.padding, window.base_dilations, strict=True)
    return frozenset(d for d, s in enumerate(steps) if s != (1, 1, (0, 0), 1))


def _lines(op: ir.Operation, fixed: frozenset[int]) -> IndexMap:
    """Every operand of the result's rank runs along it; scalars are read by all."""
    rank = len(stablehlo.shape(op.results[0]))
    one = tuple(None if d in fixed else d for d in range(rank))
    ranks = [len(stablehlo.shape(v)) for v in op.operands]
    operands = tuple(one if r == rank else (None,) * r for r in ranks)
    return IndexMap(rank, rank, operands, fixed=fixed)


def _convolution(op: ir.Operation) -> IndexMap | None:
    conv = stablehlo.convolution(op)
    if (conv.feature_group_count, conv.batch_group_count) != (1, 1):
        return None
    dims = conv.dims
    rank = len(stablehlo.shape(op.results[0]))
    image: list[int | None] = [None] * rank
    kernel: list[int | None] = [None] * rank
    image[dims.input_batch] = dims.output_batch
    kernel[dims.kernel_output_feature] = dims.output_feature
    image[dims.input_feature] = kernel[dims.kernel_input_feature] = rank
    fixed = frozenset(dims.output_spatial)
    return IndexMap(rank + 1, rank, (tuple(image), tuple(kernel)), Reduction.SUM, fixed)


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
