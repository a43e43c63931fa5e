"""bf16 and f16 compute with master weights, and loss scaling, against single-device PyTorch.

Two kinds of comparison. A model whose sums have one term other than zero rounds alike in every
order: there masters, moments and losses are those of PyTorch within the criterion of all steps.
Real models add in another order, and each addition rounds to eight bits: a plan and one device are
two roundings of one exact step, and their distance is at most the sum of their distances to it.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from e2e import mixed
from e2e.mixed import RATE, Reference, one_term, squares, trainer_of, unit_vectors
from e2e.steps import _difference
from models.training import make
from torch import Tensor

import distc
from distc.dialect.mesh import Mesh
from distc.runtime.checkpoint.sources import CheckpointSource
from distc.runtime.errors import InputError, UsageError

STEPS = 3


def sgd(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=RATE)


def adamw(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, lr=RATE)


def adafactor(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.Adafactor(parameters, lr=RATE)


def momentum(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=RATE, momentum=0.9, weight_decay=0.01)


def assert_close(name: str, got: Tensor, want: Tensor) -> None:
    found = _difference(name, got, want)
    assert found.equal, f"{name} is {found.share:.3g} times the allowed difference off"


def assert_same_state(trainer: Any, reference: Reference) -> None:
    want = mixed.optimizer_state(reference)
    got = {r.name: v for r, v in mixed.kept(trainer)}
    assert got.keys() == want.keys()
    for name, value in got.items():
        assert_close(name, value, want[name])
    narrow = trainer.state_dict()
    for name, master in reference.model.named_parameters():
        whole = narrow[name]
        whole = whole.full_tensor() if hasattr(whole, "full_tensor") else whole
        assert torch.equal(whole, master.detach().to(reference.compute)), name


@pytest.mark.parametrize(
    ("plan", "optimizer", "count", "clip_norm", "dtype", "compute"),
    [
        ("data=1 zero1", adamw, 1, None, torch.float64, "bf16"),
        ("data=2 zero1", adamw, 1, 0.1, torch.float64, "bf16"),
        ("data=4 zero3", momentum, 1, None, torch.float64, "bf16"),
        ("data=2 data-parallel", sgd, 2, 0.1, torch.float64, "bf16"),
        ("inter=2,intra=2 NIG", adamw, 2, None, torch.float64, "bf16"),
        ("data=2 zero3", adafactor, 1, None, torch.float64, "bf16"),
        ("data=2,tensor=2 megatron+zero1", adamw, 1, None, torch.float32, "bf16"),
        ("data=2 zero2", momentum, 2, None, torch.float32, "f16"),
    ],
)
def test_steps_of_one_term_equal_pytorch(
    plan: str,
    optimizer: mixed.Make,
    count: int,
    clip_norm: float | None,
    dtype: torch.dtype,
    compute: str,
    tmp_path: Path,
) -> None:
    model, size = one_term(dtype), 8 // count
    kind = torch.bfloat16 if compute == "bf16" else torch.float16
    reference = Reference(copy.deepcopy(model), squares, optimizer, kind)
    trainer = trainer_of(
        tmp_path, model, squares, optimizer, unit_vectors(size, 0, dtype), plan,
        compute_dtype=compute, microbatches=count, clip_norm=clip_norm,
    )  # fmt: skip
    for step in range(STEPS):
        whole = unit_vectors(8, step, dtype)
        parts = list(zip(*(x.split(size) for x in whole), strict=True))
        expected = reference.step(parts, clip_norm)
        assert_close("loss", trainer.step(*whole), expected)
    assert_same_state(trainer, reference)


@pytest.mark.parametrize(
    ("name", "plan", "count"),
    [
        ("mlp", "data=2 zero1", 2),
        ("gpt2", "data=2,tensor=2 megatron+zero1", 1),
        ("bert", "data=2 zero3", 1),
    ],
)
def test_a_plan_rounds_no_worse_than_one_device(
    name: str, plan: str, count: int, tmp_path: Path
) -> None:
    """‖plan − one device‖ ≤ 2 ‖one device − exact‖, over all masters together.

    One device and the plan round the same numbers to eight bits (half a unit is 2⁻⁸ of a number),
    each sum once more per rank in the plan. So both are as far from the exact step, and at most
    twice that from each other.
    """
    training = make(name)
    size = 4 * Mesh.parse(plan.split()[0]).size // count
    one = Reference(copy.deepcopy(training.model), training.loss, sgd, torch.bfloat16)
    exact = Reference(copy.deepcopy(training.model), training.loss, sgd, torch.float64)
    trainer = trainer_of(
        tmp_path, training.model, training.loss, sgd, training.batch(size, 0), plan,
        compute_dtype="bf16", microbatches=count,
    )  # fmt: skip
    for step in range(STEPS):
        parts = [training.batch(size, 10 * step + i) for i in range(count)]
        trainer.step(*(torch.cat(tensors) for tensors in zip(*parts, strict=True)))
        one.step(parts)
        exact.step(parts)
    rows = mixed.masters(trainer)
    ours, single, true = (
        torch.cat([t.detach().flatten() for t in tensors])
        for tensors in (
            [rows[n] for n, _ in one.model.named_parameters()],
            list(one.model.parameters()),
            list(exact.model.parameters()),
        )
    )
    rounding = float((single - true).norm())
    assert 0 < rounding < 2**-5 * float(true.norm())
    assert float((ours - single).norm()) <= 2 * rounding


def test_gradients_of_micro_batches_are_added_without_communication() -> None:
    """The accumulator is f32 and partial: a widened part joins it before any rank hears of it."""
    compiled = distc.compile_training(
        one_term(torch.float32), squares, "adamw", unit_vectors(4, 0, torch.float32),
        mesh=Mesh.of(data=2), preset="zero1", microbatches=2, compute_dtype="bf16",
    )  # fmt: skip
    report: Any = {e["name"]: e for e in compiled.report()["entries"]}  # type: ignore[attr-defined]
    assert set(report["accumulate"]["collectives"]) <= {"all_reduce"}
    assert report["accumulate"]["collectives"].get("all_reduce", 0) == 1  # the loss
    plan = str(compiled.members["plan.mlir"])
    gathered = [line for line in plan.splitlines() if "dist.all_gather" in line]
    assert gathered and all("bf16" in line for line in gathered)


def scaler(**settings: Any) -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", **settings)


DYNAMIC = "dynamic:initial=1024,growth=4,backoff=0.25,interval=2"


@pytest.mark.parametrize(
    ("plan", "count", "compute"),
    [
        ("data=1 zero1", 1, "f16"),
        ("data=2 zero1", 2, "f16"),
        ("data=4 zero3", 1, "bf16"),
        ("data=2,tensor=2 megatron+zero1", 1, "f16"),
    ],
)
def test_a_dynamic_loss_scale_is_that_of_gradscaler(
    plan: str, count: int, compute: str, tmp_path: Path
) -> None:
    """Six steps, the third with an infinite gradient in one sample of one rank's part."""
    model, size = one_term(torch.float64), 8 // count
    kind = torch.bfloat16 if compute == "bf16" else torch.float16
    settings = {"growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 2}
    reference = Reference(
        copy.deepcopy(model), squares, adamw, kind, scaler(init_scale=1024.0, **settings)
    )
    trainer = trainer_of(
        tmp_path, model, squares, adamw, unit_vectors(size, 0, torch.float64), plan,
        compute_dtype=compute, loss_scale=DYNAMIC, microbatches=count,
    )  # fmt: skip
    seen = []
    for step in range(6):
        x, y = unit_vectors(8, step, torch.float64)
        if step == 2:
            y[-1] = float("inf")
        parts = [(a, b) for a, b in zip(x.split(size), y.split(size), strict=True)]
        before = {n: v.clone() for n, v in mixed.masters(trainer).items()}
        reference.step(parts)
        trainer.step(x, y)
        assert trainer.loss_scale == reference.scaler.get_scale()
        if step == 2:
            after = mixed.masters(trainer)
            assert all(torch.equal(after[n], before[n]) for n in before)
        seen.append(trainer.loss_scale)
    assert seen == [1024.0, 4096.0, 1024.0, 1024.0, 4096.0, 4096.0]
    assert (trainer.steps, trainer.taken_steps) == (6, 5)
    assert_same_state(trainer, reference)
    ranks = [trainer.program.store.tensors[r] for r in trainer.program.store.ranks]
    for name in ("scaler@scale", "scaler@good_steps", "scaler@taken_steps"):
        assert all(torch.equal(rank[name], ranks[0][name]) for rank in ranks)


def test_a_static_loss_scale_changes_only_what_is_not_finite(tmp_path: Path) -> None:
    model = one_term(torch.float64)
    reference = Reference(copy.deepcopy(model), squares, adamw, torch.bfloat16)
    trainer = trainer_of(
        tmp_path, model, squares, adamw, unit_vectors(8, 0, torch.float64), "data=2 zero1",
        compute_dtype="bf16", loss_scale=1024,
    )  # fmt: skip
    for step in range(STEPS):
        x, y = unit_vectors(8, step, torch.float64)
        reference.step([(x, y)])
        trainer.step(x, y)
        trainer.step(x, torch.full_like(y, float("nan")))
    assert trainer.loss_scale is None
    assert (trainer.steps, trainer.taken_steps) == (2 * STEPS, STEPS)
    assert_same_state(trainer, reference)


def test_a_small_gradient_survives_in_f16_only_when_scaled(tmp_path: Path) -> None:
    """Gradients near 2⁻²⁸ are zero in f16, whose least number is 2⁻²⁴: nothing would move."""

    def small(model: Any, x: Tensor, y: Tensor) -> Tensor:
        return squares(model, x, y) * 2.0**-24

    def adam(parameters: Any) -> torch.optim.Optimizer:
        return torch.optim.Adam(parameters, lr=RATE)

    moved = {}
    for scale in (None, 2.0**16):
        model = one_term(torch.float32)
        before = model.layer.weight.detach().clone()  # type: ignore[union-attr]
        folder = tmp_path / str(scale)
        folder.mkdir()
        trainer = trainer_of(
            folder, model, small, adam, unit_vectors(8, 0, torch.float32), "data=2 zero1",
            compute_dtype="f16", loss_scale=scale,
        )  # fmt: skip
        trainer.step(*unit_vectors(8, 0, torch.float32))
        moved[scale] = not torch.equal(mixed.masters(trainer)["layer.weight"], before)
    assert moved == {None: False, 2.0**16: True}


def test_checkpoints_bring_masters_and_the_scale_to_another_plan(tmp_path: Path) -> None:
    options: Any = {"compute_dtype": "bf16", "loss_scale": DYNAMIC}
    batches = [unit_vectors(8, step, torch.float64) for step in range(5)]
    batches[1][1][0] = float("inf")
    made = {}
    for plan in ("data=2 zero1", "data=4 zero3"):
        folder = tmp_path / plan.split()[1]
        folder.mkdir()
        made[plan] = trainer_of(
            folder, one_term(torch.float64), squares, adamw, batches[0], plan, **options
        )
    first, second = made.values()
    for batch in batches[:3]:
        first.step(*batch)
    first.save(tmp_path / "kept")
    names = set(CheckpointSource(tmp_path / "kept").tensors)
    assert {"layer.weight@master", "scaler@scale", "scaler@taken_steps"} <= names
    second.load(tmp_path / "kept")
    assert second.loss_scale == first.loss_scale and second.taken_steps == 2
    for batch in batches[3:]:
        first.step(*batch)
        second.step(*batch)
    for (record, a), (_, b) in zip(mixed.kept(first), mixed.kept(second), strict=True):
        assert_close(record.name, a, b)


def test_weights_go_out_and_in_as_masters(tmp_path: Path) -> None:
    """What is exported is not rounded; what is imported reaches masters and parameters."""
    options: Any = {"compute_dtype": "bf16", "loss_scale": 8}
    batch = unit_vectors(8, 0, torch.float32)
    first = trainer_of(
        tmp_path, one_term(torch.float32), squares, adamw, batch, "data=2 zero1", **options
    )
    first.step(*batch)
    first.step(batch[0], batch[1] * float("inf"))
    want = {n: v.clone() for n, v in mixed.masters(first).items()}
    first.export_torch(tmp_path / "w.pt", tmp_path / "o.pt")
    exported = torch.load(tmp_path / "w.pt")
    assert torch.equal(exported["layer.weight"], want["layer.weight"])
    state = torch.load(tmp_path / "o.pt")["state"][0]
    assert "master" not in state and float(state["step"]) == 1.0
    assert "master" not in first.optimizer_state_dict()["state"][0]
    from distc.runtime.checkpoint.plain import export_weights

    first.save(tmp_path / "kept")
    export_weights(CheckpointSource(tmp_path / "kept"), tmp_path / "c.pt")
    assert torch.equal(torch.load(tmp_path / "c.pt")["layer.weight"], want["layer.weight"])

    (tmp_path / "other").mkdir()
    second = trainer_of(
        tmp_path / "other", one_term(torch.float32), squares, adamw, batch, "data=4 zero3",
        **options,
    )  # fmt: skip
    second.import_torch(tmp_path / "w.pt", tmp_path / "o.pt")
    assert second.taken_steps == 1
    for trainer in (first, second):
        trainer.step(*batch)
    for (record, a), (_, b) in zip(mixed.kept(first), mixed.kept(second), strict=True):
        assert_close(record.name, a, b)


class Table(torch.nn.Module):
    """A float buffer that meets what the model computes."""

    def __init__(self, cast: bool) -> None:
        super().__init__()
        self.layer, self.cast = torch.nn.Linear(8, 8), cast
        self.register_buffer("table", torch.randn(8, 8))

    def forward(self, x: Tensor) -> Tensor:
        """[batch, 8] → the same."""
        table: Any = self.table
        return self.layer(x) @ (table.to(x.dtype) if self.cast else table)


def test_buffers_keep_their_type_and_a_clash_says_so() -> None:
    def compiled(cast: bool) -> Any:
        return distc.compile_training(
            Table(cast), squares, "sgd", unit_vectors(8, 0, torch.float32),
            mesh=Mesh.of(data=1), compute_dtype="bf16",
        )  # fmt: skip

    records = {r.name: r for r in compiled(True).entries[0].arguments}
    assert records["table"].dtype == "f32"
    assert (records["layer.weight"].dtype, records["layer.weight"].stored) == ("bf16", "f32")
    with pytest.raises(InputError, match=r"buffers are as the model has them"):
        compiled(False)


def test_a_model_that_is_narrow_already_is_refused() -> None:
    with pytest.raises(InputError, match="there are no master weights"):
        distc.compile_training(
            one_term(torch.bfloat16), squares, "sgd", unit_vectors(8, 0, torch.bfloat16),
            mesh=Mesh.of(data=1), compute_dtype="bf16",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compute_dtype": "fp8"}, "cannot compute in 'fp8'"),
        ({"loss_scale": 0}, "a positive number is needed"),
        ({"loss_scale": "static"}, "a number is needed"),
        ({"loss_scale": "dynamic:warmup=3"}, "no setting 'warmup'"),
        ({"loss_scale": "dynamic:backoff=2"}, "backoff 2"),
        ({"loss_scale": "dynamic:interval=1.5"}, "a whole number"),
    ],
)
def test_what_is_no_precision_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        distc.compile_training(
            one_term(torch.float32), squares, "sgd", unit_vectors(8, 0, torch.float32),
            mesh=Mesh.of(data=1), **options,
        )  # fmt: skip
