"""`convolution`, brought to torch's layout [N, C, spatial...] and [O, I, spatial...]."""

from __future__ import annotations

from dataclasses import replace

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Arg, Ref, ValueType
from distc.transforms.lower.builder import Builder, is_float, value_type
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.shape import constant_ints


@lowering("convolution", "dynamic_conv")
def lower_convolution(b: Builder, op: ir.Operation) -> Ref:
    """`convolution` of any layout, dilation, padding, grouping; `dynamic_conv` by constants."""
    conv, out = hlo.convolution(op), value_type(op.results[0], op)
    if op.name == "stablehlo.dynamic_conv":
        amounts = constant_ints(b, op.operands[2])
        conv = replace(conv, padding=tuple(zip(amounts[::2], amounts[1::2], strict=True)))
    dims = conv.dims
    x, kernel = (b.convert(r, out.dtype) for r in b.refs(list(op.operands)[:2]))
    x = b.permute(x, (dims.input_batch, dims.input_feature, *dims.input_spatial))
    kernel = b.permute(
        kernel, (dims.kernel_output_feature, dims.kernel_input_feature, *dims.kernel_spatial)
    )
    flipped: list[Arg] = [2 + i for i, flip in enumerate(conv.reversal) if flip]
    if flipped:
        kernel = b.emit("aten.flip.default", kernel, flipped, out=b.type(kernel))
    groups = conv.feature_group_count
    if conv.batch_group_count > 1:
        x, groups = _groups_as_features(b, x, conv.batch_group_count), conv.batch_group_count
    spatial = [out.shape[d] for d in dims.output_spatial]
    kind = ValueType((b.type(x).shape[0], b.type(kernel).shape[0], *spatial), out.dtype)
    result = _convolve(b, x, kernel, conv, groups, kind)
    # The result is [N, O, spatial...]; output dimension d is where its role says.
    order = [0] * len(out.shape)
    for position, dim in enumerate((dims.output_batch, dims.output_feature, *dims.output_spatial)):
        order[dim] = position
    return b.permute(result, order)


def _groups_as_features(b: Builder, x: Ref, groups: int) -> Ref:
    """[G·N, C, …] → [N, G·C, …]: batch groups are feature groups of a regrouped input."""
    batch, features, *spatial = b.type(x).shape
    split = b.reshape(x, [groups, batch // groups, features, *spatial])
    moved = b.permute(split, (1, 0, *range(2, len(spatial) + 3)))
    return b.reshape(moved, [batch // groups, groups * features, *spatial])


def _convolve(
    b: Builder, x: Ref, kernel: Ref, conv: hlo.Convolution, groups: int, kind: ValueType
) -> Ref:
    rank = len(conv.strides)
    empty = 0 in (*kind.shape, *b.type(x).shape, *b.type(kernel).shape)
    if not is_float(kind.dtype) or not 1 <= rank <= 3 or empty:
        return b.emit(
            "distc.convolution",
            x,
            kernel,
            out=kind,
            groups=groups,
            strides=list(conv.strides),
            padding=[list(p) for p in conv.padding],
            lhs_dilation=list(conv.lhs_dilation),
            rhs_dilation=list(conv.rhs_dilation),
        )
    # The operator's own padding skips taps on zeros; written out, zero times infinity is NaN, as in
    # the specification and in the halo of a cut image.
    if any(d != 1 for d in conv.lhs_dilation) or any(p != (0, 0) for p in conv.padding):
        x = _padded(b, x, conv)
    if b.type(kernel).shape[1] == 1:
        x, kernel = (b.emit("distc.row_major", r, out=b.type(r)) for r in (x, kernel))
    return b.emit(
        "aten.convolution.default",
        x,
        kernel,
        None,
        list(conv.strides),
        [0] * rank,
        list(conv.rhs_dilation),
        False,
        [0] * rank,
        groups,
        out=kind,
    )


def _padded(b: Builder, x: Ref, conv: hlo.Convolution) -> Ref:
    """`x` with its dilation and padding as zeros written out."""
    kind = b.type(x)
    shape = list(kind.shape)
    for i, ((low, high), dilation) in enumerate(zip(conv.padding, conv.lhs_dilation, strict=True)):
        size = shape[2 + i]
        shape[2 + i] = max(0, size + max(0, size - 1) * (dilation - 1) + low + high)
    zero = b.full(0.0, ValueType((), kind.dtype))
    return b.emit(
        "distc.pad",
        x,
        zero,
        out=ValueType(tuple(shape), kind.dtype),
        low=[0, 0, *(p[0] for p in conv.padding)],
        high=[0, 0, *(p[1] for p in conv.padding)],
        interior=[0, 0, *(d - 1 for d in conv.lhs_dilation)],
    )
