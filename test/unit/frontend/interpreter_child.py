"""Run a StableHLO module in the reference interpreter: MODULE.mlir INPUTS.npz OUTPUTS.npz.

A process of its own, because the interpreter aborts on what it does not support.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo


def to_attribute(array: np.ndarray[Any, Any]) -> ir.Attribute:
    """Return a dense attribute; booleans are one byte an element."""
    if array.dtype == np.bool_:
        kind = ir.IntegerType.get_signless(1)
        return ir.DenseElementsAttr.get(array, type=kind, shape=list(array.shape))
    return ir.DenseElementsAttr.get(array, signless=array.dtype != np.uint8)


def to_array(attribute: ir.Attribute) -> np.ndarray[Any, Any]:
    """Return a result as an array."""
    dense = ir.DenseElementsAttr(attribute)
    kind = ir.RankedTensorType(dense.type)
    if str(kind.element_type) == "i1":
        values = [bool(x) for x in ir.DenseIntElementsAttr(attribute)]
        return np.array(values).reshape(kind.shape)
    if dense.is_splat:
        return np.full(kind.shape, dense.get_splat_value().value, np.array(dense).dtype)
    return np.array(dense).reshape(kind.shape)


def main() -> None:
    """Parse, evaluate, write."""
    source, inputs, outputs = sys.argv[1:]
    context = ir.Context()
    _stablehlo.register_dialect(context)
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        module = ir.Module.parse(Path(source).read_text())
        arrays = np.load(inputs)
        attributes = [to_attribute(arrays[f"a{i}"]) for i in range(len(arrays.files))]
        results = _stablehlo.eval_module(module, attributes)
        np.savez(outputs, **{f"a{i}": to_array(r) for i, r in enumerate(results)})


main()
