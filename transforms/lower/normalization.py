"""Batch normalisation operations and random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Dtype, Ref
from distc.transforms.lower.builder import Builder, value_type
from distc.transforms.lower.registry import lowering


@lowering("batch_norm_inference", "batch_norm_training", "batch_norm_grad")
def lower_batch_norm(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """The three batch normalisation operations, each a kernel of its name."""
    return b.call(
        f"distc.{op.name.removeprefix('stablehlo.')}",
        *b.refs(op.operands),
        types=[value_type(r, op) for r in op.results],
        eps=float(ir.FloatAttr(op.attributes["epsilon"]).value),
        feature=int(ir.IntegerAttr(op.attributes["feature_index"]).value),
    )


@lowering("rng")
def lower_rng(b: Builder, op: ir.Operation) -> Ref:
    """`rng`: torch's generator of each rank."""
    kind = value_type(op.results[0], op)
    low, high = b.refs(list(op.operands)[:2])
    return b.emit(
        "distc.rng",
        low,
        high,
        out=kind,
        shape=list(kind.shape),
        dtype=Dtype(kind.dtype),
        distribution=hlo.enum_word(op, "rng_distribution"),
    )


@lowering("rng_bit_generator")
def lower_rng_bit_generator(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`rng_bit_generator` by ThreeFry; an algorithm of the implementation's choice is ThreeFry."""
    algorithm = hlo.enum_word(op, "rng_algorithm")
    state = value_type(op.operands[0], op)
    if algorithm not in ("THREE_FRY", "DEFAULT") or list(state.shape) != [2]:
        raise b.unsupported(
            f"rng_bit_generator {algorithm} of state {list(state.shape)} has no run-time lowering",
            help="use THREE_FRY with a state of two 64-bit words",
        )
    after, bits = (value_type(r, op) for r in op.results)
    return b.call(
        "distc.rng_bits",
        b.ref(op.operands[0]),
        types=(after, bits),
        shape=list(bits.shape),
        dtype=Dtype(bits.dtype),
    )
