"""Dropout: one mask whatever the plan, steps equal to PyTorch with those masks, checkpoints."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from e2e.steps import OPTIMIZERS, RATE, _difference
from torch import Tensor, nn

import distc
from distc.dialect.mesh import Mesh
from distc.runtime.errors import UnsupportedOp, UsageError
from distc.runtime.kernels.random import keep_mask

SEED = 11
Loss = Callable[..., Tensor]


@contextmanager
def masks_of(draw: int, seed: int = SEED) -> Iterator[None]:
    """Let PyTorch drop what a compiled program drops in its forward pass number `draw`."""
    sites = iter(range(1000))
    attention = F.scaled_dot_product_attention

    def keep(shape: tuple[int, ...], rate: float) -> Tensor:
        return keep_mask(seed, draw, next(sites), shape, rate)

    def dropout(x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if not training or p in (0, 1):
            return x * float(p != 1)
        result = x * (keep(tuple(x.shape), p).to(x.dtype) * (1 / (1 - p)))
        return x.copy_(result) if inplace else result

    def attend(
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: Any = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        if dropout_p == 0:
            return attention(q, k, v, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa)
        if enable_gqa:
            k, v = (t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v))
        score = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            score = score.masked_fill(~torch.ones(score.shape[-2:]).tril().bool(), float("-inf"))
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            score = score.masked_fill(~attn_mask, float("-inf"))
        elif attn_mask is not None:
            score = score + attn_mask
        kept = keep(tuple(score.shape), dropout_p).to(q.dtype) * (1 / (1 - dropout_p))
        return (score.softmax(-1) * kept) @ v

    with (
        mock.patch.object(F, "dropout", dropout),
        mock.patch.object(F, "scaled_dot_product_attention", attend),
    ):
        yield


def trainer_of(
    folder: Path, model: nn.Module, loss: Loss, optimizer: Any, batch: tuple[Tensor, ...],
    plan: str, **options: Any,
) -> Any:  # fmt: skip
    mesh, preset = plan.split()
    folder.mkdir(exist_ok=True)
    compiled = distc.compile_training(
        model, loss, optimizer, batch, mesh=Mesh.parse(mesh), preset=preset, seed=SEED, **options
    )
    entry = "accumulate" if options.get("microbatches", 1) > 1 else "step"
    program: Any = distc.load(compiled.save(folder / "t.distc"), entry=entry, backend="sim")
    return program.trainer(lr=RATE)


def whole(value: Any) -> Tensor:
    found: Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return found


class Dropped(nn.Module):
    """A weight that moves by exactly one where it is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(8, 10))

    def forward(self, x: Tensor) -> Tensor:
        """[8, 10] → the same, half of it dropped."""
        return F.dropout(x + self.weight, 0.5, self.training)


def total(model: Any, x: Tensor) -> Tensor:
    """A loss whose gradient by the weight is 2 where it is kept."""
    return model(x).sum()


PLANS = (
    "data=1 data-parallel",
    "data=2 data-parallel",
    "data=2 zero1",
    "data=3 zero2",
    "data=4 zero3",
    "inter=2,intra=2 NIG",
    "inter=2,intra=2 III",
    "data=2,tensor=2 megatron+zero3",
    "data=4 fsdp",
)


@pytest.mark.parametrize("plan", PLANS)
def test_masks_are_the_same_bit_for_bit_under_every_plan(plan: str, tmp_path: Path) -> None:
    plan = plan.replace("megatron+", "")  # no pair of layers is here to be cut
    trainer = trainer_of(tmp_path, Dropped(), total, "sgd", (torch.zeros(8, 10),), plan)
    trainer.lr = 0.5
    before = torch.zeros(8, 10)
    for draw in range(3):
        trainer.step(torch.zeros(8, 10))
        after = whole(trainer.state_dict()["weight"]).clone()
        assert torch.equal(before - after, keep_mask(SEED, draw, 0, (8, 10), 0.5).float())
        before = after


class Mlp(nn.Module):
    """Dropout as a module, as a function, in place, and at rates that need no mask."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.leave = nn.Linear(6, 16), nn.Linear(16, 5)
        self.drop = nn.Dropout(0.25)

    def forward(self, x: Tensor) -> Tensor:
        """Return class scores."""
        hidden = F.dropout(self.drop(self.enter(x).relu()), 0.1, self.training, inplace=True)
        nothing = F.dropout(hidden, 1.0, self.training)
        return self.leave(F.dropout(hidden, 0.0, self.training) + nothing)


class Encoder(nn.Module):
    """PyTorch's encoder layers: four dropouts each, one of them inside attention."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.2, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 4, 8] → class scores."""
        return self.head(self.layers(x).mean(1))


class Grouped(nn.Module):
    """Attention with dropout: causal, with fewer heads for keys, and with a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv, self.head = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 4, 8] → class scores."""
        rate = 0.3 if self.training else 0.0
        q = self.q(x).unflatten(-1, (4, 4)).transpose(1, 2)
        k, v = self.kv(x).unflatten(-1, (2, 2, 4)).transpose(1, 3).unbind(2)
        a = F.scaled_dot_product_attention(
            q, k, v, dropout_p=rate, is_causal=True, enable_gqa=True, scale=0.3
        )
        seen = (torch.arange(4)[:, None] - torch.arange(4)[None, :]).abs() < 2
        b = F.scaled_dot_product_attention(a, a, a, seen, dropout_p=rate)
        return self.head((a + b).transpose(1, 2).flatten(2).mean(1))


