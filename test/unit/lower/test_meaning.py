"""Every lowering means what the reference interpreter says, in `sim` and as an fx module."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from lowering_cases import CASES, Case
from lowering_cases.random_programs import RANDOM_CASES
from oracle import interpreter
from oracle.compare import assert_same

from distc.dialect.context import make_context, parse_module
from distc.runtime import executor, sim
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.program import Program, from_json, to_json
from distc.transforms.lower import lower
from distc.transforms.lower.registry import LOWERINGS

# What the interpreter cannot run, or what has tests of its own beside this table.
_ELSEWHERE = {
    "after_all", "all_gather", "all_reduce", "all_to_all", "async_done", "async_start",
    "batch_norm_grad", "batch_norm_inference", "batch_norm_training", "broadcast", "cholesky",
    "collective_broadcast", "collective_permute", "collective_reduce", "create_token",
    "cross-replica-sum", "custom_call", "dot", "dynamic_conv", "einsum", "get_tuple_element",
    "reduce_scatter", "rng", "rng_bit_generator", "set_dimension_size", "torch_index_select",
    "tuple", "unary_einsum",
}  # fmt: skip


def program_of(text: str) -> Program:
    """Lower a module's text, through the program's JSON form."""
    return from_json(to_json(lower(parse_module(text, make_context()))))


def tensors(program: Program, inputs: list[np.ndarray]) -> list[torch.Tensor]:
    """Inputs in the types of the program."""
    return [
        torch.from_numpy(x.copy()).to(BOUNDARY[t.dtype])
        for x, t in zip(inputs, program.inputs, strict=True)
    ]


def _expected(case: Case, inputs: list[np.ndarray]) -> list[np.ndarray]:
    if case.expected is None:
        return interpreter.evaluate(case.text, inputs)
    return [np.array(e) for e in case.expected]


@pytest.mark.parametrize("case", (*CASES, *RANDOM_CASES), ids=lambda c: c.name)
def test_equals_the_interpreter(case: Case) -> None:
    inputs = case.inputs()
    expected = _expected(case, inputs)
    program = program_of(case.text)
    arguments = tensors(program, inputs)
    outputs = sim.run_single(program, arguments)
    assert_same(outputs, expected, case.tolerance)
    types = [*program.inputs, *(t for call in program.calls for t in call.types)]
    for number, output in zip(program.outputs, outputs, strict=True):
        declared = types[number]
        assert (tuple(output.shape), output.dtype) == (declared.shape, BOUNDARY[declared.dtype])
    module = executor.build(program, rank=0, collectives=None)
    assert_same(executor.run(module, program, arguments), expected, case.tolerance)


def test_every_lowering_has_a_row() -> None:
    covered = {c.op if "." in c.op else f"stablehlo.{c.op}" for c in CASES}
    elsewhere = {f"stablehlo.{name}" for name in _ELSEWHERE} | {"dist.constraint"}
    assert set(LOWERINGS) - covered - elsewhere == set()
    assert elsewhere <= set(LOWERINGS)


def test_names_are_distinct() -> None:
    names = [c.name for c in CASES]
    assert len(names) == len(set(names))
