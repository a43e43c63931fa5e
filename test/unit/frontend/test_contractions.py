"""Matrix products arrive as dot_general of the operands themselves."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from unit.frontend import harness
from unit.frontend.modules import Apply

A, B, C = torch.randn(2, 3, 4), torch.randn(2, 4, 5), torch.randn(4, 6)


def test_a_weight_is_not_broadcast_over_the_batch() -> None:
    program = harness.exported(nn.Linear(4, 6), A)
    counts = harness.op_names(program)
    assert counts["stablehlo.dot_general"] == 1
    assert counts["stablehlo.reshape"] == counts["stablehlo.transpose"] == 0
    (dot,) = (o for o in harness.walk(harness.main_of(program)) if "dot_general" in o.name)
    dims = harness.stablehlo.dot_dims(dot)
    assert dims.lhs_batching == () and dims.lhs_contracting == (2,)
    assert dims.rhs_contracting == (1,)


def test_matmul_of_a_batch_and_a_matrix() -> None:
    counts = harness.op_names(harness.exported(Apply(lambda a, c: a @ c), A, C))
    assert dict(counts) == {"stablehlo.dot_general": 1, "func.return": 1}


def test_products_equal_eager() -> None:
    def products(a: Tensor, b: Tensor, c: Tensor) -> list[Tensor]:
        return [
            a @ b,
            a @ c,
            c.t() @ c,
            a[0] @ c[:, 0],
            torch.bmm(a, b),
            torch.addmm(c[0, :6], a[0], c),
            torch.addmm(c[0, :6], a[0], c, alpha=2, beta=0.5),
            torch.baddbmm(a @ b, a, b, beta=0.5),
            torch.einsum("bik,bkj->bij", a, b),
            torch.einsum("bik,bkj->bji", a, b),
            torch.einsum("bik,ckj->bcij", a, b),
            torch.einsum("bik->bki", a),
            a[:, None] @ b[None],
        ]

    harness.assert_equals_eager(Apply(products), A, B, C)


def test_einsum_needs_no_reshape() -> None:
    function = Apply(lambda a, b: torch.einsum("bik,ckj->bicj", a, b))
    counts = harness.op_names(harness.exported(function, A, B))
    assert dict(counts) == {"stablehlo.dot_general": 1, "func.return": 1}
