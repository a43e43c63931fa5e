"""Z3 proofs that a block of the result is f(block of the operand + halo), for all blocks.

Along one dimension an op with an affine map reads, for result position e and tap w,

    position p with  p · base = stride · e + dilation · w + offset,   0 ≤ w < taps

where p is an operand's element if 0 ≤ p < size, and padding otherwise (or where no such p exists).
With [begin, end) = band.window(low, high), for all low < high ≤ total, low ≤ e < high and all w:

    reads     0 ≤ p < size  ⇒  begin ≤ p < end
    pads      begin ≤ p < end  ⇒  0 ≤ p < size

`reads` says that the operand's block with its halo holds every element that the result's block
needs; `pads`, that a tap which is padding in the whole is padding in the block. The op applies the
same function to the same taps, so the block comes out as in the whole.
    -> implemented in `_block_suffices`
"""

from __future__ import annotations

from dataclasses import dataclass

import z3
from torch_mlir import ir

from distc.dialect import stablehlo
from distc.solver.discovery.bands import Band

TIMEOUT_MS = 2_000


@dataclass(frozen=True, slots=True)
class Taps:
    """Which positions of an operand's dimension a result position reads; see the module."""

    stride: int = 1
    offset: int = 0
    taps: int = 1
    dilation: int = 1
    base: int = 1


def window_is_proved(op: ir.Operation | None, band: Band) -> bool:
    """True when Z3 proves a band of `op` at its written sizes.

    Args:
        op: the op; None for a body, which has no such map.
        band: the band, with one entry per operand of the op.
    """
    if op is None:
        return False
    pairs = [
        (o, d, r, e)
        for r, e in enumerate(band.results)
        if e is not None
        for o, d in enumerate(band.operands)
        if d is not None
    ]
    return bool(pairs) and all(_pair_is_proved(op, band, *pair) for pair in pairs)


def _pair_is_proved(
    op: ir.Operation, band: Band, operand: int, dim: int, result: int, along: int
) -> bool:
    taps = taps_of(op, operand, dim, result, along)
    size = stablehlo.shape(op.operands[operand])[dim]
    total = stablehlo.shape(op.results[result])[along]
    return taps is not None and _block_suffices(taps, band, size, total)


def _block_suffices(taps: Taps, band: Band, size: int, total: int) -> bool:
    low, high, e, w, p = z3.Ints("low high e w p")
    first, last = (total - high, total - low) if band.reversed else (low, high)
    begin = _largest(z3.IntVal(0), first * size / total - band.low)
    ceiling = (last * size + total - 1) / total
    end = _smallest(z3.IntVal(size), ceiling + band.high)
    inside = z3.And(0 <= p, p < size)
    held = z3.And(begin <= p, p < end)
    reached = p * taps.base == taps.stride * e + taps.dilation * w + taps.offset
    block = z3.And(0 <= low, low <= e, e < high, high <= total, 0 <= w, w < taps.taps, reached)
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(block, inside != held)
    return bool(solver.check() == z3.unsat)


def _largest(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a >= b, a, b)


def _smallest(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
    return z3.If(a <= b, a, b)


def taps_of(op: ir.Operation, operand: int, dim: int, result: int, along: int) -> Taps | None:
    """Return what dimension `along` of a result reads of `dim` of an operand, None if unknown."""
    match op.name:
        case "stablehlo.reverse":
            size = stablehlo.shape(op.operands[0])[dim]
            flipped = dim in stablehlo.reverse_dims(op)
            return _same(dim, along, Taps(-1, size - 1) if flipped else Taps())
        case "stablehlo.slice":
            bounds = stablehlo.slice_bounds(op)
            return _same(dim, along, Taps(bounds.strides[dim], bounds.start[dim]))
        case "stablehlo.pad":
            padding = stablehlo.padding(op)
            if operand != 0:
                return None
            return _same(dim, along, Taps(offset=-padding.low[dim], base=padding.interior[dim] + 1))
        case "stablehlo.concatenate":
            before = list(op.operands)[:operand]
            joined = stablehlo.concatenate_dim(op) == dim
            offset = -sum(stablehlo.shape(v)[dim] for v in before) if joined else 0
            return _same(dim, along, Taps(offset=offset))
        case "stablehlo.reduce_window":
            return _same(dim, along, _window(op, dim)) if operand == result else None
        case "stablehlo.convolution":
            return _convolution(op, operand, dim, along)
    return None


def _same(dim: int, along: int, taps: Taps) -> Taps | None:
    return taps if dim == along else None


def _window(op: ir.Operation, dim: int) -> Taps:
    window = stablehlo.window(op)
    return Taps(
        window.strides[dim],
        -window.padding[dim][0],
        window.sizes[dim],
        window.window_dilations[dim],
        window.base_dilations[dim],
    )


def _convolution(op: ir.Operation, operand: int, dim: int, along: int) -> Taps | None:
    conv = stablehlo.convolution(op)
    for i, source in enumerate(conv.dims.input_spatial):
        if operand != 0 or (source, conv.dims.output_spatial[i]) != (dim, along):
            continue
        taps = stablehlo.shape(op.operands[1])[conv.dims.kernel_spatial[i]]
        # A reversed window reads the same elements in another order.
        return Taps(
            conv.strides[i], -conv.padding[i][0], taps, conv.rhs_dilation[i], conv.lhs_dilation[i]
        )
    return None
