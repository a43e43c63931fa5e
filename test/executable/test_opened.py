"""Composites of the front end are opened where a cut needs collectives inside, and only there."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from executable.harness import partition, run_sharded
from executable.traffic import counted, largest
from executable.traffic_case import BYTES, cut, labels, normal, whole
from torch import Tensor, nn

from distc.compiler.frontend.export import export
from distc.dialect import stablehlo
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.transforms.cleanup import run_cleanup

ROWS, CLASSES = 8, 33
INPUTS = (normal(ROWS, CLASSES), labels(CLASSES, ROWS))
OPTIONS = (
    {"reduction": "mean"},
    {"reduction": "sum", "ignore_index": 3},
    {"reduction": "none", "label_smoothing": 0.1},
)
BY_CLASSES, BY_ROWS = (cut(2, 1), whole(1)), (cut(2, 0), cut(1, 0))


class _Loss(nn.Module):
    def __init__(self, options: dict[str, object]) -> None:
        super().__init__()
        self.options = options

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(logits, target, **self.options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    ("mesh", "lying"), [("x=2", BY_CLASSES), ("x=4", BY_CLASSES), ("x=2", BY_ROWS)]
)
def test_cross_entropy(options: dict[str, object], mesh: str, lying: tuple[str, str]) -> None:
    exported = export(_Loss(options), INPUTS, context=make_context(), source="loss")
    run_cleanup(exported.module)
    text = str(exported.module)
    assert 'stablehlo.composite "distc.cross_entropy"' in text
    axes = Mesh.parse(mesh)
    partitioned = partition(text, axes, {i: parse_sharding(s, axes) for i, s in enumerate(lying)})
    want = _Loss(options)(*INPUTS)
    (got,) = run_sharded(partitioned, list(INPUTS), [tuple(want.shape)])
    torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)

    main = stablehlo.functions(partitioned.module)[0]
    kept = any(op.name == "stablehlo.composite" for op in stablehlo.walk(main))
    assert kept is (lying is BY_ROWS and options["reduction"] == "none")
    assert set(counted(partitioned.module)) <= {"all_reduce"}
    limit = ROWS * BYTES if lying is BY_CLASSES else BYTES
    assert largest(partitioned.module) <= (0 if kept else limit)
