"""Models are built and exported without memory for their weights."""

from __future__ import annotations

import subprocess
import sys

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from unit.frontend import harness
from unit.frontend.modules import Tied

from distc.compiler.frontend.fake import fake_build, is_fake

MEBIBYTE = 1 << 20


def test_parameters_are_fake_and_buffers_real() -> None:
    model = fake_build(Tied)
    assert is_fake(model)
    assert all(isinstance(p, FakeTensor) for p in model.parameters())
    assert torch.equal(model.steps, torch.arange(4.0))
    assert model.head.weight is model.words.weight
    assert not is_fake(Tied())


def test_conversions_keep_ties_and_fakes() -> None:
    model = fake_build(lambda: Tied().to(torch.bfloat16).requires_grad_(False))
    assert model.head.weight is model.words.weight
    assert model.words.weight.dtype == torch.bfloat16 and is_fake(model)
    assert model.shift.dtype == torch.bfloat16 and not isinstance(model.shift, FakeTensor)


def test_values_that_a_builder_writes_are_ignored() -> None:
    state = Tied().state_dict()

    def build() -> nn.Module:
        model = Tied()
        model.load_state_dict(state)
        nn.init.trunc_normal_(model.words.weight)
        with torch.no_grad():
            model.words.weight.mul_(2.0)
        return model

    assert is_fake(fake_build(build))


def test_patches_are_undone() -> None:
    register, apply = nn.Module.register_parameter, nn.Module._apply
    fake_build(Tied)
    assert nn.Module.register_parameter is register and nn.Module._apply is apply
    weight = torch.zeros(3)
    nn.init.ones_(weight)
    assert weight.sum() == 3


def test_the_module_is_the_same_as_of_a_real_model() -> None:
    ids = torch.tensor([1, 2])
    fake = harness.exported(fake_build(Tied), ids)
    assert str(fake.module) == str(harness.exported(Tied(), ids).module)
    assert fake.weights == harness.exported(Tied(), ids).weights


WIDE = """
import resource, torch
from torch import nn
from distc.compiler.frontend.export import export
from distc.compiler.frontend.fake import fake_build
from distc.dialect.context import make_context
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
export(nn.Linear(4, 4), (torch.zeros(1, 4),), context=make_context(), source="warm")
before = peak()
model = fake_build(lambda: nn.Sequential(*[nn.Linear(16384, 16384) for _ in range(4)]))
assert sum(p.numel() for p in model.parameters()) > 1 << 30
export(model, (torch.zeros(2, 16384),), context=make_context(), source="wide")
print(before, peak())
"""


def test_a_billion_parameters_take_no_memory() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WIDE], capture_output=True, text=True, timeout=150, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    before, after = (int(n) * 1024 for n in ran.stdout.split())
    assert after < 1024 * MEBIBYTE
    assert after - before < 64 * MEBIBYTE
