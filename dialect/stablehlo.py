"""The only reader of StableHLO op attributes: typed facts about `ir.Operation`s.

Every function takes an operation of the kind its name says and returns tuples of ints or a frozen
dataclass, with the defaults of the StableHLO specification filled in. Nothing here changes IR;
`dialect/build` is the writing half and takes the same dataclasses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.literals import Number as Number
from distc.dialect.literals import constant_array as constant_array
from distc.dialect.literals import constant_attribute as constant_attribute
from distc.dialect.literals import splat_value as splat_value
from distc.dialect.sharding import Reduction

Ints: TypeAlias = tuple[int, ...]
Groups: TypeAlias = tuple[Ints, ...]


# Values, types, structure


def shape(value: ir.Value) -> Ints:
    """Static shape of a ranked tensor value."""
    return tuple(value.type.shape)


def element_type(value: ir.Value) -> ir.Type:
    """Element type of a ranked tensor value."""
    element: ir.Type = value.type.element_type
    return element


def dtype(value: ir.Value) -> str:
    """Name of the element type: `f32`, `i1`, `bf16`."""
    return str(value.type.element_type)


def is_tensor(value: ir.Value) -> bool:
    """True for a ranked tensor with static shape."""
    kind = value.type
    return isinstance(kind, ir.RankedTensorType) and kind.has_static_shape


def defining_op(value: ir.Value) -> ir.Operation | None:
    """The operation that defines `value`, None for a block argument."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    op: ir.Operation = owner.operation
    return op


def users(value: ir.Value) -> tuple[tuple[ir.Operation, int], ...]:
    """Each (operation, operand index) that uses `value`; MLIR keeps the latest use first."""
    return tuple((use.owner.operation, use.operand_number) for use in value.uses)


def walk(op: ir.Operation) -> Iterator[ir.Operation]:
    """All operations nested in `op`, outer before inner, in program order."""
    for region in op.regions:
        for block in region:
            for inner in list(block.operations):
                yield inner.operation
                yield from walk(inner.operation)


def functions(module: ir.Module) -> tuple[ir.Operation, ...]:
    """The `func.func` operations of a module, in order."""
    return tuple(o.operation for o in module.body.operations if o.operation.name == "func.func")


def symbol(op: ir.Operation) -> str:
    """Symbol name of an operation that defines one."""
    return str(ir.StringAttr(op.attributes["sym_name"]).value)


def is_public(func: ir.Operation) -> bool:
    """True for a function that is an entry point."""
    visibility = op_attribute(func, "sym_visibility")
    return visibility is None or ir.StringAttr(visibility).value == "public"


def op_attribute(op: ir.Operation, name: str) -> ir.Attribute | None:
    """Attribute `name` of `op`, or None."""
    return op.attributes[name] if name in op.attributes else None


def _ints(op: ir.Operation, name: str, default: Ints = ()) -> Ints:
    attribute = op_attribute(op, name)
    if attribute is None:
        return default
    return tuple(ir.DenseI64ArrayAttr(attribute))


def _int(op: ir.Operation, name: str, default: int = 0) -> int:
    attribute = op_attribute(op, name)
    return default if attribute is None else int(ir.IntegerAttr(attribute).value)


def _flag(op: ir.Operation, name: str, default: bool = False) -> bool:
    attribute = op_attribute(op, name)
    return default if attribute is None else bool(ir.BoolAttr(attribute).value)


def _matrix(op: ir.Operation, name: str) -> Groups:
    """Rows of a rank-2 integer attribute, () where it is absent."""
    attribute = op_attribute(op, name)
    if attribute is None:
        return ()
    kind = ir.RankedTensorType(attribute.type)
    if prod(kind.shape) == 0:
        return ((),) * kind.shape[0]
    return tuple(tuple(int(v) for v in row) for row in np.array(attribute))


# Data movement


