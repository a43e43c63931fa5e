"""A PyTorch module and example inputs to StableHLO, weights as named arguments."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch_mlir import ir

from distc.compiler.frontend.arguments import (
    Argument,
    place_arguments,
    place_results,
    values_before_inputs,
)
from distc.compiler.frontend.decompose import decompose
from distc.compiler.frontend.exported import Exported, TensorInfo, WeightInfo
from distc.compiler.frontend.fake import fake_inputs
from distc.compiler.frontend.importer import dtype_name
from distc.compiler.frontend.lower import to_stablehlo
from distc.compiler.frontend.places import exception_place, last_line
from distc.compiler.frontend.quiet import quiet
from distc.compiler.frontend.recognize import recognize
from distc.compiler.frontend.refuse import needs_functional_form, refuse_operators, refuse_values
from distc.compiler.frontend.tidy import tidy
from distc.dialect.attrs import set_result_attr, update_arg_attrs
from distc.runtime.errors import DistcError, InputError


def export(
    model: nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    context: ir.Context,
    source: str,
) -> Exported:
    """Export the forward of `model` at the shapes of the example inputs.

    Parameters may be fake (`fake.fake_build`): no weight's value is read.

    Args:
        model: in the mode it shall run in; call `eval()` for inference.
        args: example positional inputs, a pytree of tensors; other leaves become constants.
        kwargs: example keyword inputs.
        context: from `dialect.context.make_context`.
        source: the SPEC, for messages.

    Raises:
        InputError: the model cannot be traced, changes its state, or returns no tensor.
        UnsupportedOp: an operator has no lowering; with its module and line.
    """
    if not isinstance(model, nn.Module):
        raise InputError(
            f"the model is a {type(model).__name__}, a torch.nn.Module is needed",
            where=source,
            help="return (model, example_args) with a torch.nn.Module in front",
        )
    with quiet():
        program = _decomposed(model, tuple(args), dict(kwargs or {}), source)
    graph = program.graph_module.graph
    results = place_results(program, source)
    arguments = place_arguments(program, model, source)
    refuse_operators(graph)
    tidy(graph, {a.node.name: a.value for a in arguments if a.value is not None})
    unused = _drop_unused(graph, arguments)
    arguments = [a for a in arguments if a not in unused]
    module = to_stablehlo(graph, context)
    _annotate(module, arguments, [r.name for r in results])
    return Exported(
        module=module,
        weights=tuple(
            WeightInfo(a.name, a.aliases, a.shape, dtype_name(a.dtype), a.kind)
            for a in arguments
            if a.kind != "input" and a.value is None
        ),
        values={a.name: a.value for a in arguments if a.value is not None},
        inputs=tuple(
            TensorInfo(a.name, a.shape, dtype_name(a.dtype)) for a in arguments if a.kind == "input"
        ),
        outputs=tuple(results),
        unused=tuple(a.name for a in unused if a.value is None),
        source=source,
    )


def _decomposed(
    model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], source: str
) -> ExportedProgram:
    """Trace, put whole operators in place and decompose the rest."""
    program = trace(model, args, kwargs, source)
    if needs_functional_form(program.graph_module.graph):
        program = program.run_decompositions({})
    graph = program.graph_module.graph
    refuse_values(graph)
    recognize(graph, values_before_inputs(program))
    decompose(graph)
    return program


def trace(
    model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], source: str
) -> ExportedProgram:
    """Run torch.export; parameters and inputs may be fake.

    Raises:
        InputError: the model cannot be traced.
    """
    fakes = (p for p in model.parameters() if isinstance(p, FakeTensor))
    mode = next((p.fake_mode for p in fakes), None)
    try:
        if mode is not None:
            args, kwargs = fake_inputs((args, kwargs), mode)
        with mode if mode is not None else nullcontext():
            return torch.export.export(model, args, kwargs, strict=False)
    except DistcError:
        raise
    except Exception as error:
        raise _untraceable(error, source) from None


def _untraceable(error: Exception, source: str) -> InputError:
    name = type(error).__name__
    values = "DataDependent" in name or "data-dependent" in str(error)
    if values:
        return InputError(
            "the model's control flow or a shape depends on the values of a tensor",
            where=exception_place(error) or source,
            help="use torch.where or fixed shapes, so that every input takes the same path",
        )
    return InputError(
        f"the model cannot be traced: {name}: {last_line(error)}",
        where=exception_place(error) or source,
        help="run model(*example_args) in plain PyTorch and correct what fails",
    )


def _drop_unused(graph: fx.Graph, arguments: list[Argument]) -> list[Argument]:
    unused = [a for a in arguments if a.kind != "input" and not a.node.users]
    for argument in unused:
        graph.erase_node(argument.node)
    return unused


def _annotate(module: ir.Module, arguments: list[Argument], results: list[str]) -> None:
    def text(value: str) -> ir.Attribute:
        return ir.StringAttr.get(value, module.context)

    main = next(
        op
        for op in module.body.operations
        if ir.StringAttr(op.operation.attributes["sym_name"]).value == "main"
    )
    changes = {
        index: {"dist.name": text(a.name), "dist.kind": text(a.kind)}
        for index, a in enumerate(arguments)
    }
    update_arg_attrs(main, changes)
    for index, name in enumerate(results):
        set_result_attr(main, index, "dist.name", text(name))
