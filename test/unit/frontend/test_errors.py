"""What cannot be exported is named, with its module and its line."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from unit.frontend import harness
from unit.frontend.modules import Apply

from distc.runtime.errors import DistcError, InputError, UnsupportedOp

HERE = Path(__file__).name


def line_of(text: str) -> int:
    """The line of this file that holds `text` first."""
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


class Inner(nn.Module):
    """Uses an operator without a lowering."""

    def forward(self, x: Tensor) -> Tensor:
        """Bessel function."""
        return torch.special.bessel_j0(x)


class Outer(nn.Module):
    """Holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Identity(), Inner()])

    def forward(self, x: Tensor) -> Tensor:
        """Run both."""
        for layer in self.layers:
            x = layer(x)
        return x


def test_an_operator_without_lowering() -> None:
    with pytest.raises(UnsupportedOp, match=r"aten\.special_bessel_j0") as caught:
        harness.exported(Outer(), torch.randn(3))
    where = caught.value.where or ""
    assert f"{HERE}:{line_of('return torch.special.bessel_j0')}:9" in where
    assert "layers.1" in where
    assert caught.value.help


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda x: torch.fft.fft(x).real, "complex64"),
        (lambda x: x.nonzero(), "aten.nonzero"),
        (lambda x: torch.linalg.svd(x)[1], "svd"),
        (lambda x: nn.functional.dropout(x, 0.5, True), "random"),
        (lambda x: torch.rand_like(x) + x, "random"),
        (lambda x: x * x.sum().item(), "Python number"),
    ],
    ids=["complex", "shape", "linalg", "dropout", "random", "item"],
)
def test_unsupported(function: object, says: str) -> None:
    with pytest.raises(UnsupportedOp, match=says) as caught:
        harness.exported(Apply(function), torch.randn(3, 3))  # type: ignore[arg-type]
    assert caught.value.where


class Branching(nn.Module):
    """Branches on a value."""

    def forward(self, x: Tensor) -> Tensor:
        """Return one or the other."""
        if x.sum() > 0:
            return x + 1
        return x


def test_a_branch_on_a_value() -> None:
    with pytest.raises(InputError, match="depends on the values") as caught:
        harness.exported(Branching(), torch.randn(3))
    assert f"{HERE}:{line_of('if x.sum() > 0')}" in (caught.value.where or "")


def test_a_forward_that_raises() -> None:
    with pytest.raises(InputError, match="cannot be traced") as caught:
        harness.exported(nn.Sequential(nn.Linear(3, 4), nn.Linear(5, 2)), torch.randn(2, 3))
    assert caught.value.help


def test_our_own_errors_pass_through() -> None:
    def forward(x: Tensor) -> Tensor:
        raise DistcError("from inside", help="none")

    with pytest.raises(DistcError, match="from inside"):
        harness.exported(Apply(forward), torch.randn(2))


def test_not_a_module() -> None:
    with pytest.raises(InputError, match="Tensor, a torch"):
        harness.exported(torch.randn(2), torch.randn(2))  # type: ignore[arg-type]
