"""Checkpoints: other plans read them by slices, damage is named, a crash leaves a whole one."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ranks import run_ranks
from safetensors.torch import load_file
from stateful import ACCUMULATE, LR, STEP, Reference, batch, write

from distc.runtime import shards
from distc.runtime.artifact import EntryPoint, Manifest, TensorRecord
from distc.runtime.checkpoint import folder, regions
from distc.runtime.checkpoint import index as index_file
from distc.runtime.checkpoint.load import Checkpoint
from distc.runtime.checkpoint.load import load as load_checkpoint
from distc.runtime.checkpoint.owners import owners
from distc.runtime.checkpoint.save import save as save_checkpoint
from distc.runtime.dtypes import torch_dtype
from distc.runtime.errors import DistcError, InputError, MissingFile, UsageError
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout
from distc.runtime.load import load
from distc.runtime.program import DTYPES
from distc.runtime.store import StateStore
from distc.runtime.trainer import Trainer
from distc.runtime.weights import LocalWeights

PLANS = [("zero1", 2), ("zero3", 3), ("view", 2), ("replicated", 1)]


def trainer_of(path: Path) -> Trainer:
    return load(path, backend="sim").trainer(LR)


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """One artifact for each plan."""
    root = tmp_path_factory.mktemp("plans")
    return {(p, n): write(root / f"{p}{n}", n, p) for p, n in PLANS}


# Boxes of different views


@st.composite
def boxes(draw: st.DrawFn) -> tuple[Any, ...]:
    """Two views of one number of elements, and a box of each."""
    shape = draw(st.lists(st.integers(1, 6), min_size=0, max_size=3))
    views = []
    for _ in range(2):
        view: list[int] = []
        for size in shape:
            factor = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
            view += draw(st.sampled_from([[size], [factor, size // factor], [1, size]]))
        if draw(st.booleans()) and len(view) > 1:
            view = [view[0] * view[1], *view[2:]]
        box = []
        for size in view:
            offset = draw(st.integers(0, size))
            box.append((offset, draw(st.integers(0, size - offset))))
        views.append((view, tuple(box)))
    return tuple(views)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(boxes())
def test_the_common_part_of_boxes_in_two_views(case: tuple[Any, ...]) -> None:
    (view, box), (other, target) = case
    numbers = np.arange(prod(view))

    def cut(shape: list[int], which: Any) -> Any:
        return numbers.reshape(shape)[tuple(slice(o, o + n) for o, n in which)]

    source, wanted = cut(view, box), cut(other, target)
    part = regions.overlap(view, box, other, target)
    assert part.elements == len(np.intersect1d(source, wanted))
    if part.elements:
        into = np.full(wanted.shape, -1).reshape(part.shape_of_target)
        for there, here in part.blocks():
            into[here] = source.reshape(part.shape_of_source)[there]
        found = into.reshape(wanted.shape)
        assert np.array_equal(found, np.where(np.isin(wanted, source), wanted, -1))


# Other plans


@pytest.mark.parametrize("target", PLANS)
@pytest.mark.parametrize("source", PLANS)
def test_any_plan_loads_what_any_plan_saved(
    tmp_path: Path,
    artifacts: dict[tuple[str, int], Path],
    source: tuple[str, int],
    target: tuple[str, int],
) -> None:
    first, reference = trainer_of(artifacts[source]), Reference()
    for step in range(2):
        first.step(batch(step))
        reference.step(batch(step))
    first.position = {"sample": 16}
    saved = first.save(tmp_path)
    second = trainer_of(artifacts[target])
    loaded = load_checkpoint(second.program, tmp_path)
    assert loaded.path == saved and loaded.index.step == 2
    records = second.program.store.records.values()
    for rank, bytes_ in loaded.bytes_read.items():
        assert bytes_ == sum(r.layout.bytes_held(rank, 4) for r in records)
    mine = list(first.program.store.records.values())
    for name, whole in first.program.dtensors(mine).items():
        again = second.program.dtensors([second.program.store.records[name]])[name]
        assert torch.equal(again, whole), name
    second.load(tmp_path)
    assert (second.steps, second.position) == (2, {"sample": 16})
    assert second.step(batch(2)).item() == pytest.approx(reference.step(batch(2)))
    assert torch.allclose(second.state_dict()["w"], reference.w.detach(), rtol=1e-5, atol=1e-6)


def test_gloo_ranks_save_and_another_plan_loads(
    tmp_path: Path, artifacts: dict[tuple[str, int], Path]
) -> None:
    def body(rank: int) -> dict[str, Any]:
        trainer = load(artifacts["zero3", 3]).trainer(LR)
        trainer.step(batch(0))
        path = trainer.save(tmp_path, keep=1)
        trainer.step(batch(1))
        path = trainer.save(tmp_path, keep=1)
        held = sum(r.layout.bytes_held(rank, 4) for r in trainer.program.store.records.values())
        loaded = load_checkpoint(trainer.program, path)
        return {"path": str(path), "read": loaded.bytes_read[rank], "held": held}

    found = run_ranks(3, body)
    assert {f["path"] for f in found} == {str(tmp_path / "step-00000002")}
    assert all(f["read"] == f["held"] < 480 for f in found)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["latest", "step-00000002"]
    reference, trainer = Reference(), trainer_of(artifacts["view", 2])
    for step in range(2):
        reference.step(batch(step))
    trainer.load(tmp_path)
    assert trainer.step(batch(2)).item() == pytest.approx(reference.step(batch(2)))


def test_what_fails_on_one_rank_fails_on_all_and_nothing_hangs(tmp_path: Path) -> None:
    path = write(tmp_path / "a", 2, "partial", ACCUMULATE)
    root = tmp_path / "kept"

    def full(*args: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device", "rank-00001.safetensors")

    def attempt(what: Callable[[], Any]) -> str:
        try:
            what()
        except DistcError as error:
            return f"{error.code} {error.message}"
        return "fine"

    def body(rank: int) -> list[str]:
        trainer = load(path).trainer(LR)
        data = batch(0)
        trainer.program.entry("accumulate")(data["x"], data["t"])
        said = []
        with pytest.MonkeyPatch.context() as patch:
            if rank == 1:
                patch.setattr("distc.runtime.checkpoint.stream.SafetensorsWriter.add", full)
            said.append(attempt(lambda: trainer.save(root)))
        elsewhere = root if rank == 0 else tmp_path / "elsewhere"
        said.append(attempt(lambda: trainer.save(elsewhere)))
        said.append(attempt(lambda: trainer.save(root)))
        if rank == 0:
            file = root / "step-00000000" / "rank-00001.safetensors"
            content = bytearray(file.read_bytes())
            content[-1] ^= 1
            file.write_bytes(content)
        trainer.program.exchange({rank: ""})
        said.append(attempt(lambda: trainer.load(root)))
        trainer.program.entry("update")(torch.tensor(LR))
        said.append(attempt(lambda: trainer.step(batch(1, 2))))
        return said

    found = run_ranks(2, body)
    for rank in (0, 1):
        assert "No space left on device" in found[rank][0]
        assert found[rank][1].startswith("E-CHECKPOINT") and "not the same folder" in found[rank][1]
        assert found[rank][2] == "fine"
        assert found[rank][3].startswith("E-CHECKPOINT") and "sha256" in found[rank][3]
        assert found[rank][4] == "fine"
    assert found[0][0].startswith("E-FILE rank 1: ")
    assert sorted(p.name for p in root.iterdir()) == ["latest", "step-00000000"]


def test_a_partial_state_is_added_up(tmp_path: Path) -> None:
    path = write(tmp_path / "a", 2, "partial", ACCUMULATE)
    first = trainer_of(path)
    data = batch(0)
    first.program.entry("accumulate")(data["x"], data["t"])
    held = [first.program.store.tensors[r]["w@grad"].clone() for r in (0, 1)]
    assert not torch.equal(held[0], held[1])
    first.save(tmp_path / "kept")
    second = trainer_of(path)
    second.load(tmp_path / "kept")
    again = [second.program.store.tensors[r]["w@grad"] for r in (0, 1)]
    assert torch.equal(again[0], held[0] + held[1])
    assert torch.equal(again[1], torch.zeros_like(again[1]))


def test_accumulators_may_be_missing_weights_may_not(
    tmp_path: Path, artifacts: dict[tuple[str, int], Path]
) -> None:
    trainer_of(artifacts["zero1", 2]).save(tmp_path)
    trainer = trainer_of(write(tmp_path / "k", 2, "partial", ACCUMULATE))
    trainer.load(tmp_path)
    plain = write(tmp_path / "plain", 1, "replicated", STEP.replace("w@momentum_buffer", "w@m"))
    with pytest.raises(InputError, match="w@m is not in the checkpoint") as error:
        trainer_of(plain).load(tmp_path)
    assert error.value.code == "E-CHECKPOINT-TENSOR"
    assert error.value.where == str(tmp_path / "step-00000000")


def test_other_shapes_and_dtypes_are_refused(
    tmp_path: Path, artifacts: dict[tuple[str, int], Path]
) -> None:
    trainer = trainer_of(artifacts["zero1", 2])
    saved = trainer.save(tmp_path)
    before = trainer.state_dict()["w"].clone()
    text = (saved / "index.json").read_text()
    for field, value, words in [
        ("dtype", "i32", r"w is i32\[6, 10\] in the checkpoint, f32\[6, 10\] in the program"),
        ("shape", [10, 6], r"w is f32\[10, 6\] in the checkpoint"),
    ]:
        body = json.loads(text)
        body["tensors"]["w"][field] = value
        body.pop("sha256")
        body["sha256"] = index_file._digest(body)
        (saved / "index.json").write_text(json.dumps(body))
        with pytest.raises(InputError, match=words):
            trainer.load(tmp_path)
    assert torch.equal(trainer.state_dict()["w"], before)
    trainer.step(batch(0))


def test_each_box_is_written_once_and_evenly(artifacts: dict[tuple[str, int], Path]) -> None:
    manifest = load(artifacts["zero1", 2], backend="sim").artifact.manifest
    shares = owners(manifest.state.values(), 2)
    assert {n: len(s) for n, s in shares.items()} == {"w": 1, "w@momentum_buffer": 2}
    many = [r for r in manifest.state.values() if r.name == "w"] * 4
    copies = [replace(r, name=f"w{i}") for i, r in enumerate(many)]
    writers = [rank for share in owners(copies, 2).values() for rank in share]
    assert sorted(writers) == [0, 0, 1, 1]


# Damage


@pytest.fixture
def saved(tmp_path: Path, artifacts: dict[tuple[str, int], Path]) -> tuple[Trainer, Path]:
    trainer = trainer_of(artifacts["zero1", 2])
    trainer.step(batch(0))
    return trainer, trainer.save(tmp_path / "kept")


def test_every_flipped_bit_is_seen(saved: tuple[Trainer, Path]) -> None:
    trainer, path = saved
    before, draw = trainer.state_dict()["w"].clone(), random.Random(7)
    for file in sorted(path.iterdir()):
        content = file.read_bytes()
        for _ in range(40):
            position, bit = draw.randrange(len(content)), 1 << draw.randrange(8)
            flipped = bytearray(content)
            flipped[position] ^= bit
            file.write_bytes(flipped)
            with pytest.raises(DistcError) as error:
                trainer.load(path)
            assert error.value.code == "E-CHECKPOINT", error.value
            assert str(path) in str(error.value.where)
        file.write_bytes(content)
    trainer.load(path)
    assert torch.equal(trainer.state_dict()["w"], before)


def damage_truncate(path: Path) -> None:
    file = path / "rank-00001.safetensors"
    file.write_bytes(file.read_bytes()[:-4])


def damage_remove(path: Path) -> None:
    (path / "rank-00001.safetensors").unlink()


def damage_key(path: Path) -> None:
    file = path / "rank-00001.safetensors"
    file.write_bytes(file.read_bytes().replace(b'"w@momentum', b'"v@momentum'))


def damage_index(path: Path) -> None:
    (path / "index.json").write_text("{}")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damage_truncate, r"rank-00001.safetensors has \d+ bytes, not \d+"),
        (damage_remove, "rank-00001.safetensors is not there"),
        (damage_key, "does not hold w@momentum_buffer as f32"),
        (damage_index, "schema None, this version reads 1"),
    ],
)
def test_damage_is_named(
    saved: tuple[Trainer, Path], damage: Callable[[Path], None], words: str
) -> None:
    trainer, path = saved
    damage(path)
    with pytest.raises(InputError, match=words) as error:
        trainer.load(path)
    assert error.value.code == "E-CHECKPOINT" and "older checkpoint" in error.value.help
    trainer.step(batch(1))  # the state was not touched


def test_what_is_no_checkpoint(tmp_path: Path, artifacts: dict[tuple[str, int], Path]) -> None:
    trainer = trainer_of(artifacts["zero1", 2])
    with pytest.raises(MissingFile, match="no complete checkpoint"):
        trainer.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is not a folder"):
        trainer.save(tmp_path / "file")
    with pytest.raises(UsageError, match="0 checkpoints are to be kept"):
        trainer.save(tmp_path, keep=0)


# Crashes


class Crash(BaseException):
    """The power goes."""


def crash_points(trainer: Trainer, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Save again and again, each time cut short one file operation later."""
    for limit in range(1000):
        count = 0

        def gate(real: Callable[..., Any], *, limit: int = limit) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal count
                count += 1
                if count > limit:
                    raise Crash
                return real(*args, **kwargs)

            return call

        with monkeypatch.context() as patch:
            for name in ("fsync", "rename", "replace", "unlink", "rmdir", "mkdir"):
                patch.setattr(os, name, gate(getattr(os, name)))
            try:
                trainer.save(root, keep=2)
            except Crash:
                yield limit
                continue
        return


