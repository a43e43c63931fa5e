"""The `dist` dialect: the mesh, and one op per way to change how a value is distributed.

All ops but `dist.mesh` take one tensor and give one of the same *global* type; `sharding` says
how the result is distributed. They have no side effects. The operand's sharding is that of the
value itself, so an op says only where it leads.
"""

# No `from __future__ import annotations`: the definition layer reads the annotations as objects.
from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import ext

from distc.dialect.attrs import MESH_OP, from_attr, mesh_of
from distc.dialect.mesh import Mesh
from distc.runtime.errors import DistcError


class Dist(ext.Dialect, name="dist"):
    """Distribution of tensors over the ranks of a mesh."""


class ShardingAttr(ext.Attribute, dialect=Dist, name="sharding"):
    """How a value lies on a mesh.

    Parameters: the mesh symbol; per dimension the axes that cut it, outermost first; per
    dimension the block it is cut in; the partial axes with their reduction.

    Example:
        ```mlir
        #dist.sharding<@mesh, [["node", "gpu"], []], array<i64: 1, 1>, {tensor = "sum"}>
        ```
        is `[S(node,gpu), R] P(sum: tensor)` for people. A part of an axis is `"x:(2)2"`.
    """

    mesh: ir.FlatSymbolRefAttr
    dims: ir.ArrayAttr
    blocks: Any
    partial: ir.DictAttr


class MeshOp(ext.Operation, dialect=Dist, name="mesh"):
    """Declares the mesh: axes outermost first, their sizes, the links between neighbours.

    Links are `device`, `node` or `network`. Rank ids are row-major over the axes.

    Example:
        ```mlir
        "dist.mesh"() {sym_name = "mesh", axes = ["node", "gpu"], sizes = array<i64: 2, 4>,
                       links = ["network", "device"]} : () -> ()
        ```
    """

    sym_name: ir.StringAttr
    axes: ir.ArrayAttr
    sizes: Any
    links: ir.ArrayAttr

    @staticmethod
    def verify_invariants(op: ir.OpView) -> bool:
        """Check the place and the axes: names, sizes, links, one each."""
        parent = op.operation.parent
        if parent is not None and parent.operation.name != "builtin.module":
            return _fail(op, f"is in {parent.operation.name}, it must stand in the module")
        try:
            mesh_of(op)
        except (DistcError, AttributeError, TypeError) as error:
            return _fail(op, getattr(error, "message", "axes, sizes and links must be arrays"))
        return True


class ShardingOp(ext.Operation, dialect=Dist):
    """What all conversions share: one operand, the sharding of the result, one result."""

    operand: ext.Operand[Any]
    sharding: ShardingAttr
    result: ext.Result[Any]

    @staticmethod
    def verify_invariants(op: ir.OpView) -> bool:
        """Check types and the sharding against the result's shape and the mesh in reach."""
        source, target = op.operands[0].type, op.results[0].type
        if source != target:
            return _fail(op, f"operand is {source} and result is {target}, they must be equal")
        if not isinstance(target, ir.RankedTensorType) or not target.has_static_shape:
            return _fail(op, f"result is {target}, it must be a tensor of static shape")
        mesh = _enclosing_mesh(op)
        if mesh is None:
            return True
        try:
            from_attr(op.attributes["sharding"], mesh).normalize(tuple(target.shape))
        except DistcError as error:
            return _fail(op, error.message)
        return True


class Constraint(ShardingOp, name="constraint", traits=[ext.Pure]):
    """The user wants this value distributed so. Lives until the plan is made.

    Example:
        ```mlir
        %1 = "dist.constraint"(%0) {sharding = #dist.sharding<@mesh, [["x"]], array<i64: 1>, {}>}
            : (tensor<8xf32>) -> tensor<8xf32>
        ```
    """


class Reshard(ShardingOp, name="reshard", traits=[ext.Pure]):
    """The value changes its sharding, by whatever collectives that takes.

    Inserted by `insert-reshards`, lives until `reshard-to-collectives`.
    """


class AllGather(ShardingOp, name="all_gather", traits=[ext.Pure]):
    """Takes the last axes off dimensions: ranks exchange their shards along them.

    `[S(x,y), R]` to `[S(x), R]`; each rank ends with the shards of its group, side by side.
    """


class AllSlice(ShardingOp, name="all_slice", traits=[ext.Pure]):
    """Puts further axes on dimensions: each rank keeps its part. Moves nothing.

    `[S(x), R]` to `[S(x), S(y)]`; the reverse of `dist.all_gather`.
    """


class AllReduce(ShardingOp, name="all_reduce", traits=[ext.Pure]):
    """Completes partial axes: ranks combine their parts, each holds the result.

    `[R] P(sum: x)` to `[R]`.
    """


class ReduceScatter(ShardingOp, name="reduce_scatter", traits=[ext.Pure]):
    """Completes a partial axis and cuts a dimension by it: each rank holds its part.

    `[R, R] P(sum: x)` to `[S(x), R]`; half of an `all_reduce`.
    """


class AllToAll(ShardingOp, name="all_to_all", traits=[ext.Pure]):
    """Takes the last axis off one dimension and puts it on another.

    `[S(x), R]` to `[R, S(x)]`; each rank sends every other one a part of its shard.
    """


class CollectivePermute(ShardingOp, name="collective_permute", traits=[ext.Pure]):
    """Same local shapes, other ranks: shards change places.

    `[S(x,y)]` to `[S(y,x)]`, or `[S(x)]` to `[S(y)]` where the axes have one size.
    """


class ToPartial(ShardingOp, name="to_partial", traits=[ext.Pure]):
    """Makes a replicated axis partial: all but the first rank hold the neutral element.

    `[R]` to `[R] P(sum: x)`. Moves nothing.
    """


def _fail(op: ir.OpView, message: str) -> bool:
    op.location.emit_error(f"'{op.operation.name}' {message}")
    return False


def _enclosing_mesh(op: ir.OpView) -> Mesh | None:
    """Return the mesh declared by the module around `op`, None while it has none."""
    top = op.operation.parent
    while top is not None and top.operation.parent is not None:
        top = top.operation.parent
    if top is None or top.operation.name != "builtin.module":
        return None
    for candidate in top.regions[0].blocks[0].operations:
        if candidate.operation.name != MESH_OP:
            continue
        try:
            return mesh_of(candidate)
        except (DistcError, AttributeError, TypeError, KeyError):
            return None  # its own verifier reports it
    return None
