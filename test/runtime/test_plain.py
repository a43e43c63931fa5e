"""Plain PyTorch in and out: state dicts, optimizers, model folders, pickles as data only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from ranks import run_ranks
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from stateful import LR, STEP, Reference, batch, weights, write
from torch import Tensor

from distc.runtime.checkpoint import plain
from distc.runtime.checkpoint.sources import CheckpointSource
from distc.runtime.errors import DistcError, InputError, MissingFile, UsageError
from distc.runtime.load import load
from distc.runtime.trainer import Trainer


def trainer_of(path: Path) -> Trainer:
    return load(path, backend="sim").trainer(LR)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("plain"), 2, "view")


def trained(steps: int = 2) -> Reference:
    reference = Reference()
    for step in range(steps):
        reference.step(batch(step))
    return reference


@pytest.mark.parametrize("name", ["w.pt", "w.safetensors", "folder", "nested.pt"])
def test_a_state_of_plain_torch_is_taken_over(tmp_path: Path, artifact: Path, name: str) -> None:
    reference, trainer = trained(), trainer_of(artifact)
    state: dict[str, Any] = {"w": reference.w.detach()}
    if name == "folder":
        (tmp_path / name).mkdir()
        save_file(state, tmp_path / name / "model.safetensors")
    elif name.endswith(".pt"):
        torch.save({"state_dict": state} if "nested" in name else state, tmp_path / name)
    else:
        save_file(state, tmp_path / name)
    torch.save(reference.optimizer.state_dict(), tmp_path / "optimizer.pt")
    trainer.import_torch(tmp_path / name, tmp_path / "optimizer.pt")
    assert torch.equal(trainer.state_dict()["w"], reference.w.detach())
    assert trainer.step(batch(2)).item() == pytest.approx(reference.step(batch(2)))
    momentum = trainer.optimizer_state_dict()["state"][0]["momentum_buffer"]
    assert torch.allclose(momentum, reference.momentum, rtol=1e-5)


def test_plain_torch_takes_over_our_state(tmp_path: Path, artifact: Path) -> None:
    trainer, reference = trainer_of(artifact), trained(3)
    for step in range(2):
        trainer.step(batch(step))
    trainer.export_torch(tmp_path / "w.pt", tmp_path / "o.pt")
    again = Reference()
    with torch.no_grad():
        again.w.copy_(torch.load(tmp_path / "w.pt", weights_only=True)["w"])
    state = torch.load(tmp_path / "o.pt", weights_only=True)
    assert state["param_groups"][0]["param_names"] == ["w"]
    again.optimizer.load_state_dict(
        {"state": state["state"], "param_groups": again.optimizer.state_dict()["param_groups"]}
    )
    assert state["state"][0]["step"] == 2
    again.step(batch(2))
    assert torch.allclose(again.w, reference.w, rtol=1e-5, atol=1e-7)


def test_a_checkpoint_is_exported_without_a_program(tmp_path: Path, artifact: Path) -> None:
    trainer = trainer_of(artifact)
    trainer.step(batch(0))
    saved = trainer.save(tmp_path / "kept")
    plain.export_weights(CheckpointSource(tmp_path / "kept"), tmp_path / "w.safetensors")
    assert torch.equal(load_file(tmp_path / "w.safetensors")["w"], trainer.state_dict()["w"])
    plain.export_optimizer(CheckpointSource(saved), tmp_path / "o.pt", ["w"])
    other = trainer_of(artifact)
    other.import_torch(tmp_path / "w.safetensors", tmp_path / "o.pt")
    assert other.steps == 1
    assert other.step(batch(1)).item() == trainer.step(batch(1)).item()


def test_gloo_ranks_export_together(tmp_path: Path, artifact: Path) -> None:
    def body(rank: int) -> bool:
        trainer = load(artifact).trainer(LR)
        trainer.step(batch(0))
        trainer.export_torch(tmp_path / "hf", tmp_path / "o.pt")
        return True

    assert run_ranks(2, body) == [True, True]
    reference = trained(1)
    assert torch.allclose(load_file(tmp_path / "hf" / "model.safetensors")["w"], reference.w)
    found = torch.load(tmp_path / "o.pt", weights_only=True)["state"][0]["momentum_buffer"]
    assert torch.allclose(found, reference.momentum)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hf", "o.pt"]


def test_what_the_writer_cannot_write_fails_on_all(tmp_path: Path, artifact: Path) -> None:
    (tmp_path / "taken").write_text("")

    def body(rank: int) -> list[str]:
        trainer, said = load(artifact).trainer(LR), []
        for model, optimizer in (("taken/w.safetensors", None), (None, "taken/o.pt")):
            try:
                given = (None if n is None else tmp_path / n for n in (model, optimizer))
                trainer.export_torch(*given)
            except DistcError as error:
                said.append(error.message)
        trainer.step(batch(0))
        return said

    for said in run_ranks(2, body):
        assert len(said) == 2 and all("taken" in s for s in said)


@dataclass
class Described:
    """A tensor of `Many`."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    parameter: str = ""
    slot: str = ""


class Many:
    """Eight tensors of a kilobyte, counted as they are asked for."""

    aliases: Mapping[str, str] = {"tied": "w0"}
    step, writes = 0, True

    def __init__(self) -> None:
        self.tensors = {f"w{i}": Described(f"w{i}", "parameter", "f32", (16, 16)) for i in range(8)}
        self.alive = 0

    def whole(self, name: str) -> Tensor:
        return torch.full((16, 16), float(name[1:]))

    def agree(self, problem: Exception | None) -> None:
        if problem is not None:
            raise problem