def permutation(op: ir.Operation) -> Ints:
    """`stablehlo.transpose`: result dimension i is operand dimension permutation[i]."""
    return _ints(op, "permutation")


def broadcast_dims(op: ir.Operation) -> Ints:
    """`stablehlo.broadcast_in_dim`: operand dimension i is result dimension dims[i]."""
    return _ints(op, "broadcast_dimensions")


@dataclass(frozen=True, slots=True)
class SliceBounds:
    """Start, limit and stride per dimension."""

    start: Ints
    limit: Ints
    strides: Ints


def slice_bounds(op: ir.Operation) -> SliceBounds:
    """Bounds of a `stablehlo.slice`."""
    start = _ints(op, "start_indices")
    strides = _ints(op, "strides", (1,) * len(start))
    return SliceBounds(start, _ints(op, "limit_indices"), strides)


@dataclass(frozen=True, slots=True)
class Padding:
    """Elements added below, above and between, per dimension; low and high may be negative."""

    low: Ints
    high: Ints
    interior: Ints


def padding(op: ir.Operation) -> Padding:
    """What a `stablehlo.pad` adds."""
    low = _ints(op, "edge_padding_low")
    return Padding(low, _ints(op, "edge_padding_high"), _ints(op, "interior_padding"))


def concatenate_dim(op: ir.Operation) -> int:
    """Dimension a `stablehlo.concatenate` joins along."""
    return _int(op, "dimension")


def iota_dim(op: ir.Operation) -> int:
    """Dimension along which a `stablehlo.iota` counts."""
    return _int(op, "iota_dimension")


def reverse_dims(op: ir.Operation) -> Ints:
    """Dimensions a `stablehlo.reverse` flips."""
    return _ints(op, "dimensions")


def slice_sizes(op: ir.Operation) -> Ints:
    """Window of a `stablehlo.gather` or sizes of a `stablehlo.dynamic_slice`."""
    return _ints(op, "slice_sizes")


def comparison_direction(op: ir.Operation) -> str:
    """EQ, NE, GE, GT, LE or LT of a `stablehlo.compare`."""
    direction = _stablehlo.ComparisonDirectionAttr(op.attributes["comparison_direction"])
    return str(direction.value)


def comparison_type(op: ir.Operation) -> str | None:
    """FLOAT, TOTALORDER, SIGNED or UNSIGNED of a `stablehlo.compare`, None where unsaid."""
    attribute = op_attribute(op, "compare_type")
    return None if attribute is None else str(_stablehlo.ComparisonTypeAttr(attribute).value)


# Contraction


@dataclass(frozen=True, slots=True)
class DotDims:
    """Dimension numbers of a `dot_general`.

    The result is [batching, lhs free, rhs free], each in the order the fields give for batching
    and in operand order for the free ones.
    """

    lhs_batching: Ints
    rhs_batching: Ints
    lhs_contracting: Ints
    rhs_contracting: Ints

    def lhs_free(self, rank: int) -> Ints:
        """Free dimensions of the left operand, in order."""
        used = {*self.lhs_batching, *self.lhs_contracting}
        return tuple(d for d in range(rank) if d not in used)

    def rhs_free(self, rank: int) -> Ints:
        """Free dimensions of the right operand, in order."""
        used = {*self.rhs_batching, *self.rhs_contracting}
        return tuple(d for d in range(rank) if d not in used)


def dot_dims(op: ir.Operation) -> DotDims:
    """Dimension numbers of a `stablehlo.dot_general`."""
    dims = _stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
    return DotDims(
        tuple(dims.lhs_batching_dimensions),
        tuple(dims.rhs_batching_dimensions),
        tuple(dims.lhs_contracting_dimensions),
        tuple(dims.rhs_contracting_dimensions),
    )


@dataclass(frozen=True, slots=True)
class ConvDims:
    """Which dimension of input, kernel and output plays which part in a convolution."""

    input_batch: int
    input_feature: int
    input_spatial: Ints
    kernel_input_feature: int
    kernel_output_feature: int
    kernel_spatial: Ints
    output_batch: int
    output_feature: int
    output_spatial: Ints