def classify(model: Any, x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(model(x), y)


def batch_of(model: nn.Module, seed: int, size: int = 8) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shape = (size, 6) if isinstance(model, Mlp) else (size, 4, 8)
    x = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return x, torch.randint(0, 5, (size,), generator=generator)


class Reference:
    """Steps of PyTorch on one device with the masks of a program."""

    def __init__(self, model: nn.Module, optimizer: str) -> None:
        self.model = model
        self.optimizer = OPTIMIZERS[optimizer](model.parameters())
        self.draws = 0

    def step(self, x: Tensor, y: Tensor, count: int = 1) -> Tensor:
        """Take a step in `count` micro-batches."""
        self.optimizer.zero_grad()
        losses = []
        for a, b in zip(x.chunk(count), y.chunk(count), strict=True):
            with masks_of(self.draws):
                loss = classify(self.model, a, b)
            self.draws += 1
            (loss / count).backward()  # type: ignore[no-untyped-call]
            losses.append(loss.detach())
        self.optimizer.step()
        return torch.stack(losses).mean()


def make(kind: type[nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    return kind().double().train()


def assert_close(name: str, got: Tensor, want: Tensor) -> None:
    found = _difference(name, got, want)
    assert found.equal, f"{name} is {found.share:.3g} times the allowed difference off"


def assert_same(trainer: Any, reference: Reference) -> None:
    state = trainer.state_dict()
    for name, value in reference.model.state_dict().items():
        assert_close(name, whole(state[name]), value)


@pytest.mark.parametrize(
    ("kind", "plan", "optimizer", "count"),
    [
        (Mlp, "data=1 zero1", "adamw", 1),
        (Mlp, "data=2 zero1", "adamw", 2),
        (Mlp, "data=3 zero3", "momentum", 1),
        (Mlp, "inter=2,intra=2 NIG", "adamw", 2),
        (Mlp, "data=2,tensor=2 megatron+zero1", "adam", 1),
        (Encoder, "data=1 zero1", "adamw", 1),
        (Encoder, "data=2 zero3", "adamw", 2),
        (Encoder, "data=4 zero1", "adamw", 1),
        (Encoder, "data=2,tensor=2 megatron+zero3", "momentum", 1),
        (Grouped, "data=2 zero1", "adamw", 1),
        (Grouped, "data=2,tensor=2 megatron+zero1", "adamw", 1),
    ],
)
def test_steps_equal_pytorch_with_the_same_masks(
    kind: type[nn.Module], plan: str, optimizer: str, count: int, tmp_path: Path
) -> None:
    model, size = make(kind), 12
    reference = Reference(copy.deepcopy(model), optimizer)
    trainer = trainer_of(
        tmp_path, model, classify, OPTIMIZERS[optimizer](model.parameters()),
        batch_of(model, 0, size // count), plan, microbatches=count,
    )  # fmt: skip
    for step in range(3):
        x, y = batch_of(model, step, size)
        assert_close("loss", trainer.step(x, y), reference.step(x, y, count))
    assert_same(trainer, reference)
    reference.model.eval()
    x, y = batch_of(model, 9, size // count)
    assert_close("evaluate", trainer.evaluate(x, y), classify(reference.model, x, y).detach())


def test_a_checkpoint_goes_on_with_the_next_mask_under_another_plan(tmp_path: Path) -> None:
    model = make(Encoder)
    reference = Reference(copy.deepcopy(model), "adamw")
    trainers = [
        trainer_of(tmp_path / plan[:6], model, classify, "adamw", batch_of(model, 0), plan)
        for plan in ("data=2 zero1", "data=4 zero3")
    ]
    for step in range(4):
        if step == 2:
            trainers[0].save(tmp_path / "kept")
            trainers[1].load(tmp_path / "kept")
        batch = batch_of(model, step)
        assert_close("loss", trainers[step // 2].step(*batch), reference.step(*batch))
    assert_same(trainers[1], reference)


def test_another_seed_drops_something_else(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, Dropped(), total, "sgd", (torch.zeros(8, 10),), "data=2 zero1")
    trainer.lr = 0.5
    trainer.step(torch.zeros(8, 10))
    before = whole(trainer.state_dict()["weight"]).clone()
    trainer.reseed(5)
    trainer.step(torch.zeros(8, 10))
    moved = before - whole(trainer.state_dict()["weight"])
    assert torch.equal(moved, keep_mask(5, 0, 0, (8, 10), 0.5).float())
    with pytest.raises(UsageError, match="not a number of 63 bits"):
        trainer.reseed(-1)


class Other(nn.Module):
    def __init__(self, draw: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.layer, self.draw = nn.Linear(8, 8), draw

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 8] → the same."""
        return self.draw(self.layer(x))


@pytest.mark.parametrize(
    "draw",
    [lambda x: x + torch.rand_like(x), lambda x: F.alpha_dropout(x, 0.3, True),
     lambda x: F.dropout2d(x[..., None, None], 0.3)],
    ids=["rand", "alpha", "channels"],
)  # fmt: skip
def test_other_random_numbers_are_refused(draw: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(UnsupportedOp, match=r"random numbers[\s\S]*a training step draws"):
        distc.compile_training(
            Other(draw), total, "sgd", (torch.zeros(8, 8),), mesh=Mesh.of(data=1)
        )


def test_a_model_that_drops_when_it_is_evaluated_is_told_why() -> None:
    with pytest.raises(UnsupportedOp, match=r"training=self\.training"):
        distc.compile_training(
            Other(lambda x: F.dropout(x, 0.5)), total, "sgd", (torch.zeros(8, 8),),
            mesh=Mesh.of(data=1),
        )  # fmt: skip


def test_a_seed_must_fit() -> None:
    with pytest.raises(UsageError, match="the seed is -1"):
        distc.compile_training(
            Dropped(), total, "sgd", (torch.zeros(8, 10),), mesh=Mesh.of(data=1), seed=-1
        )
