"""FX graph to torch dialect: arguments stay arguments, literals stay small, places are kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch_mlir import ir
from torch_mlir._mlir_libs import _torchMlir
from torch_mlir.extras.fx_importer import FxImporter, FxImporterHooks

from distc.compiler.frontend.places import LocationCache, last_line
from distc.dialect.build.constants import number_attribute
from distc.dialect.build.core import tensor_type
from distc.runtime.errors import UnsupportedOp

_DTYPE_NAMES = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}


def dtype_name(dtype: torch.dtype) -> str:
    """Return the StableHLO name of a dtype.

    Raises:
        UnsupportedOp: complex, quantised and eight-bit float dtypes.
    """
    name = _DTYPE_NAMES.get(dtype)
    if name is None:
        raise UnsupportedOp(
            f"dtype {str(dtype).removeprefix('torch.')} cannot be exported",
            help=f"use one of {', '.join(_DTYPE_NAMES.values())}; write complex numbers as pairs",
        )
    return name


def builtin_type(value: Tensor, context: ir.Context) -> ir.RankedTensorType:
    """Return `tensor<2x3xf32>` for a tensor."""
    return tensor_type(value.shape, ir.Type.parse(dtype_name(value.dtype), context))


def import_graph(name: str, graph: fx.Graph, context: ir.Context) -> ir.Module:
    """Import a graph as function `name` of a torch-dialect module."""
    _one_literal_per_use(graph)
    _torchMlir.register_dialect(context)
    importer: Any = FxImporter(context=context, hooks=_Literals(), config_check=False)
    importer._cc = LocationCache(context, py_attr_tracker=importer._py_attr_tracker)
    try:
        with unset_fake_temporarily():
            importer.import_stateless_graph(graph, func_name=name)
    except (NotImplementedError, TypeError, ValueError, RuntimeError, AssertionError) as error:
        raise UnsupportedOp(
            f"the graph of {name} cannot be imported: {last_line(error)}",
            help="leave out what is no tensor operator: lists, strings, nested graphs",
        ) from None
    module: ir.Module = importer.module
    return module


def _one_literal_per_use(graph: fx.Graph) -> None:
    """The importer binds a literal anew at each use and refuses the second one of a node."""
    for node in [n for n in graph.nodes if n.op == "get_attr"]:
        for user in list(node.users)[1:]:
            with graph.inserting_before(user):
                copy = graph.get_attr(str(node.target))
            copy.meta = dict(node.meta)
            user.replace_input_with(node, copy)


class _Literals(FxImporterHooks):
    """Literals become dense attributes: no resources, which the interpreter reads as garbage."""

    def resolve_literal(self, gni: Any, literal: Any, info: Any = None) -> ir.Value | None:
        if not isinstance(literal, Tensor) or isinstance(literal, FakeTensor):
            return None
        context = gni._c
        kind = builtin_type(literal, context)
        values = literal.reshape(-1).tolist()
        numbers = [number_attribute(v, kind.element_type) for v in values]
        value = ir.DenseElementsAttr.get(numbers, kind, context=context)
        result = gni._cc.tensor_to_vtensor_type(literal)
        attributes = {"value": value}
        return ir.Operation.create(
            "torch.vtensor.literal", results=[result], attributes=attributes
        ).result
