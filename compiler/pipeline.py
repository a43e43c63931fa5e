"""Run passes by name on one module: time each, verify after each, dump after each.

A pass that raises an error of the tree is the user's (or an internal error that already says
what broke); any other exception is a defect, and the recorder holds the module as it was before
that pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch_mlir import ir

from distc.compiler.reproducer import current_recorder
from distc.compiler.timing import Timings
from distc.runtime.errors import InternalError
from distc.transforms import make_pass
from distc.transforms.base import Pass

VERIFIER = "verify-shardings"


@dataclass
class Pipeline:
    """The passes of one compile, run one after another on one module.

    Attributes:
        timings: a row is added per pass.
        dump_folder: where `NN-pass-name.mlir` is written after each pass, or None.
        verify: whether `verify-shardings` and the IR verifier run after each pass.
        on_stage: called with the name of each pass before it runs (progress).
    """

    timings: Timings
    dump_folder: Path | None = None
    verify: bool = True
    on_stage: Callable[[str], None] | None = None
    ran: list[str] = field(default_factory=list)

    def run(self, module: ir.Module, passes: Sequence[str | Pass]) -> None:
        """Run `passes` in order.

        Raises:
            DistcError: what a pass or the verifier after it reports.
        """
        for item in passes:
            self._run_one(module, make_pass(item) if isinstance(item, str) else item)

    def dump(self, module: ir.Module, name: str) -> None:
        """Write the module as the next numbered file of the dump folder, if there is one."""
        index = len(self.ran)
        self.ran.append(name)
        if self.dump_folder is None:
            return
        path = self.dump_folder / f"{index:02d}-{name}.mlir"
        path.write_text(module_text(module), encoding="utf-8")

    def _run_one(self, module: ir.Module, step: Pass) -> None:
        if self.on_stage is not None:
            self.on_stage(step.name)
        recorder = current_recorder()
        before = module.operation.clone()
        recorder.stage = f"pass {len(self.ran)} {step.name}"
        recorder.module_text = lambda: operation_text(before)
        with self.timings.measure(step.name):
            step.run(module)
        self.dump(module, step.name)
        if self.verify:
            self._verify(module, step.name)

    def _verify(self, module: ir.Module, after: str) -> None:
        try:
            module.operation.verify()
        except ir.MLIRError as error:
            raise InternalError(
                f"pass {after} left invalid IR: {str(error).splitlines()[0]}",
                help="this is a defect of distc",
            ) from error
        make_pass(VERIFIER).run(module)


def module_text(module: ir.Module) -> str:
    """Return the module as text that parses again: locations inline, nothing left out."""
    return operation_text(module.operation)


def operation_text(operation: ir.Operation | ir.OpView) -> str:
    """Return an operation as text with locations."""
    text = operation.get_asm(enable_debug_info=True, assume_verified=False)
    return text if text.endswith("\n") else text + "\n"
