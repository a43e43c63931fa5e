"""Lookup of localizers; ops without one of their own are copied with local types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.attrs import SHARDING
from distc.dialect.regions import inputs
from distc.dialect.sharding import Sharding
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext


@dataclass(frozen=True, slots=True)
class LocalOp:
    """An op with global types, its local operands, and how operands and results lie.

    Operands are the op's inputs (`dialect/regions.py`): for control flow also what its regions
    read from outside.
    """

    op: ir.Operation
    operands: tuple[ir.Value, ...]
    operand_shardings: tuple[Sharding, ...]
    result_shardings: tuple[Sharding, ...]

    def operand_shape(self, index: int) -> tuple[int, ...]:
        """Global shape of operand `index`."""
        return stablehlo.shape(inputs(self.op)[index])

    def local_type(self, index: int) -> ir.Type:
        """Local type of result `index`."""
        result = self.op.results[index]
        if not stablehlo.is_tensor(result):
            unchanged: ir.Type = result.type
            return unchanged
        local = self.result_shardings[index].local_shape(stablehlo.shape(result))
        return build.tensor_type(local, stablehlo.element_type(result))

    def operand_dim(self, index: int, dim: int) -> DimLayout:
        """How dimension `dim` of operand `index` is cut."""
        return self.operand_shardings[index].layout(self.operand_shape(index)).dims[dim]

    def result_dim(self, index: int, dim: int) -> DimLayout:
        """How dimension `dim` of result `index` is cut."""
        shape = stablehlo.shape(self.op.results[index])
        return self.result_shardings[index].layout(shape).dims[dim]

    def is_cut(self, index: int, dim: int) -> bool:
        """True when dimension `dim` of operand `index` is sharded."""
        return bool(self.operand_shardings[index].dims[dim].axes)

    def masked(self, ctx: LocalContext, index: int, dims: list[int], filler: float) -> ir.Value:
        """Operand `index` with `filler` instead of padding in `dims`."""
        return ctx.masked(
            self.operands[index],
            self.operand_shardings[index],
            self.operand_shape(index),
            dims,
            filler,
        )

    def copied(
        self,
        operands: tuple[ir.Value, ...] | None = None,
        attributes: dict[str, ir.Attribute] | None = None,
        types: Sequence[ir.Type] | None = None,
    ) -> tuple[ir.Value, ...]:
        """Copy the op, regions included, with local operands and (by default) result types."""
        if types is None:
            types = [self.local_type(i) for i in range(len(self.op.results))]
        given = self.operands[: len(self.op.operands)] if operands is None else operands
        copy = build.clone(self.op, given, types, attributes)
        _forget_sharding(copy)
        return tuple(copy.results)

    def whole(self) -> ir.Value:
        """Copy an op without operands as it is: its one result is the global value."""
        copy = build.clone(self.op)
        _forget_sharding(copy)
        return copy.results[0]


def _forget_sharding(op: ir.Operation) -> None:
    if SHARDING in op.attributes:
        del op.attributes[SHARDING]


Localizer = Callable[[LocalContext, LocalOp], tuple[ir.Value, ...]]

_LOCALIZERS: dict[str, Localizer] = {}
_FAMILIES = (
    "collective", "control", "creation", "elementwise", "indexing", "manual", "movement",
    "normalization", "reduction", "selection", "sorting", "windows",
)  # fmt: skip


def localizer(*names: str) -> Callable[[Localizer], Localizer]:
    """Register the localizer of the ops called `names`."""

    def register(function: Localizer) -> Localizer:
        for name in names:
            if name in _LOCALIZERS:
                raise ValueError(f"two localizers for {name}")
            _LOCALIZERS[name] = function
        return function

    return register


def localize_op(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Emit what a rank runs for one op; return its local results."""
    if not _LOCALIZERS:
        for family in _FAMILIES:
            import_module(f"distc.transforms.localize.{family}")
    function = _LOCALIZERS.get(local.op.name)
    return function(ctx, local) if function is not None else local.copied()
