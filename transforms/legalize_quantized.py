"""Quantized types become the integers that store them, their scales and zero points constants."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect import stablehlo
from distc.runtime.errors import UnsupportedOp
from distc.transforms.base import Pass, run_upstream

_PIPELINE = "func.func(stablehlo-legalize-quant-to-math,chlo-legalize-to-stablehlo)"


def is_quantized(func: ir.Operation) -> bool:
    """True for a function of which an argument or an op's result is quantized."""
    arguments = [a for block in func.regions[0] for a in block.arguments]
    made = (v for op in stablehlo.walk(func) for v in op.results)
    return any("!quant." in str(v.type) for v in chain(arguments, made))


@dataclass(frozen=True)
class LegalizeQuantized(Pass):
    """Write arithmetic on quantized values as arithmetic on integers and floats.

    Needs nothing. Leaves no quantized type: arguments and results of functions are the integers
    that stored them. Fails on forms that StableHLO's own rewriting does not know.

    Example:
        ```mlir
        // Input
        %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>)
            -> tensor<4xf32>
        // Output
        %0 = stablehlo.convert %x : (tensor<4xi8>) -> tensor<4xi32>
        %1 = stablehlo.subtract %0, %zero : tensor<4xi32>
        %2 = stablehlo.convert %1 : (tensor<4xi32>) -> tensor<4xf32>
        %3 = stablehlo.multiply %2, %half : tensor<4xf32>
        ```

    Runs `stablehlo-legalize-quant-to-math` of StableHLO, only where a quantized type occurs.
    """

    name: ClassVar[str] = "legalize-quantized"

    def run(self, module: ir.Module) -> None:
        """Rewrite `module`.

        Raises:
            DistcError: a form that StableHLO's rewriting does not know.
        """
        if not any(map(is_quantized, stablehlo.functions(module))):
            return
        _stablehlo.register_stablehlo_passes()
        run_upstream(module, _PIPELINE)
        left = [f for f in stablehlo.functions(module) if is_quantized(f)]
        if left:
            raise UnsupportedOp(
                f"function @{stablehlo.symbol(left[0])} keeps quantized types",
                help="dequantize before what StableHLO's quant-to-math does not rewrite",
            )
