"""Custom ops at run time: a program's `custom.<name>` calls the function registered by that name.

Functions are registered by importing the code that defines them; a program never carries code.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distc.runtime.errors import ArtifactError
from distc.runtime.kernels.custom_calls import KNOWN

FAMILY = "custom"
IMPORT = "DISTC_IMPORT"
"""Environment variable: modules and files, with commas between, that register custom ops."""

_FUNCTIONS: dict[str, Callable[..., Any]] = dict(KNOWN)


def register(name: str, function: Callable[..., Any]) -> None:
    """Call `function` for `custom.<name>`; it takes and returns tensors of local shapes."""
    _FUNCTIONS[name] = function


def find(name: str) -> Callable[..., Any]:
    """Return the function of a custom op.

    Raises:
        ArtifactError: nothing was registered by that name in this process.
    """
    if name not in _FUNCTIONS:
        for origin in filter(None, os.environ.get(IMPORT, "").split(",")):
            load(origin)
    function = _FUNCTIONS.get(name)
    if function is None:
        raise ArtifactError(
            f"the program calls the custom op {name!r}, which is not registered here",
            help=f"import the code that registers it before loading, or name it in {IMPORT}",
        )
    return function


def load(origin: str) -> None:
    """Import code that registers custom ops: a module by name, a file by its path.

    Raises:
        ArtifactError: there is no such module or file.
    """
    if not origin.endswith(".py"):
        importlib.import_module(origin)
        return
    name = f"distc_custom_{Path(origin).stem}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, origin)
    if spec is None or spec.loader is None or not Path(origin).is_file():
        raise ArtifactError(f"no such file: {origin}", help=f"correct {IMPORT}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
