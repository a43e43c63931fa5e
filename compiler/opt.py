"""`distc-opt`: run passes on MLIR text, with the habits of mlir-opt. Starts without torch.

    distc-opt FILE --mesh x=2 --propagate --pass-pipeline="insert-reshards,partition{…}"

Passes run in the order they are written; `--name` may carry options as `--name="a=1 b=2"`.
`run` is the in-process form that the lit tests use.
"""

from __future__ import annotations

import argparse
import io
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from distc.runtime.errors import DistcError, ExitCode, InternalError, MissingFile, UsageError
from distc.transforms import PASSES, parse_pipeline, pass_class

if TYPE_CHECKING:
    from torch_mlir import ir

    from distc.transforms.base import Pass

# Passes of MLIR and StableHLO that pipelines of distc-opt may name like distc's own.
UPSTREAM = (
    "canonicalize",
    "cse",
    "inline",
    "sccp",
    "stablehlo-aggressive-simplification",
    "strip-debuginfo",
    "symbol-dce",
)
SEPARATOR = "// -----"


@dataclass(frozen=True, slots=True)
class _Step:
    """One entry of the command line's pipeline: a pass of distc or one of MLIR's."""

    text: str
    is_upstream: bool


class _Parser(argparse.ArgumentParser):
    program: ClassVar[str] = "distc-opt"

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(message, help="distc-opt --help lists the options")


def main() -> None:
    """Console script: read `sys.argv`, print, exit."""
    needs_stdin = any(a == "-" for a in sys.argv[1:]) or not any(
        not a.startswith("-") for a in sys.argv[1:]
    )
    informs = {"--help", "-h", "--list-passes"} & set(sys.argv[1:])
    stdin = "" if informs or not needs_stdin else sys.stdin.read()
    code, out, err = run(sys.argv[1:], stdin)
    sys.stdout.write(out)
    sys.stdout.flush()  # so that 2>&1 keeps the order
    sys.stderr.write(err)
    sys.exit(code)


def run(argv: Sequence[str], stdin: str = "") -> tuple[int, str, str]:
    """Run distc-opt in this process.

    Returns:
        The exit code (0 ok, 1 a diagnosed failure, 2 usage, 66 no such file, 70 internal), the
        standard output and the standard error.
    """
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = _run(list(argv), stdin, out, err)
        except SystemExit as stop:  # argparse's --help
            code = int(stop.code or 0)
        except DistcError as error:
            print(error, file=err)
            keeps = (ExitCode.USAGE, ExitCode.NO_FILE, ExitCode.INTERNAL)
            code = int(error.exit_code) if error.exit_code in keeps else 1
    return code, out.getvalue(), err.getvalue()


def _run(argv: list[str], stdin: str, out: io.StringIO, err: io.StringIO) -> int:
    steps, rest = _take_passes(argv)
    options = _arguments().parse_args(rest)
    if options.list_passes:
        _list_passes(out)
        return 0
    filename, text = _read(options.input, stdin)
    pieces = _split(text) if options.split_input_file else [text]
    driver = _Driver(options, steps, filename, err)
    results = [driver.process(piece) for piece in pieces]
    printed = f"{SEPARATOR}\n".join(r for r in results if r is not None)
    if options.output == "-":
        out.write(printed)
    else:
        Path(options.output).write_text(printed, encoding="utf-8")
    return 1 if driver.failed else 0


# The command line


def _arguments() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="distc-opt",
        description="Run passes on MLIR text (builtin, func, stablehlo, dist).",
        epilog=f"Passes: --NAME for each of {', '.join(PASSES)}; of MLIR: {', '.join(UPSTREAM)}.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="file, - or nothing for standard input")
    add("-o", dest="output", default="-", metavar="FILE", help="where to write, - for stdout")
    add("--pass-pipeline", metavar="TEXT", help="a,b{option=value other=value}")
    add("--mesh", metavar="AXES", help="declare the mesh, as node=2,gpu=4")
    add("--split-input-file", action="store_true", help=f"treat pieces between {SEPARATOR} alone")
    add("--verify-diagnostics", action="store_true", help="check expected-error comments")
    add("--verify-each", choices=("true", "false"), default="true", help="verify after each pass")
    add("--print-pretty", action="store_true", help="explain shardings in comments")
    add("--mlir-print-ir-after-all", action="store_true", help="print after each pass to stderr")
    add("--mlir-print-debuginfo", action="store_true", help="print locations")
    add("--mlir-print-op-generic", action="store_true", help="print the generic form")
    add("--mlir-elide-elementsattrs-if-larger", type=int, metavar="N", help="elide constants")
    add("--allow-unregistered-dialect", action="store_true", help="accept unknown ops")
    add("--list-passes", action="store_true", help="print the passes with their one-line summary")
    add("--debug", action="store_true", help="print the traceback of an internal error")
    return parser


