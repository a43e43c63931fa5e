"""Torch dialect to StableHLO: torch-mlir's pipelines, then nothing but func and stablehlo left."""

from __future__ import annotations

import re

from torch import fx
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo
from torch_mlir.passmanager import PassManager

from distc.compiler.frontend.composites import Bodies, composite_nodes, replace
from distc.compiler.frontend.importer import import_graph
from distc.compiler.frontend.legalize import legalize
from distc.compiler.frontend.refuse import unsupported
from distc.dialect.locations import file_line, module_path
from distc.dialect.stablehlo import walk
from distc.runtime.errors import InternalError

_TO_TORCH_BACKEND = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})"
)
_TO_STABLEHLO = (
    "builtin.module(torch-backend-to-stablehlo-backend-pipeline"
    "{allow-non-finites=true enable-static-shape=true enable-i32-index=false})"
)
_SIMPLIFY = (
    "builtin.module(func.func(stablehlo-aggressive-simplification),canonicalize,cse,symbol-dce)"
)
_LOAD_CASTS = "builtin.module(torch-func-backend-type-conversion-for-stablehlo)"
_PLUMBING = ("torch.constant", "torch.prim.ListConstruct", "torch.vtensor.literal", "torch_c.")


def to_stablehlo(graph: fx.Graph, context: ir.Context) -> ir.Module:
    """Lower a tidied graph to `@main` and private composite bodies.

    Raises:
        UnsupportedOp: an operator torch-mlir has no lowering for, with its module and line.
    """
    _stablehlo.register_stablehlo_passes()
    _load_casts(context)
    bodies = Bodies()
    nodes = composite_nodes(graph)
    bodies.trace(nodes)
    module = import_graph("main", graph, context)
    _add_bodies(module, bodies)
    replace(module.body.operations[0].operation, nodes, bodies)
    _pipelines(module)
    return module


def _load_casts(context: ir.Context) -> None:
    """The dialect `torch_c` comes only with a pass that depends on it."""
    with context, ir.Location.unknown(context):
        PassManager.parse(_LOAD_CASTS).run(ir.Module.parse("module {}").operation)


def _add_bodies(module: ir.Module, bodies: Bodies) -> None:
    """Lower each body in a module of its own and move it into `module`, private.

    One module for all would do, but the pipeline wants a single function or one named main.
    """
    for name, graph in bodies.graphs.items():
        lowered = import_graph(name, graph, module.context)
        body = lowered.body.operations[0].operation
        replace(body, composite_nodes(graph), bodies)
        _pipelines(lowered)
        copy = lowered.body.operations[0].operation.clone(ip=ir.InsertionPoint(module.body))
        copy.attributes["sym_visibility"] = ir.StringAttr.get("private", module.context)


def _pipelines(module: ir.Module) -> None:
    _run(module, _TO_TORCH_BACKEND)
    _run(module, _TO_STABLEHLO)
    _run(module, "builtin.module(canonicalize)")
    legalize(module)
    _run(module, _SIMPLIFY)
    legalize(module)
    _run(module, _SIMPLIFY)


def _run(module: ir.Module, pipeline: str) -> None:
    context = module.context
    messages: list[tuple[str, str]] = []

    def keep(diagnostic: ir.Diagnostic) -> bool:
        messages.append((str(diagnostic.message), file_line(diagnostic.location) or ""))
        return True

    handler = context.attach_diagnostic_handler(keep)
    try:
        with context:
            PassManager.parse(pipeline).run(module.operation)
    except ir.MLIRError as error:
        for info in error.error_diagnostics:
            messages.append((info.message, file_line(info.location) or ""))
        raise _failure(module, messages) from None
    finally:
        handler.detach()


def _failure(module: ir.Module, messages: list[tuple[str, str]]) -> Exception:
    """Say which PyTorch operator has no lowering.

    A diagnostic often names a constant that the operator uses; the operator itself is what is
    left of the torch dialect.
    """
    left = [op for op in walk(module.operation) if _is_torch_operator(op)]
    named = {m for text, _ in messages for m in re.findall(r"'(torch\.[\w.]+)'", text)}
    culprits = [op for op in left if op.name == "torch.operator" or op.name in named] or left
    if not culprits:
        text = messages[0][0] if messages else "the torch-mlir pipeline failed"
        return InternalError(f"lowering to StableHLO failed: {text}", help="report this model")
    return unsupported(_torch_name(culprits[0]), _place(culprits[0]))


def _is_torch_operator(op: ir.Operation) -> bool:
    return op.name.startswith("torch.") and not op.name.startswith(_PLUMBING)


def _torch_name(op: ir.Operation) -> str:
    name = op.name
    if name == "torch.operator":
        name = ir.StringAttr(op.attributes["name"]).value
    return str(name).removeprefix("torch.")


def _place(op: ir.Operation) -> str | None:
    line, path = file_line(op.location), module_path(op.location)
    if line is None:
        return path
    return f"{line} (in {path})" if path else line
