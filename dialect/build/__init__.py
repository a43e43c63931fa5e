"""Builders of StableHLO operations that infer their result types.

Each returns the one result as an `ir.Value`, takes the context from its operands or element type,
and ends in `loc` and `ip`, as MLIR's own builders do; None means the ambient ones. Dimension
numbers are the dataclasses of `dialect/stablehlo.py`, the reading half.
"""

from distc.dialect.build.collectives import (
    all_gather,
    all_reduce,
    all_to_all,
    collective_permute,
    partition_id,
    reduce_scatter,
)
from distc.dialect.build.constants import (
    constant,
    iota,
    number_attribute,
    splat,
    splat_attribute,
)
from distc.dialect.build.contraction import dot_general, reduce
from distc.dialect.build.core import clone, create, i64, i64_array, i64_matrix, tensor_type
from distc.dialect.build.elementwise import (
    binary,
    clamp,
    combine,
    compare,
    convert,
    select,
    unary,
)
from distc.dialect.build.indexing import gather, gather_numbers, scatter, scatter_numbers
from distc.dialect.build.movement import (
    broadcast_in_dim,
    concatenate,
    dynamic_slice,
    dynamic_update_slice,
    pad,
    reshape,
    slice_,
    transpose,
)
from distc.dialect.build.windows import convolution, reduce_window, select_and_scatter

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "binary",
    "broadcast_in_dim",
    "clamp",
    "clone",
    "collective_permute",
    "combine",
    "compare",
    "concatenate",
    "constant",
    "convert",
    "convolution",
    "create",
    "dot_general",
    "dynamic_slice",
    "dynamic_update_slice",
    "gather",
    "gather_numbers",
    "i64",
    "i64_array",
    "i64_matrix",
    "iota",
    "number_attribute",
    "pad",
    "partition_id",
    "reduce",
    "reduce_scatter",
    "reduce_window",
    "reshape",
    "scatter",
    "scatter_numbers",
    "select",
    "select_and_scatter",
    "slice_",
    "splat",
    "splat_attribute",
    "tensor_type",
    "transpose",
    "unary",
]
