"""Shardy's manual computations, and values that one device makes for all."""

from __future__ import annotations

import numpy as np
from torch_mlir import ir

from distc.compiler.frontend.sdy_grammar import (
    SdyAxis,
    SdyDim,
    SdySharding,
    parse_axes,
    parse_per_value,
)
from distc.compiler.frontend.sdy_mesh import CommonMesh
from distc.dialect import build, stablehlo
from distc.dialect.locations import where
from distc.dialect.manual import call_manual, is_manual
from distc.dialect.mesh import AxisRef
from distc.dialect.sharding import Sharding
from distc.runtime.errors import UnsupportedOp
from distc.transforms.base import replace_op

_GROUPS = ("replica_groups", "source_target_pairs")
_FLAGGED = ("stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.reduce_scatter")


class ManualImporter:
    """Makes private functions of computations that are written for one rank."""

    def __init__(self, module: ir.Module, common: CommonMesh, allowed: bool) -> None:
        self.module, self.common, self.allowed = module, common, allowed
        self._count = 0

    def replace(self, op: ir.Operation) -> None:
        """Replace a `sdy.manual_computation` by a call of its body; `op` is gone afterwards.

        The body runs alike on all ranks of the axes that are not manual.

        Raises:
            UnsupportedOp: not allowed here, uneven shards, a nested manual computation.
        """
        if not self.allowed:
            raise UnsupportedOp(
                "sdy.manual_computation speaks of single ranks; a source program is the same "
                "for all",
                where=where(op),
                help="give the program without shard_map: distc writes the collectives itself",
            )
        manual = parse_axes(str(op.attributes["manual_axes"]), where(op))
        takes = self._read(op, "in_shardings", list(op.operands), manual)
        gives = self._read(op, "out_shardings", list(op.results), manual)
        block = op.regions[0].blocks[0]
        self._localize(block)
        name = self._function(block, op)
        with ir.InsertionPoint(op), op.location:
            call = call_manual(name, list(op.operands), [r.type for r in op.results], takes, gives)
        replace_op(op, list(call.results))

    def take_from(self, op: ir.Operation, device: int) -> None:
        """Let every rank have the results that `device` computes, whatever itself computed."""
        ranks = self.common.mesh.size
        order = self.common.device_ids or tuple(range(ranks))
        if device not in order:
            raise UnsupportedOp(
                f"device {device} is not among the {ranks} of the mesh",
                where=where(op),
                help="name a device of the mesh",
            )
        for result in op.results:
            whole = Sharding.replicated(self.common.mesh, len(stablehlo.shape(result)))
            with op.location:
                name = self._broadcast(result.type, order.index(device), op.location)
                with ir.InsertionPoint.after(op):
                    call = call_manual(name, [result], [result.type], [whole], [whole])
            result.replace_all_uses_except(call.results[0], call)

    def _read(
        self, op: ir.Operation, name: str, values: list[ir.Value], manual: tuple[SdyAxis, ...]
    ) -> list[Sharding]:
        shardings = parse_per_value(str(op.attributes[name]), where(op))
        return [
            self._manual_part(op, s, stablehlo.shape(v), {a.name for a in manual})
            for s, v in zip(shardings, values, strict=True)
        ]

    def _manual_part(
        self, op: ir.Operation, sharding: SdySharding, shape: tuple[int, ...], manual: set[str]
    ) -> Sharding:
        """The sharding by manual axes alone: what the body's types have gone by."""
        dims = tuple(SdyDim(tuple(a for a in d.axes if a.name in manual)) for d in sharding.dims)
        kept = SdySharding(sharding.mesh, dims, (), sharding.unreduced)
        ours = self.common.sharding(kept, shape) or Sharding.replicated(
            self.common.mesh, len(shape)
        )
        if not ours.is_even(shape):
            raise UnsupportedOp(
                f"a manual computation of {list(shape)} cut unevenly as {ours}",
                where=where(op),
                help="pad the value to a multiple of the axes",
            )
        return ours

    def _localize(self, block: ir.Block) -> None:
        """Take out what speaks of shardings; let collectives name ranks instead of devices."""
        for op in [o.operation for o in block.operations]:
            for inner in [*stablehlo.walk(op), op]:
                if is_manual(inner):
                    raise UnsupportedOp(
                        "a manual computation inside another",
                        where=where(inner),
                        help="write one over all the axes",
                    )
                self._name_ranks(inner)

    def _name_ranks(self, op: ir.Operation) -> None:
        channel = next((n for n in _GROUPS if n in op.attributes), None)
        if channel is None:
            if op.name in ("stablehlo.partition_id", "stablehlo.replica_id"):
                self.name_device(op)
            return
        order = self.common.device_ids
        if order:
            table = ir.DenseIntElementsAttr(op.attributes[channel])
            devices = np.array(list(table), dtype=np.int64).reshape(table.type.shape)
            ranks = np.vectorize(lambda d: order.index(d) if d >= 0 else d)(devices)
            op.attributes[channel] = build.i64_matrix(
                tuple(map(tuple, ranks.tolist())), ranks.shape[1], op.context
            )
        if op.name in _FLAGGED:
            op.attributes["use_globalname_devices"] = ir.UnitAttr.get()
        op.attributes["channel_handle"] = ir.Attribute.parse(
            "#stablehlo.channel_handle<handle = 1, type = 1>"
        )

    def name_device(self, op: ir.Operation) -> None:
        """Replace a partition id by the id of the device at the executing rank."""
        order = self.common.device_ids
        if not order:
            return
        element = stablehlo.element_type(op.results[0])
        with ir.InsertionPoint(op), op.location:
            rank = build.partition_id(op.context)
            table = build.constant(np.array(order, dtype=np.uint32), element)
            device = build.reshape(build.dynamic_slice(table, [rank], [1]), ())
        replace_op(op, [device])

    def _function(self, block: ir.Block, op: ir.Operation) -> str:
        """A private function of the operations of `block`."""
        types = [a.type for a in block.arguments]
        func, body = self._empty(types, op.location)
        copies: dict[ir.Value, ir.Value] = dict(zip(block.arguments, body.arguments, strict=True))
        returned: list[ir.Value] = []
        with ir.InsertionPoint(body):
            for inner in [o.operation for o in block.operations]:
                if inner.name == "sdy.return":
                    returned = [copies[v] for v in inner.operands]
                    continue
                copy = inner.clone().operation
                for position, operand in enumerate(inner.operands):
                    copy.operands[position] = self._inside(operand, copies, inner)
                copies.update(zip(inner.results, copy.results, strict=True))
            with op.location:
                ir.Operation.create("func.return", operands=returned)
        signature = ir.FunctionType.get(types, [v.type for v in returned])
        func.attributes["function_type"] = ir.TypeAttr.get(signature)
        return stablehlo.symbol(func)

    def _inside(
        self, value: ir.Value, copies: dict[ir.Value, ir.Value], op: ir.Operation
    ) -> ir.Value:
        if value in copies:
            return copies[value]
        source = stablehlo.defining_op(value)
        if source is None or source.name != "stablehlo.constant":
            raise UnsupportedOp(
                "a manual computation reads a value from outside",
                where=where(op),
                help="pass it as an operand",
            )
        return build.clone(source).results[0]

    def _broadcast(self, kind: ir.Type, rank: int, location: ir.Location) -> str:
        """A function that gives every rank the value of `rank`, bit for bit."""
        func, body = self._empty([kind], location)
        with ir.InsertionPoint(body):
            (x,) = body.arguments
            shape = stablehlo.shape(x)
            axes = tuple(AxisRef(a.name) for a in self.common.mesh.axes)
            groups = self.common.mesh.groups(axes)
            row = build.all_gather(build.reshape(x, (1, *shape)), 0, groups, 1)
            place = [rank, *(0 for _ in shape)]
            one = build.slice_(row, place, [rank + 1, *shape])
            ir.Operation.create("func.return", operands=[build.reshape(one, shape)])
        func.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([kind], [kind]))
        return stablehlo.symbol(func)

    def _empty(self, types: list[ir.Type], location: ir.Location) -> tuple[ir.Operation, ir.Block]:
        self._count += 1
        func: ir.Operation = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(f"manual_computation_{self._count}"),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            },
            regions=1,
            loc=location,
            ip=ir.InsertionPoint(self.module.body),
        )
        block = func.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
        return func, block
