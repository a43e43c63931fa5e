"""Face recognition: the search itself cuts a head of very many classes by classes (DistPar)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_mlir import ir

from distc.compiler.frontend.fake import fake_build
from distc.compiler.frontend.optimizers import parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.dialect import stablehlo
from distc.dialect.attrs import arg_sharding, set_arg_sharding, set_module_mesh
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.dialect.text import parse_sharding
from distc.solver.search.solution import Solution
from distc.transforms import make_pass
from distc.transforms.cleanup import CLEANUP
from distc.transforms.search_plan import SearchPlan

FEATURES, IMAGES = 512, 64
MESH = Mesh.of(data=8)
WHOLE, BY_CLASSES = (parse_sharding(text, MESH) for text in ("[R, R]", "[S(data), R]"))


class Head(nn.Module):
    """A layer that stands for the backbone, and the classifier."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Linear(FEATURES, FEATURES, bias=False)
        self.classes = nn.Linear(FEATURES, classes, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        return self.classes(torch.relu(self.body(features)))


def loss(model: nn.Module, features: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(model(features), labels)


def step(classes: int) -> ir.Module:
    """A training step of all ranks' images, without a plan."""
    images = IMAGES * MESH.size
    batch = (torch.zeros(images, FEATURES), torch.zeros(images, dtype=torch.int64))
    options = TrainingOptions((parse_optimizer("sgd:momentum=0.9"),), evaluate=False)
    model = fake_build(lambda: Head(classes))
    exported = export_training(model, batch, loss, options, context=make_context(), source="head")
    for name in CLEANUP:
        make_pass(name).run(exported.module)
    set_module_mesh(exported.module, MESH)
    make_pass("copy-known").run(exported.module)
    return exported.module


def search(classes: int, is_held_whole: bool) -> tuple[Solution, str]:
    """Plan a step on eight V100, the backbone whole; return it and how the head's weight lies."""
    module = step(classes)
    function = next(f for f in stablehlo.functions(module) if stablehlo.is_public(f))
    weights = argument_indices(function, FEATURES)
    head = argument_indices(function, classes)
    for index in (*weights, *(head if is_held_whole else ())):
        set_arg_sharding(function, index, WHOLE)
    found = SearchPlan("v100-8x")
    found.run(module)
    (plan,) = found.plans
    return plan.solution, str(arg_sharding(function, head[0], MESH))


def argument_indices(function: ir.Operation, rows: int) -> list[int]:
    """A weight of so many rows and its momentum."""
    types = [str(a.type) for a in function.regions[0].blocks[0].arguments]
    return [i for i, t in enumerate(types) if t == f"tensor<{rows}x{FEATURES}xf32>"][:2]


def test_many_classes_are_cut_by_classes_and_few_are_not() -> None:
    """Glint360k's lie in shards, at less than the bound of all plans that hold the head whole."""
    free, lies = search(360_232, is_held_whole=False)
    whole, _ = search(360_232, is_held_whole=True)
    assert lies == str(BY_CLASSES)
    assert free.cost < whole.lower_bound
    few, lies = search(1_000, is_held_whole=False)
    assert lies != str(BY_CLASSES) and few.cost > 0
