"""MLIR contexts and parsing: the one door through which text becomes a module.

The parser of MLIR recurses once per level of nesting and overflows the stack at a few thousand,
and its bytecode reader trusts its input: so text only, and a cap on nesting, checked before.
"""

from __future__ import annotations

import re

from torch_mlir import ir
from torch_mlir._mlir_libs import _mlir, _stablehlo

from distc.dialect.locations import file_line
from distc.dialect.ops import Dist
from distc.runtime.errors import InputError

MAX_NESTING = 1000
# The bindings find distc.dialect.{dist,stablehlo} here (dialect/dist.py says why they must).
_mlir.globals.append_dialect_search_prefix("distc.dialect")

_BYTECODE = "ML\xefR"
_BRACKET = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|->|[(\[{<)\]}>]')
_ALIAS = re.compile(r"^\s*([#!][A-Za-z_][\w$.]*)\s*=([^\n]*)", re.MULTILINE)
_ALIAS_USE = re.compile(r"[#!][A-Za-z_][\w$.]*")


def make_context() -> ir.Context:
    """Return a context that knows builtin, func, stablehlo and dist.

    Single-threaded: the verifiers of `dist` are Python, and a worker thread that waits for the
    interpreter lock while the main thread waits for it never ends.
    """
    ctx = ir.Context()
    ctx.enable_multithreading(False)
    _stablehlo.register_dialect(ctx)
    with ctx:
        Dist.load()
    Dist._mlir_module = None  # the definition, which would keep the last context alive
    return ctx


def parse_module(text: str, ctx: ir.Context, filename: str = "-") -> ir.Module:
    """Parse and verify MLIR text; `filename` names it in errors and in its locations.

    Raises:
        InputError: bytecode, nesting above `MAX_NESTING`, a syntax or verifier error (located).
    """
    _refuse_dangerous(text, filename)
    try:
        module = ir.Module.parse(text, ctx)
    except ir.MLIRError as error:
        raise diagnosed(error, "the module does not parse", filename) from None
    if filename != "-":
        _rename_source(module, filename)
    return module


def diagnosed(error: ir.MLIRError, summary: str, filename: str = "-") -> InputError:
    """Return MLIR's diagnostics as one located error: the first in front, the others below."""
    diagnostics = list(error.error_diagnostics)
    if not diagnostics:
        return InputError(f"{summary}: {error}", help="look at the module with distc-opt")

    def place(info: ir.DiagnosticInfo) -> str | None:
        line = file_line(info.location)
        return filename + line[1:] if line and line.startswith("-:") else line

    first, *others = diagnostics
    more = [
        f"\nalso: {d.message}" + (f", at {place(d)}" if place(d) else "")
        for d in [*first.notes, *others]
        if not d.message.startswith("see current operation")
    ]
    return InputError(
        first.message,
        where=place(first),
        help="correct the line; distc-opt FILE shows how a module is read" + "".join(more),
    )


def _refuse_dangerous(text: str, filename: str) -> None:
    if text.startswith(_BYTECODE) or "\0" in text:
        raise InputError(
            f"{filename} is MLIR bytecode or binary, only text is read",
            help="write it as text: mlir-opt or distc-opt print it",
        )
    depth = _nesting(text)
    if depth > MAX_NESTING:
        raise InputError(
            f"{filename} nests {depth} levels deep, the limit is {MAX_NESTING}",
            help="flatten the module: no model nests that deep",
        )


def _nesting(text: str) -> int:
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        token = match.group()
        if token in "([{<":
            depth += 1
            deepest = max(deepest, depth)
        elif token in ")]}>":
            depth -= 1
    return max(deepest, _alias_nesting(text))


def _alias_nesting(text: str) -> int:
    """Nesting hidden in aliases: `#b = [#a]`, `#c = [#b]`, …"""
    depths: dict[str, int] = {}
    for name, body in _ALIAS.findall(text):
        inner = max((depths.get(u, 0) for u in _ALIAS_USE.findall(body)), default=0)
        depths[name] = inner + 1
    return max(depths.values(), default=0)


def _rename_source(module: ir.Module, filename: str) -> None:
    """Replace the parser's file name `-` by the real one in the locations of ops."""

    ctx = module.context

    def renamed(old: ir.Location) -> ir.Location | None:
        if isinstance(old, ir.FileLineColLoc) and old.filename == "-":
            return ir.Location.file(filename, old.start_line, old.start_col, ctx)
        return None

    def rename(op: ir.Operation) -> ir.WalkResult:
        if (new := renamed(op.location)) is not None:
            op.location = new
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    if (new := renamed(argument.location)) is not None:
                        argument.set_location(new)
        return ir.WalkResult.ADVANCE

    module.operation.walk(rename)
