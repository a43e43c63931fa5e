"""What a random program's check takes for rounding, and what it does not."""

from __future__ import annotations

import pytest
import torch
from fuzzing.case import Case, is_rounding, plain_text
from fuzzing.data import Inputs

MESH = '{axes = ["x"], links = ["device"], sizes = array<i64: 2>, sym_name = "m"}'


def case(*lines: str) -> Case:
    """A program of two f64 arguments of eight elements."""
    body = "\n".join(lines)
    text = f"""module {{
  "dist.mesh"() {MESH} : () -> ()
  func.func @main(%x: tensor<8xf64>, %y: tensor<8xf64>) -> tensor<8xf64> {{
{body}
  }}
}}"""
    return Case(text, (Inputs(1, -3, 3), Inputs(2, -3, 3)), tolerance="close")


SUM = case("%0 = stablehlo.add %x, %y : tensor<8xf64>", "return %0 : tensor<8xf64>")
CANCELS = case(
    "%big = stablehlo.constant dense<1.0e6> : tensor<8xf64>",
    "%0 = stablehlo.multiply %x, %big : tensor<8xf64>",
    "%1 = stablehlo.multiply %y, %big : tensor<8xf64>",
    "%2 = stablehlo.subtract %0, %1 : tensor<8xf64>",
    "return %2 : tensor<8xf64>",
)
JUMPS = case(
    "%half = stablehlo.constant dense<1.0e300> : tensor<8xf64>",
    "%0 = stablehlo.subtract %x, %y : tensor<8xf64>",
    "%1 = stablehlo.multiply %0, %half : tensor<8xf64>",
    "%2 = stablehlo.sign %1 : tensor<8xf64>",
    "return %2 : tensor<8xf64>",
)


def judged(program: Case, x: list[float], y: list[float], off: float) -> bool:
    """Whether a first element that is `off` by so much passes for rounding."""
    from executable.harness import run_whole

    inputs = [torch.tensor(v, dtype=torch.float64) for v in (x, y)]
    plain = plain_text(program.text)
    expected = run_whole(plain, inputs)
    got = expected[0].clone()
    got[0] += off
    return is_rounding(program, plain, inputs, expected, 0, got)


LINE = [1.1, 2.3, 3.7, 1.9, 2.2, 1.3, 2.9, 3.1]


@pytest.mark.parametrize(
    ("off", "passes"), [(1e-16, True), (1e-11, False), (1e-6, False), (float("nan"), False)]
)
def test_a_sum_has_all_its_digits(off: float, passes: bool) -> None:
    assert judged(SUM, LINE, LINE[::-1], off) is passes


@pytest.mark.parametrize(("off", "passes"), [(1e-10, True), (1e-7, False), (1e-3, False)])
def test_what_cancels_has_lost_some(off: float, passes: bool) -> None:
    assert judged(CANCELS, LINE, [x + 1e-6 for x in LINE], off) is passes


def test_a_jump_is_no_excuse() -> None:
    assert not judged(JUMPS, LINE, LINE, 1.0)
    assert not judged(JUMPS, LINE, LINE, 1e-9)
