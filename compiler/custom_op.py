"""`distc.custom_op`: one decorator makes a torch function an op that models and plans may hold.

    @distc.custom_op("mylib::swish", meta=lambda x: x.new_empty(x.shape))
    def swish(x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(x)

The op is exported as `stablehlo.custom_call @mylib.swish`. Its sharding rule is the one given, or
discovered by executing it on shards. Ranks call the same function on their shards, so they must
import the code that registers it (`DISTC_IMPORT` names modules or files for `distc run`).
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import torch

from distc.dialect import custom_ops
from distc.runtime import custom
from distc.runtime.errors import UsageError

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*\Z")


def custom_op(
    name: str, *, meta: Callable[..., Any], rule: str | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a torch function under `name`.

    Args:
        name: `library::op`.
        meta: takes the same arguments and returns empty tensors of the results' shapes.
        rule: its sharding rule, `[i, k], [k, j] -> [i, j] reduction={k}`; discovered where not
            given. A compile executes it on shards, uneven ones padded with zeros, and refuses it
            with a counter-example where they do not give the whole.

    Raises:
        UsageError: the name is not `library::op`.
    """
    if not _NAME.match(name):
        raise UsageError(
            f"a custom op cannot be called {name!r}", help="write library::op, both identifiers"
        )

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        made: Any = torch.library.custom_op(name, mutates_args=())(function)
        made.register_fake(meta)
        target = name.replace("::", ".")
        origin, source = _source(function)
        identity = hashlib.sha256(source.encode()).hexdigest()
        custom_ops.register(custom_ops.CustomOp(target, rule, origin, identity))
        custom.register(target, function)
        return made  # type: ignore[no-any-return]

    return register


def _source(function: Callable[..., Any]) -> tuple[str | None, str]:
    """The file that registers a function, and its text; None where there is no file."""
    try:
        return inspect.getsourcefile(function), inspect.getsource(function)
    except (OSError, TypeError):
        return None, repr(function)
