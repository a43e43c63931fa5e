"""Names, kinds, ties and values of arguments and results."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_mlir import ir
from unit.frontend import harness
from unit.frontend.modules import Apply, Tied

from distc.compiler.frontend.exported import TensorInfo, WeightInfo
from distc.dialect.attrs import arg_attr, result_attr
from distc.runtime.errors import InputError

IDS = torch.tensor([1, 2, 3, 4])


def kinds(program: harness.Exported) -> dict[str, str]:
    """`dist.name` → `dist.kind`."""
    main = harness.main_of(program)
    names = harness.argument_names(program)
    return {n: ir.StringAttr(arg_attr(main, i, "dist.kind")).value for i, n in enumerate(names)}


def test_kinds_ties_values_and_unused() -> None:
    program = harness.assert_equals_eager(Tied(), IDS)
    assert kinds(program) == {
        "words.weight": "parameter",
        "shift": "buffer",
        "steps": "buffer",
        "ids": "input",
    }
    assert program.weights == (
        WeightInfo("words.weight", ("head.weight",), (11, 4), "f32", "parameter"),
        WeightInfo("shift", (), (4,), "f32", "buffer"),
    )
    assert set(program.values) == {"steps"}
    assert torch.equal(program.values["steps"], torch.arange(4.0))
    assert program.unused == ("spare.weight", "spare.bias")
    assert program.inputs == (TensorInfo("ids", (4,), "i64"),)
    assert program.outputs == (TensorInfo("output", (4, 11), "f32"),)


def test_a_large_constant_becomes_an_argument() -> None:
    large, small = torch.randn(1025), torch.randn(1024)
    x = torch.randn(1025)
    program = harness.exported(Apply(lambda x: x * large + torch.cat([small, small[:1]])), x)
    ((name, value),) = program.values.items()
    assert kinds(program)[name] == "constant"
    assert torch.equal(value, large)
    harness.assert_plain(program)


def test_small_constants_of_every_dtype_are_literals() -> None:
    def forward(x: Tensor) -> list[Tensor]:
        return [
            x * torch.tensor([1.0, -2.5, 1e30]),
            x.double() * torch.tensor([0.1, 1e300, 3.0], dtype=torch.float64),
            x.long() + torch.tensor([2**40, -1, 0]),
            x.to(torch.int8) + torch.tensor([1, -7, 100], dtype=torch.int8),
            torch.where(torch.tensor([True, False, True]), x, -x),
            (x.half() + torch.tensor([1.5, 2.25, 3.0]).half()).float(),
            (x.bfloat16() + torch.tensor([1.5, 2.25, 3.0]).bfloat16()).float(),
            x + torch.tensor(2.0),
        ]

    program = harness.assert_equals_eager(Apply(forward), torch.tensor([1.0, 2.0, -3.0]))
    assert not program.values


class Nested(nn.Module):
    """Takes and returns trees."""

    def forward(self, image: Tensor, rest: dict[str, Any], *, gain: Tensor) -> dict[str, Any]:
        """Return a tree with a None in it."""
        left, right = rest["pair"]
        return {
            "sum": image + rest["bias"] * gain,
            "pair": (left * rest["count"], None, right),
        }


def test_names_of_trees() -> None:
    x = torch.randn(2)
    program = harness.exported(Nested(), x, {"bias": x, "pair": [x, x], "count": 3}, gain=x)
    assert [i.name for i in program.inputs] == [
        "image",
        "rest.bias",
        "rest.pair.0",
        "rest.pair.1",
        "gain",
    ]
    assert [o.name for o in program.outputs] == ["sum", "pair.0", "pair.2"]
    main = harness.main_of(program)
    assert ir.StringAttr(result_attr(main, 2, "dist.name")).value == "pair.2"


def test_an_unused_input_stays() -> None:
    program = harness.exported(Apply(lambda a, b: a + 1), torch.ones(2), torch.ones(3))
    assert [i.shape for i in program.inputs] == [(2,), (3,)]
    assert len(harness.argument_names(program)) == 2


def test_a_weight_may_be_returned() -> None:
    class Weight(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x, self.weight

    harness.assert_equals_eager(Weight(), torch.randn(3))


def test_no_f64_that_nobody_asked_for() -> None:
    def forward(x: Tensor) -> list[Tensor]:
        return [x.mean(), x.var(), x.std(0), x * 0.3, x.norm(), (x > 0).float().mean(), x**2 / 3]

    program = harness.exported(Apply(forward), torch.randn(3, 4))
    assert "f64>" not in str(program.module)


class Statistics(nn.Module):
    """Updates statistics through an operator whose schema does not say so."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("running", torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise by the batch."""
        return nn.functional.batch_norm(x, self.running, None, training=True)


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (nn.BatchNorm1d(3), "running_mean"),
        (Apply(lambda x: x.add_(1)), "input"),
        (Statistics(), "running"),
        (Apply(lambda x: None), "no tensor"),
        (Apply(lambda x: 3), "no tensor"),
    ],
    ids=["buffer", "input", "statistics", "none", "number"],
)
def test_refused(model: nn.Module, what: str) -> None:
    with pytest.raises(InputError, match=what):
        harness.exported(model, torch.randn(4, 3))
