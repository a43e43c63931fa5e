"""Turn the operators of `operators.py` into StableHLO, right after import.

torch-mlir's pipelines leave StableHLO operations between `torch_c` casts alone and fold the
casts, so each `torch.operator` is replaced by the final operation before they run. The body of
a composite is its reference function, traced and lowered once per distinct signature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir

from distc.compiler.frontend.decompositions import table
from distc.compiler.frontend.importer import builtin_type
from distc.compiler.frontend.operators import CONTRACT, OPERATORS, TARGETS
from distc.compiler.frontend.single_ops import EMITTERS
from distc.compiler.frontend.tidy import tidy
from distc.dialect import custom_ops
from distc.dialect.build.contraction import dot_general
from distc.dialect.stablehlo import DotDims, walk

_OPERATOR_OF = {target: OPERATORS[name] for name, target in TARGETS.items()}


@dataclass
class Bodies:
    """Decomposition functions by signature: the symbol of each and the graph to lower."""

    symbols: dict[tuple[Any, ...], str] = field(default_factory=dict)
    graphs: dict[str, fx.Graph] = field(default_factory=dict)

    def trace(self, nodes: Sequence[fx.Node]) -> None:
        """Make the bodies of all composite nodes."""
        for node in nodes:
            if node.target in _OPERATOR_OF:
                self.symbol(node)

    def symbol(self, node: fx.Node) -> str:
        """Return the symbol of a composite node's body; trace the body where it is new."""
        operator = _OPERATOR_OF[node.target]
        values = _values(node)
        key = (operator.name, *(_signature(v) for v in values))
        if key not in self.symbols:
            name = f"{operator.name}_{sum(1 for k in self.symbols if k[0] == operator.name)}"
            self.symbols[key] = name
            self.graphs[name] = _trace(operator.reference, operator.name, values)
        return self.symbols[key]


def _values(node: fx.Node) -> list[Any]:
    return [a.meta["val"] if isinstance(a, fx.Node) else a for a in node.args]


def _signature(value: Any) -> Any:
    return (tuple(value.shape), value.dtype) if isinstance(value, Tensor) else value


def _trace(reference: Callable[..., Tensor], name: str, values: Sequence[Any]) -> fx.Graph:
    """Return the decomposed graph of `reference`; its placeholders are the tensors of `values`."""

    def body(*tensors: Tensor) -> Tensor:
        left = iter(tensors)
        return reference(*(next(left) if isinstance(v, Tensor) else v for v in values))

    with FakeTensorMode(), torch.no_grad():
        fakes = [torch.empty(v.shape, dtype=v.dtype) for v in values if isinstance(v, Tensor)]
        traced = make_fx(body, decomposition_table=table())(*fakes)
    tidy(traced.graph, {})
    for node in traced.graph.nodes:
        node.meta["place"] = f"distc.{name}"
    return traced.graph


def composite_nodes(graph: fx.Graph) -> list[fx.Node]:
    """Return the nodes `replace` expects, in order."""
    return [
        n
        for n in graph.nodes
        if n.target in _OPERATOR_OF
        or n.target == CONTRACT
        or n.target in EMITTERS
        or custom_name(n) is not None
    ]


def custom_name(node: fx.Node) -> str | None:
    """Return the name by which a node calls a custom op, None where it does not."""
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    name = str(node.target).removesuffix(".default")
    return name if custom_ops.find(name) is not None else None


def replace(function: ir.Operation, nodes: Sequence[fx.Node], bodies: Bodies) -> None:
    """Rewrite each `torch.operator "torch.distc_export.…"` of a function, given its FX nodes."""
    ops = [op for op in walk(function) if _is_ours(op)]
    for op, node in zip(ops, nodes, strict=True):
        with op.location, ir.InsertionPoint(op):
            for old, new in zip(op.results, _replacement(op, node, bodies), strict=True):
                back = ir.Operation.create(
                    "torch_c.from_builtin_tensor", results=[old.type], operands=[new]
                )
                old.replace_all_uses_with(back.result)
        op.erase()


def _is_ours(op: ir.Operation) -> bool:
    if op.name != "torch.operator":
        return False
    name = str(ir.StringAttr(op.attributes["name"]).value).removeprefix("torch.")
    return name.startswith("distc_export.") or custom_ops.find(name) is not None


def _replacement(op: ir.Operation, node: fx.Node, bodies: Bodies) -> Sequence[ir.Value]:
    context = op.context
    operands = [
        ir.Operation.create(
            "torch_c.to_builtin_tensor",
            results=[builtin_type(value, context)],
            operands=[operand],
        ).result
        for operand, value in zip(op.operands, _values(node), strict=True)
        if isinstance(value, Tensor)
    ]
    if node.target == CONTRACT:
        dims: Any = node.args[2:]
        lb, rb, lc, rc = (tuple(map(int, numbers)) for numbers in dims)
        return [dot_general(operands[0], operands[1], DotDims(lb, rb, lc, rc))]
    if node.target in EMITTERS:
        literals = [v for v in _values(node) if not isinstance(v, Tensor)]
        return [EMITTERS[node.target](operands, literals)]
    name = custom_name(node)
    if name is not None:
        return _custom_call(name, node, operands, context)
    return [_composite(node, operands, bodies.symbol(node), context)]


def _custom_call(
    name: str, node: fx.Node, operands: Sequence[ir.Value], context: ir.Context
) -> Sequence[ir.Value]:
    """`stablehlo.custom_call @name`; arguments that are no tensors become attributes by name."""
    target: Any = node.target
    names = [argument.name for argument in target._schema.arguments]
    given = dict(zip(names, _values(node), strict=False)) | dict(node.kwargs)
    literals = {
        key: _attribute(value, context)
        for key, value in given.items()
        if isinstance(value, (bool, int, float, str))
    }
    value = node.meta["val"]
    results = [builtin_type(v, context) for v in (value if isinstance(value, tuple) else (value,))]
    attributes: dict[str, ir.Attribute] = {"call_target_name": ir.StringAttr.get(name, context)}
    if literals:
        attributes["mhlo.attributes"] = ir.DictAttr.get(literals, context)
    call = ir.Operation.create(
        "stablehlo.custom_call", results=results, operands=list(operands), attributes=attributes
    )
    return list(call.results)


def _composite(
    node: fx.Node, operands: Sequence[ir.Value], symbol: str, context: ir.Context
) -> ir.Value:
    operator = _OPERATOR_OF[node.target]
    values = _values(node)
    attributes = {k: _attribute(v, context) for k, v in operator.attributes(*values).items()}
    named = {
        "name": ir.StringAttr.get(f"distc.{operator.name}", context),
        "composite_attributes": ir.DictAttr.get(attributes, context),
        "decomposition": ir.FlatSymbolRefAttr.get(symbol, context),
    }
    results = [builtin_type(node.meta["val"], context)]
    return ir.Operation.create(
        "stablehlo.composite", results=results, operands=operands, attributes=named
    ).result


def _attribute(value: bool | int | float | str, context: ir.Context) -> ir.Attribute:
    match value:
        case bool():
            return ir.BoolAttr.get(value, context)
        case int():
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), value)
        case float():
            return ir.FloatAttr.get_f64(value, context)
        case str():
            return ir.StringAttr.get(value, context)
