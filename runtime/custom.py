"""Custom ops at run time: a program's `custom.<name>` calls the function registered by that name.

Functions are registered by importing the code that defines them; a program never carries code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from distc.runtime.errors import ArtifactError
from distc.runtime.kernels.custom_calls import KNOWN

FAMILY = "custom"
_FUNCTIONS: dict[str, Callable[..., Any]] = dict(KNOWN)


def register(name: str, function: Callable[..., Any]) -> None:
    """Call `function` for `custom.<name>`; it takes and returns tensors of local shapes."""
    _FUNCTIONS[name] = function


def find(name: str) -> Callable[..., Any]:
    """Return the function of a custom op.

    Raises:
        ArtifactError: nothing was registered by that name in this process.
    """
    function = _FUNCTIONS.get(name)
    if function is None:
        raise ArtifactError(
            f"the program calls the custom op {name!r}, which is not registered here",
            help="import the module that registers it with distc.custom_op before loading",
        )
    return function