def test_a_save_that_is_cut_short_leaves_a_whole_checkpoint(
    tmp_path: Path, artifacts: dict[tuple[str, int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, other = trainer_of(artifacts["zero1", 2]), trainer_of(artifacts["zero3", 3])
    root = tmp_path / "kept"
    kept: dict[int, torch.Tensor] = {}
    for step in range(3):
        kept[trainer.steps] = trainer.state_dict()["w"].clone()
        trainer.save(root, keep=2)
        trainer.step(batch(step))
    kept[3] = trainer.state_dict()["w"].clone()
    crashes = 0
    for _ in crash_points(trainer, root, monkeypatch):
        crashes += 1
        other.load(root)
        assert torch.equal(other.state_dict()["w"], kept[other.steps]) and other.steps in (2, 3)
    assert crashes > 10
    other.load(root)
    assert other.steps == 3
    names = sorted(p.name for p in root.iterdir())
    assert names[0] == "latest" and len(names) == 3 and not any(".saving" in n for n in names)


def test_a_full_disk_is_an_error_and_the_old_checkpoint_stays(
    saved: tuple[Trainer, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, path = saved
    trainer.step(batch(1))

    def full(*args: Any) -> str:
        raise OSError(errno.ENOSPC, "No space left on device", "rank-00000.safetensors")

    monkeypatch.setattr("distc.runtime.checkpoint.stream.SafetensorsWriter.add", full)
    with pytest.raises(UsageError, match="No space left on device"):
        trainer.save(path.parent)
    assert sorted(p.name for p in path.parent.iterdir()) == ["latest", path.name]
    assert folder.resolve(path.parent) == path


def test_the_pointer_may_be_lost(saved: tuple[Trainer, Path]) -> None:
    trainer, path = saved
    for text in ("step-00000009\n", "../kept\n", ""):
        (path.parent / "latest").write_text(text)
        assert folder.resolve(path.parent) == path
    trainer.step(batch(1))
    newer = trainer.save(path.parent)
    shutil.rmtree(newer)
    assert folder.resolve(path.parent) == path


def test_a_step_that_is_taken_again_gets_another_folder(saved: tuple[Trainer, Path]) -> None:
    trainer, path = saved
    again = trainer.save(path.parent)
    assert (path.name, again.name) == ("step-00000001", "step-00000001.1")
    assert Checkpoint.open(path.parent).path == again


# Any layout, any element type


class Plain:
    """State of some ranks in this process, without a program."""

    def __init__(self, records: dict[str, TensorRecord], ranks: int, whole: dict[str, Any]) -> None:
        arguments = tuple(records.values())
        manifest = Manifest((("x", ranks, "device"),), (EntryPoint("main", arguments, ()),))
        self.artifact: Any = SimpleNamespace(manifest=manifest, manifest_sha256="0" * 64)
        values = {
            rank: LocalWeights(
                tuple(shards.local_piece(whole[n], r.layout, rank) for n, r in records.items()),
                0,
                0,
            )
            for rank in range(ranks)
        }
        self.store = StateStore(records, values)

    def finished(self, record: TensorRecord) -> dict[int, torch.Tensor]:
        return {rank: held[record.name] for rank, held in self.store.tensors.items()}

    def exchange(self, texts: Any) -> list[str]:
        return [texts[rank] for rank in self.store.ranks]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[int, list[tuple[TensorLayout, TensorLayout]]]:
    """Two layouts each, over other views, blocks and numbers of ranks, of some tensors."""
    counts = (
        draw(st.sampled_from([(1, 2, 3), (2, 2), (3, 2), (4,), (6,)])),
        draw(st.sampled_from([(2,), (3,), (2, 3), (5,)])),
    )
    pairs = []
    for _ in range(draw(st.integers(1, 3))):
        shape = tuple(draw(st.lists(st.integers(0, 7), min_size=0, max_size=3)))
        pairs.append(tuple(draw(one_layout(shape, sizes)) for sizes in counts))
    return tuple(prod(c) for c in counts), pairs  # type: ignore[return-value]


@st.composite
def one_layout(draw: st.DrawFn, shape: tuple[int, ...], sizes: tuple[int, ...]) -> TensorLayout:
    view: list[int] = []
    for size in shape:
        factor = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0] or [1]))
        view += draw(st.sampled_from([[size], [factor, size // factor], [size, 1]]))
    stride, splits = prod(sizes), []
    for index, size in enumerate(sizes):
        stride //= size
        splits.append(AxisSplit(f"a{index}", size, stride))
    cuts: dict[int, list[AxisSplit]] = {}
    for split in draw(st.permutations(splits)):
        dim = draw(st.sampled_from([None, *range(len(view))]))
        if dim is not None:
            cuts.setdefault(dim, []).append(split)
    dims = []
    for index, size in enumerate(view):
        blocks = [d for d in range(1, size + 1) if size % d == 0] or [1]
        block = draw(st.sampled_from(blocks)) if index in cuts else 1
        dims.append(DimLayout(size, tuple(cuts.get(index, ())), block))
    return TensorLayout(shape, tuple(dims))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(case=layouts())
def test_any_layout_loads_what_any_layout_saved(
    tmp_path_factory: pytest.TempPathFactory, case: Any
) -> None:
    (ranks, others), pairs = case
    root = tmp_path_factory.mktemp("any")
    whole = {
        f"t{i}": torch.arange(prod(a.shape), dtype=torch.int32).reshape(a.shape) + 1
        for i, (a, _) in enumerate(pairs)
    }
    first, second = (
        {
            f"t{i}": TensorRecord(f"t{i}", "buffer", "i32", pair[side])
            for i, pair in enumerate(pairs)
        }
        for side in (0, 1)
    )
    save_checkpoint(Plain(first, ranks, whole), root)
    empty = {n: torch.zeros_like(x) for n, x in whole.items()}
    target = Plain(second, others, empty)
    loaded = load_checkpoint(target, root)
    for name, record in second.items():
        held = target.finished(record)
        assert torch.equal(shards.assemble(held, record.layout), whole[name]), name
        for rank, local in held.items():
            wanted = shards.local_piece(whole[name], record.layout, rank)
            assert torch.equal(local, wanted), (name, rank)
    for rank, bytes_ in loaded.bytes_read.items():
        assert bytes_ == sum(r.layout.bytes_held(rank, 4) for r in second.values())


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "c128"])
def test_every_element_type_survives(tmp_path: Path, dtype: str) -> None:
    kind = torch_dtype(dtype)
    bytes_ = torch.arange(1, 1 + 6 * kind.itemsize, dtype=torch.uint8)
    value = bytes_.view(kind) if dtype != "i1" else torch.tensor([True, False] * 3)
    layout = TensorLayout((6,), (DimLayout(6, (AxisSplit("x", 2, 1),)),))
    records = {"t": TensorRecord("t", "buffer", dtype, layout)}
    path = save_checkpoint(Plain(records, 2, {"t": value}), tmp_path)
    target = Plain(records, 2, {"t": torch.zeros(6, dtype=kind)})
    load_checkpoint(target, path)
    for rank in (0, 1):
        held = target.store.tensors[rank]["t"]
        assert torch.equal(held.view(torch.uint8), value[3 * rank :][:3].view(torch.uint8))
    if dtype not in ("ui16", "ui32", "ui64"):
        parts = [load_file(path / f"rank-0000{r}.safetensors")["t"] for r in (0, 1)]
        assert [p.dtype for p in parts] == [kind, kind]


def test_what_safetensors_cannot_hold_is_named(tmp_path: Path) -> None:
    layout = TensorLayout((2,), (DimLayout(2),))
    records = {"t": TensorRecord("t", "buffer", "c128", layout)}
    held = Plain(records, 1, {"t": torch.zeros(2, dtype=torch.complex128)})
    with pytest.raises(InputError, match="'t' is c128, which safetensors files cannot hold"):
        save_checkpoint(held, tmp_path)
    assert list(tmp_path.iterdir()) == []
