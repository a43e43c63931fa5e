"""The arguments and results of a partitioned module, as the manifest records them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torch_mlir import ir

from distc.dialect import attrs, stablehlo
from distc.dialect.mesh import Mesh
from distc.runtime.errors import InternalError
from distc.runtime.layout import TensorLayout
from distc.runtime.manifest import EntryPoint, Partial, TensorRecord
from distc.runtime.narrow_types import CARRIERS

NAME, KIND, COUNT = "dist.name", "dist.kind", "dist.count"
PARAMETER, SLOT = "dist.parameter", "dist.slot"
INITIAL, UPDATES, STORED = "dist.initial", "dist.updates", "dist.stored"
GLOBAL_SHAPE, ORIGINAL_SHAPE = "dist.global_shape", "dist.original_shape"
Bounds = Mapping[str, tuple[int, int]]

# Ops through which an index keeps its meaning on the way to where it is used.
_CARRIERS = frozenset(
    f"stablehlo.{name}"
    for name in ("reshape", "convert", "broadcast_in_dim", "transpose", "slice", "concatenate")
)
_LARGEST_STEP = 64


def public_functions(module: ir.Module) -> tuple[ir.Operation, ...]:
    """Return the entry points of a module in order."""
    return tuple(f for f in stablehlo.functions(module) if stablehlo.is_public(f))


def entry_point(func: ir.Operation, mesh: Mesh, bounds: Bounds) -> EntryPoint:
    """Return the record of one entry point of a partitioned module.

    Args:
        func: the function, with `dist.sharding` and `dist.global_shape` on arguments and results.
        mesh: the mesh of the module.
        bounds: [low, high) of integer inputs by name, for random inputs.
    """
    signature = func.attributes["function_type"].value
    arguments = tuple(
        _record(func, "arg_attrs", i, t, mesh, bounds) for i, t in enumerate(signature.inputs)
    )
    held = {a.name: a for a in arguments}
    results = tuple(
        _as_state(_record(func, "res_attrs", i, t, mesh, {}), held)
        for i, t in enumerate(signature.results)
    )
    count = int(func.attributes[COUNT].value) if COUNT in func.attributes else 1
    return EntryPoint(stablehlo.symbol(func), arguments, results, count)


def _record(
    func: ir.Operation, side: str, index: int, type_: ir.Type, mesh: Mesh, bounds: Bounds
) -> TensorRecord:
    read = attrs.arg_attr if side == "arg_attrs" else attrs.result_attr
    lay = attrs.arg_sharding if side == "arg_attrs" else attrs.result_sharding
    sharding, view = lay(func, index, mesh), read(func, index, GLOBAL_SHAPE)
    if sharding is None or view is None:
        raise InternalError(
            f"{side} {index} of @{stablehlo.symbol(func)} has no layout after partition",
            help="this is a defect of distc",
        )
    name, kind = _text(read(func, index, NAME)), _text(read(func, index, KIND))
    default = "argument" if side == "arg_attrs" else "output"
    name = name or f"{default}{index}"
    original = read(func, index, ORIGINAL_SHAPE)
    return TensorRecord(
        name=name,
        kind=kind or ("input" if side == "arg_attrs" else "output"),
        dtype=dtype_name(type_),
        layout=sharding.layout(tuple(view), tuple(original) if original is not None else None),
        sharding=str(sharding),
        bound=bounds.get(name),
        parameter=_text(read(func, index, PARAMETER)),
        slot=_text(read(func, index, SLOT)),
        initial=_text(read(func, index, INITIAL)),
        partial=tuple(Partial(mesh.split(a), str(k)) for a, k in sharding.partial),
        updates=_text(read(func, index, UPDATES)),
        stored=_text(read(func, index, STORED)),
    )


def _as_state(result: TensorRecord, held: Mapping[str, TensorRecord]) -> TensorRecord:
    """Return a result that updates state with the shape users see of that state."""
    if result.updates not in held:
        return result
    layout = TensorLayout(held[result.updates].shape, result.layout.dims)
    return replace(result, layout=layout)


def _text(attribute: ir.Attribute | None) -> str:
    return str(ir.StringAttr(attribute).value) if attribute is not None else ""


def dtype_name(type_: ir.Type) -> str:
    """Return the dtype of a tensor type as programs name it: `f32`, `i1`, `ui8`, `c64`.

    A value of a narrow type (i4, f8E4M3FN, …) is passed as the type that carries it.
    """
    element = str(ir.RankedTensorType(type_).element_type)
    return {"complex<f32>": "c64", "complex<f64>": "c128", **CARRIERS}.get(element, element)


def index_bounds(func: ir.Operation) -> dict[str, tuple[int, int]]:
    """Return [0, n) for every integer input that looks up rows of a table of n rows."""
    bounds: dict[str, tuple[int, int]] = {}
    for index, argument in enumerate(func.regions[0].blocks[0].arguments):
        kind = _text(attrs.arg_attr(func, index, KIND))
        if kind not in ("", "input") or dtype_name(argument.type)[0] not in "iu":
            continue
        rows = _rows_indexed(argument)
        if rows is not None:
            name = _text(attrs.arg_attr(func, index, NAME)) or f"argument{index}"
            bounds[name] = (0, rows)
    return bounds


def _rows_indexed(argument: ir.Value) -> int | None:
    """Least number of rows among the tables that `argument` is looked up in."""
    found: list[int] = []
    pending, seen = [argument], 0
    while pending and seen < _LARGEST_STEP:
        value, seen = pending.pop(), seen + 1
        for use in value.uses:
            user = use.owner.operation
            if user.name in _CARRIERS:
                pending.extend(user.results)
            elif _is_lookup(user) and use.operand_number == 1:
                found.append(int(ir.RankedTensorType(user.operands[0].type).shape[0]))
    return min(found, default=None)


def _is_lookup(op: ir.Operation) -> bool:
    if op.name == "stablehlo.gather":
        return True
    return op.name == "stablehlo.composite" and op.attributes["name"].value == "distc.embedding"
