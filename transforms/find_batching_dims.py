"""Look-ups whose index vectors count along a dimension look up in that dimension's own row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.literals import splat_value
from distc.transforms.base import Pass, replace_op

_MIN_BITS = 32


@dataclass(frozen=True, slots=True)
class _Column:
    """A part of the index vectors that counts: its place, the dimension it counts along."""

    place: int
    counts: int


@dataclass(frozen=True)
class FindBatchingDims(Pass):
    """Turn index columns that only count along a dimension into batching dimensions.

    Needs nothing. Leaves gathers and scatters in which an operand dimension indexed by an iota over
    an equally long dimension of the indices is a batching dimension and has no index. One
    column stays where all of them count. Never fails.

    Example:
        ```mlir
        // Input: x[i, t[i]]
        %i = stablehlo.iota dim = 0 : tensor<8x1xi64>
        %v = stablehlo.concatenate %i, %t, dim = 1 : … -> tensor<8x2xi64>
        %0 = "stablehlo.gather"(%x, %v) <{collapsed_slice_dims = [0, 1], start_index_map = [0, 1]}>
        // Output
        %0 = "stablehlo.gather"(%x, %t) <{collapsed_slice_dims = [1], start_index_map = [1],
               operand_batching_dims = [0], start_indices_batching_dims = [0]}>
        ```

    This is how looking up along one dimension arrives (the loss of a class, the gradient of a
    maximum). An indexed dimension can be anywhere; a batching one is cut as the indices are, so a
    cut batch needs no collective.
    """

    name: ClassVar[str] = "find-batching-dims"

    def run(self, module: ir.Module) -> None:
        """Rewrite the gathers and scatters of `module`."""
        with module.context:
            for func in stablehlo.functions(module):
                for op in list(stablehlo.walk(func)):
                    if op.name in ("stablehlo.gather", "stablehlo.scatter"):
                        _rewrite(op)


def _rewrite(op: ir.Operation) -> None:
    gathers = op.name == "stablehlo.gather"
    position = 1 if gathers else len(op.results)
    vectors = stablehlo.defining_op(op.operands[position])
    dims = stablehlo.gather_dims(op) if gathers else stablehlo.scatter_dims(op)
    along = dims.index_vector_dim
    joined = vectors is not None and vectors.name == "stablehlo.concatenate"
    if not joined or vectors is None or stablehlo.concatenate_dim(vectors) != along:
        return
    parts = list(vectors.operands)
    found = _counting(op, dims, parts)
    if not found:
        return
    gone = {c.place for c in found}
    rest = [p for i, p in enumerate(parts) if i not in _pieces(parts, along, gone)]
    with op.location, ir.InsertionPoint(op):
        indices = rest[0] if len(rest) == 1 else build.concatenate(rest, along)
        operands = list(op.operands)
        operands[position] = indices
        new = build.clone(op, operands, attributes=_numbers(dims, found, op.context))
    replace_op(op, list(new.results))


def _counting(
    op: ir.Operation,
    dims: stablehlo.GatherDims | stablehlo.ScatterDims,
    parts: list[ir.Value],
) -> list[_Column]:
    """The columns that count, at most one for each dimension of the indices, not all columns."""
    along = dims.index_vector_dim
    shape = stablehlo.shape(op.operands[0])
    indexed, dropped, taken = _roles(dims)
    used = set(taken)
    found: list[_Column] = []
    place = 0
    for part in parts:
        width = stablehlo.shape(part)[along]
        counts = counts_along(part) if width == 1 else None
        dim = indexed[place]
        fits = counts is not None and stablehlo.shape(part)[counts] == shape[dim]
        if counts is not None and fits and dim in dropped and counts not in {along, *used}:
            used.add(counts)
            found.append(_Column(place, counts))
        place += width
    return found if len(found) < len(indexed) else found[:-1]


def _roles(
    dims: stablehlo.GatherDims | stablehlo.ScatterDims,
) -> tuple[stablehlo.Ints, stablehlo.Ints, stablehlo.Ints]:
    """Indexed operand dimensions by column, those without a window, batching index dimensions."""
    if isinstance(dims, stablehlo.GatherDims):
        return dims.start_index_map, dims.collapsed_slice_dims, dims.start_indices_batching_dims
    return (
        dims.scatter_dims_to_operand_dims,
        dims.inserted_window_dims,
        dims.scatter_indices_batching_dims,
    )


def _pieces(parts: list[ir.Value], along: int, columns: set[int]) -> set[int]:
    """Which of the joined parts are the given columns."""
    found, place = set(), 0
    for number, part in enumerate(parts):
        if place in columns:
            found.add(number)
        place += stablehlo.shape(part)[along]
    return found


def _numbers(
    dims: stablehlo.GatherDims | stablehlo.ScatterDims, found: list[_Column], context: ir.Context
) -> dict[str, ir.Attribute]:
    """Dimension numbers in which the columns found are batching dimensions, sorted by operand."""
    indexed, dropped, taken = _roles(dims)
    gone = {c.place for c in found}
    unordered = ir.BoolAttr.get(False, context)
    batching = (
        dims.operand_batching_dims
        if isinstance(dims, stablehlo.GatherDims)
        else dims.input_batching_dims
    )
    pairs = sorted(
        [*zip(batching, taken, strict=True), *((indexed[c.place], c.counts) for c in found)]
    )
    of_operand = tuple(d for d, _ in pairs)
    of_indices = tuple(i for _, i in pairs)
    dropped = tuple(d for d in dropped if d not in of_operand)
    kept = tuple(d for place, d in enumerate(indexed) if place not in gone)
    if isinstance(dims, stablehlo.GatherDims):
        numbers = replace(
            dims,
            collapsed_slice_dims=dropped,
            operand_batching_dims=of_operand,
            start_indices_batching_dims=of_indices,
            start_index_map=kept,
        )
        return {
            "dimension_numbers": build.gather_numbers(numbers, context),
            "indices_are_sorted": unordered,
        }
    scattered = replace(
        dims,
        inserted_window_dims=dropped,
        input_batching_dims=of_operand,
        scatter_indices_batching_dims=of_indices,
        scatter_dims_to_operand_dims=kept,
    )
    return {
        "scatter_dimension_numbers": build.scatter_numbers(scattered, context),
        "indices_are_sorted": unordered,
    }


def counts_along(value: ir.Value) -> int | None:
    """The dimension along which every element of `value` is its own position, if there is one."""
    op = stablehlo.defining_op(value)
    if op is None or not _is_wide(value):
        return None
    if op.name == "stablehlo.iota":
        return stablehlo.iota_dim(op)
    if op.name == "stablehlo.select":
        return counts_along(op.operands[2]) if _below_zero(op.operands[0], op.operands[2]) else None
    if op.name not in ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.convert"):
        return None
    source = counts_along(op.operands[0])
    if source is None:
        return None
    before, after = stablehlo.shape(op.operands[0]), stablehlo.shape(value)
    if op.name == "stablehlo.broadcast_in_dim":
        target = stablehlo.broadcast_dims(op)[source]
        return target if before[source] == after[target] else None
    return source if op.name == "stablehlo.convert" else _reshaped(before, after, source)


def _below_zero(mask: ir.Value, value: ir.Value) -> bool:
    """True when `mask` says where `value` is negative: an index that may count from the end."""
    op = stablehlo.defining_op(mask)
    if op is None or op.name != "stablehlo.compare" or op.operands[0] != value:
        return False
    zero = stablehlo.defining_op(op.operands[1])
    number = None if zero is None else splat_value(zero)
    return stablehlo.comparison_direction(op) == "LT" and number == 0


def _is_wide(value: ir.Value) -> bool:
    """True for integers that hold any position."""
    element = stablehlo.element_type(value)
    return isinstance(element, ir.IntegerType) and element.width >= _MIN_BITS


def _reshaped(before: stablehlo.Ints, after: stablehlo.Ints, dim: int) -> int | None:
    """Where a reshape that only adds or drops dimensions of one puts `dim`."""
    old = [d for d, n in enumerate(before) if n != 1]
    new = [d for d, n in enumerate(after) if n != 1]
    if dim not in old or [before[d] for d in old] != [after[d] for d in new]:
        return None
    return new[old.index(dim)]
