"""Locations on ops, and readable places in messages."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from unit.frontend import harness, modules

from distc.compiler.frontend import places
from distc.dialect.locations import file_line, module_path


class Block(nn.Module):
    """Two places: one in a child, one here."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = modules.WrittenRmsNorm(4, torch.float32)
        self.up = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Norm, linear, square."""
        y = self.up(self.norm(x))
        return y * y


def test_every_op_says_where_it_comes_from() -> None:
    model = nn.Sequential(Block())
    program = harness.exported(model, torch.randn(2, 4))
    found = {
        (op.name, module_path(op.location), (file_line(op.location) or "").rpartition(":")[0])
        for op in harness.walk(harness.main_of(program))
        if op.name != "func.return"
    }
    source = Path(__file__).read_text().splitlines()
    name = Path(__file__).name
    up = next(i for i, line in enumerate(source, 1) if "y = self.up(" in line)
    norm = Path(modules.__file__).read_text().splitlines()
    weight = next(i for i, line in enumerate(norm, 1) if "return self.weight *" in line)
    files = {file.rpartition("/")[2] for _, _, file in found}
    assert files == {f"{name}:{up}", f"{name}:{up + 1}", f"modules.py:{weight}"}
    by_module = {path for _, path, _ in found}
    assert by_module == {"0.norm", "0.up", "0"}
    assert ("stablehlo.dot_general", "0.up") in {(op, path) for op, path, _ in found}


def test_no_op_of_main_is_without_a_place() -> None:
    program = harness.exported(modules.Tied(), torch.tensor([1, 2]))
    for op in harness.walk(harness.main_of(program)):
        if op.name != "stablehlo.constant":
            assert file_line(op.location), op


def test_readable_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert places.readable_path(str(tmp_path / "a" / "model.py")) == "a/model.py"
    assert places.readable_path("/somewhere/else/model.py") == "model.py"
    assert places.readable_path(torch.__file__) == "torch/__init__.py"
    assert places.readable_path("model.py") == "model.py"


def test_the_place_of_an_exception_is_the_users_frame() -> None:
    try:
        torch.zeros(2).reshape(3)
    except RuntimeError as error:
        place = places.exception_place(error) or ""
    assert Path(__file__).name in place and place.endswith(":9")


def test_the_place_of_a_syntax_error() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("x = 1\ny = = 2\n", "/somewhere/bad.py", "exec")
    assert places.exception_place(caught.value) == "bad.py:2:5"
