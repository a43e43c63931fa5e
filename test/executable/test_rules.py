"""Every rule, executed: each factor cut in turn on several meshes equals the whole program."""

from __future__ import annotations

import pytest
import torch
from executable.harness import (
    factor_cuts,
    main_of,
    partition,
    random_inputs,
    run_sharded,
    run_whole,
)
from executable.programs import PROGRAMS, OpProgram

from distc.dialect import regions, stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.mesh import Mesh
from distc.dialect.rules import rule_for, rule_names

MESHES = ("x=2", "x=3", "x=2,y=2")
COLLECTIVES = (
    "all_gather",
    "all_reduce",
    "all_to_all",
    "collective_broadcast",
    "collective_permute",
    "reduce_scatter",
)


def _op_under_test(program: OpProgram):
    module = parse_module(program.text, make_context(), "test.mlir")
    op = next(o for o in stablehlo.walk(main_of(module)) if o.name == program.op)
    return module, op


@pytest.mark.parametrize("mesh_text", MESHES)
@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{i}-{p.op}" for i, p in enumerate(PROGRAMS)])
def test_each_factor_cut_gives_the_same_result(program: OpProgram, mesh_text: str) -> None:
    mesh = Mesh.parse(mesh_text)
    module, op = _op_under_test(program)
    rule = rule_for(op)
    assert rule is not None
    inputs = random_inputs(module, 7, program.low, program.high)
    expected = run_whole(program.text, inputs)
    shapes = [tuple(e.shape) for e in expected]
    arguments = list(main_of(module).regions[0].blocks[0].arguments)
    cuts = factor_cuts(rule, mesh)
    for assignment in cuts:
        pins = {
            arguments.index(value): assignment.operand(i, stablehlo.shape(value))
            for i, value in enumerate(regions.inputs(op))
            if value in arguments
        }
        results = {
            i: assignment.result(i, stablehlo.shape(r)).without_partial()
            for i, r in enumerate(op.results)
        }
        found = run_sharded(partition(program.text, mesh, pins, results), inputs, shapes)
        for want, got in zip(expected, found, strict=True):
            what = f"{rule} cut {[str(f.axes) for f in assignment.factors]}"
            if want.dtype.is_floating_point:
                torch.testing.assert_close(got, want, rtol=1e-6, atol=1e-6, msg=what)
            else:
                assert torch.equal(got, want), what


def test_every_rule_has_a_program() -> None:
    # Complex numbers are not executed; dist ops, composites and collectives of the source program
    # have tests of their own.
    exempt = {"stablehlo.complex", "stablehlo.real", "stablehlo.imag", "stablehlo.reduce_precision"}
    exempt |= {f"stablehlo.{kind}" for kind in COLLECTIVES}
    names = {n for n in rule_names() if n.startswith("stablehlo.")} - exempt
    assert names - {p.op for p in PROGRAMS} == set()
