"""The only converter between sharding values and MLIR attributes.

    #dist.sharding<@mesh, [["node", "gpu"], []], array<i64: 1, 1>, {"tensor:(2)2" = "sum"}>

The parameters are the mesh symbol, one array of axes per dimension (outermost first), one block
per dimension and the partial axes with their reduction. On a `dist.*` op the attribute is
`sharding`; on every other op it is the discardable `dist.sharding`, an array with one entry per
result; on arguments and results of functions it is `dist.sharding` in their dictionaries.

Conversions are cached per MLIR context. The tables hold no reference to the context: keys are
the addresses of attributes, which live exactly as long as their context, and values are capsules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from torch_mlir import ir

from distc.dialect.mesh import AxisRef, LinkClass, Mesh, MeshAxis
from distc.dialect.sharding import DimSharding, Reduction, Sharding
from distc.runtime.errors import IllegalSharding

SHARDING = "dist.sharding"
AGAIN = "dist.again"
"""On a conversion that is done once more, later: it is not shared with an equal one before it."""
MESH_OP = "dist.mesh"
_SUB_AXIS = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::\((\d+)\)(\d+))?\Z")
_HELP = 'the form is #dist.sharding<@mesh, [["x"], []], array<i64: 1, 1>, {"y" = "sum"}>'

Op: TypeAlias = ir.Operation | ir.OpView

_encoded: WeakKeyDictionary[ir.Context, dict[Sharding, object]] = WeakKeyDictionary()
_decoded: WeakKeyDictionary[ir.Context, dict[int, Sharding]] = WeakKeyDictionary()
_meshes: WeakKeyDictionary[ir.Context, dict[tuple[int, ...], Mesh]] = WeakKeyDictionary()


def to_attr(sharding: Sharding, ctx: ir.Context) -> ir.Attribute:
    """Return `#dist.sharding<…>` for a sharding."""
    table = _encoded.setdefault(ctx, {})
    capsule = table.get(sharding)
    if capsule is not None:
        known: ir.Attribute = ir.Attribute._CAPICreate(capsule).maybe_downcast()
        return known
    attribute = _encode(sharding, ctx)
    table[sharding] = attribute._CAPIPtr
    return attribute


def _encode(sharding: Sharding, ctx: ir.Context) -> ir.Attribute:
    def strings(axes: Sequence[AxisRef]) -> ir.Attribute:
        return ir.ArrayAttr.get([ir.StringAttr.get(str(a), ctx) for a in axes], ctx)

    return ir.DynamicAttr.get(
        SHARDING,
        [
            ir.FlatSymbolRefAttr.get(sharding.mesh.name, ctx),
            ir.ArrayAttr.get([strings(d.axes) for d in sharding.dims], ctx),
            ir.DenseI64ArrayAttr.get([d.block for d in sharding.dims], ctx),
            ir.DictAttr.get(
                {str(a): ir.StringAttr.get(str(k), ctx) for a, k in sharding.partial}, ctx
            ),
        ],
        ctx,
    )


def from_attr(attribute: ir.Attribute, mesh: Mesh) -> Sharding:
    """Return the sharding an attribute says; partial axes come in mesh order.

    Raises:
        IllegalSharding: not a sharding attribute, another mesh, a malformed parameter, an axis
            used twice.
        ConfigError: an axis is not in the mesh.
    """
    table = _decoded.setdefault(attribute.context, {})
    known = table.get(hash(attribute))
    if known is not None and (known.mesh is mesh or known.mesh == mesh):
        return known
    sharding = _decode(attribute, mesh)
    table[hash(attribute)] = sharding
    return sharding


def _decode(attribute: ir.Attribute, mesh: Mesh) -> Sharding:
    if not isinstance(attribute, ir.DynamicAttr) or attribute.attr_name != SHARDING:
        raise IllegalSharding(f"{attribute} is not a #dist.sharding attribute", help=_HELP)
    symbol, dims, blocks, partial = (p.maybe_downcast() for p in attribute.params)
    if symbol.value != mesh.name:
        raise IllegalSharding(
            f"sharding on mesh @{symbol.value}, the module's mesh is @{mesh.name}",
            help=f"declare dist.mesh @{symbol.value} or shard on @{mesh.name}",
        )
    if not isinstance(blocks, ir.DenseI64ArrayAttr) or len(blocks) != len(dims):
        raise IllegalSharding(
            f"{len(dims)} dimensions and blocks {blocks} in {attribute}",
            help="write one block per dimension, 1 where none: array<i64: 1, 1>",
        )
    axes = [_axes(d, attribute) for d in dims]
    pairs = [(_axis(p.name), _reduction(p.attr, attribute)) for p in partial]
    for ref, _ in pairs:
        mesh.split(ref)
    order = {a.name: i for i, a in enumerate(mesh.axes)}
    pairs.sort(key=lambda p: (order[p[0].name], p[0].pre))
    parts = tuple(DimSharding(a, int(b)) for a, b in zip(axes, blocks, strict=True))
    return Sharding(mesh, parts, tuple(pairs))


def _axes(dim: ir.Attribute, whole: ir.Attribute) -> tuple[AxisRef, ...]:
    if not isinstance(dim, ir.ArrayAttr) or not all(isinstance(a, ir.StringAttr) for a in dim):
        raise IllegalSharding(f"dimension {dim} is not an array of axes in {whole}", help=_HELP)
    return tuple(_axis(a.value) for a in dim)


def _axis(text: str) -> AxisRef:
    match = _SUB_AXIS.match(text)
    if match is None:
        raise IllegalSharding(f"{text!r} is not an axis", help='write "x" or a part, "x:(2)2"')
    name, pre, size = match.groups()
    return AxisRef(name, int(pre), int(size)) if pre else AxisRef(name)


def _reduction(kind: ir.Attribute, whole: ir.Attribute) -> Reduction:
    value = kind.value if isinstance(kind, ir.StringAttr) else ""
    if value not in Reduction.__members__.values():
        raise IllegalSharding(
            f"unknown reduction {kind} in {whole}", help=f"use one of {', '.join(Reduction)}"
        )
    return Reduction(value)


# Operations


def is_dist_op(op: Op) -> bool:
    """True for the ops of this dialect that carry their result's sharding as `sharding`."""
    name = op.operation.name
    return name.startswith("dist.") and name != MESH_OP


