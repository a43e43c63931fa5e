"""Several exported programs as the entry points of one module that share weights and state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.attrs import update_arg_attrs, update_result_attrs

_REFERENCES = ("decomposition", "callee")


def join_entries(modules: Mapping[str, ir.Module], context: ir.Context) -> ir.Module:
    """Return one module whose public functions are the `@main` of each given module.

    Args:
        modules: entry point name → a module with a public `@main`; private functions are renamed
            after the entry, so that bodies of different entries do not meet.
        context: the context of all modules.
    """
    with context, ir.Location.unknown(context):
        joined = ir.Module.create()
        for entry, module in modules.items():
            for func in stablehlo.functions(module):
                copy = func.clone(ip=ir.InsertionPoint(joined.body)).operation
                _rename(copy, entry)
    return joined


def _rename(func: ir.Operation, entry: str) -> None:
    private = not stablehlo.is_public(func)
    name = f"{entry}_{stablehlo.symbol(func)}" if private else entry
    func.attributes["sym_name"] = ir.StringAttr.get(name, func.context)
    for op in stablehlo.walk(func):
        for key in _REFERENCES:
            if key in op.attributes and isinstance(op.attributes[key], ir.FlatSymbolRefAttr):
                target = ir.FlatSymbolRefAttr(op.attributes[key]).value
                op.attributes[key] = ir.FlatSymbolRefAttr.get(f"{entry}_{target}", func.context)


def mark_state(
    func: ir.Operation, arguments: Mapping[str, str], results: Mapping[str, str], kind: str
) -> None:
    """Make arguments persistent state that results update, zero before the first call.

    Args:
        func: an entry point whose arguments and results are named.
        arguments: `dist.name` of an argument → name of the state.
        results: `dist.name` of a result → name of the state it updates.
        kind: `dist.kind` of the state.
    """

    def text(value: str) -> ir.Attribute:
        return ir.StringAttr.get(value, func.context)

    update_arg_attrs(
        func,
        {
            index: {
                "dist.name": text(arguments[name]),
                "dist.kind": text(kind),
                "dist.initial": text("zeros"),
            }
            for index, name in enumerate(_names(func, "arg_attrs"))
            if name in arguments
        },
    )
    update_result_attrs(
        func,
        {
            index: {"dist.name": text(results[name]), "dist.updates": text(results[name])}
            for index, name in enumerate(_names(func, "res_attrs"))
            if name in results
        },
    )


def _names(func: ir.Operation, key: str) -> Sequence[str]:
    return [
        str(ir.StringAttr(ir.DictAttr(a)["dist.name"]).value)
        for a in ir.ArrayAttr(func.attributes[key])
    ]
