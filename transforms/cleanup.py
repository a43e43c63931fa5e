"""The clean-up pipeline: from what front ends write to what the planner reads."""

from __future__ import annotations

from collections.abc import Callable

from torch_mlir import ir

from distc.transforms import make_pass

CLEANUP: tuple[str, ...] = (
    # What it leaves are constants and plain integers, as if written so.
    "legalize-quantized",
    "fold-tuples",
    # An equation says nothing about its dimensions, a contraction does.
    "expand-einsum",
    "canonicalize-constants",
    # A call says nothing about its dimensions, a sort does.
    "expand-top-k",
    # Before anything looks at splats; also makes the constants of f64 chains plain.
    "fold-splats",
    "remove-f64",
    # Products first: once a merge has sunk past one, its transposes are harder to absorb.
    "unflatten",
    # With the patterns of plain-matmuls and unflatten: each opens the way for the others.
    "merge-reshapes",
    # Counting columns are plain iotas by now.
    "find-batching-dims",
    # Every pass leaves copies that are equal now.
    "drop-dead",
    # What nobody reads is gone: what is left of a sort's uses tells how much of it is wanted.
    "find-top-k",
)


def run_cleanup(
    module: ir.Module, after_pass: Callable[[str, ir.Module], None] | None = None
) -> None:
    """Run the clean-up passes in order; `after_pass(name, module)` sees the module after each."""
    for name in CLEANUP:
        make_pass(name).run(module)
        if after_pass is not None:
            after_pass(name, module)
