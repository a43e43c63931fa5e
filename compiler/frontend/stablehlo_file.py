"""A SPEC that names a StableHLO text file, Shardy's annotations allowed. No torch is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from torch_mlir import ir

from distc.compiler.frontend.exported import Exported, TensorInfo, WeightInfo
from distc.compiler.frontend.sdy import import_shardy
from distc.compiler.frontend.sdy_text import mentions_shardy
from distc.compiler.frontend.source_checks import check_arguments, check_source_op
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr, result_attr, set_result_attr, update_arg_attrs
from distc.dialect.context import parse_module
from distc.dialect.locations import where
from distc.runtime.errors import InputError, MissingFile, UnsupportedOp
from distc.transforms.inline_calls import InlineCalls
from distc.transforms.verify_state import STATE_KINDS

_KINDS = (*STATE_KINDS, "input")
_DIALECTS = ("func", "stablehlo", "dist")


def load_file(path: Path, context: ir.Context) -> Exported:
    """Read a StableHLO module and its record.

    Arguments without `dist.name` are called `argN` (results `outN`), those without `dist.kind`
    are inputs.

    Raises:
        MissingFile: no such file.
        InputError: not UTF-8 text, does not parse or verify, no public function, an argument
            that is no static tensor, a doubled name or a kind that does not exist.
        UnsupportedOp: an operation outside func and StableHLO.
    """
    if not path.is_file():
        raise MissingFile(f"no such file: {path}", help="check the path")
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(
            f"{path} is not readable text: {error}", help="give StableHLO as text"
        ) from None
    module, notices = _parse(text, context, str(path))
    functions = [f for f in stablehlo.functions(module) if stablehlo.is_public(f)]
    if not functions:
        raise InputError(
            "the module has no public function",
            where=str(path),
            help="add func.func @main(...): it is what ranks run",
        )
    for function in functions:
        if not function.regions[0].blocks:
            raise InputError(
                f"@{stablehlo.symbol(function)} is declared and has no body",
                where=where(function),
                help="give it a body, or make it private",
            )
        check_arguments(function)
    _check_operations(module)
    records = [_fill(function) for function in functions]
    main = next((f for f in functions if stablehlo.symbol(f) == "main"), functions[0])
    infos, results = records[functions.index(main)]
    return Exported(
        module=module,
        weights=tuple(_weights(functions, records)),
        values={},
        inputs=tuple(i for i, kind in infos if kind == "input"),
        outputs=tuple(results),
        source=str(path),
        notices=notices,
    )


def _parse(text: str, context: ir.Context, filename: str) -> tuple[ir.Module, tuple[str, ...]]:
    """Read a module, import Shardy's annotations if it has any, and put calls' bodies in place."""
    if mentions_shardy(text):
        program = import_shardy(text, context, filename)
        return program.module, tuple(program.notices)
    module = parse_module(text, context, filename)
    if any(op.name == "func.call" for op in stablehlo.walk(module.operation)):
        InlineCalls().run(module)
    return module, ()


def _check_operations(module: ir.Module) -> None:
    for op in stablehlo.walk(module.operation):
        if op.name.partition(".")[0] not in _DIALECTS:
            raise UnsupportedOp(
                f"operation {op.name} is not StableHLO",
                where=where(op),
                help="lower the module to func and stablehlo first",
            )
        for result in op.results:
            _require_static(result.type, op.name, where(op))
        check_source_op(op)


def _require_static(kind: ir.Type, what: str, place: str) -> None:
    if isinstance(kind, ir.RankedTensorType) and not kind.has_static_shape:
        raise UnsupportedOp(
            f"{what} has the type {kind}, whose shape is not fixed",
            where=place,
            help="export the program for fixed shapes",
        )


def _fill(function: ir.Operation) -> tuple[list[tuple[TensorInfo, str]], list[TensorInfo]]:
    """Complete names and kinds of one function; return its arguments with kinds, its results."""
    signature = function.attributes["function_type"].value
    changes: dict[int, dict[str, ir.Attribute | None]] = {}
    arguments: list[tuple[TensorInfo, str]] = []
    for index, kind in enumerate(signature.inputs):
        name = _text(arg_attr(function, index, "dist.name")) or f"arg{index}"
        role = _text(arg_attr(function, index, "dist.kind")) or "input"
        if role not in _KINDS:
            raise InputError(
                f"argument {name} has dist.kind {role!r}, there are {', '.join(_KINDS)}",
                where=where(function),
                help="correct the attribute",
            )
        arguments.append((_info(function, name, kind), role))
        changes[index] = {
            "dist.name": ir.StringAttr.get(name, function.context),
            "dist.kind": ir.StringAttr.get(role, function.context),
        }
    _refuse_doubled([i.name for i, _ in arguments], "arguments", function)
    update_arg_attrs(function, changes)
    return arguments, _fill_results(function, signature.results)


def _fill_results(function: ir.Operation, kinds: list[ir.Type]) -> list[TensorInfo]:
    results = []
    for index, kind in enumerate(kinds):
        name = _text(result_attr(function, index, "dist.name")) or f"out{index}"
        set_result_attr(function, index, "dist.name", ir.StringAttr.get(name, function.context))
        results.append(_info(function, name, kind))
    _refuse_doubled([r.name for r in results], "results", function)
    return results


def _weights(
    functions: list[ir.Operation],
    records: list[tuple[list[tuple[TensorInfo, str]], list[TensorInfo]]],
) -> Iterator[WeightInfo]:
    """What the entry points read from weight files: state that says no first value of its own."""
    seen: set[str] = set()
    for function, (arguments, _) in zip(functions, records, strict=True):
        for index, (info, kind) in enumerate(arguments):
            made = arg_attr(function, index, "dist.initial") is not None
            if kind == "input" or made or info.name in seen:
                continue
            seen.add(info.name)
            stored = _text(arg_attr(function, index, "dist.stored"))
            yield WeightInfo(info.name, (), info.shape, stored or info.dtype, kind)


def _text(attribute: ir.Attribute | None) -> str:
    return str(attribute.value) if isinstance(attribute, ir.StringAttr) else ""


def _info(function: ir.Operation, name: str, kind: ir.Type) -> TensorInfo:
    if not isinstance(kind, ir.RankedTensorType):
        raise InputError(
            f"{name} has the type {kind}, only tensors are passed",
            where=where(function),
            help="pass tensors; split tuples",
        )
    _require_static(kind, name, where(function))
    return TensorInfo(name, tuple(kind.shape), str(kind.element_type))


def _refuse_doubled(names: list[str], what: str, function: ir.Operation) -> None:
    doubled = sorted({n for n in names if names.count(n) > 1})
    if doubled:
        raise InputError(
            f"two {what} are called {doubled[0]!r}",
            where=where(function),
            help="give each its own dist.name",
        )
