"""Arguments held under a view of their shape: what a sharding wants to cut is a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.attrs import SHARDING, arg_attr, result_attr, update_arg_attrs
from distc.dialect.locations import where
from distc.dialect.rules import rule_for
from distc.dialect.rules.rule import FactorKind
from distc.dialect.stablehlo import Ints
from distc.runtime.errors import IllegalSharding, UsageError
from distc.transforms.base import Pass
from distc.transforms.merge_reshapes import PATTERNS
from distc.transforms.open_composites import inline
from distc.transforms.worklist import rewrite

_ORIGINAL_SHAPE = "dist.original_shape"


def original_shape(func: ir.Operation, arg_index: int) -> Ints:
    """Shape of an argument as users know it: of the tensor its type is a view of."""
    recorded = arg_attr(func, arg_index, _ORIGINAL_SHAPE)
    if recorded is not None:
        return tuple(recorded)
    return stablehlo.shape(func.regions[0].blocks[0].arguments[arg_index])


def apply_view(module: ir.Module, func: ir.Operation, arg_index: int, view: Sequence[int]) -> None:
    """Give an argument of `func` the shape `view`, and reshape it back where it is used.

    The view takes dimensions of the original shape apart, each into factors, major to minor. The
    shape users know stays in `dist.original_shape`; a view equal to it removes the record. A result
    that updates the argument takes the same view. Pointwise composites that read it, its optimizer,
    are opened. Run `merge-reshapes` afterwards (`apply-views`
    does): it moves the reshape down to where it cancels.

    Raises:
        IllegalSharding: the view has another number of elements, joins dimensions, or the argument
            has a sharding of another rank already.
    """
    argument = func.regions[0].blocks[0].arguments[arg_index]
    original, held = original_shape(func, arg_index), stablehlo.shape(argument)
    wanted = tuple(view)
    _check_view(func, arg_index, original, wanted)
    if wanted == held:
        return
    context = module.context
    argument.set_type(build.tensor_type(wanted, stablehlo.element_type(argument)))
    block = func.regions[0].blocks[0]
    with argument.location, ir.InsertionPoint.at_block_begin(block):
        back = build.reshape(argument, held)
    argument.replace_all_uses_except(back, back.owner.operation)
    for user, _ in list(stablehlo.users(back)):
        if user.name == "stablehlo.composite" and _is_pointwise(user, held):
            inline(module, user)
    inputs = [a.type for a in block.arguments]
    results = _view_updates(func, arg_index, wanted)
    viewed = ir.FunctionType.get(inputs, results, context)
    func.attributes["function_type"] = ir.TypeAttr.get(viewed, context)
    record = None if wanted == original else build.i64_array(original, context)
    update_arg_attrs(func, {arg_index: {_ORIGINAL_SHAPE: record}})


def _is_pointwise(op: ir.Operation, shape: Ints) -> bool:
    """True for a composite such as an optimizer: a reshape passes its ops, not the whole of it."""
    rule = rule_for(op)
    tensors = {stablehlo.shape(v) for v in (*op.operands, *op.results)}
    return (
        rule is not None
        and tensors <= {shape, ()}
        and all(f.kind is FactorKind.PASS for f in rule.factors)
    )


def _view_updates(func: ir.Operation, arg_index: int, view: Ints) -> list[ir.Type]:
    """Reshape the results that update an argument to its view; return the types of all results."""
    block = func.regions[0].blocks[0]
    end = block.operations[len(block.operations) - 1].operation
    name = arg_attr(func, arg_index, "dist.name")
    for index, value in enumerate(end.operands):
        updates = result_attr(func, index, "dist.updates")
        if name is None or updates is None or updates.value != name.value:
            continue
        with end.location, ir.InsertionPoint(end):
            end.operands[index] = build.reshape(value, view)
    return [v.type for v in end.operands]


def _check_view(func: ir.Operation, arg_index: int, original: Ints, view: Ints) -> None:
    name = arg_attr(func, arg_index, "dist.name")
    shown = f"argument {arg_index}" if name is None else f"{name.value!r}"
    if prod(view) != prod(original) or any(n < 1 for n in view):
        raise IllegalSharding(
            f"view {list(view)} of {shown} has {prod(view)} elements, its shape {list(original)} "
            f"has {prod(original)}",
            where=where(func),
            help="the sizes of a view multiply to those of the shape",
        )
    if not set(accumulate(original, mul)) <= set(accumulate(view, mul, initial=1)):
        raise IllegalSharding(
            f"view {list(view)} of {shown} joins dimensions of its shape {list(original)}",
            where=where(func),
            help="split each dimension on its own: [768, 2304] as [768, 3, 12, 64]",
        )
    if arg_attr(func, arg_index, SHARDING) is None:
        return
    if len(view) != len(stablehlo.shape(func.regions[0].blocks[0].arguments[arg_index])):
        raise IllegalSharding(
            f"{shown} has a sharding of another rank than its view {list(view)}",
            where=where(func),
            help="apply views before shardings are set",
        )


@dataclass(frozen=True)
class ApplyViews(Pass):
    """Hold arguments under a view of their shape and move the reshape back to where it cancels.

    Needs static shapes; `views` lists `name:AxBxC`, the name an argument's `dist.name`. Leaves each
    named argument with the type of its view and the shape users know in `dist.original_shape`; the
    reshape back goes down as `merge-reshapes` moves it. Fails when a name is unknown or given
    twice, the numbers of elements differ, or a view joins dimensions.

    Example:
        ```mlir
        // Input, apply-views{views=w:4x3x2}
        func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32> {dist.name = "w"}) {
          %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
              : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
          %1 = stablehlo.slice %0 [0:8, 0:2] : (tensor<8x6xf32>) -> tensor<8x2xf32>
        // Output
        func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x3x2xf32>
            {dist.name = "w", dist.original_shape = array<i64: 4, 6>}) {
          %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
              : (tensor<8x4xf32>, tensor<4x3x2xf32>) -> tensor<8x3x2xf32>
          %1 = stablehlo.slice %0 [0:8, 0:1, 0:2] : (tensor<8x3x2xf32>) -> tensor<8x1x2xf32>
          %2 = stablehlo.reshape %1 : (tensor<8x1x2xf32>) -> tensor<8x2xf32>
        ```

    A fused weight sharded by heads would need a permutation of its columns; as a view the heads are
    a dimension, and the slice that takes q, k and v apart cuts another one.
    """

    name: ClassVar[str] = "apply-views"
    views: tuple[str, ...] = ()

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        wanted = dict(_parse_view(text) for text in self.views)
        if len(wanted) != len(self.views):
            raise UsageError(
                f"{len(self.views)} views for {len(wanted)} names: {';'.join(self.views)}",
                help="give each argument one view",
            )
        found: set[str] = set()
        for func in stablehlo.functions(module):
            if stablehlo.is_public(func):
                found |= _apply_by_name(module, func, wanted)
        missing = sorted(wanted.keys() - found)
        if missing:
            raise UsageError(
                f"no argument is called {missing[0]!r}",
                help="names are the dist.name of function arguments",
            )
        rewrite(module.operation, PATTERNS)


def _apply_by_name(module: ir.Module, func: ir.Operation, wanted: dict[str, Ints]) -> set[str]:
    found = set()
    for index in range(len(func.regions[0].blocks[0].arguments)):
        name = arg_attr(func, index, "dist.name")
        if name is not None and name.value in wanted:
            apply_view(module, func, index, wanted[name.value])
            found.add(name.value)
    return found


def _parse_view(text: str) -> tuple[str, Ints]:
    name, colon, sizes = text.rpartition(":")
    parts = sizes.split("x")
    if not colon or not name or not all(part.isdecimal() for part in parts):
        raise UsageError(f"view {text!r} is not name:AxBxC", help="write w:768x3x12x64")
    return name, tuple(int(part) for part in parts)
