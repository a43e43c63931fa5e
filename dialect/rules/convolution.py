"""Rules of convolutions."""

from __future__ import annotations

from math import prod

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.rules.elementwise import is_exact
from distc.dialect.rules.registry import is_degenerate, replicated_rule, sharding_rule
from distc.dialect.rules.rule import FactorKind, RuleBuilder, ShardingRule
from distc.dialect.sharding import Reduction


@sharding_rule("stablehlo.convolution")
def _convolution(op: ir.Operation) -> ShardingRule:
    """Batch and output features pass, input features leave a partial sum, images need a halo.

    Where the window spans more of the image than its steps do, it slides: its parts leave partial
    sums, and what two of them both see is what the steps span.

    Feature or batch groups pass as one factor, major to what each group has.
    """
    if is_degenerate(op):
        return replicated_rule(op)
    conv = stablehlo.convolution(op)
    dims = conv.dims
    data, kernel = stablehlo.shape(op.operands[0]), stablehlo.shape(op.operands[1])
    result = stablehlo.shape(op.results[0])
    builder = RuleBuilder([len(data), len(kernel)], [len(result)])
    batch, feature = dims.input_batch, dims.input_feature
    out, kernel_out = dims.output_feature, dims.kernel_output_feature
    groups = conv.feature_group_count * conv.batch_group_count
    if groups > 1:
        # Groups are major: each has its share of the images (or channels) and of the kernels.
        grouped = batch if conv.batch_group_count > 1 else feature
        builder.factor(groups, {0: grouped, 1: kernel_out}, {0: out})
    builder.factor(result[dims.output_batch], {0: batch}, {0: dims.output_batch})
    builder.factor(kernel[kernel_out] // groups, {1: kernel_out}, {0: out})
    builder.factor(
        kernel[dims.kernel_input_feature],
        {0: feature, 1: dims.kernel_input_feature},
        kind=FactorKind.REDUCTION,
        reduction=Reduction.SUM,
    )
    larger = prod(kernel) > prod(result)
    for i, (read, tap, written) in enumerate(
        zip(dims.input_spatial, dims.kernel_spatial, dims.output_spatial, strict=True)
    ):
        spanned = (kernel[tap] - 1) * conv.rhs_dilation[i]
        stepped = (result[written] - 1) * conv.strides[i]
        slides = spanned > stepped or (spanned == stepped and larger)
        if slides and not conv.reversal[i]:
            # The gradient of a kernel: the window is an image, the result a kernel.
            builder.factor(
                kernel[tap],
                {0: read, 1: tap},
                kind=FactorKind.SLIDING,
                reduction=Reduction.SUM,
            )
            builder.factor(result[written], results={0: written}, kind=FactorKind.REPLICATE)
            continue
        builder.factor(result[written], {0: read}, {0: written}, kind=FactorKind.PERMUTATION)
        builder.factor(kernel[tap], {1: tap}, kind=FactorKind.REPLICATE)
    return builder.passes(0).passes(1).build() if is_exact(op) else builder.build()
