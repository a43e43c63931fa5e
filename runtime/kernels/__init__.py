"""What a program may run: `distc.` kernels, control flow, the allow-listed aten operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from distc.runtime import custom
from distc.runtime.errors import ArtifactError
from distc.runtime.kernels import (
    contraction,
    control,
    elementwise,
    fused,
    indexing,
    narrow,
    random,
    reduction,
    shape,
    windows,
)
from distc.runtime.kernels.allowed import ALLOWED

KERNELS: dict[str, Callable[..., Any]] = {
    **contraction.KERNELS,
    **elementwise.KERNELS,
    **fused.KERNELS,
    **indexing.KERNELS,
    **narrow.KERNELS,
    **random.KERNELS,
    **reduction.KERNELS,
    **shape.KERNELS,
    **windows.KERNELS,
}
CREATES = frozenset({"aten.full.default", "distc.constant", "distc.iota", "distc.rng"})
"""Calls that make values from literals and so need to be told the device."""

REGIONS: dict[str, tuple[str, ...]] = {"distc.select_and_scatter": ("select", "scatter")}
"""Keyword of each region of a kernel; `region` where not listed."""


def resolve(op: str) -> Callable[..., Any]:
    """Return the callable behind an operator name of a program, collectives excluded.

    Raises:
        ArtifactError: the operator is not on the allow list.
    """
    family, _, name = op.partition(".")
    if family == "distc" and name in KERNELS:
        return KERNELS[name]
    if family == "control" and name in control.KERNELS:
        return control.KERNELS[name]
    if family == custom.FAMILY:
        return custom.find(name)
    if op in ALLOWED:
        packet, _, overload = name.partition(".")
        found: Callable[..., Any] = getattr(getattr(torch.ops.aten, packet), overload)
        return found
    raise ArtifactError(
        f"the program calls {op!r}, which is not on this version's allow list",
        help="recompile with this version of distc",
    )
