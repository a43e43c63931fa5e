"""Training through the runtime: state kept, donated and sharded; equal to plain torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import stateful
import torch
from ranks import run_ranks
from stateful import ACCUMULATE, LR, PINS, STEP, Reference, batch, write
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

from distc.runtime.errors import ArtifactError, DistcError, InputError, UsageError
from distc.runtime.load import RankProgram, SimProgram, load
from distc.runtime.trainer import Trainer

STEPS = 3


def close(got: torch.Tensor, want: torch.Tensor) -> bool:
    return torch.allclose(got, want.detach(), rtol=1e-5, atol=1e-6)


def sim(path: Path, lr: Any = LR) -> Trainer:
    program = load(path, backend="sim")
    assert isinstance(program, SimProgram)
    return program.trainer(lr)


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("pins", [p for p in PINS if p != "partial"])
def test_steps_equal_torch(tmp_path: Path, pins: str, ranks: int) -> None:
    trainer, reference = sim(write(tmp_path, ranks, pins)), Reference()
    for step in range(STEPS):
        assert trainer.step(batch(step)).item() == pytest.approx(reference.step(batch(step)))
    assert close(trainer.state_dict()["w"], reference.w)
    assert close(trainer.optimizer_state_dict()["state"][0]["momentum_buffer"], reference.momentum)
    data = batch(9)
    wanted = ((data["x"] @ reference.w - data["t"]) ** 2).sum().item()
    assert trainer.evaluate(data["x"], data["t"]).item() == pytest.approx(wanted)
    assert trainer.steps == STEPS


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("pins", ["zero1", "zero3", "view", "partial"])
def test_micro_batches_equal_one_batch(tmp_path: Path, pins: str, ranks: int) -> None:
    trainer, reference = sim(write(tmp_path, ranks, pins, ACCUMULATE)), Reference()
    assert trainer.micro_batches == 2
    for step in range(STEPS):
        data = batch(step, 2)
        assert trainer.step(**data).item() == pytest.approx(reference.step(data, count=2))
    assert close(trainer.state_dict()["w"], reference.w)
    gradient = trainer.program.store.tensors[0]["w@grad"]
    assert torch.equal(gradient, torch.zeros_like(gradient))


def test_partial_accumulators_wait_with_their_sum(tmp_path: Path) -> None:
    artifact = load(write(tmp_path, 2, "partial", ACCUMULATE), backend="sim").artifact
    kinds = [c.op for c in artifact.program("accumulate").calls if c.op.startswith("collective")]
    assert kinds == ["collective.all_reduce"]  # the loss alone
    assert any(c.op.startswith("collective") for c in artifact.program("update").calls)


def test_bytes_are_what_the_plan_says(tmp_path: Path) -> None:
    trainer = sim(write(tmp_path, 2, "zero1"))
    for rank in (0, 1):
        held = trainer.program.store.tensors[rank]
        assert held["w"].numel() == 60
        assert held["w@momentum_buffer"].numel() == 30


def test_state_keeps_its_address(tmp_path: Path) -> None:
    trainer = sim(write(tmp_path, 2, "zero3"))
    places = {n: t.data_ptr() for n, t in trainer.program.store.tensors[1].items()}
    trainer.step(batch(0))
    trainer.step(batch(1))
    assert {n: t.data_ptr() for n, t in trainer.program.store.tensors[1].items()} == places


def test_schedules_are_asked_per_step(tmp_path: Path) -> None:
    asked: list[int] = []

    def schedule(step: int) -> float:
        asked.append(step)
        return LR / step

    trainer, reference = sim(write(tmp_path, 2), schedule), Reference()
    for step in range(STEPS):
        trainer.step(batch(step))
        reference.step(batch(step), lr=LR / (step + 1))
    assert asked == [1, 2, 3]
    assert close(trainer.state_dict()["w"], reference.w)


def test_what_cannot_be_trained(tmp_path: Path) -> None:
    path = write(tmp_path, 1)
    program = load(path, backend="sim")
    with pytest.raises(UsageError, match="the program takes a learning rate"):
        program.trainer()
    with pytest.raises(UsageError, match="entry points step, evaluate, none was named"):
        program(batch(0)["x"])
    with pytest.raises(ArtifactError, match="no entry point 'decode'"):
        program.entry("decode")
    other = write(tmp_path / "b", 1, "data", stateful.EVALUATE)
    with pytest.raises(ArtifactError, match="training needs step, or accumulate and update"):
        load(other, backend="sim").trainer()


def test_batches_are_checked(tmp_path: Path) -> None:
    trainer = sim(write(tmp_path, 1, "replicated", ACCUMULATE))
    data, half = batch(0, 2), batch(0)
    for given, words in [
        (half, "has 8 rows, a step takes 2 micro-batches of 8"),
        ({"x": data["x"]}, "input 't' is missing"),
        ({**data, "y": data["x"]}, "'y' is not an input"),
        ({**data, "x": data["x"][:, :3]}, r"f32\[8, 3\], the program takes f32\[8, 6\]"),
    ]:
        with pytest.raises(InputError, match=words):
            trainer.step(given)
    with pytest.raises(InputError, match="neither tensors nor one mapping"):
        trainer.step(data["x"], {"t": data["t"]})
    assert trainer.steps == 0
    trainer.program.store.check_whole()


def test_a_call_that_breaks_off_spoils_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = sim(write(tmp_path / "a", 2))
    saved = trainer.save(tmp_path / "kept")
    monkeypatch.setattr("distc.runtime.sim.run", lambda *a: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        trainer.step(batch(0))
    monkeypatch.undo()
    for use in (lambda: trainer.step(batch(0)), lambda: trainer.save(tmp_path / "kept")):
        with pytest.raises(DistcError, match="half-updated: a call of 'step' broke off"):
            use()
    trainer.load(saved)
    assert trainer.step(batch(0)).item() == pytest.approx(Reference().step(batch(0)))


@pytest.mark.parametrize(
    ("pins", "ranks", "program"),
    [("zero1", 2, STEP), ("zero3", 3, STEP), ("partial", 2, ACCUMULATE)],
)
def test_gloo_ranks_equal_torch(tmp_path: Path, pins: str, ranks: int, program: str) -> None:
    path, count = write(tmp_path, ranks, pins, program), 2 if program is ACCUMULATE else 1

    def body(rank: int) -> dict[str, Any]:
        loaded = load(path)
        assert isinstance(loaded, RankProgram)
        trainer = loaded.trainer(LR)
        places = [t.data_ptr() for t in loaded.store.tensors[rank].values()]
        losses = [trainer.step(batch(s, count)).item() for s in range(STEPS)]
        mesh = loaded.session.table.device_mesh("cpu")
        data = {n: distribute_tensor(x, mesh, [Shard(0)]) for n, x in batch(7, count).items()}
        losses.append(trainer.step(data).item())
        held = trainer.state_dict()["w"]
        assert isinstance(held, DTensor)
        momentum = trainer.optimizer_state_dict()["state"][0]["momentum_buffer"]
        evaluated = trainer.evaluate(batch(9)).item()
        still = places == [t.data_ptr() for t in loaded.store.tensors[rank].values()]
        return {
            "losses": losses, "w": held.full_tensor().tolist(),
            "m": momentum.full_tensor().tolist(),
            "still": still, "evaluated": evaluated, "kind": tuple(held.placements),
        }  # fmt: skip

    found = run_ranks(ranks, body)
    reference = Reference()
    wanted = [reference.step(batch(s, count), count=count) for s in (0, 1, 2, 7)]
    for rank in found:
        assert rank["losses"] == pytest.approx(wanted)
        assert close(torch.tensor(rank["w"]), reference.w)
        assert close(torch.tensor(rank["m"]), reference.momentum)
        assert rank["still"] and rank["evaluated"] == found[0]["evaluated"]
        assert rank["kind"] == ((Shard(1),) if pins == "zero3" else (Replicate(),))
