"""Functions of a module built argument by argument: what they take and return, named and marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import update_arg_attrs, update_result_attrs


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument or a result: its type and its attributes, all of them texts."""

    type: ir.Type
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its `dist.name`."""
        return self.attributes["dist.name"]

    def updated(self) -> Slot:
        """The result that updates this argument."""
        return Slot(self.type, {"dist.name": self.name, "dist.updates": self.name})


Emit = Callable[[Mapping[str, ir.Value]], Sequence[tuple[Slot, ir.Value]]]
"""Emits a body: arguments by name → results in order."""


def add_function(
    module: ir.Module, name: str, arguments: Sequence[Slot], emit: Emit, count: int | None = None
) -> ir.Operation:
    """Add a public function.

    Args:
        module: where to.
        name: of the entry point.
        arguments: in order; their names are unique.
        emit: called with the insertion point in the body.
        count: `dist.count`, how often a step runs it.
    """
    context = module.context
    with context, ir.Location.unknown(context):
        func = _empty(module, name)
        block = func.regions[0].blocks.append(
            *(a.type for a in arguments), arg_locs=[ir.Location.unknown(context)] * len(arguments)
        )
        with ir.InsertionPoint(block):
            by_name = {a.name: v for a, v in zip(arguments, block.arguments, strict=True)}
            results = list(emit(by_name))
            ir.Operation.create("func.return", operands=[v for _, v in results])
        _finish(func, [a.type for a in arguments], [v.type for _, v in results])
        update_arg_attrs(func, dict(enumerate(_texts(a, context) for a in arguments)))
        update_result_attrs(func, dict(enumerate(_texts(s, context) for s, _ in results)))
        if count is not None:
            integer = ir.IntegerType.get_signless(64, context)
            func.attributes["dist.count"] = ir.IntegerAttr.get(integer, count)
    return func


def add_private(
    module: ir.Module,
    name: str,
    types: Sequence[ir.Type],
    emit: Callable[[Sequence[ir.Value]], Sequence[ir.Value]],
) -> None:
    """Add a private function: the body of a composite."""
    context = module.context
    with context, ir.Location.unknown(context):
        func = _empty(module, name)
        func.attributes["sym_visibility"] = ir.StringAttr.get("private", context)
        block = func.regions[0].blocks.append(
            *types, arg_locs=[ir.Location.unknown(context)] * len(types)
        )
        with ir.InsertionPoint(block):
            results = list(emit(list(block.arguments)))
            ir.Operation.create("func.return", operands=results)
        _finish(func, types, [v.type for v in results])


def inlined(func: ir.Operation, operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Copy a function's body to the insertion point; return the values it returns."""
    block = func.regions[0].blocks[0]
    known: dict[ir.Value, ir.Value] = dict(zip(block.arguments, operands, strict=True))
    for view in block.operations:
        op = view.operation
        if op.name == "func.return":
            return [known[v] for v in op.operands]
        copy = op.clone()
        for inner in (copy, *(stablehlo.walk(copy) if len(copy.regions) else ())):
            for index, value in enumerate(inner.operands):
                if value in known:
                    inner.operands[index] = known[value]
        known.update(zip(op.results, copy.results, strict=True))
    return []


def composite(
    name: str, body: str, operands: Sequence[ir.Value], results: Sequence[ir.Type]
) -> list[ir.Value]:
    """Emit a composite whose decomposition is the private function `body`."""
    context = operands[0].context
    made = ir.Operation.create(
        "stablehlo.composite",
        results=list(results),
        operands=list(operands),
        attributes={
            "name": ir.StringAttr.get(name, context),
            "composite_attributes": ir.DictAttr.get({}, context),
            "decomposition": ir.FlatSymbolRefAttr.get(body, context),
        },
    )
    return list(made.results)


def _empty(module: ir.Module, name: str) -> ir.Operation:
    return ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get([], [])),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )


def _finish(func: ir.Operation, inputs: Sequence[ir.Type], results: Sequence[ir.Type]) -> None:
    signature = ir.FunctionType.get(list(inputs), list(results))
    func.attributes["function_type"] = ir.TypeAttr.get(signature)


def _texts(slot: Slot, context: ir.Context) -> dict[str, ir.Attribute | None]:
    return {k: ir.StringAttr.get(v, context) for k, v in slot.attributes.items()}