@dataclass(frozen=True, slots=True)
class Convolution:
    """Everything a `stablehlo.convolution` says: dimensions, window, groups."""

    dims: ConvDims
    strides: Ints
    padding: Groups
    lhs_dilation: Ints
    rhs_dilation: Ints
    reversal: tuple[bool, ...]
    feature_group_count: int
    batch_group_count: int


def convolution(op: ir.Operation) -> Convolution:
    """Attributes of a `stablehlo.convolution`; padding is (low, high) per spatial dimension."""
    raw = _stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    dims = ConvDims(
        raw.input_batch_dimension,
        raw.input_feature_dimension,
        tuple(raw.input_spatial_dimensions),
        raw.kernel_input_feature_dimension,
        raw.kernel_output_feature_dimension,
        tuple(raw.kernel_spatial_dimensions),
        raw.output_batch_dimension,
        raw.output_feature_dimension,
        tuple(raw.output_spatial_dimensions),
    )
    rank = len(dims.input_spatial)
    ones = (1,) * rank
    reversal = op_attribute(op, "window_reversal")
    return Convolution(
        dims,
        _ints(op, "window_strides", ones),
        _matrix(op, "padding") or ((0, 0),) * rank,
        _ints(op, "lhs_dilation", ones),
        _ints(op, "rhs_dilation", ones),
        (False,) * rank if reversal is None else tuple(ir.DenseBoolArrayAttr(reversal)),
        _int(op, "feature_group_count", 1),
        _int(op, "batch_group_count", 1),
    )


# Reduction and windows

_REDUCERS = {
    "stablehlo.add": Reduction.SUM,
    "stablehlo.maximum": Reduction.MAX,
    "stablehlo.minimum": Reduction.MIN,
    "stablehlo.multiply": Reduction.PROD,
    "stablehlo.and": Reduction.AND,
    "stablehlo.or": Reduction.OR,
}
_BOOLEAN_REDUCERS = {
    Reduction.SUM: Reduction.OR,
    Reduction.MAX: Reduction.OR,
    Reduction.PROD: Reduction.AND,
    Reduction.MIN: Reduction.AND,
}


def reduce_dims(op: ir.Operation) -> Ints:
    """Dimensions a `stablehlo.reduce` removes."""
    return _ints(op, "dimensions")


def reducers(op: ir.Operation, region: int = 0) -> tuple[Reduction | None, ...]:
    """Per result, the reduction that `region` applies to it alone; None where it is another.

    A region of n results has block arguments [accumulators, values]; result i is recognised when it
    is one binary operation on arguments i and n + i. On i1, add and maximum are `or`, multiply and
    minimum are `and`.
    """
    block = op.regions[region].blocks[0]
    arguments = list(block.arguments)
    returned = list(block.operations[len(block.operations) - 1].operands)
    count = len(returned)
    return tuple(
        _reducer(value, arguments[i], arguments[count + i]) for i, value in enumerate(returned)
    )


def _reducer(value: ir.Value, left: ir.Value, right: ir.Value) -> Reduction | None:
    op = defining_op(value)
    if op is None or op.name not in _REDUCERS:
        return None
    operands = list(op.operands)
    if operands not in ([left, right], [right, left]):
        return None
    kind = _REDUCERS[op.name]
    return _BOOLEAN_REDUCERS.get(kind, kind) if dtype(value) == "i1" else kind


def reducer(op: ir.Operation, region: int = 0) -> Reduction | None:
    """The reduction of a region when it is one and the same for every result, else None."""
    kinds = set(reducers(op, region))
    return kinds.pop() if len(kinds) == 1 else None


def returns_update(op: ir.Operation) -> bool:
    """True for a `stablehlo.scatter` whose region returns the update: it overwrites."""
    block = op.regions[0].blocks[0]
    returned = list(block.operations[len(block.operations) - 1].operands)
    return returned == list(block.arguments)[len(returned) :]


