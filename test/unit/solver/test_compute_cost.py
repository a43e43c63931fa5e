"""Seconds of an op: hand calculations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from distc.solver.compute_cost import CostModel, OpClass, Work, op_seconds
from distc.solver.hardware import default_hardware

HARDWARE = replace(default_hardware(), memory_bytes_per_second=1e12, launch_seconds=1e-6)
FLOPS = HARDWARE.flops_per_second("f32")


def test_a_large_contraction_is_bound_by_arithmetic() -> None:
    work = Work(OpClass.CONTRACTION, flops=1e15, bytes_=1e6, elements=25e4, dtype="f32")
    assert op_seconds(work, HARDWARE) == pytest.approx(1e15 / FLOPS + 1e-6)


def test_a_thin_contraction_is_bound_by_memory() -> None:
    work = Work(OpClass.CONTRACTION, flops=1e3, bytes_=1e9, elements=25e7, dtype="f32")
    assert op_seconds(work, HARDWARE) == pytest.approx(1e-3 + 1e-6)


def test_elementwise_moves_bytes() -> None:
    work = Work(OpClass.MOVEMENT, flops=0.0, bytes_=2e9, elements=5e8, dtype="f32")
    assert op_seconds(work, HARDWARE) == pytest.approx(2e-3 + 1e-6)
    assert op_seconds(work, HARDWARE, CostModel.BYTES) == pytest.approx(2e-3)
    assert op_seconds(work, HARDWARE, CostModel.ELEMENTS) == pytest.approx(2e-3)


@pytest.mark.parametrize("model", list(CostModel))
def test_a_view_is_free(model: CostModel) -> None:
    work = Work(OpClass.VIEW, flops=0.0, bytes_=1e9, elements=1e9, dtype="f32")
    assert op_seconds(work, HARDWARE, model) == 0.0


@pytest.mark.parametrize("model", list(CostModel))
def test_the_weight_of_computation(model: CostModel) -> None:
    work = Work(OpClass.MOVEMENT, flops=0.0, bytes_=1e9, elements=1e9, dtype="f32")
    whole = op_seconds(work, HARDWARE, model)
    assert op_seconds(work, HARDWARE, model, 0.25) == pytest.approx(whole / 4)
    assert op_seconds(work, HARDWARE, model, 0.0) == 0.0
