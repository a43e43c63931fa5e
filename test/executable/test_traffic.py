"""Forward and backward of the usual layers: equal to one rank, and little is moved."""

from __future__ import annotations

import pytest
import torch
from executable.harness import partition, run_sharded
from executable.traffic import counted, joint, joint_text, largest
from executable.traffic_case import TrafficCase
from executable.traffic_cases import CASES

from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding


@pytest.mark.parametrize("case", CASES, ids=[f"{c.name} {c.mesh}" for c in CASES])
def test_gradients_are_right_and_little_is_moved(case: TrafficCase) -> None:
    mesh = Mesh.parse(case.mesh)
    lying = {i: parse_sharding(s, mesh) for i, s in enumerate(case.lying)}
    gradients = {i: parse_sharding(s, mesh) for i, s in case.gradients.items()}
    text = joint_text(case.function, case.arguments, case.weights)
    partitioned = partition(text, mesh, lying, gradients)
    expected = joint(case.function, case.arguments)(*case.arguments)
    shapes = [tuple(e.shape) for e in expected]
    found = run_sharded(partitioned, list(case.arguments), shapes)
    for want, got in zip(expected, found, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)
    assert largest(partitioned.module) <= case.most
    counts = counted(partitioned.module)
    assert all(n <= case.counts.get(name, 0) for name, n in counts.items()), counts