@dataclass(frozen=True, slots=True)
class Window:
    """Window of a `reduce_window` or `select_and_scatter`; padding is (low, high) per dimension."""

    sizes: Ints
    strides: Ints
    padding: Groups
    base_dilations: Ints
    window_dilations: Ints


def window(op: ir.Operation) -> Window:
    """Window of a `stablehlo.reduce_window` or `stablehlo.select_and_scatter`."""
    rank = len(shape(op.operands[0]))
    ones = (1,) * rank
    return Window(
        _ints(op, "window_dimensions", ones),
        _ints(op, "window_strides", ones),
        _matrix(op, "padding") or ((0, 0),) * rank,
        _ints(op, "base_dilations", ones),
        _ints(op, "window_dilations", ones),
    )


@dataclass(frozen=True, slots=True)
class Sort:
    """A `sort`: `keys` are (operand index, direction) when the comparator compares one key."""

    dim: int
    is_stable: bool
    keys: tuple[tuple[int, str], ...] | None


def sort(op: ir.Operation) -> Sort:
    """Attributes and comparator of a `stablehlo.sort`.

    `keys` is None where the comparator is more than one comparison of an operand's two elements.
    """
    dim, stable = _int(op, "dimension", -1), _flag(op, "is_stable")
    dim = dim % max(1, len(shape(op.operands[0])))
    block = op.regions[0].blocks[0]
    compared = defining_op(block.operations[len(block.operations) - 1].operands[0])
    if compared is None or compared.name != "stablehlo.compare":
        return Sort(dim, stable, None)
    arguments = list(block.arguments)
    for index in range(len(arguments) // 2):
        if list(compared.operands) == arguments[2 * index : 2 * index + 2]:
            return Sort(dim, stable, ((index, comparison_direction(compared)),))
    return Sort(dim, stable, None)


FIRST = "dist.first"
"""Attribute of a sort of which only so many elements from the front are read."""


def first_of_sort(op: ir.Operation) -> int | None:
    """How many elements of a sort are wanted, None where all are."""
    attribute = op_attribute(op, FIRST)
    return None if attribute is None else int(ir.IntegerAttr(attribute).value)


# Indexing


@dataclass(frozen=True, slots=True)
class GatherDims:
    """Dimension numbers of a `gather`."""

    offset_dims: Ints
    collapsed_slice_dims: Ints
    operand_batching_dims: Ints
    start_indices_batching_dims: Ints
    start_index_map: Ints
    index_vector_dim: int


def gather_dims(op: ir.Operation) -> GatherDims:
    """Dimension numbers of a `stablehlo.gather`."""
    raw = _stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    return GatherDims(
        tuple(raw.offset_dims),
        tuple(raw.collapsed_slice_dims),
        tuple(raw.operand_batching_dims),
        tuple(raw.start_indices_batching_dims),
        tuple(raw.start_index_map),
        raw.index_vector_dim,
    )


@dataclass(frozen=True, slots=True)
class ScatterDims:
    """Dimension numbers of a `scatter`."""

    update_window_dims: Ints
    inserted_window_dims: Ints
    input_batching_dims: Ints
    scatter_indices_batching_dims: Ints
    scatter_dims_to_operand_dims: Ints
    index_vector_dim: int


def scatter_dims(op: ir.Operation) -> ScatterDims:
    """Dimension numbers of a `stablehlo.scatter`."""
    raw = _stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    return ScatterDims(
        tuple(raw.update_window_dims),
        tuple(raw.inserted_window_dims),
        tuple(raw.input_batching_dims),
        tuple(raw.scatter_indices_batching_dims),
        tuple(raw.scattered_dims_to_operand_dims),
        raw.index_vector_dim,
    )


def unique_indices(op: ir.Operation) -> bool:
    """True for a `stablehlo.scatter` that promises distinct indices."""
    return _flag(op, "unique_indices")


def indices_are_sorted(op: ir.Operation) -> bool:
    """True for a gather or scatter that promises sorted indices."""
    return _flag(op, "indices_are_sorted")


# Composites and collectives


@dataclass(frozen=True, slots=True)
class Composite:
    """A `stablehlo.composite`: its name, attributes as Python values, decomposition symbol."""

    name: str
    attributes: Mapping[str, Any]
    decomposition: str


def composite(op: ir.Operation) -> Composite:
    """Name, attributes and decomposition of a `stablehlo.composite`."""
    attributes = op_attribute(op, "composite_attributes")
    return Composite(
        str(ir.StringAttr(op.attributes["name"]).value),
        {} if attributes is None else python_value(attributes),
        str(ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value),
    )


def python_value(attribute: ir.Attribute) -> Any:
    """Python value of a builtin attribute; types and unknown attributes come as their text."""
    match attribute:
        case ir.StringAttr() | ir.BoolAttr() | ir.IntegerAttr() | ir.FloatAttr():
            return attribute.value
        case ir.ArrayAttr():
            return tuple(python_value(a) for a in attribute)
        case ir.DictAttr():
            return {named.name: python_value(named.attr) for named in attribute}
        case ir.DenseI64ArrayAttr() | ir.DenseI32ArrayAttr() | ir.DenseBoolArrayAttr():
            return tuple(attribute)
        case ir.DenseF64ArrayAttr() | ir.DenseF32ArrayAttr():
            return tuple(attribute)
        case ir.FlatSymbolRefAttr():
            return attribute.value
        case ir.UnitAttr():
            return True
    return str(attribute)


def replica_groups(op: ir.Operation) -> Groups:
    """Groups of a collective, each an ordered tuple of ids."""
    return _matrix(op, "replica_groups")


def source_target_pairs(op: ir.Operation) -> Groups:
    """(source, target) pairs of a `stablehlo.collective_permute`."""
    return _matrix(op, "source_target_pairs")


def all_gather_dim(op: ir.Operation) -> int:
    """Dimension a `stablehlo.all_gather` concatenates along."""
    return _int(op, "all_gather_dim")


def reduce_scatter_dim(op: ir.Operation) -> int:
    """Dimension a `stablehlo.reduce_scatter` splits."""
    return _int(op, "scatter_dimension")


@dataclass(frozen=True, slots=True)
class AllToAll:
    """Dimensions of an `all_to_all` and into how many pieces it splits."""

    split_dim: int
    concat_dim: int
    split_count: int


def all_to_all(op: ir.Operation) -> AllToAll:
    """Attributes of a `stablehlo.all_to_all`."""
    return AllToAll(
        _int(op, "split_dimension"), _int(op, "concat_dimension"), _int(op, "split_count")
    )


def channel_id(op: ir.Operation) -> int:
    """Channel of a collective, 0 where it has none."""
    attribute = op_attribute(op, "channel_handle")
    return 0 if attribute is None else int(_stablehlo.ChannelHandle(attribute).handle)


# Plain attributes of operations that have one or two


def integers(op: ir.Operation, name: str, default: Ints = ()) -> Ints:
    """Integer array attribute `name`, or the default."""
    return _ints(op, name, default)


def integer(op: ir.Operation, name: str, default: int = 0) -> int:
    """Integer attribute `name`, or the default."""
    return _int(op, name, default)


def flag(op: ir.Operation, name: str, default: bool = False) -> bool:
    """Boolean attribute `name`, or the default."""
    return _flag(op, name, default)


def real(op: ir.Operation, name: str) -> float:
    """Float attribute `name`."""
    return float(ir.FloatAttr(op.attributes[name]).value)


def enum_word(op: ir.Operation, name: str) -> str:
    """Word of an enum attribute: `FFT` of `#stablehlo<fft_type FFT>`."""
    return str(op.attributes[name]).rstrip(">").split()[-1]
