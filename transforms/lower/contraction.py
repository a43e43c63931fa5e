"""Matrix products and factorisations."""

from __future__ import annotations

from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.dialect.einsum import CONFIG, einsum
from distc.dialect.sharding import Reduction
from distc.runtime.program import Ref, ValueType
from distc.transforms.lower.builder import WIDTH, Builder, value_type
from distc.transforms.lower.reduction import reduce_all
from distc.transforms.lower.registry import lowering


def _out(op: ir.Operation) -> ValueType:
    return value_type(op.results[0], op)


@lowering("dot_general")
def lower_dot_general(b: Builder, op: ir.Operation) -> Ref:
    """`dot_general`: one mm or bmm between permutes and reshapes, views where they can."""
    return dot(b, b.ref(op.operands[0]), b.ref(op.operands[1]), hlo.dot_dims(op), _out(op))


@lowering("dot")
def lower_dot(b: Builder, op: ir.Operation) -> Ref:
    """`dot`: last dimension of the left with the first of the right."""
    left, right = b.refs(op.operands)
    dims = hlo.DotDims((), (), (len(b.type(left).shape) - 1,), (0,))
    return dot(b, left, right, dims, _out(op))


@lowering("einsum", "unary_einsum")
def lower_einsum(b: Builder, op: ir.Operation) -> Ref:
    """`einsum` and `unary_einsum`: sums, one product, a permute.

    Raises:
        UnsupportedOp: equations with an ellipsis or a letter twice in one operand.
    """
    found, out = einsum(op), _out(op)
    if found is None:
        raise b.unsupported(
            f"{op.name} of {op.attributes[CONFIG]} cannot run",
            help="write diagonals and ellipses out, or use dot_general",
        )
    refs = [
        _summed(b, r, dims)
        for r, dims in zip(b.refs(op.operands), found.summed[: len(op.operands)], strict=True)
    ]
    if len(refs) == 1:
        return b.permute(refs[0], found.order)
    shape = [0] * len(out.shape)
    for place, size in zip(found.order, out.shape, strict=True):
        shape[place] = size
    left, right = refs
    product = dot(b, left, right, found.dims, ValueType(tuple(shape), out.dtype))
    return b.permute(product, found.order)


def _summed(b: Builder, x: Ref, dims: hlo.Ints) -> Ref:
    kind = b.type(x)
    shape = tuple(n for d, n in enumerate(kind.shape) if d not in dims)
    out = ValueType(shape, kind.dtype)
    if prod(kind.shape[d] for d in dims) == 0:
        return b.full(0, out)
    kind_of_sum = Reduction.OR if kind.dtype == "i1" else Reduction.SUM
    return reduce_all(b, x, kind_of_sum, dims, out)


def dot(b: Builder, left: Ref, right: Ref, dims: hlo.DotDims, out: ValueType) -> Ref:
    """Contract two values into `out`."""
    if out.dtype == "i1":
        return b.convert(
            dot(
                b,
                b.convert(left, "i32"),
                b.convert(right, "i32"),
                dims,
                ValueType(out.shape, "i32"),
            ),
            "i1",
        )
    left, right = b.convert(left, out.dtype), b.convert(right, out.dtype)
    left_shape, right_shape = b.type(left).shape, b.type(right).shape
    batch = [left_shape[d] for d in dims.lhs_batching]
    left_free, right_free = dims.lhs_free(len(left_shape)), dims.rhs_free(len(right_shape))
    rows = prod(left_shape[d] for d in left_free)
    columns = prod(right_shape[d] for d in right_free)
    inner = prod(left_shape[d] for d in dims.lhs_contracting)
    left = b.permute(left, (*dims.lhs_batching, *left_free, *dims.lhs_contracting))
    right = b.permute(right, (*dims.rhs_batching, *dims.rhs_contracting, *right_free))
    if not batch:
        left = b.reshape(left, [rows, inner])
        right = b.reshape(right, [inner, columns])
        product = b.emit("aten.mm.default", left, right, out=ValueType((rows, columns), out.dtype))
        return b.reshape(product, out.shape)
    count = prod(batch)
    left = b.reshape(left, [count, rows, inner])
    right = b.reshape(right, [count, inner, columns])
    kind = ValueType((count, rows, columns), out.dtype)
    return b.reshape(b.emit("aten.bmm.default", left, right, out=kind), out.shape)


@lowering("triangular_solve")
def lower_triangular_solve(b: Builder, op: ir.Operation) -> Ref:
    """`triangular_solve`."""
    if _out(op).dtype in WIDTH:
        raise b.unsupported("triangular_solve of integers cannot run", help="use floats")
    return b.emit(
        "distc.triangular_solve",
        *b.refs(op.operands),
        out=_out(op),
        left_side=hlo.flag(op, "left_side"),
        lower=hlo.flag(op, "lower"),
        unit_diagonal=hlo.flag(op, "unit_diagonal"),
        transpose=hlo.enum_word(op, "transpose_a"),
    )


@lowering("cholesky")
def lower_cholesky(b: Builder, op: ir.Operation) -> Ref:
    """`cholesky`; the other triangle is zero."""
    return b.emit(
        "distc.cholesky", b.ref(op.operands[0]), out=_out(op), lower=hlo.flag(op, "lower")
    )


@lowering("fft")
def lower_fft(b: Builder, op: ir.Operation) -> Ref:
    """`fft` over the last dimensions."""
    return b.emit(
        "distc.fft",
        b.ref(op.operands[0]),
        out=_out(op),
        kind=hlo.enum_word(op, "fft_type"),
        length=list(hlo.integers(op, "fft_length")),
    )