def _take_passes(argv: list[str]) -> tuple[list[_Step], list[str]]:
    """Split `--name`, `--name=options` and `--pass-pipeline` from the other arguments."""
    steps: list[_Step] = []
    rest: list[str] = []
    waiting = False
    for argument in argv:
        if waiting:
            steps += _pipeline(argument)
            waiting = False
            continue
        flag, equals, value = argument.partition("=")
        name = flag.removeprefix("--")
        if flag == "--pass-pipeline":
            waiting = not equals
            steps += _pipeline(value) if equals else []
        elif flag.startswith("--") and name in UPSTREAM:
            steps.append(_Step(name, True))
        elif flag.startswith("--") and name in PASSES:
            steps.append(_Step(f"{name}{{{value}}}" if equals else name, False))
        else:
            rest.append(argument)
    if waiting:
        raise UsageError("--pass-pipeline has no value", help='write --pass-pipeline="a,b{c=1}"')
    return steps, rest


def _pipeline(text: str) -> list[_Step]:
    """Cut `a,b{c=1},canonicalize` at commas outside braces."""
    body = text.strip()
    if body.startswith("builtin.module(") and body.endswith(")"):
        body = body[len("builtin.module(") : -1]
    parts, depth, start = [], 0, 0
    for position, character in enumerate(body):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(body[start:position].strip())
            start = position + 1
    parts.append(body[start:].strip())
    return [_Step(p, p in UPSTREAM) for p in parts if p]


def _list_passes(out: io.StringIO) -> None:
    width = max(map(len, PASSES))
    for name in PASSES:
        summary = (pass_class(name).__doc__ or "").strip().split("\n")[0]
        print(f"{name:{width}}  {summary}", file=out)


def _read(path: str, stdin: str) -> tuple[str, str]:
    if path == "-":
        return "-", stdin
    try:
        return path, Path(path).read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        raise MissingFile(f"no such file: {path}", help="check the path") from None
    except OSError as error:
        raise MissingFile(
            f"cannot read {path}: {error.strerror}", help="give a readable file"
        ) from None


def _split(text: str) -> list[str]:
    """Cut at separator lines; each piece keeps its line numbers by leading empty lines."""
    pieces: list[list[str]] = [[]]
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if line.startswith(SEPARATOR):
            pieces.append([""] * number)
            continue
        pieces[-1].append(line)
    return ["\n".join(p) for p in pieces if "".join(p).strip()]


# One module


class _Driver:
    """Processes one piece of input after another; remembers whether any failed."""

    def __init__(
        self, options: argparse.Namespace, steps: list[_Step], filename: str, err: io.StringIO
    ) -> None:
        self.options, self.filename, self.err = options, filename, err
        # Built before any input is parsed: a wrong option is a usage error.
        self.steps = [(s, None if s.is_upstream else parse_pipeline(s.text)[0]) for s in steps]
        self.failed = False

    def process(self, text: str) -> str | None:
        """Return the printed module, None where it failed."""
        error: DistcError | None = None
        printed: str | None = None
        try:
            printed = self._transform(text)
        except InternalError:
            raise
        except DistcError as caught:
            error = caught
        if self.options.verify_diagnostics:
            self._compare(text, error)
        elif error is not None:
            print(error, file=self.err)
            self.failed = True
        return printed

    def _compare(self, text: str, error: DistcError | None) -> None:
        from distc.compiler.expected import diagnostics_of, expectations_in, mismatches

        found = diagnostics_of(error) if error is not None else []
        for line in mismatches(expectations_in(text), found, self.filename):
            print(line, file=self.err)
            self.failed = True

    def _transform(self, text: str) -> str:
        from distc.dialect.attrs import set_module_mesh
        from distc.dialect.context import make_context, parse_module
        from distc.dialect.mesh import Mesh

        ctx = make_context()
        ctx.allow_unregistered_dialects = self.options.allow_unregistered_dialect
        module = parse_module(text, ctx, self.filename)
        if self.options.mesh:
            set_module_mesh(module, Mesh.parse(self.options.mesh))
        for step, own in self.steps:
            self._step(module, step, own)
        return self._print(module)

    def _step(self, module: ir.Module, step: _Step, own: Pass | None) -> None:
        from distc.transforms.base import run_upstream

        try:
            if own is None:
                run_upstream(module, step.text)
            else:
                own.run(module)
        except DistcError:
            raise
        except Exception as error:  # a defect of the pass: named, traced only on request
            if self.options.debug:
                traceback.print_exc(file=self.err)
            raise InternalError(
                f"pass {step.text} failed with {type(error).__name__}: {error}",
                help="run again with --debug and report the module",
            ) from error
        if self.options.verify_each == "true":
            self._verify(module, step)
        if self.options.mlir_print_ir_after_all:
            print(f"// -----// IR Dump After {step.text} //----- //", file=self.err)
            self.err.write(self._print(module))

    def _verify(self, module: ir.Module, step: _Step) -> None:
        from torch_mlir import ir

        from distc.dialect.context import diagnosed
        from distc.transforms.verify_shardings import VerifyShardings

        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise diagnosed(error, f"the module is invalid after {step.text}") from None
        VerifyShardings().run(module)

    def _print(self, module: ir.Module) -> str:
        text = str(
            module.operation.get_asm(
                enable_debug_info=self.options.mlir_print_debuginfo,
                print_generic_op_form=self.options.mlir_print_op_generic,
                large_elements_limit=self.options.mlir_elide_elementsattrs_if_larger,
            )
        )
        text = text.rstrip("\n") + "\n"
        if not self.options.print_pretty:
            return text
        from distc.dialect.pretty import pretty_text

        return pretty_text(module, text)


if __name__ == "__main__":
    main()
