"""What every pass is, and the few steps that all passes take with MLIR's own machinery."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

from distc.dialect.context import diagnosed
from distc.runtime.errors import DistcError, InputError


@dataclass(frozen=True)
class Pass(ABC):
    """One rewrite of a module, in place. Fields are its options.

    `name` is the name in pipelines, `--name` the flag of distc-opt. The docstring of a pass says
    in order: one line, the contract (needs, leaves, fails when), an example, and why.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, module: ir.Module) -> None:
        """Rewrite `module`.

        Raises:
            DistcError: the contract does not hold; located.
        """


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in a module: what, where, what to do."""

    message: str
    where: str | None
    help: str


def raise_findings(
    findings: Sequence[Finding], error: type[DistcError] = InputError, shown: int = 20
) -> None:
    """Raise one error for all findings, the first in front; do nothing where there are none.

    The others follow the help as lines `also: message, at place`.
    """
    if not findings:
        return
    first, *others = findings
    lines = [f"\nalso: {f.message}" + (f", at {f.where}" if f.where else "") for f in others]
    if len(lines) > shown:
        lines[shown:] = [f"\nand {len(lines) - shown} more"]
    raise error(first.message, where=first.where, help=first.help + "".join(lines))


def run_upstream(module: ir.Module, pipeline: str) -> None:
    """Run passes of MLIR or StableHLO: `canonicalize,cse,func.func(…)` on the module.

    No handle on an op or value of the module survives this.

    Raises:
        DistcError: a pass fails (its diagnostics, located) or the pipeline names an unknown pass.
    """
    try:
        with module.context:
            manager = PassManager.parse(f"builtin.module({pipeline})")
    except ValueError as error:
        raise InputError(
            f"unknown pipeline {pipeline!r}: {str(error).strip()}",
            help="distc-opt --list-passes shows the passes of distc",
        ) from None
    try:
        manager.run(module.operation)
    except ir.MLIRError as error:
        raise diagnosed(error, f"pipeline {pipeline!r} failed") from None


def replace_op(op: ir.Operation | ir.OpView, values: Sequence[ir.Value]) -> None:
    """Replace the results of `op` by `values`, then erase it; `op` is gone afterwards.

    Raises:
        InputError: another number of values than results.
    """
    operation = op.operation
    results = list(operation.results)
    if len(results) != len(values):
        raise InputError(
            f"{operation.name} has {len(results)} results, {len(values)} replacements given",
            help="report this: a pass is at fault",
            code="E-INTERNAL",
        )
    for old, new in zip(results, values, strict=True):
        old.replace_all_uses_with(new)
    operation.erase()
