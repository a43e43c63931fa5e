"""Control flow whose values are cut: ranks run the regions on their shards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.locations import where
from distc.dialect.regions import CONTROL_FLOW, captured, captures, inputs
from distc.dialect.rules.control import Flow, Spot, entry_values
from distc.dialect.sharding import DimSharding, Sharding
from distc.runtime.errors import InternalError
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localize_op, localizer

UNCUT = DimSharding()


@localizer(*CONTROL_FLOW)
def _control_flow(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Copy the op and localise what its regions hold; nothing inside communicates."""
    flow = Flow.read(local.op)
    cuts = _cuts(flow, local)
    if not cuts:
        return local.copied()
    count = len(local.op.operands)
    types = [local.local_type(i) for i in range(len(local.op.results))]
    copy = build.create(
        local.op.name.removeprefix("stablehlo."),
        local.operands[:count],
        types,
        regions=len(local.op.regions),
    )
    writer = _Writer(ctx, flow, cuts)
    outside = dict(zip(captured(local.op), local.operands[count:], strict=True))
    with ctx.region_of(copy):
        for source, target in zip(local.op.regions, copy.regions, strict=True):
            writer.write(source, target, outside)
    return tuple(copy.results)


def _cuts(flow: Flow, local: LocalOp) -> dict[Spot, DimSharding]:
    """How each class of dimensions inside is cut, read from operands and results."""
    values = (*entry_values(local.op), *local.op.results)
    shardings = (*local.operand_shardings, *local.result_shardings)
    found: dict[Spot, DimSharding] = {}
    for value, sharding in zip(values, shardings, strict=True):
        for dim, cut in enumerate(sharding.dims):
            root = flow.free(value, dim)
            agrees = root is None or found.setdefault(root, cut) == cut
            if sharding.partial or not agrees or (root is None and cut.axes):
                raise InternalError(
                    f"{local.op.name} finds a value as {sharding}, and cannot run on its shards",
                    where=where(local.op),
                    help="report this with the reproducer",
                )
    return {root: cut for root, cut in found.items() if cut.axes}


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the regions of one op; `cuts` say how its dimensions lie."""

    ctx: LocalContext
    flow: Flow
    cuts: Mapping[Spot, DimSharding]

    def write(
        self, source: ir.Region, target: ir.Region, outside: Mapping[ir.Value, ir.Value]
    ) -> None:
        """Fill `target` with what a rank runs of `source`."""
        old = source.blocks[0]
        arguments = list(old.arguments)
        new = target.blocks.append(
            *map(self._local_type, arguments), arg_locs=[a.location for a in arguments]
        )
        values = dict(outside)
        values.update(zip(arguments, new.arguments, strict=True))
        with ir.InsertionPoint(new):
            for view in old.operations:
                self._op(view.operation, values)
        for view in new.operations:
            # Reducers and other regions that were copied as they are.
            for inner, position in captures(view.operation):
                read = inner.operands[position]
                inner.operands[position] = values.get(read, read)

    def _op(self, op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
        with op.location:
            if op.name == "stablehlo.return":
                build.create("return", [values[v] for v in op.operands], [])
                return
            local = LocalOp(
                op,
                tuple(values[v] for v in inputs(op)),
                tuple(self._sharding(v) for v in inputs(op)),
                tuple(self._sharding(v) for v in op.results),
            )
            values.update(zip(op.results, localize_op(self.ctx, local), strict=True))

    def _sharding(self, value: ir.Value) -> Sharding:
        shape = stablehlo.shape(value) if stablehlo.is_tensor(value) else ()
        roots = [self.flow.free(value, dim) for dim in range(len(shape))]
        dims = tuple(self.cuts.get(r, UNCUT) if r is not None else UNCUT for r in roots)
        return Sharding(self.ctx.mesh, dims).normalize(shape)

    def _local_type(self, value: ir.Value) -> ir.Type:
        if not stablehlo.is_tensor(value):
            unchanged: ir.Type = value.type
            return unchanged
        local = self._sharding(value).local_shape(stablehlo.shape(value))
        return build.tensor_type(local, stablehlo.element_type(value))
