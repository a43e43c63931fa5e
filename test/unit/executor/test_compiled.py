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


_NARROW = """func.func @main(%a: tensor<6xf8E4M3FN>, %b: tensor<6xi4>) -> (tensor<6xf8E4M3FN>, tensor<6xi4>, tensor<6xf8E5M2>, tensor<3xui8>, tensor<6xf32>) {
  %0 = stablehlo.multiply %a, %a : tensor<6xf8E4M3FN>
  %1 = stablehlo.shift_right_logical %b, %b : tensor<6xi4>
  %2 = stablehlo.bitcast_convert %0 : (tensor<6xf8E4M3FN>) -> tensor<6xf8E5M2>
  %p = stablehlo.reshape %b : (tensor<6xi4>) -> tensor<3x2xi4>
  %3 = stablehlo.bitcast_convert %p : (tensor<3x2xi4>) -> tensor<3xui8>
  %w = stablehlo.convert %a : (tensor<6xf8E4M3FN>) -> tensor<6xf32>
  %4 = stablehlo.remainder %w, %w : tensor<6xf32>
  return %0, %1, %2, %3, %4 : tensor<6xf8E4M3FN>, tensor<6xi4>, tensor<6xf8E5M2>, tensor<3xui8>, tensor<6xf32>
}"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_narrow_types_compile_in_one_graph() -> None:
    program = lower(parse_module(_NARROW, make_context()))
    values = torch.tensor([0.5, -1.05, 3.0, 448.0, -0.0, 0.001])
    inputs = [values, torch.tensor([-8, 7, 1, -1, 0, 3], dtype=torch.int8)]
    module = executor.build(program, rank=0, collectives=None)
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, dynamic=False, backend="eager")
    found = executor.run(compiled, program, inputs)  # type: ignore[arg-type]
    assert_same(found, sim.run_single(program, inputs))
