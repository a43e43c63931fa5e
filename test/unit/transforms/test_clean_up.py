"""The clean-up pipeline: same results bit by bit, deterministic, located, fast."""

import time

import numpy as np
import pytest
from oracle.interpreter import evaluate
from unit.transforms.random_programs import Program

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.locations import module_path
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP, run_cleanup
from distc.transforms.merge_reshapes import MergeReshapes
from distc.transforms.reshape_factors import is_plain
from distc.transforms.sink_reshapes import merged_factors

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_integer_programs_keep_every_bit(seed):
    program = Program(seed)
    before = evaluate(str(program.module), program.inputs)
    run_cleanup(program.module)
    program.module.operation.verify()
    after = evaluate(str(program.module), program.inputs)
    for left, right in zip(before, after, strict=True):
        np.testing.assert_array_equal(left, right)


def test_random_programs_exercise_the_patterns():
    """The test above is worth something: merges are moved in most programs."""
    assert sum(_changes(seed) for seed in SEEDS) > len(SEEDS) // 2


def _changes(seed):
    module = Program(seed).module
    before = str(module)
    MergeReshapes().run(module)
    return str(module) != before


def test_the_same_module_is_cleaned_alike():
    texts = set()
    for _ in range(2):
        program = Program(7)
        run_cleanup(program.module)
        texts.add(str(program.module))
    assert len(texts) == 1


def test_every_stage_is_shown():
    seen = []
    run_cleanup(Program(3).module, lambda name, module: seen.append(name))
    assert tuple(seen) == CLEANUP
    assert all(make_pass(name).name == name for name in CLEANUP)


LAYER = """
func.func @main(%x: tensor<2x8x32xf32>, %w: tensor<64x32xf32>, %b: tensor<64xf32>)
    -> tensor<2x4x8x16xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x8x32xf32>) -> tensor<16x32xf32> loc("layers.0.view")
  %1 = stablehlo.transpose %w, dims = [1, 0] : (tensor<64x32xf32>) -> tensor<32x64xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
    : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32> loc("layers.0.mm"("m.py":3:1))
  %3 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<16x64xf32>
  %4 = stablehlo.add %2, %3 : tensor<16x64xf32> loc("layers.0.bias"("m.py":4:1))
  %5 = stablehlo.reshape %4 : (tensor<16x64xf32>) -> tensor<2x8x4x16xf32>
  %6 = stablehlo.transpose %5, dims = [0, 2, 1, 3]
    : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  return %6 : tensor<2x4x8x16xf32>
}
"""


def test_locations_stay():
    module = parse_module(LAYER, make_context())
    run_cleanup(module)
    paths = {op.name: module_path(op.location) for op in stablehlo.walk(module.operation)}
    assert paths["stablehlo.dot_general"] == "layers.0.mm"
    assert paths["stablehlo.add"] == "layers.0.bias"


def test_nothing_of_a_linear_layer_is_merged_any_more():
    module = parse_module(LAYER, make_context())
    run_cleanup(module)
    ops = list(stablehlo.walk(module.operation))
    assert not any(op.name == "stablehlo.reshape" and not _is_split(op) for op in ops)
    dot = next(op for op in ops if op.name == "stablehlo.dot_general")
    assert stablehlo.shape(dot.result) == (2, 8, 64)
    assert stablehlo.dot_dims(dot).rhs_contracting == (1,)


def _is_split(op):
    return is_plain(merged_factors(op.result))


def test_three_thousand_ops_in_two_seconds():
    lines = [
        "func.func @main(%x: tensor<2x8x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x8x32xf32> {"
    ]
    value = "%x"
    for i in range(500):
        lines.append(
            f"""
  %a{i} = stablehlo.reshape {value} : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
  %b{i} = stablehlo.transpose %w, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %c{i} = stablehlo.dot_general %a{i}, %b{i}, contracting_dims = [1] x [0]
    : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %d{i} = stablehlo.tanh %c{i} : tensor<16x32xf32>
  %e{i} = stablehlo.add %d{i}, %a{i} : tensor<16x32xf32>
  %f{i} = stablehlo.reshape %e{i} : (tensor<16x32xf32>) -> tensor<2x8x32xf32>"""
        )
        value = f"%f{i}"
    lines.append(f"  return {value} : tensor<2x8x32xf32> }}")
    module = parse_module("\n".join(lines), make_context())
    start = time.process_time()
    run_cleanup(module)
    # 2 s on an idle core; twice that where the tests share it
    assert time.process_time() - start < 4.0
    assert not any(op.name == "stablehlo.reshape" for op in stablehlo.walk(module.operation))
