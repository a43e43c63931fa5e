"""Random meshes, shardings, constraints, and the passes that a program goes through."""

from __future__ import annotations

from collections.abc import Sequence

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import set_arg_sharding, set_module_mesh, set_result_sharding, to_attr
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import AxisRef, Mesh
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from fuzzing.choices import Choices

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3", "x=3,y=2", "x=6")
_EXACT_PARTS = ("f32", "f64", "i32", "i64", "i8", "ui8", "i1")
_CONSTRAINT = "dist.constraint"


def pinned(choices: Choices, text: str, special: bool = False, constraints: bool = True) -> str:
    """A module with a mesh, pins on arguments and results, and constraints inside.

    Args:
        choices: who decides.
        text: a module without `dist`.
        special: whether arguments hold infinities, of which parts cannot be made for products.
        constraints: whether values in the middle may be pinned too.
    """
    mesh = Mesh.parse(choices.pick(MESHES))
    module = parse_module(text, make_context(), "random")
    set_module_mesh(module, mesh)
    func = main_of(module)
    block = func.regions[0].blocks[0]
    operations = [o.operation for o in block.operations]
    returned = list(operations[-1].operands)
    partials = not special
    for i, value in enumerate(block.arguments):
        if choices.chance(75):
            set_arg_sharding(func, i, sharding(choices, mesh, value, partial=partials))
    for i, value in enumerate(returned):
        if choices.chance(45):
            set_result_sharding(func, i, sharding(choices, mesh, value, partial=partials))
    with module.context:
        for op in operations[:-1]:
            if constraints and choices.chance(8):
                _constrain(choices, mesh, op)
    return str(module)


def main_of(module: ir.Module) -> ir.Operation:
    """The function @main."""
    return next(f for f in stablehlo.functions(module) if stablehlo.symbol(f) == "main")


def _constrain(choices: Choices, mesh: Mesh, op: ir.Operation) -> None:
    value = op.results[0]
    target = sharding(choices, mesh, value, partial=False)
    constraint = ir.Operation.create(
        _CONSTRAINT,
        results=[value.type],
        operands=[value],
        attributes={"sharding": to_attr(target, op.context)},
        loc=op.location,
        ip=ir.InsertionPoint.after(op),
    )
    value.replace_all_uses_except(constraint.results[0], constraint)


def sharding(choices: Choices, mesh: Mesh, value: ir.Value, *, partial: bool) -> Sharding:
    """Each axis or half of one free, on a dimension (in any order) or partial; blocks too."""
    shape, dtype = stablehlo.shape(value), stablehlo.dtype(value)
    cuts: list[list[AxisRef]] = [[] for _ in shape]
    pending: list[AxisRef] = []
    for axis in choices.shuffled(_axes(choices, mesh)):
        place = choices.below(100)
        if shape and place >= 30:
            cuts[choices.below(len(shape))].append(axis)
        elif partial and place >= 18 and dtype in _EXACT_PARTS:
            pending.append(axis)
    kind = choices.pick(_kinds(dtype)) if pending else Reduction.SUM
    dims = tuple(
        DimSharding(tuple(cut), _block(choices, size) if cut else 1)
        for cut, size in zip(cuts, shape, strict=True)
    )
    return Sharding(mesh, dims, tuple((axis, kind) for axis in pending)).normalize(shape)


def _axes(choices: Choices, mesh: Mesh) -> list[AxisRef]:
    """The axes; one that is a product sometimes as its parts, of which one may stay free."""
    axes: list[AxisRef] = []
    for axis in mesh.axes:
        if axis.size in (4, 6) and choices.chance(50):
            first = choices.pick((2, axis.size // 2))
            axes += [AxisRef(axis.name, 1, first), AxisRef(axis.name, first, axis.size // first)]
        else:
            axes.append(AxisRef(axis.name))
    return axes


def _kinds(dtype: str) -> Sequence[Reduction]:
    if dtype == "i1":
        return (Reduction.OR, Reduction.AND)
    return (Reduction.SUM, Reduction.SUM, Reduction.SUM, Reduction.MAX, Reduction.MIN)


def _block(choices: Choices, size: int) -> int:
    if size < 2 or not choices.chance(20):
        return 1
    return choices.pick([b for b in range(1, size + 1) if size % b == 0])
