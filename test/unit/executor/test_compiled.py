# ruff: noqa: E501 - MLIR is easier to read unbroken
"""Rank modules go through torch.compile without a graph break, kernels included."""

from __future__ import annotations

import pytest
import torch
from lowering_cases import CASES, Case
from oracle.compare import assert_same

from distc.dialect.context import make_context, parse_module
from distc.runtime import executor, sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.transforms.lower import lower

_KERNELS = (
    "bitcast_convert", "convolution", "dynamic_slice", "dynamic_update_slice", "gather", "map", "pad",
    "popcnt", "reduce", "reduce_precision", "reduce_window", "scatter", "select_and_scatter", "sort",
)  # fmt: skip
# Rounds of updates to one place are counted at run time.
_COUNTED = ("subtract keeps order", "region ignores the operand", "combined by maximum", "and")


def _last_of_each() -> list[Case]:
    taken = [c for c in CASES if c.op in _KERNELS and c.row not in _COUNTED]
    return list({c.op: c for c in taken}.values())


@pytest.mark.parametrize("case", _last_of_each(), ids=lambda c: c.name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_compiles_in_one_graph(case: Case) -> None:
    program = lower(parse_module(case.text, make_context()))
    inputs = [
        torch.from_numpy(x.copy()).to(BOUNDARY[t.dtype])
        for x, t in zip(case.inputs(), program.inputs, strict=True)
    ]
    module = executor.build(program, rank=0, collectives=None)
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, dynamic=False, backend="eager")
    found = executor.run(compiled, program, inputs)  # type: ignore[arg-type]
    assert_same(found, sim.run_single(program, inputs))
