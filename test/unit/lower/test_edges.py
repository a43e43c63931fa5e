"""Values at the edges of each element type mean what the reference interpreter says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from lowering_cases.edges import Edges, Row, edges
from oracle import interpreter
from oracle.compare import as_array

from distc.dialect.context import make_context, parse_module
from distc.runtime import sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.program import Program
from distc.transforms.lower import lower

Array = np.ndarray
_BF16_NAN = 0x7FC0


@pytest.mark.parametrize("case", list(edges()), ids=lambda c: c.name)
def test_equals_the_interpreter(case: Edges) -> None:
    expected = interpreter.evaluate(case.text, case.values)
    program = lower(parse_module(case.text, make_context()))
    found = sim.run_single(program, inputs(program, case.values))
    assert len(found) == len(case.rows) == len(expected)
    wrong = [
        line
        for row, a, b in zip(case.rows, found, expected, strict=True)
        if (line := difference(row, case.values, as_array(a), as_array(b)))
    ]
    assert not wrong, "\n".join(wrong)


def inputs(program: Program, values: tuple[Array, ...]) -> list[torch.Tensor]:
    """Values as a program takes them; torch gives the NaN of bf16 a sign."""
    found = []
    for value, kind in zip(values, program.inputs, strict=True):
        tensor = torch.from_numpy(value.copy()).to(BOUNDARY[kind.dtype])
        if tensor.dtype is torch.bfloat16:
            tensor.view(torch.int16)[torch.isnan(tensor)] = _BF16_NAN
        found.append(tensor)
    return found


def difference(row: Row, values: tuple[Array, ...], actual: Array, expected: Array) -> str:
    """Where results differ, signs of zero included; "" where they agree."""
    assert actual.dtype == expected.dtype, (row, actual.dtype, expected.dtype)
    if actual.dtype.kind != "f":
        same = actual == expected
    else:
        same = (actual == expected) & (np.signbit(actual) == np.signbit(expected))
        same |= np.isnan(actual) & np.isnan(expected)
        with np.errstate(invalid="ignore"):
            apart = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
            same |= apart <= row.relative * np.abs(expected.astype(np.float64))
    at = np.flatnonzero(~same)[:5]
    places = [([v[i] for v in values], actual[i], expected[i]) for i in at]
    return f"{row.text} : {row.operand} -> {row.result}: {places}" if at.size else ""
