"""Test programs as text and as modules: their checks rewritten, chlo expanded.

Two forms are understood: `stablehlo.custom_call @check.expect_*` beside `@inputs()` and
`@expected()`, and `check.expect_*` operations, several programs a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo, _torchMlir
from torch_mlir.dialects import torch as _torch  # noqa: F401 - registers torch-mlir's passes
from torch_mlir.passmanager import PassManager

from distc.dialect import stablehlo as hlo
from distc.dialect.context import make_context
from distc.transforms import make_pass

_CHECK_OP = re.compile(
    r"check\.(expect_\w+?)(?:_const)? (%[\w#]+),\s+(dense<.*?>|(?:%[\w#]+))"
    r"((?:\s*(?:,\s*\w+\s*=\s*[^\n:,]+|\{[^\n}]*\}))*)\s*:\s+(tensor<[^\n{]*>)"
    r"([ \t]*\{[^\n}]*\})?",
    re.DOTALL,
)
_TOLERANCE = re.compile(r"\btolerance\s*=\s*([\d.eE+-]+)")
_GENERIC_CHECK = re.compile(r'"check\.(expect_\w+)"\(([^)]*)\)\s*:\s*(\([^)]*\))\s*->\s*\(\)')
TOLERANCE = "peer.tolerance"
_FAMILY = re.compile(r"_(?:b?float|u?int|bool|complex|key|shape)\d*.*|_+(?=\.)")


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its kind, and how far apart numbers may be where the program says so."""

    kind: str
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class PeerProgram:
    """One program of a file."""

    name: str
    text: str

    @property
    def family(self) -> str:
        """The operation under test, from the name: `dot_general` of `dot_general_float32_…`."""
        return _FAMILY.sub("", self.name.partition("#")[0]).removesuffix("_chlo")


def programs(path: Path) -> Iterator[PeerProgram]:
    """Each program of a file, checks as custom calls."""
    parts = path.read_text(encoding="utf-8").split("// -----")
    for index, part in enumerate(parts):
        if "func.func" not in part:
            continue
        name = path.stem if len(parts) == 1 else f"{path.stem}#{index}"
        yield PeerProgram(name, rewrite_checks(part))


_OUTSIDE = {
    "dynamic shapes": re.compile(r"tensor<[^>\n]*\?"),
    "queues and channels": re.compile(r"stablehlo\.(?:send|recv|infeed|outfeed)\b"),
    "a probe of the interpreter": re.compile(r"interpreter\.(?:probe|print)|expect_serialized"),
    "a form that torch-mlir's StableHLO lacks": re.compile(r"\bhas_dynamic_root\b"),
}


def out_of_scope(text: str) -> str:
    """What a program has that distc does not promise to run; "" where nothing."""
    found = [what for what, pattern in _OUTSIDE.items() if pattern.search(text)]
    if "check.expect" not in text:
        found.append("checks nothing")
    return ", ".join(found)


def names_ranks(text: str) -> bool:
    """True for a program that is written for several ranks already."""
    return "interpreter.run_parallel" in text


def rewrite_checks(text: str) -> str:
    """Write `check.expect_*` operations as custom calls, constants as operations."""
    count = 0

    def call(kind: str, operands: str, types: str, options: str = "") -> str:
        found = _TOLERANCE.search(options)
        tolerance = f", {TOLERANCE} = {float(found.group(1))!r} : f64" if found else ""
        effect = f"{{has_side_effect = true{tolerance}}}"
        return f"stablehlo.custom_call @check.{kind}({operands}) {effect} : {types} -> ()"

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        kind, actual, expected, before, type_, after = match.groups()
        options = before + (after or "")
        if expected.startswith("%"):
            types = type_.split(", ")
            return call(kind, f"{actual}, {expected}", f"({types[0]}, {types[-1]})", options)
        count += 1
        constant = f"%expected_{count} = stablehlo.constant {expected} : {type_}\n"
        return constant + call(kind, f"{actual}, %expected_{count}", f"({type_}, {type_})", options)

    text = _CHECK_OP.sub(replace, text)
    return _GENERIC_CHECK.sub(lambda m: call(*m.groups()), text)


def parse(text: str) -> ir.Module:
    """Parse into a context of distc's with the interpreter's operations; expand chlo.

    Raises:
        ir.MLIRError: the text is not a module.
    """
    module = _parse(text)
    if "!quant." in text:
        make_pass("legalize-quantized").run(module)
    return module


def _parse(text: str) -> ir.Module:
    context = make_context()
    context.allow_unregistered_dialects = True
    _stablehlo.register_interpreter_dialect(context)
    if "chlo." not in text:
        return ir.Module.parse(text, context)
    expanded = ir.Context()
    expanded.enable_multithreading(False)
    _stablehlo.register_dialect(expanded)
    _torchMlir.register_dialect(expanded)
    # The dialect comes with a pass that depends on it; an empty module loads it.
    _stablehlo.register_stablehlo_passes()
    expand = PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))", expanded)
    load = PassManager.parse("builtin.module(func.func(convert-torch-to-stablehlo))", expanded)
    load.run(ir.Module.parse("module {}", expanded).operation)
    module = ir.Module.parse(text, expanded)
    expand.run(module.operation)
    return ir.Module.parse(module.operation.get_asm(large_elements_limit=None), context)


def checks_to_results(module: ir.Module) -> tuple[str, list[Check]]:
    """Make the checked pairs the results of the function that checks.

    Returns:
        Its name and each check.

    Raises:
        ValueError: not exactly one function checks something.
    """
    checking = [f for f in hlo.functions(module) if any(map(is_check, hlo.walk(f)))]
    if len(checking) != 1:
        raise ValueError(f"{len(checking)} functions check something")
    func = checking[0]
    checks: list[Check] = []
    pairs: list[ir.Value] = []
    for op in [o.operation for o in func.regions[0].blocks[0].operations]:
        if is_check(op):
            tolerance = hlo.real(op, TOLERANCE) if TOLERANCE in op.attributes else None
            checks.append(Check(call_target(op), tolerance))
            pairs += list(op.operands)
            op.erase()
    set_results(func, pairs)
    return hlo.symbol(func), checks


def set_results(func: ir.Operation, values: list[ir.Value]) -> None:
    """Let a function return `values`."""
    block = func.regions[0].blocks[0]
    terminator = block.operations[len(block.operations) - 1].operation
    with func.context, ir.Location.unknown():
        with ir.InsertionPoint(terminator):
            ir.Operation.create("func.return", operands=values)
        terminator.erase()
        types = [a.type for a in block.arguments]
        signature = ir.FunctionType.get(types, [v.type for v in values])
        func.attributes["function_type"] = ir.TypeAttr.get(signature)
    if "res_attrs" in func.attributes:
        del func.attributes["res_attrs"]


def call_target(op: ir.Operation) -> str:
    """What a custom call calls."""
    return str(op.attributes["call_target_name"]).strip('"@')


def is_check(op: ir.Operation) -> bool:
    """True for a check of a result."""
    return op.name == "stablehlo.custom_call" and call_target(op).startswith("check.expect")
