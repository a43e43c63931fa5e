"""Why no plan fits in memory, in the user's terms, and what would help.

What is said of parameters and state is the least that any plan holds of them, pins included; the
rest of the fullest point are activations, gradients and conversions.
"""

from __future__ import annotations

from collections import Counter

from distc.dialect import stablehlo
from distc.dialect.attrs import arg_attr
from distc.runtime.errors import Infeasible
from distc.solver.byte_size import enough_bytes, show_bytes
from distc.transforms.plan.space import ArgumentVariable, Space
from distc.transforms.plan.within import Fitted

_NAMES = {"parameter": "parameters", "optimizer": "optimizer state", "buffer": "buffers"}
_SMALLER_STATE = "--train sgd"


def shortage(space: Space, fitted: Fitted, limit: int) -> Infeasible:
    """Return the error that says what does not fit.

    Args:
        space: of the function.
        fitted: the answer that nothing fits; `least_bytes` is proved.
        limit: bytes per rank.
    """
    graph, least = space.graph, fitted.solution.least_bytes
    held = _held(space)
    # A thousandth of it explains nothing.
    told = {kind: b for kind, b in held.items() if b * 1000 > least}
    parts = [f"{_NAMES.get(kind, kind + 's')} {show_bytes(b)}" for kind, b in told.items()]
    rest = least - sum(held.values())
    if rest > 0:
        parts.append(f"activations, gradients and copies {show_bytes(rest)}")
    where = f"plans of @{stablehlo.symbol(graph.func)} on {graph.mesh}"
    ways = [f"fits with --memory {enough_bytes(fitted.peak_bytes)}", "or take more ranks"]
    if 0 < least - held.get("optimizer", 0) <= limit:
        ways.append(f"or {_SMALLER_STATE}")
    if rest > 0:
        ways.append("or cut the batch: --microbatches")
    if graph.pinned:
        ways.append("or pin less")
    return Infeasible(
        f"{where} need at least {show_bytes(least)} on a rank, the limit is {show_bytes(limit)}: "
        + ", ".join(parts),
        help=", ".join(ways),
    )


def _held(space: Space) -> Counter[str]:
    """Least bytes on a rank of each kind of argument."""
    held: Counter[str] = Counter()
    for variable in space.variables:
        if not isinstance(variable, ArgumentVariable):
            continue
        kind = arg_attr(space.graph.func, variable.value, "dist.kind")
        value = space.graph.values[variable.value]
        least = min(space.local_elements(s, value.shape) for s in variable.labels)
        held["input" if kind is None else str(kind.value)] += least * value.itemsize
    return held
