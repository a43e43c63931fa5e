"""A StableHLO text file as input."""

from __future__ import annotations

from pathlib import Path

import pytest

from distc.compiler.frontend.exported import Exported, TensorInfo, WeightInfo
from distc.compiler.frontend.stablehlo_file import load_file
from distc.dialect.context import make_context
from distc.runtime.errors import DistcError, InputError, MissingFile, UnsupportedOp

GOOD = """
func.func @main(
    %w: tensor<4x2xf32> {dist.name = "w", dist.kind = "parameter"},
    %c: tensor<2xi64> {dist.kind = "constant"},
    %x: tensor<3x4xbf16>) -> (tensor<2xi64> {dist.name = "y"}, tensor<3x4xbf16>) {
  return %c, %x : tensor<2xi64>, tensor<3x4xbf16>
}
"""


def read(folder: Path, text: str) -> Exported:
    path = folder / "p.mlir"
    path.write_text(text)
    return load_file(path, make_context())


def test_names_and_kinds(tmp_path: Path) -> None:
    program = read(tmp_path, GOOD)
    assert program.weights == (
        WeightInfo("w", (), (4, 2), "f32", "parameter"),
        WeightInfo("arg1", (), (2,), "i64", "constant"),
    )
    assert program.inputs == (TensorInfo("arg2", (3, 4), "bf16"),)
    assert program.outputs == (TensorInfo("y", (2,), "i64"), TensorInfo("out1", (3, 4), "bf16"))
    assert 'dist.kind = "input", dist.name = "arg2"' in str(program.module)


@pytest.mark.parametrize(
    ("text", "error", "says", "line"),
    [
        ("func.func private @f() {\n  return\n}", InputError, "no public function", None),
        ("func.func @main(%a: tensor<?xf32>) {\n  return\n}", UnsupportedOp, "not fixed", 1),
        ("func.func @main(%a: f32) {\n  return\n}", InputError, "only tensors", 1),
        (
            'func.func @main(%a: tensor<f32> {dist.kind = "weight"}) {\n  return\n}',
            InputError,
            "'weight'",
            1,
        ),
        (
            'func.func @main(%a: tensor<f32> {dist.name = "arg1"}, %b: tensor<f32>) {\n  return\n}',
            InputError,
            "two arguments are called 'arg1'",
            1,
        ),
        (
            "func.func @main() {\n  %0 = arith.constant 1 : i32\n  return\n}",
            UnsupportedOp,
            "arith.constant",
            2,
        ),
        ("func.func @main() {\n  return %x : i32\n}", InputError, "undeclared", 2),
        ("not mlir", InputError, "custom op 'not'", 1),
    ],
)
def test_mistakes(
    tmp_path: Path, text: str, error: type[DistcError], says: str, line: int | None
) -> None:
    with pytest.raises(error, match=says) as caught:
        read(tmp_path, text)
    if line is not None:
        assert f"p.mlir:{line}:" in (caught.value.where or "")
    assert caught.value.help


def test_a_declaration_is_no_entry_point(tmp_path: Path) -> None:
    with pytest.raises(DistcError):
        read(tmp_path, "func.func private @f() -> tensor<f32>")


def test_missing_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        load_file(tmp_path / "gone.mlir", make_context())
    path = tmp_path / "p.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not readable text"):
        load_file(path, make_context())
