"""Proofs: right strategies are proved, wrong ones are not."""

from __future__ import annotations

import pytest
from unit.solver.discovery import samples

from distc.dialect import stablehlo
from distc.dialect.context import make_context, parse_module
from distc.dialect.sharding import Reduction
from distc.solver.discovery.prove import prove_strategy
from distc.solver.discovery.trial import Digit, Strategy

RESHAPE = """func.func @main(%a: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}"""
TRANSPOSE = """func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}"""


def proved(text: str, strategy: Strategy) -> bool:
    module = parse_module(text, make_context(), "test.mlir")
    ops = [v.operation for v in stablehlo.functions(module)[0].regions[0].blocks[0].operations]
    op = next(o for o in ops if o.name not in ("stablehlo.constant", "func.return"))
    return prove_strategy(op, strategy)


@pytest.mark.parametrize(
    ("text", "operands", "results", "kind", "holds"),
    [
        (samples.BMM, (Digit(0, 1, 3), Digit(0, 1, 3)), Digit(0, 1, 3), None, True),
        (samples.BMM, (Digit(1, 1, 4), None), Digit(1, 1, 4), None, True),
        (samples.BMM, (Digit(2, 1, 6), Digit(1, 1, 6)), None, Reduction.SUM, True),
        (samples.BMM, (Digit(2, 1, 6), Digit(1, 1, 6)), None, Reduction.MAX, False),
        (samples.BMM, (Digit(2, 1, 6), None), None, Reduction.SUM, False),
        (samples.BMM, (Digit(1, 1, 4), None), Digit(0, 1, 3), None, False),
        (RESHAPE, (Digit(0, 1, 4),), Digit(0, 1, 4), None, True),
        (RESHAPE, (Digit(1, 1, 6),), Digit(0, 4, 6), None, True),
        (RESHAPE, (Digit(1, 1, 6),), Digit(0, 1, 6), None, False),
        (TRANSPOSE, (Digit(0, 1, 4),), Digit(1, 1, 4), None, True),
        (TRANSPOSE, (Digit(0, 1, 4),), Digit(0, 1, 4), None, False),
    ],
)
def test_a_strategy_is_proved_exactly_where_it_holds(
    text: str,
    operands: tuple[Digit | None, ...],
    results: Digit | None,
    kind: Reduction | None,
    holds: bool,
) -> None:
    assert proved(text, Strategy(operands, (results,), kind)) is holds


def test_a_sum_from_another_start_value_is_not_proved() -> None:
    strategy = Strategy((Digit(1, 1, 6), None), (None,), Reduction.SUM)
    assert proved(samples.reduction("add", "0.0"), strategy)
    assert not proved(samples.reduction("add", "5.0"), strategy)
