"""Batch normalisation with batch, image or features cut, down to shards without an image."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, random_inputs, run_sharded, run_whole

from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding

MESHES = ("x=2", "x=3", "x=4", "x=2,y=2", "x=2,y=3")
_ATTRIBUTES = "<{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}>"


def _text(op: str, shape: tuple[int, int, int]) -> str:
    data, row = "x".join(map(str, (*shape, "f64"))), f"{shape[1]}xf64"
    images = {"training": 1, "inference": 1, "grad": 2}[op]
    rows = {"training": 2, "inference": 4, "grad": 3}[op]
    statistics = {"training": 2, "inference": 0, "grad": 2}[op]
    # Images first, and last for the gradient; the last row is a variance, which is not negative.
    types = [data] + [row] * rows + [data] * (images - 1)
    given = [f"%a{i}" for i in range(len(types))]
    variance = ""
    if op != "training":
        variance = f"  %v = stablehlo.abs {given[rows]} : tensor<{row}>\n"
        given[rows] = "%v"
    results = [data] + [row] * statistics
    outs = ", ".join(f"tensor<{t}>" for t in results)
    arguments = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(types))
    call = f'"stablehlo.batch_norm_{op}"({", ".join(given)}) {_ATTRIBUTES}'
    operands = ", ".join(f"tensor<{t}>" for t in types)
    values = ", ".join(f"%0#{i}" for i in range(len(results)))
    return (
        f"func.func @main({arguments}) -> ({outs}) {{\n{variance}"
        f"  %0:{len(results)} = {call} : ({operands}) -> ({outs})\n  return {values} : {outs}\n}}\n"
    )


@pytest.mark.parametrize("mesh_text", MESHES)
@pytest.mark.parametrize("op", ["training", "inference", "grad"])
def test_all_sizes_equal_one_device(op: str, mesh_text: str) -> None:
    mesh = Mesh.parse(mesh_text)
    axes = ",".join(a.name for a in mesh.axes)
    first, last = mesh.axes[0].name, mesh.axes[-1].name
    for size in range(10):
        cuts = [((size, 3, 2), f"[S({axes}), R, R]")]
        if size in (0, 1, 5):
            cuts += [((2, size, 3), f"[R, S({axes}), R]"), ((3, 2, size), f"[R, R, S({axes})]")]
            if first != last:
                cuts.append(((size, 3, 5), f"[S({first}), R, S({last})]"))
        for shape, sharding in cuts:
            text = _text(op, shape)
            inputs = random_inputs(parse_module(text, make_context(), "test.mlir"), 11, -9, 9)
            whole = run_whole(text, inputs)
            cut = parse_sharding(sharding, mesh)
            images = {i: cut for i, x in enumerate(inputs) if x.dim() == 3}
            parts = partition(text, mesh, images, {0: cut})
            found = run_sharded(parts, inputs, [tuple(w.shape) for w in whole])
            for got, want in zip(found, whole, strict=True):
                torch.testing.assert_close(
                    got, want, rtol=1e-12, atol=1e-12, equal_nan=True, msg=f"{shape} {sharding}"
                )
