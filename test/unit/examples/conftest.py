"""Import the demo's scripts as they import one another: from their folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SHARED = ("checks", "launch", "workload")


@pytest.fixture
def script() -> Iterator[Callable[[str], ModuleType]]:
    """`script("smollm2/prepare.py")` is that file as a fresh module."""
    loaded: list[str] = []

    def load(path: str) -> ModuleType:
        name = "example_" + path.removesuffix(".py").replace("/", "_")
        spec = spec_from_file_location(name, EXAMPLES / path)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up
        loaded.append(name)
        spec.loader.exec_module(module)
        return module

    sys.path.insert(0, str(EXAMPLES))
    try:
        yield load
    finally:
        sys.path.remove(str(EXAMPLES))
        for name in (*loaded, *SHARED):
            sys.modules.pop(name, None)
