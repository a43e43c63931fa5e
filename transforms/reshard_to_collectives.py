"""Turn each reshard into the cheapest path of single collectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import AGAIN, module_mesh, op_shardings, to_attr, value_sharding
from distc.dialect.locations import where
from distc.dialect.mesh import Mesh
from distc.runtime.errors import InputError
from distc.solver.conversion import conversion_path
from distc.solver.hardware import DEFAULT, Hardware, load_hardware
from distc.transforms.base import Pass, replace_op
from distc.transforms.dataflow import itemsize


@dataclass(frozen=True)
class ReshardToCollectives(Pass):
    """Replace every `dist.reshard` by `dist` collectives.

    Needs shardings on all operands of reshards. `hardware` names the machine that prices paths: a
    searched plan takes those that it was priced with. Leaves no reshard. Fails when an operand has
    no sharding.

    Example:
        ```mlir
        %1 = dist.reshard %0 {sharding = [R, S(t)]}   // %0 is [S(t), R] P(sum: d)
        ```
        becomes
        ```mlir
        %1 = dist.all_to_all %0 {sharding = [R, S(t)] P(sum: d)}
        %2 = dist.all_reduce %1 {sharding = [R, S(t)]}
        ```

    The path is the one of least time on `hardware` under `solver/conversion.py`, the only price of
    a conversion. What is done `again` is not shared with what was done before.
    """

    name: ClassVar[str] = "reshard-to-collectives"
    hardware: str = DEFAULT

    def run(self, module: ir.Module) -> None:
        """Rewrite all functions."""
        mesh = module_mesh(module)
        if mesh is None:
            return
        machine = load_hardware(self.hardware)
        with module.context:
            for func in stablehlo.functions(module):
                for op in list(stablehlo.walk(func)):
                    if op.name == "dist.reshard":
                        _expand(op, mesh, machine)


def _expand(op: ir.Operation, mesh: Mesh, machine: Hardware) -> None:
    value = op.operands[0]
    source = value_sharding(value, mesh)
    target = (op_shardings(op, mesh) or (None,))[0]
    if source is None or target is None:
        raise InputError(
            "dist.reshard of a value without a sharding",
            where=where(op),
            help="run propagate first, or annotate the value with dist.sharding",
        )
    shape = stablehlo.shape(value)
    marks = {AGAIN: op.attributes[AGAIN]} if AGAIN in op.attributes else {}
    with ir.InsertionPoint(op), op.location:
        for step in conversion_path(source, target, shape, itemsize(value), machine):
            value = ir.Operation.create(
                f"dist.{step.kind}",
                results=[value.type],
                operands=[value],
                attributes={"sharding": to_attr(step.sharding, op.context), **marks},
            ).results[0]
    replace_op(op, [value])
