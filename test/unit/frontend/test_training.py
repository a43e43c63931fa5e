"""Training programs: optimizers and groups against torch.optim, what is trained, refusals."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import distc
from distc.compiler.frontend.optimizer_names import OptimizerKind, moments
from distc.compiler.frontend.optimizers import from_torch, parse_optimizer
from distc.compiler.frontend.training import TrainingOptions, export_training
from distc.dialect.context import make_context
from distc.dialect.mesh import Mesh
from distc.runtime.errors import InputError, UsageError

Make = Callable[[Any], torch.optim.Optimizer]


def classify(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(model(x), y)


def model_of(*extra: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), *extra, nn.Linear(8, 4)).double()


def batches(count: int = 3, size: int = 8) -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(1)
    return [
        (
            torch.randn(size, 6, generator=generator, dtype=torch.float64),
            torch.randint(0, 4, (size,), generator=generator),
        )
        for _ in range(count)
    ]


def trainer_of(folder: Path, model: nn.Module, optimizer: Any, lr: Any, **options: Any) -> Any:
    compiled = distc.compile_training(
        model, classify, optimizer, batches()[0], mesh=Mesh.of(data=2), preset="zero1", **options
    )
    return distc.load(compiled.save(folder / "t.distc"), entry="step", backend="sim").trainer(lr=lr)


def parameters_after(trainer: Any, steps: int = 3) -> dict[str, Tensor]:
    for x, y in batches(steps):
        trainer.step(x, y)
    found: dict[str, Tensor] = trainer.state_dict()
    return {n: v.full_tensor() if hasattr(v, "full_tensor") else v for n, v in found.items()}


def torch_after(model: nn.Module, make: Make, steps: int = 3) -> dict[str, Tensor]:
    optimizer = make(model)
    for x, y in batches(steps):
        optimizer.zero_grad()
        classify(model, x, y).backward()
        optimizer.step()
    return {n: v.detach() for n, v in model.state_dict().items()}


def assert_equal(found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    for name, value in expected.items():
        torch.testing.assert_close(found[name], value, rtol=1e-10, atol=1e-13, msg=name)


OPTIMIZERS: dict[str, Make] = {
    "sgd": lambda m: torch.optim.SGD(m.parameters(), lr=0.1),
    "dampened": lambda m: torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, dampening=0.3),
    "nesterov": lambda m: torch.optim.SGD(
        m.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1
    ),
    "adam": lambda m: torch.optim.Adam(m.parameters(), lr=0.1, betas=(0.8, 0.95), eps=1e-6),
    "adam-decay": lambda m: torch.optim.Adam(m.parameters(), lr=0.1, weight_decay=0.1),
    "adamw": lambda m: torch.optim.AdamW(m.parameters(), lr=0.1, weight_decay=0.2),
    "adafactor": lambda m: torch.optim.Adafactor(m.parameters(), lr=0.1),
    "adafactor-settings": lambda m: torch.optim.Adafactor(
        m.parameters(), lr=0.1, beta2_decay=-0.6, eps=(1e-4, 1e-2), d=1.5, weight_decay=0.1
    ),
    "adam-decoupled": lambda m: torch.optim.Adam(
        m.parameters(), lr=0.1, weight_decay=0.2, decoupled_weight_decay=True
    ),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_equal_torch(name: str, tmp_path: Path) -> None:
    model = model_of()
    expected = torch_after(copy.deepcopy(model), OPTIMIZERS[name])
    trainer = trainer_of(tmp_path, model, OPTIMIZERS[name](model), 0.1)
    assert_equal(parameters_after(trainer), expected)


def test_lion_follows_its_algorithm(tmp_path: Path) -> None:
    model = model_of()
    reference = copy.deepcopy(model)
    kept = {n: torch.zeros_like(p) for n, p in reference.named_parameters()}
    for x, y in batches():
        reference.zero_grad()
        classify(reference, x, y).backward()
        with torch.no_grad():
            for n, p in reference.named_parameters():
                assert p.grad is not None
                p.mul_(1 - 0.01 * 0.1)
                p.sub_(0.01 * torch.sign(0.9 * kept[n] + 0.1 * p.grad))
                kept[n] = 0.99 * kept[n] + 0.01 * p.grad
    trainer = trainer_of(tmp_path, model, "lion:weight_decay=0.1", 0.01)
    assert_equal(
        parameters_after(trainer), {n: p.detach() for n, p in reference.named_parameters()}
    )


def test_adafactor_goes_out_to_torch_and_comes_back(tmp_path: Path) -> None:
    model = model_of()
    trainer = trainer_of(tmp_path, copy.deepcopy(model), "adafactor:weight_decay=0.1", 0.1)
    parameters_after(trainer, 2)
    trainer.export_torch(tmp_path / "w.pt", tmp_path / "o.pt")
    model.load_state_dict(torch.load(tmp_path / "w.pt"))
    optimizer = torch.optim.Adafactor(model.parameters(), lr=0.1, weight_decay=0.1)
    given = torch.load(tmp_path / "o.pt")
    row = given["state"][0]["row_var"]
    assert row.shape == (8, 1) and float(row.min()) > 0
    optimizer.load_state_dict(
        {
            "state": given["state"],
            **{"param_groups": [{**optimizer.state_dict()["param_groups"][0]}]},
        }
    )
    other = trainer_of(tmp_path, model_of(), "adafactor:weight_decay=0.1", 0.1)
    other.import_torch(tmp_path / "w.pt", tmp_path / "o.pt")
    for x, y in batches():
        optimizer.zero_grad()
        classify(model, x, y).backward()
        optimizer.step()
    expected = {n: v.detach() for n, v in model.state_dict().items()}
    assert_equal(parameters_after(trainer), expected)
    assert_equal(parameters_after(other), expected)


def test_groups_have_their_own_settings_and_rates(tmp_path: Path) -> None:
    def groups(model: Any) -> torch.optim.Optimizer:
        decayed = [p for p in model.parameters() if p.dim() > 1]
        plain = [p for p in model.parameters() if p.dim() == 1]
        return torch.optim.AdamW(
            [
                {"params": decayed, "weight_decay": 0.3, "lr": 0.1},
                {"params": plain, "weight_decay": 0.0, "lr": 0.02},
            ]
        )

    model = model_of()
    expected = torch_after(copy.deepcopy(model), groups)
    trainer = trainer_of(tmp_path, model, groups(model), [0.1, 0.02])
    assert_equal(parameters_after(trainer), expected)


def test_frozen_parameters_keep_no_state_and_do_not_move(tmp_path: Path) -> None:
    model = model_of()
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    first: Any = model[0]
    first.weight.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    trainer = trainer_of(tmp_path, model, torch.optim.AdamW(trained), 0.1)
    kept = {r.parameter for r in trainer.program.point.arguments if r.kind == "optimizer"}
    assert kept == {"0.bias", "2.weight", "2.bias"}
    after = parameters_after(trainer)
    assert torch.equal(after["0.weight"], before["0.weight"])
    assert not torch.equal(after["2.weight"], before["2.weight"])


def test_evaluate_runs_in_evaluation_mode(tmp_path: Path) -> None:
    model = model_of(nn.BatchNorm1d(8).double())
    x, y = batches()[0]
    trainer = trainer_of(tmp_path, model, "sgd", 0.0)
    trainer.step(x, y)
    model.train()
    classify(model, x, y)
    model.eval()
    torch.testing.assert_close(trainer.evaluate(x, y), classify(model, x, y).detach())


def test_the_model_is_as_it_was_after_compiling() -> None:
    model = model_of().eval()
    forward = model.forward
    distc.compile_training(model, classify, "sgd", batches()[0], mesh=Mesh.of(data=1))
    assert model.forward == forward and not model.training


class WithLoss(nn.Module):
    def __init__(self, give: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.layer, self.give = nn.Linear(6, 4), give

    def forward(self, x: Tensor) -> Any:
        return self.give(self.layer(x))


@pytest.mark.parametrize("give", [lambda y: y.sum(), lambda y: {"loss": y.sum(), "logits": y}])
def test_a_model_may_return_its_loss(give: Callable[[Tensor], Any]) -> None:
    compiled = distc.compile_training(
        WithLoss(give), None, "sgd", (torch.zeros(2, 6),), mesh=Mesh.of(data=1)
    )
    assert [e.name for e in compiled.entries] == ["step", "evaluate"]


@pytest.mark.parametrize(
    ("give", "message"),
    [
        (lambda y: y, r"the loss is a tensor \[2, 4\]"),
        (lambda y: {"logits": y}, "the loss is dict"),
        (lambda y: y.argmax(), "the loss is a tensor"),
    ],
)
def test_what_is_no_loss_is_refused(give: Callable[[Tensor], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        distc.compile_training(
            WithLoss(give), None, "sgd", (torch.zeros(2, 6),), mesh=Mesh.of(data=1)
        )


def test_nothing_to_train_is_refused() -> None:
    model = model_of().requires_grad_(False)
    with pytest.raises(InputError, match=r"no parameter that can be trained|differentiated"):
        distc.compile_training(model, classify, "sgd", batches()[0], mesh=Mesh.of(data=1))


def test_a_parameter_without_an_optimizer_is_refused() -> None:
    model = model_of()
    first: Any = model[0]
    with pytest.raises(InputError, match="no optimizer trains it"):
        distc.compile_training(
            model,
            classify,
            torch.optim.SGD([first.weight]),
            batches()[0],
            mesh=Mesh.of(data=1),
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adamax", "unknown optimizer"),
        ("adamw:lr=0.1", "has no setting 'lr'"),
        ("sgd:momentum=much", "a number is needed"),
        ("adam:eps=inf", "not finite"),
    ],
)
def test_bad_optimizer_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_optimizer(text)


def test_an_optimizer_text_sets_what_it_names() -> None:
    group = parse_optimizer("sgd:momentum=0.9,nesterov")
    assert group.kind is OptimizerKind.SGD
    assert (group.settings["momentum"], group.settings["nesterov"]) == (0.9, 1.0)
    assert group.state((3, 2)) == {"momentum_buffer": (3, 2)}


class SGD(torch.optim.SGD):
    """Named as one of torch, and free to step in another way."""


def test_unknown_torch_optimizers_and_options_are_refused() -> None:
    model = model_of()
    for optimizer, message in (
        (torch.optim.Adagrad(model.parameters()), "Adagrad is not known"),
        (torch.optim.AdamW(model.parameters(), amsgrad=True), "amsgrad=True"),
        (SGD(model.parameters(), lr=0.1), "SGD is not known"),
    ):
        with pytest.raises(UsageError, match=message):
            distc.compile_training(model, classify, optimizer, batches()[0], mesh=Mesh.of(data=1))


def test_a_group_without_parameters_trains_none() -> None:
    model = model_of()
    empty: dict[str, Any] = {"params": [], "weight_decay": 0.5}
    optimizer = torch.optim.SGD([empty, {"params": list(model.parameters())}], lr=0.1)
    groups = from_torch(optimizer, model)
    assert groups[0].parameters == frozenset()
    assert groups[1].parameters == frozenset(n for n, _ in model.named_parameters())
    with pytest.raises(InputError, match="no optimizer trains it"):
        distc.compile_training(
            model,
            classify,
            torch.optim.SGD([empty, {"params": [model[0].weight]}], lr=0.1),
            batches()[0],
            mesh=Mesh.of(data=1),
        )


@pytest.mark.parametrize(("dtype", "name"), [(torch.float64, "f64"), (torch.float32, "f32")])
def test_the_loss_has_the_type_that_pytorch_gives_it(dtype: torch.dtype, name: str) -> None:
    x, y = batches()[0]
    options = TrainingOptions((parse_optimizer("sgd"),), evaluate=False)
    exported = export_training(
        model_of().to(dtype),
        (x.to(dtype), y),
        classify,
        options,
        context=make_context(),
        source="model",
    )
    assert [(o.name, o.dtype) for o in exported.outputs] == [("loss", name)]


@pytest.mark.parametrize("text", ["sgd", "sgd:momentum=0.9", "adam", "adamw", "lion"])
def test_moments_are_what_is_kept(text: str) -> None:
    group = parse_optimizer(text)
    assert moments(group.kind, group.settings) == len(group.state((4, 4)))
