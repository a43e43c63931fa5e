"""Mistakes in what is compiled: the SPEC, the function it names, the model it returns."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest

Case = Any
Refused = Any

HEAD = """
import torch
from torch import nn
import importlib.util
spec = importlib.util.spec_from_file_location("models", {models!r})
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)

"""


def _program(case: Case, body: str, name: str = "bad.py") -> None:
    models = case.spec.rpartition(":")[0]
    case.write(name, HEAD.format(models=models) + body.replace("MODEL", f"models.{case.model}()"))


def _compile(spec: str) -> list[str]:
    return ["compile", spec, "--mesh", "tensor=2"]


def test_no_such_python_file(case: Case, refused: Refused) -> None:
    refused(_compile("modles.py:mlp"), 66, "modles.py")


def test_no_such_function(case: Case, refused: Refused) -> None:
    wrong = case.model + case.rng.choice(["s", "_", "2"])
    err = refused(_compile(f"{case.spec}".rpartition(":")[0] + f":{wrong}"), 65, repr(wrong))
    assert case.model in err.split("help:")[1]


def test_no_function_named(case: Case, refused: Refused) -> None:
    refused(_compile(case.spec.rpartition(":")[0] + ":"), 2)


def test_no_such_module(case: Case, refused: Refused) -> None:
    refused(_compile("no_such.package.here:model"), 66, "no_such")


def test_spec_that_is_nothing_known(case: Case, refused: Refused) -> None:
    name = case.rng.choice(["model.onnx", "model.pt", "weights.bin"])
    case.write(name, "x")
    refused(_compile(name), 2, name)


def test_no_such_path(case: Case, refused: Refused) -> None:
    refused(_compile(case.rng.choice(["model.mlir", "some/folder", "./model"])), 66)


def test_syntax_error(case: Case, refused: Refused) -> None:
    _program(case, "def build(:\n    return MODEL\n")
    refused(_compile("bad.py:build"), 65, "bad.py:9")


def test_import_that_fails(case: Case, refused: Refused) -> None:
    _program(case, "import no_such_package_x\ndef build():\n    return MODEL\n")
    refused(_compile("bad.py:build"), 65, "no_such_package_x", "bad.py:9")


def test_function_that_raises(case: Case, refused: Refused) -> None:
    number = case.rng.randint(100, 999)
    _program(case, f"def build():\n    raise KeyError('missing {number}')\n")
    refused(_compile("bad.py:build"), 65, str(number), "bad.py:10")


def test_function_that_needs_arguments(case: Case, refused: Refused) -> None:
    _program(case, "def build(size):\n    return MODEL\n")
    refused(_compile("bad.py:build"), 65, "build")


@pytest.mark.parametrize(
    "value",
    [
        "None",
        "3",
        "MODEL[0]",
        "(MODEL[0],)",
        "(1, 2)",
        "[]",
        "('model', MODEL[1])",
        "(MODEL[1], MODEL[0])",
        "{'model': 1}",
        "(MODEL[0], MODEL[1], {'a': 1}, 4)",
    ],
)
def test_function_that_returns_something_else(case: Case, refused: Refused, value: str) -> None:
    _program(case, f"def build():\n    return {value}\n")
    refused(_compile("bad.py:build"), 65, "build")


def test_name_that_is_no_function(case: Case, refused: Refused) -> None:
    _program(case, "build = 4\n")
    refused(_compile("bad.py:build"), 65, "build")


def test_example_of_the_wrong_shape(case: Case, refused: Refused) -> None:
    _program(
        case, "def build():\n    m, (x,) = MODEL\n    return m, (torch.zeros(3, 3, 3, 3, 3),)\n"
    )
    refused(_compile("bad.py:build"), 65)


def test_branch_on_a_value(case: Case, refused: Refused) -> None:
    body = """
class Branch(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        if self.inner(x).sum() > 0:
            return x + 1
        return x
def build():
    m, x = MODEL
    return Branch(m), x
"""
    _program(case, body)
    refused(_compile("bad.py:build"), 65, "bad.py:15")


def test_unsupported_operator(case: Case, refused: Refused) -> None:
    op = case.rng.choice(["torch.fft.fft(y).real", "torch.linalg.svd(y)[1]"])
    body = f"""
class Odd(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        y = self.inner(x)
        return {op}
def build():
    m, x = MODEL
    return Odd(m), x
"""
    _program(case, body)
    refused(_compile("bad.py:build"), 65, "bad.py:16")


def test_model_that_returns_no_tensor(case: Case, refused: Refused) -> None:
    body = """
class Nothing(nn.Module):
    def forward(self, x):
        return None
def build():
    return Nothing(), MODEL[1]
"""
    _program(case, body)
    refused(_compile("bad.py:build"), 65)


def test_folder_without_config(case: Case, refused: Refused) -> None:
    (case.folder / "hf").mkdir()
    refused([*_compile("hf"), "--batch", "1", "--seq", "8"], 65, "config.json")


def test_folder_for_a_package_that_is_not_there(
    case: Case, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    (case.folder / "hf").mkdir()
    case.write("hf/config.json", '{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}')
    refused([*_compile("hf"), "--batch", "1", "--seq", "8"], 69, "transformers")


def test_folder_without_batch(case: Case, refused: Refused) -> None:
    (case.folder / "hf").mkdir()
    case.write("hf/config.json", '{"model_type": "llama", "architectures": ["LlamaForCausalLM"]}')
    refused(_compile("hf"), 2, "--batch")


def test_folder_with_another_config(case: Case, refused: Refused) -> None:
    (case.folder / "hf").mkdir()
    texts = ["{", "[]", "\0"]
    if importlib.util.find_spec("transformers") is not None:
        texts.append('{"model_type": "no-such"}')
    text = case.rng.choice(texts)
    case.write("hf/config.json", text)
    refused([*_compile("hf"), "--batch", "1", "--seq", "8"], 65, "config.json")


def test_batch_for_something_else(case: Case, refused: Refused) -> None:
    refused(case.compile("--batch", "2"), 2, "--batch")


def test_device_mesh_of_a_preset_with_nothing_to_cut(case: Case, refused: Refused) -> None:
    body = """
class Plus(nn.Module):
    def forward(self, x):
        return x + 1
def build():
    return Plus(), MODEL[1]
"""
    _program(case, body)
    refused([*_compile("bad.py:build"), "--preset", "megatron"], 2, "megatron")
