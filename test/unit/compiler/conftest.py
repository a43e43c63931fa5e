"""Programs for the tests of roles, presets and constraints: hand-written IR and exported models."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from torch_mlir import ir

from distc.dialect.context import make_context, parse_module

MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture
def context() -> Iterator[ir.Context]:
    """A fresh context."""
    yield make_context()


@pytest.fixture
def program(context: ir.Context) -> Callable[[str], ir.Module]:
    """Parse IR in which `$weight`, `$buffer` and `$input` stand for argument attributes.

    `%w: tensor<4xf32> $weight(fc.bias)` names and classifies an argument.
    """
    import re

    kinds = {"weight": "parameter", "buffer": "buffer", "input": "input"}

    def parse(text: str) -> ir.Module:
        def attributes(match: re.Match[str]) -> str:
            return f'{{dist.name = "{match[2]}", dist.kind = "{kinds[match[1]]}"}}'

        text = re.sub(r"\$(weight|buffer|input)\(([^)]*)\)", attributes, text)
        return parse_module(text, context, "test.mlir")

    return parse


def _model_file(name: str) -> ModuleType:
    key = f"distc_test_models_{name}"
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, MODELS / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[key] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
    return sys.modules[key]


@pytest.fixture(scope="session")
def exported_text() -> Callable[[str], str]:
    """Return the exported IR of `file:function` of test/models, exported once a session."""
    from distc.compiler.frontend.export import export

    done: dict[str, str] = {}

    def get(spec: str) -> str:
        if spec not in done:
            name, _, function = spec.partition(":")
            model, args = getattr(_model_file(name), function)()
            exported = export(model, args, context=make_context(), source=f"{name}.py:{function}")
            done[spec] = str(exported.module)
        return done[spec]

    return get


@pytest.fixture
def exported(
    context: ir.Context, exported_text: Callable[[str], str]
) -> Callable[[str], ir.Module]:
    """Return the exported module of `file:function` of test/models, in a fresh context."""
    return lambda spec: parse_module(exported_text(spec), context, "test.mlir")
