"""Equal ops become one; what nobody uses goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir

from distc.transforms.base import Pass, run_upstream
from distc.transforms.worklist import rewrite


@dataclass(frozen=True)
class DropDead(Pass):
    """Remove ops without uses, repeated ops and private functions that nothing refers to.

    Needs nothing. Leaves no op without side effects whose results are unused, no two equal ops of
    which one dominates the other, no unreferenced private function. Arguments stay, used or not:
    they are the interface. Never fails.

    Example:
        ```mlir
        // Input
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = stablehlo.tanh %x : tensor<4xf32>
          %1 = stablehlo.exponential %0 : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func private @unused() { return }
        // Output
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %0 = stablehlo.tanh %x : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        ```

    Whatever stays is planned, proved and executed.
    """

    name: ClassVar[str] = "drop-dead"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`."""
        rewrite(module.operation, {})
        run_upstream(module, "cse,symbol-dce")
