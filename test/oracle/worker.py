"""Child process: evaluates modules with StableHLO's reference interpreter, one job a line.

The interpreter aborts the process on what it does not support, so it never runs in the parent.
A job is a folder with `module.mlir`, `inputs.npz` (keys `rank.index`) and `job.json`; the results
go to `outputs.npz`. Only builtin, func and stablehlo are left of the module: dist attributes and
symbols say nothing about values.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import numpy as np
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.context import make_context, parse_module

PROGRAM = "oracle_program"


def plain_text(text: str, entry: str) -> str:
    """The module without `dist`, its entry renamed, as text without the closing brace."""
    module = parse_module(text, make_context(), "-")
    for op in list(module.body.operations):
        if op.operation.name != "func.func":
            op.operation.erase()
            continue
        if ir.StringAttr(op.attributes["sym_name"]).value == entry:
            op.attributes["sym_name"] = ir.StringAttr.get(PROGRAM, module.context)
        _strip(op.operation)
    printed = module.operation.get_asm(large_elements_limit=None).rstrip()
    return printed[: printed.rindex("}")]


def _strip(func: ir.Operation) -> None:
    for name in ("arg_attrs", "res_attrs"):
        if name in func.attributes:
            del func.attributes[name]
    for op in [func, *_nested(func)]:
        for name in [a.name if hasattr(a, "name") else a for a in op.attributes]:
            if name.startswith("dist."):
                del op.attributes[name]


def _nested(op: ir.Operation) -> list[ir.Operation]:
    found = []
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                found.append(inner.operation)
                found += _nested(inner.operation)
    return found


def wrapped(text: str, entry: str, ranks: int) -> tuple[str, list[str], list[str]]:
    """Module text whose @main runs `entry` on all ranks; argument and result types of one rank."""
    head = plain_text(text, entry)
    context = ir.Context()
    _stablehlo.register_dialect(context)
    module = ir.Module.parse(head + "}", context)
    program = next(
        o
        for o in module.body.operations
        if ir.StringAttr(o.attributes["sym_name"]).value == PROGRAM
    )
    kind = ir.FunctionType(ir.TypeAttr(program.attributes["function_type"]).value)
    takes, gives = [str(t) for t in kind.inputs], [str(t) for t in kind.results]
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(takes * ranks))
    names = ", ".join(f"%a{i}" for i in range(len(takes) * ranks))
    every = gives * ranks
    lines = []
    if ranks == 1:
        lines.append(
            f"%r:{len(every)} = func.call @{PROGRAM}({names}) : ({', '.join(takes)}) -> "
            f"({', '.join(gives)})"
        )
    else:
        programs = ", ".join([f"@{PROGRAM}"] * ranks)
        lines.append(
            f'%r:{len(every)} = "interpreter.run_parallel"({names}) '
            f"{{programs = [[{programs}]]}} : "
            f"({', '.join(takes * ranks)}) -> ({', '.join(every)})"
        )
    results, types = [], []
    for index, name in enumerate(every):
        wide = name.replace("xbf16>", "xf32>").replace("xf16>", "xf32>")
        wide = wide.replace("<bf16>", "<f32>").replace("<f16>", "<f32>")
        value = f"%r#{index}"
        if wide != name:
            lines.append(f"%w{index} = stablehlo.convert {value} : ({name}) -> {wide}")
            value = f"%w{index}"
        results.append(value)
        types.append(wide)
    body = "\n".join(lines)
    main = (
        f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n{body}\n"
        f"return {', '.join(results)} : {', '.join(types)}\n}}\n}}"
    )
    return head + main, takes, types


def to_attribute(array: np.ndarray, kind: ir.RankedTensorType) -> ir.Attribute:
    """An input as the attribute the interpreter takes."""
    element, shape = str(kind.element_type), list(kind.shape)
    if element == "bf16":
        bits = array.astype(np.float32).view(np.uint32)
        nan = np.isnan(array)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        words = np.where(nan, 0x7FC0, rounded).astype(np.uint16).view(np.int16)
        return ir.DenseElementsAttr.get(words, type=kind.element_type, shape=shape)
    wanted = {
        "i1": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64,
        "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
        "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    }  # fmt: skip
    values = np.asarray(array, dtype=wanted[element], order="C")
    return ir.DenseElementsAttr.get(values, type=kind.element_type, shape=shape)


def evaluate(folder: Path) -> None:
    """Run the job in `folder`."""
    job = json.loads((folder / "job.json").read_text())
    ranks = int(job["ranks"])
    text, _, types = wrapped((folder / "module.mlir").read_text(), job["entry"], ranks)
    context = ir.Context()
    _stablehlo.register_dialect(context)
    _stablehlo.register_interpreter_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        main = next(
            o
            for o in module.body.operations
            if ir.StringAttr(o.attributes["sym_name"]).value == "main"
        )
        kinds = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
        with np.load(folder / "inputs.npz") as arrays:
            inputs = [arrays[str(i)] for i in range(len(arrays.files))]
        attributes = [
            to_attribute(a, ir.RankedTensorType(t))
            for a, t in zip(inputs, kinds.inputs, strict=True)
        ]
        outputs = _stablehlo.eval_module(module, attributes)
        shapes = [list(ir.RankedTensorType(t).shape) for t in kinds.results]
        arrays = {
            str(i): np.array(o).reshape(shape)
            for i, (o, shape) in enumerate(zip(outputs, shapes, strict=True))
        }
    assert len(types) == len(arrays)
    np.savez(folder / "outputs.npz", **arrays)


def main() -> None:
    """Serve jobs until the input ends."""
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            evaluate(Path(line.strip()))
            print("ok", flush=True)
        except Exception as error:
            print("error " + repr(str(error)[:2000]), flush=True)


if __name__ == "__main__":
    main()