def op_shardings(op: Op, mesh: Mesh) -> tuple[Sharding, ...] | None:
    """Return the shardings of an op's results, None where it carries none."""
    if is_dist_op(op):
        return (from_attr(op.attributes["sharding"], mesh),)
    if SHARDING not in op.attributes:
        return None
    entries = op.attributes[SHARDING]
    if not isinstance(entries, ir.ArrayAttr):
        raise IllegalSharding(
            f"dist.sharding of an op is {entries}", help="write an array, one entry per result"
        )
    return tuple(from_attr(a, mesh) for a in entries)


def set_op_shardings(op: Op, shardings: Sequence[Sharding]) -> None:
    """Set the shardings of an op's results, one each."""
    ctx = op.operation.context
    attributes = [to_attr(s, ctx) for s in shardings]
    if is_dist_op(op):
        op.attributes["sharding"] = attributes[0]
        return
    op.attributes[SHARDING] = ir.ArrayAttr.get(attributes, ctx)


def value_sharding(value: ir.Value, mesh: Mesh) -> Sharding | None:
    """Return the sharding of a value: an op's result or a function's argument."""
    owner = value.owner
    if not isinstance(owner, ir.Block):
        found = op_shardings(owner, mesh)
        return found[ir.OpResult(value).result_number] if found else None
    if owner.owner.operation.name != "func.func":
        return None
    return arg_sharding(owner.owner, ir.BlockArgument(value).arg_number, mesh)


# Functions


def _dictionary(func: Op, which: str, index: int) -> ir.DictAttr | None:
    if which not in func.attributes:
        return None
    entry: ir.DictAttr = func.attributes[which][index]
    return entry


def _get(func: Op, which: str, index: int, name: str) -> Any:
    entry = _dictionary(func, which, index)
    return entry[name] if entry is not None and name in entry else None


def _count(func: Op, which: str) -> int:
    signature = func.attributes["function_type"].value
    return len(signature.inputs if which == "arg_attrs" else signature.results)


def _update(func: Op, which: str, changes: Mapping[int, Mapping[str, ir.Attribute | None]]) -> None:
    ctx = func.operation.context
    if which in func.attributes:
        entries = list(func.attributes[which])
    else:
        entries = [ir.DictAttr.get({}, ctx)] * _count(func, which)
    for index, change in changes.items():
        merged = {p.name: p.attr for p in entries[index]}
        merged.update({k: v for k, v in change.items() if v is not None})
        kept = {k: v for k, v in merged.items() if k not in change or change[k] is not None}
        entries[index] = ir.DictAttr.get(kept, ctx)
    func.attributes[which] = ir.ArrayAttr.get(entries, ctx)


def arg_attr(func: Op, index: int, name: str) -> Any:
    """Return attribute `name` of argument `index`, or None; the caller knows its kind."""
    return _get(func, "arg_attrs", index, name)


def set_arg_attr(func: Op, index: int, name: str, value: ir.Attribute | None) -> None:
    """Set, or with None remove, attribute `name` of argument `index`."""
    _update(func, "arg_attrs", {index: {name: value}})


