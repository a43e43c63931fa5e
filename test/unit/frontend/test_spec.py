"""SPEC: what it names, and what is said when it names nothing."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch

from distc.compiler.frontend.spec import SpecKind, load, load_real_weights, parse_spec
from distc.dialect.context import make_context
from distc.runtime.errors import DistcError, InputError, MissingFile, UsageError

MODEL = """
import torch
from torch import nn
from neighbour import WIDTH

def mlp():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(WIDTH, 5), nn.ReLU()), (torch.zeros(2, WIDTH),)

def named():
    return nn.Linear(4, 5), {"input": torch.zeros(2, 4)}

def raises():
    value = {}
    return value["weight"]

def leaves():
    raise SystemExit(3)

def needs(size):
    return mlp()

def single():
    return nn.Linear(4, 5), torch.zeros(2, 4)

not_a_function = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(MODEL)
    (tmp_path / "neighbour.py").write_text("WIDTH = 4\n")
    (tmp_path / "broken.py").write_text("import torch\ndef f(:\n")
    (tmp_path / "hf").mkdir()
    (tmp_path / "plain.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    for name in ("net", "neighbour", "broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "kind", "target", "function"),
    [
        ("net.py:mlp", SpecKind.FILE, "net.py", "mlp"),
        ("torch.nn:Linear", SpecKind.MODULE, "torch.nn", "Linear"),
        ("hf", SpecKind.FOLDER, "hf", ""),
    ],
)
def test_forms(folder: Path, text: str, kind: SpecKind, target: str, function: str) -> None:
    spec = parse_spec(text)
    assert (spec.kind, spec.target, spec.function) == (kind, target, function)
    assert str(spec) == text


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("gone.py:mlp", MissingFile, "gone.py"),
        ("gone.mlir", MissingFile, "gone.mlir"),
        ("some/folder", MissingFile, "some/folder"),
        ("net.py", UsageError, "names no function"),
        ("net.py:", UsageError, "names no function"),
        ("net.py:a b", UsageError, "names no function"),
        ("plain.txt", UsageError, "unknown kind"),
        ("nonsense", UsageError, "not a SPEC"),
        ("hf.py:f", MissingFile, "hf.py"),
    ],
)
def test_no_spec(folder: Path, text: str, error: type[DistcError], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        parse_spec(text)
    assert caught.value.help


@pytest.mark.parametrize(
    ("text", "error", "says", "where"),
    [
        ("net.py:mpl", InputError, "no function 'mpl'", ""),
        ("net.py:raises", InputError, "raises: KeyError: 'weight'", "net.py:15:5"),
        ("net.py:leaves", InputError, "raises: SystemExit", "net.py:18:5"),
        ("net.py:needs", InputError, "needs arguments: size", ""),
        ("net.py:single", InputError, "Linear, Tensor", ""),
        ("net.py:not_a_function", InputError, "is a int, not a function", ""),
        ("broken.py:f", InputError, "SyntaxError", "broken.py:2:7"),
        ("no.such.module:f", MissingFile, "no module named 'no'", ""),
        ("hf", InputError, "no config.json", ""),
    ],
)
def test_mistakes(folder: Path, text: str, error: type[DistcError], says: str, where: str) -> None:
    with pytest.raises(error, match=says) as caught:
        load(text, context=make_context())
    assert (caught.value.where or "").startswith(where)
    assert caught.value.help


def test_a_near_name_is_suggested(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        load("net.py:mpl", context=make_context())
    assert "mlp" in caught.value.help


def test_sizes_belong_to_folders(folder: Path) -> None:
    with pytest.raises(UsageError, match="--batch"):
        load("net.py:mlp", context=make_context(), batch=2)
    (folder / "hf" / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="--seq is not given"):
        load("hf", context=make_context(), batch=2)


def test_weights_are_read_when_asked_for(folder: Path) -> None:
    loaded = load("net.py:mlp", context=make_context())
    assert [w.name for w in loaded.exported.weights] == ["0.weight", "0.bias"]
    assert loaded.weights is None
    torch.manual_seed(3)
    expected = torch.nn.Linear(4, 5)
    assert torch.equal(loaded.tensors()["0.weight"], expected.weight)
    assert torch.equal(load_real_weights("net.py:mlp")["0.bias"], expected.bias)


def test_keyword_inputs(folder: Path) -> None:
    loaded = load("net.py:named", context=make_context())
    assert [i.name for i in loaded.exported.inputs] == ["input"]


def test_a_module_of_the_working_folder(folder: Path) -> None:
    assert load("net:mlp", context=make_context()).exported.source == "net:mlp"


def test_a_stablehlo_file_needs_no_torch(folder: Path) -> None:
    (folder / "p.mlir").write_text(
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n"
    )
    code = """
        import sys
        from distc.compiler.frontend.spec import load
        from distc.dialect.context import make_context
        print(load("p.mlir", context=make_context()).exported.inputs[0].name)
        assert "torch" not in sys.modules
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "arg0\n"), ran.stderr