def test_a_large_model_becomes_several_files(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    for name in (
        "config.json",
        "tokenizer.json",
        "model.safetensors.index.json",
        "old.safetensors",
    ):
        (config / name).write_text("{}")
    out = tmp_path / "out"
    plain.export_weights(Many(), out, config=config, shard_bytes=3000)
    names = [f"model-0000{i}-of-00004.safetensors" for i in (1, 2, 3, 4)]
    found = sorted(p.name for p in out.iterdir())
    assert found == sorted([*names, "config.json", "tokenizer.json", plain.INDEX_FILE])
    body = json.loads((out / plain.INDEX_FILE).read_text())
    assert body["metadata"]["total_size"] == 8 * 1024
    for name, file in body["weight_map"].items():
        assert torch.equal(load_file(out / file)[name], torch.full((16, 16), float(name[1:])))
    with safe_open(out / names[0], "pt") as opened:
        assert opened.metadata() == {"format": "pt"}


def test_a_pickle_holds_every_name_of_a_tied_weight(tmp_path: Path) -> None:
    plain.export_weights(Many(), tmp_path / "w.pt")
    found = torch.load(tmp_path / "w.pt", weights_only=True)
    assert found["tied"].data_ptr() == found["w0"].data_ptr() and len(found) == 9


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit",))


def test_a_pickle_never_runs_code(tmp_path: Path, artifact: Path) -> None:
    trainer = trainer_of(artifact)
    torch.save({"w": Evil()}, tmp_path / "w.pt")
    for bad in (tmp_path / "w.pt", artifact.parent / "pins.toml"):
        file = tmp_path / "x.pt"
        file.write_bytes(bad.read_bytes())
        with pytest.raises(InputError, match="no state dict of plain tensors"):
            trainer.import_torch(file)
    trainer.step(batch(0))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, "w is not there"),
        ({"model.w": torch.zeros(6, 10)}, "w is not there .the nearest is model.w"),
        ({"w": torch.zeros(10, 6)}, r"w is f32\[10, 6\] in the file, f32\[6, 10\] in the program"),
        ({"w": torch.zeros(6, 10).double()}, r"w is f64\[6, 10\] in the file"),
        ([1], "holds a list"),
    ],
)
def test_another_models_state_is_refused(
    tmp_path: Path, artifact: Path, state: Any, words: str
) -> None:
    trainer = trainer_of(artifact)
    torch.save(state, tmp_path / "w.pt")
    with pytest.raises(InputError, match=words):
        trainer.import_torch(tmp_path / "w.pt")
    assert torch.equal(trainer.state_dict()["w"], weights()["w"])


def test_what_is_no_optimizer(tmp_path: Path, artifact: Path) -> None:
    trainer, state = trainer_of(artifact), trained().optimizer.state_dict()
    for body, words in [
        ({"w": torch.zeros(1)}, "is no optimizer's state dict"),
        (
            {**state, "param_groups": [{"params": [0, 1]}]},
            "numbers 2 parameters, the program trains 1",
        ),
        ({**state, "state": {}}, "w@momentum_buffer is not there"),
    ]:
        torch.save(body, tmp_path / "o.pt")
        with pytest.raises(InputError, match=words):
            trainer.import_torch(optimizer=tmp_path / "o.pt")
    with pytest.raises(MissingFile):
        trainer.import_torch(optimizer=tmp_path / "nothing.pt")
    with pytest.raises(MissingFile):
        trainer.import_torch(tmp_path / "nothing")
    with pytest.raises(UsageError, match="neither a folder nor"):
        trainer.export_torch(tmp_path / "w.onnx")


_MASTER_ARGUMENT = (
    '%h: tensor<6x10xf64> {dist.name = "w@master", dist.kind = "optimizer", '
    'dist.parameter = "w", dist.slot = "master", dist.initial = "parameter"}, '
)
MASTER = (
    STEP.replace("%m: tensor<WxOxf32>", f"{_MASTER_ARGUMENT}%m: tensor<WxOxf32>")
    .replace("%loss, %w1, %m1 : tensor<f32>", "%h, %loss, %w1, %m1 : tensor<6x10xf64>, tensor<f32>")
    .replace("-> (tensor<f32>", '-> (tensor<6x10xf64> {dist.updates = "w@master"}, tensor<f32>', 1)
)


def test_master_weights_follow_their_parameter(tmp_path: Path) -> None:
    trainer = trainer_of(write(tmp_path / "a", 2, "zero1", MASTER))
    owned = [r for r in trainer.program.store.records.values() if r.slot == "master"]
    assert str(owned[0].sharding) == "[R, S(data)]" and owned[0].dtype == "f64"
    held = trainer.program.dtensors(owned)["w@master"]
    assert torch.equal(held, weights()["w"].double())
    torch.save({"w": weights()["w"] + 1}, tmp_path / "w.pt")
    trainer.import_torch(tmp_path / "w.pt")
    assert torch.equal(trainer.program.dtensors(owned)["w@master"], weights()["w"].double() + 1)
    assert isinstance(trainer.step(batch(0)), Tensor)
    with pytest.raises(DistcError):
        trainer.import_torch(optimizer=tmp_path / "w.pt")
