"""Export a model and compare the module, run by StableHLO's interpreter, with eager PyTorch."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch_mlir import ir

from distc.compiler.frontend.export import export
from distc.compiler.frontend.exported import Exported
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr
from distc.dialect.context import make_context
from distc.dialect.stablehlo import walk

CHILD = Path(__file__).with_name("interpreter_child.py")
SECONDS = 120


def exported(model: nn.Module, *args: Any, **kwargs: Any) -> Exported:
    """Export in a context of its own."""
    return export(model, args, kwargs, context=make_context(), source="test")


def main_of(program: Exported) -> ir.Operation:
    """The function @main."""
    functions = stablehlo.functions(program.module)
    return next(f for f in functions if stablehlo.symbol(f) == "main")


def op_names(program: Exported, whole: bool = False) -> Counter[str]:
    """Count the operations of @main, or of the whole module."""
    root = program.module.operation if whole else main_of(program)
    return Counter(op.name for op in walk(root))


def composites(program: Exported) -> list[stablehlo.Composite]:
    """The composites of @main, in order."""
    return [
        stablehlo.composite(op) for op in walk(main_of(program)) if op.name == "stablehlo.composite"
    ]


def argument_names(program: Exported) -> list[str]:
    """`dist.name` of every argument."""
    main = main_of(program)
    count = len(main.regions[0].blocks[0].arguments)
    return [str(ir.StringAttr(arg_attr(main, i, "dist.name")).value) for i in range(count)]


def evaluate(program: Exported, model: nn.Module, *args: Any, **kwargs: Any) -> list[Tensor]:
    """Run the module in the interpreter with the model's weights and the given inputs."""
    state: Mapping[str, Tensor] = dict(model.state_dict(keep_vars=True))
    given = [leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    inputs = {info.name: x for info, x in zip(program.inputs, given, strict=True)}
    arrays = []
    for name in argument_names(program):
        tensor = inputs.get(name)
        tensor = program.values.get(name) if tensor is None else tensor
        tensor = state[name] if tensor is None else tensor
        arrays.append(tensor.detach().numpy())
    return [torch.from_numpy(a) for a in interpret(program.module, arrays)]


def interpret(module: ir.Module, arrays: list[np.ndarray[Any, Any]]) -> list[Any]:
    """Evaluate `@main` in a child process."""
    with tempfile.TemporaryDirectory() as folder:
        source, given, found = (Path(folder) / n for n in ("m.mlir", "in.npz", "out.npz"))
        source.write_text(str(module))
        np.savez(given, **{f"a{i}": a for i, a in enumerate(arrays)})
        ran = subprocess.run(
            [sys.executable, str(CHILD), str(source), str(given), str(found)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr[-2000:]
        results = np.load(found)
        return [results[f"a{i}"] for i in range(len(results.files))]


def assert_equals_eager(model: nn.Module, *args: Any, tolerance: float = 1e-5) -> Exported:
    """Export, evaluate and compare every output: max|a - b| ≤ tolerance · max|b|."""
    program = exported(model, *args)
    found = evaluate(program, model, *args)
    with torch.no_grad():
        expected = [x for x in pytree.tree_leaves(model(*args)) if isinstance(x, Tensor)]
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        if not b.is_floating_point():
            assert torch.equal(a, b)
            continue
        gap, scale = (a - b).abs().max().item(), b.abs().max().item()
        assert gap <= tolerance * scale, f"{gap:.2e} against {scale:.2e}"
    assert_plain(program)
    return program


def assert_plain(program: Exported) -> None:
    """Only func and StableHLO, static shapes, small literals, a name on every argument."""
    text = str(program.module)
    assert not re.search(r"\?x|x\?|chlo\.|arith\.|tensor\.|dense_resource", text)
    for op in walk(program.module.operation):
        assert op.name.split(".")[0] in ("func", "stablehlo"), op.name
        array = stablehlo.constant_attribute(op) if op.name == "stablehlo.constant" else None
        if array is not None and not array.is_splat:
            assert math.prod(ir.ShapedType(array.type).shape) <= 1024
    assert all(argument_names(program))
