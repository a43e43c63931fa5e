"""Leave plain StableHLO: no `dist` attribute, no mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import mesh_op
from distc.transforms.base import Pass


@dataclass(frozen=True)
class StripAnnotations(Pass):
    """Remove every `dist.*` attribute and the mesh.

    Needs a module without `dist` ops other than the mesh. Leaves text that any StableHLO tool
    reads. Never fails.

    Example:
        ```mlir
        func.func @main(%x: tensor<4xf32> {dist.name = "x"}) -> tensor<4xf32>
        ```
        becomes
        ```mlir
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32>
        ```

    The manifest of an artifact says the same facts; other tools reject unknown dialects.
    """

    name: ClassVar[str] = "strip-annotations"

    def run(self, module: ir.Module) -> None:
        """Strip all functions and ops."""
        with module.context:
            for func in stablehlo.functions(module):
                _strip_signature(func)
                for op in (func, *stablehlo.walk(func)):
                    _strip_op(op)
            mesh = mesh_op(module)
            if mesh is not None:
                mesh.operation.erase()


def _strip_op(op: ir.Operation) -> None:
    names = [key if isinstance(key, str) else key.name for key in op.attributes]
    for name in names:
        if name.startswith("dist."):
            del op.attributes[name]


def _strip_signature(func: ir.Operation) -> None:
    for which in ("arg_attrs", "res_attrs"):
        if which not in func.attributes:
            continue
        entries = [
            ir.DictAttr.get({p.name: p.attr for p in entry if not p.name.startswith("dist.")})
            for entry in func.attributes[which]
        ]
        func.attributes[which] = ir.ArrayAttr.get(entries)