def update_arg_attrs(func: Op, changes: Mapping[int, Mapping[str, ir.Attribute | None]]) -> None:
    """Change attributes of many arguments at once (one argument at a time is quadratic)."""
    _update(func, "arg_attrs", changes)


def result_attr(func: Op, index: int, name: str) -> Any:
    """Return attribute `name` of result `index`, or None; the caller knows its kind."""
    return _get(func, "res_attrs", index, name)


def set_result_attr(func: Op, index: int, name: str, value: ir.Attribute | None) -> None:
    """Set, or with None remove, attribute `name` of result `index`."""
    _update(func, "res_attrs", {index: {name: value}})


def update_result_attrs(func: Op, changes: Mapping[int, Mapping[str, ir.Attribute | None]]) -> None:
    """Change attributes of many results at once."""
    _update(func, "res_attrs", changes)


def arg_sharding(func: Op, index: int, mesh: Mesh) -> Sharding | None:
    """Return the sharding of argument `index`, or None."""
    found = arg_attr(func, index, SHARDING)
    return None if found is None else from_attr(found, mesh)


def set_arg_sharding(func: Op, index: int, sharding: Sharding) -> None:
    """Set the sharding of argument `index`."""
    set_arg_attr(func, index, SHARDING, to_attr(sharding, func.operation.context))


def result_sharding(func: Op, index: int, mesh: Mesh) -> Sharding | None:
    """Return the sharding of result `index`, or None."""
    found = result_attr(func, index, SHARDING)
    return None if found is None else from_attr(found, mesh)


def set_result_sharding(func: Op, index: int, sharding: Sharding) -> None:
    """Set the sharding of result `index`."""
    set_result_attr(func, index, SHARDING, to_attr(sharding, func.operation.context))


# The mesh


def mesh_op(module: ir.Module) -> Op | None:
    """Return the module's `dist.mesh` op, or None."""
    return next((op for op in module.body.operations if op.operation.name == MESH_OP), None)


def mesh_of(op: Op) -> Mesh:
    """Return the mesh a `dist.mesh` op declares.

    Raises:
        ConfigError: no axis, an axis named twice, a bad name or size.
        IllegalSharding: the three lists differ in length or a link is unknown.
    """
    attributes = op.attributes
    names = ("axes", "sizes", "links", "sym_name")
    missing = [k for k in names if k not in attributes]
    if missing:
        raise IllegalSharding(
            f"dist.mesh has no {' and no '.join(missing)}",
            help='write sym_name = "mesh", axes = ["x"], sizes = array<i64: 2>, links = ["device"]',
        )
    parts = [attributes[k] for k in names]
    table = _meshes.setdefault(op.operation.context, {})
    key = tuple(map(hash, parts))
    if key not in table:
        table[key] = _decode_mesh(*parts)
    return table[key]


def _decode_mesh(
    axes: ir.ArrayAttr, sizes: ir.DenseI64ArrayAttr, kinds: ir.ArrayAttr, name: ir.StringAttr
) -> Mesh:
    names = [str(a.value) for a in axes]
    links = [str(a.value) for a in kinds]
    if not len(names) == len(sizes) == len(links):
        raise IllegalSharding(
            f"{len(names)} axes, {len(sizes)} sizes and {len(links)} links",
            help="write one size and one link per axis",
        )
    unknown = next((k for k in links if k not in LinkClass.__members__.values()), None)
    if unknown is not None:
        raise IllegalSharding(
            f"unknown link {unknown!r}", help=f"use one of {', '.join(LinkClass)}"
        )
    triples = zip(names, sizes, links, strict=True)
    return Mesh(tuple(MeshAxis(n, int(s), LinkClass(k)) for n, s, k in triples), name.value)


def module_mesh(module: ir.Module) -> Mesh | None:
    """Return the mesh the module declares, None where it declares none."""
    op = mesh_op(module)
    return None if op is None else mesh_of(op)


def set_module_mesh(module: ir.Module, mesh: Mesh) -> None:
    """Declare the module's mesh, replacing one that is there."""
    ctx = module.context
    old = mesh_op(module)
    if old is not None:
        old.operation.erase()
    with ir.InsertionPoint.at_block_begin(module.body), ir.Location.unknown(ctx):
        ir.Operation.create(
            MESH_OP,
            attributes={
                "sym_name": ir.StringAttr.get(mesh.name, ctx),
                "axes": ir.ArrayAttr.get([ir.StringAttr.get(a.name, ctx) for a in mesh.axes], ctx),
                "sizes": ir.DenseI64ArrayAttr.get([a.size for a in mesh.axes], ctx),
                "links": ir.ArrayAttr.get([ir.StringAttr.get(a.link, ctx) for a in mesh.axes], ctx),
            },
        )
