"""The pipeline times, dumps, verifies, and keeps the module a failing pass was given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from torch_mlir import ir

from distc.compiler.pipeline import Pipeline, module_text
from distc.compiler.reproducer import current_recorder, start_recorder
from distc.compiler.timing import Timings
from distc.dialect.context import make_context, parse_module
from distc.runtime.errors import InternalError
from distc.transforms.base import Pass

SOURCE = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@dataclass(frozen=True)
class Mark(Pass):
    """Put an attribute on the module."""

    name: ClassVar[str] = "mark"

    def run(self, module: ir.Module) -> None:
        """Mark."""
        module.operation.attributes["dist.marked"] = ir.UnitAttr.get(module.context)


@dataclass(frozen=True)
class Spoil(Pass):
    """Leave a reference to a function that is not there."""

    name: ClassVar[str] = "spoil"

    def run(self, module: ir.Module) -> None:
        """Spoil: a result type that the op cannot have."""
        func = module.body.operations[0].operation
        function_type = ir.TypeAttr.get(ir.FunctionType.get([], [], module.context), module.context)
        func.attributes["function_type"] = function_type


@dataclass(frozen=True)
class Crash(Pass):
    """Change the module, then fail."""

    name: ClassVar[str] = "crash"

    def run(self, module: ir.Module) -> None:
        """Fail."""
        Mark().run(module)
        raise ZeroDivisionError("1/0")


@pytest.fixture
def module() -> ir.Module:
    return parse_module(SOURCE, make_context(), "source.mlir")


def test_each_pass_is_timed_and_dumped(module: ir.Module, tmp_path: Path) -> None:
    stages: list[str] = []
    pipeline = Pipeline(Timings(), tmp_path, verify=True, on_stage=stages.append)
    pipeline.dump(module, "source")
    pipeline.run(module, (Mark(),))
    assert [s.name for s in pipeline.timings.stages] == ["mark"] == stages
    assert sorted(p.name for p in tmp_path.iterdir()) == ["00-source.mlir", "01-mark.mlir"]
    assert "dist.marked" not in (tmp_path / "00-source.mlir").read_text()
    assert "dist.marked" in (tmp_path / "01-mark.mlir").read_text()
    assert pipeline.timings.stages[0].peak_mib > 1


def test_text_parses_again_with_its_locations(module: ir.Module) -> None:
    text = module_text(module)
    assert module_text(parse_module(text, make_context(), "again.mlir")) == text
    assert "source.mlir" in text


def test_invalid_ir_is_a_defect_of_the_pass(module: ir.Module) -> None:
    with pytest.raises(InternalError, match="pass spoil left invalid IR"):
        Pipeline(Timings()).run(module, (Spoil(),))


def test_the_recorder_keeps_the_module_before_the_pass(module: ir.Module) -> None:
    start_recorder("compile", {})
    pipeline = Pipeline(Timings(), verify=False)
    with pytest.raises(ZeroDivisionError):
        pipeline.run(module, (Mark(), Crash()))
    recorder = current_recorder()
    assert recorder.stage == "pass 1 crash"
    assert recorder.module_text is not None
    assert "dist.marked" in recorder.module_text()
    assert [s.name for s in pipeline.timings.stages] == ["mark", "crash"]
