"""Composites: a native kernel where one means the decomposition, else the decomposition inlined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Arg, Ref, ValueType
from distc.transforms.lower.builder import Builder, Item, is_float, value_type
from distc.transforms.lower.control import inline
from distc.transforms.lower.registry import lowering

Native: TypeAlias = "Callable[[Builder, list[Ref], Mapping[str, Any], ValueType], Ref | None]"
"""Emits the native kernel; None where it does not take these operands."""


def _attention(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    query, key, value, *mask = operands
    kinds = {b.type(r).dtype for r in (query, key, value)}
    causal = bool(options.get("is_causal", False))
    if len(kinds) > 1 or (causal and mask) or not kinds <= {"f16", "bf16", "f32", "f64"}:
        return None
    if mask and b.type(mask[0]).dtype not in (*kinds, "i1"):
        return None
    return b.emit(
        "aten.scaled_dot_product_attention.default",
        query,
        key,
        value,
        mask[0] if mask else None,
        0.0,
        causal,
        out=out,
        scale=float(options["scale"]),
    )


def _layer_norm(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    x, *affine = operands
    weight: Arg = affine.pop(0) if options["has_weight"] else None
    bias: Arg = affine.pop(0) if options["has_bias"] else None
    shape = _normalized(out, options)
    return b.emit("aten.layer_norm.default", x, shape, weight, bias, float(options["eps"]), out=out)


def _rms_norm(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    weight: Arg = operands[1] if options["has_weight"] else None
    shape = _normalized(out, options)
    return b.emit(
        "aten.rms_norm.default", operands[0], shape, weight, float(options["eps"]), out=out
    )


def _normalized(out: ValueType, options: Mapping[str, Any]) -> list[Arg]:
    rank = int(options["normalized_rank"])
    return list(out.shape[len(out.shape) - rank :])


def _gelu(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit(
        "aten.gelu.default", operands[0], out=out, approximate=str(options["approximate"])
    )


def _silu(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit("aten.silu.default", operands[0], out=out)


def _softmax(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit("aten._softmax.default", operands[0], int(options["dim"]), False, out=out)


def _log_softmax(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit("aten._log_softmax.default", operands[0], int(options["dim"]), False, out=out)


def _embedding(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit("distc.embedding", operands[0], b.convert(operands[1], "i64"), out=out)


def _cross_entropy(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit(
        "distc.cross_entropy",
        *operands,
        out=out,
        reduction=str(options["reduction"]),
        ignore_index=int(options["ignore_index"]),
        label_smoothing=float(options["label_smoothing"]),
    )


def _threefry(
    b: Builder, operands: list[Ref], options: Mapping[str, Any], out: ValueType
) -> Ref | None:
    return b.emit("distc.threefry", *operands, out=out)


NATIVE: dict[str, Native] = {
    "distc.attention": _attention,
    "distc.cross_entropy": _cross_entropy,
    "distc.embedding": _embedding,
    "distc.gelu": _gelu,
    "distc.layer_norm": _layer_norm,
    "distc.log_softmax": _log_softmax,
    "distc.rms_norm": _rms_norm,
    "distc.silu": _silu,
    "distc.softmax": _softmax,
    "distc.threefry": _threefry,
}
_OF_INTEGERS = frozenset({"distc.threefry"})
"""Names whose kernels give integers; all others give floating-point numbers."""


@lowering("composite")
def lower_composite(b: Builder, op: ir.Operation) -> Sequence[Item]:
    """`composite`: by name a native kernel; unknown names and odd operands run the body."""
    found = hlo.composite(op)
    native = NATIVE.get(found.name)
    operands = b.refs(op.operands)
    if native is not None and len(op.results) == 1:
        out = value_type(op.results[0], op)
        fits = is_float(out.dtype) != (found.name in _OF_INTEGERS)
        result = native(b, operands, found.attributes, out) if fits else None
        if result is not None:
            return [result]
    return inline(b, found.decomposition, operands)
