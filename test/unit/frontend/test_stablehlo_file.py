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


ANNOTATED = """module @jit_f {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func public @main(
      %x: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}p1, {}]>},
      %w: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}
  ) -> (tensor<5x7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
    %1 = call @relu(%0) : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"data"}, {"model"}]> : tensor<5x7xf32>
    return %2 : tensor<5x7xf32>
  }
  func.func private @relu(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<5x7xf32>
    %0 = stablehlo.maximum %x, %zero : tensor<5x7xf32>
    return %0 : tensor<5x7xf32>
  }
}
"""


def test_shardys_annotations_are_imported_and_calls_inlined(tmp_path: Path) -> None:
    program = read(tmp_path, ANNOTATED)
    text = str(program.module)
    assert "sdy." not in text
    assert "call" not in text
    assert 'sym_name = "mesh"' in text
    assert 'dist.sharding = #dist.sharding<@mesh, [["data"], []]' in text
    assert text.count("dist.constraint") == 1
    assert [n.partition(" ")[0] for n in program.notices] == ["priorities"]


def test_an_annotated_file_compiles_and_equals_one_rank(tmp_path: Path) -> None:
    import torch

    from distc.compiler.driver import compile_spec
    from distc.compiler.options import CompileOptions
    from distc.dialect.mesh import Mesh
    from distc.runtime import sim

    path = tmp_path / "p.mlir"
    path.write_text(ANNOTATED)
    compiled = compile_spec(str(path), CompileOptions(mesh=Mesh.parse("data=2,model=2")))
    assert any("priorities" in line for line in compiled.report_lines())
    x, w = torch.randn(5, 6), torch.randn(6, 7)
    (entry,) = compiled.entries
    kinds = compiled.programs["main"].inputs
    assert [tuple(k.shape) for k in kinds] == [(3, 6), (6, 4)]
    padded = torch.zeros(6, 8)
    padded[:, :7] = w
    ranks = [
        [torch.cat([x, torch.zeros(1, 6)])[3 * d : 3 * d + 3], padded[:, 4 * m : 4 * m + 4]]
        for d in range(2)
        for m in range(2)
    ]
    found = sim.run(compiled.programs["main"], ranks)
    expected = torch.relu(x @ w)
    shape = tuple(found[0][0].shape)
    whole = found[0][0] if shape == (5, 7) else None
    if whole is None:
        rows = [torch.cat([found[2 * d][0], found[2 * d + 1][0]], 1) for d in range(2)]
        whole = torch.cat(rows)[:5, :7]
    torch.testing.assert_close(whole, expected)
    assert entry.name == "main"


def test_a_mistake_in_an_annotation_is_located(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown mesh axis 'mdl', at .*p.mlir:10:"):
        read(tmp_path, ANNOTATED.replace('{"data"}, {"model"}]> :', '{"data"}, {"mdl"}]> :'))
    with pytest.raises(InputError) as caught:
        read(tmp_path, ANNOTATED.replace("sdy.sharding_constraint", "sdy.shard"))
    assert str(caught.value.where).endswith("p.mlir:10:10")
