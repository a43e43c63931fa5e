"""`load`: global tensors in, whole tensors out, on gloo ranks and in sim alike."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from ranks import join, run_ranks
from samples import axis, layout, mlp_reference, mlp_weights, write_mlp
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

from distc.runtime import artifact as artifacts
from distc.runtime import executor, sim, state
from distc.runtime.artifact import EntryPoint, Manifest, TensorRecord, Weights
from distc.runtime.collectives import TorchCollectives
from distc.runtime.errors import DistcError, InputError, UsageError
from distc.runtime.layout import AxisSplit
from distc.runtime.load import RankProgram, SimProgram, load
from distc.runtime.program import Call, Program, Ref, ValueType, to_json
from distc.runtime.shards import local_piece

X = torch.arange(32.0).reshape(4, 8) - 16


def expected() -> torch.Tensor:
    return mlp_reference(X, mlp_weights())


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_sim_equals_the_reference(tmp_path: Path, ranks: int) -> None:
    write_mlp(tmp_path, ranks)
    program = load(tmp_path / "out.distc", backend="sim")
    assert isinstance(program, SimProgram)
    assert torch.equal(program(X), expected())
    assert torch.equal(program(x=X), expected())


def test_one_rank_needs_no_launcher(tmp_path: Path) -> None:
    write_mlp(tmp_path, 1)
    program = load(tmp_path / "out.distc")
    assert isinstance(program, RankProgram)
    assert torch.equal(program(X), expected())
    assert torch.equal(program.state_dict()["up.weight"], mlp_weights()["up.weight"])
    assert program.weight_bytes.read == program.weight_bytes.total
    program.close()


def test_several_ranks_need_one(tmp_path: Path) -> None:
    write_mlp(tmp_path, 3)
    with pytest.raises(UsageError) as error:
        load(tmp_path / "out.distc")
    assert error.value.code == "E-WORLD-SIZE"
    assert "3 ranks" in error.value.message and "torchrun" in error.value.help


def test_inputs_are_checked(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    program = load(tmp_path / "out.distc", backend="sim")
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((), {}, "input 'x' is missing"),
        ((X, X), {}, "2 inputs were given, the program takes 1"),
        ((X,), {"x": X}, "'x' is given twice"),
        ((), {"xs": X}, "'xs' is not an input"),
        ((X[:3],), {}, r"f32\[3, 8\], the program takes f32\[4, 8\]"),
        ((X.double(),), {}, r"f64\[4, 8\], the program takes f32\[4, 8\]"),
        (([1.0],), {}, "is a list"),
    ]
    for inputs, named, words in cases:
        with pytest.raises(InputError, match=words):
            program(*inputs, **named)


def test_unknown_options(tmp_path: Path) -> None:
    write_mlp(tmp_path, 1)
    with pytest.raises(UsageError, match="unknown executor 'fast'"):
        load(tmp_path / "out.distc", executor="fast")
    with pytest.raises(UsageError, match="unknown backend 'mpi'"):
        load(tmp_path / "out.distc", backend="mpi")
    with pytest.raises(DistcError, match="no entry point 'decode'"):
        load(tmp_path / "out.distc", entry="decode")


@pytest.mark.parametrize("ranks", [2, 3])
def test_gloo_ranks_equal_the_reference(tmp_path: Path, ranks: int) -> None:
    write_mlp(tmp_path, ranks)

    def body(rank: int) -> dict[str, Any]:
        program = load(tmp_path / "out.distc")
        assert isinstance(program, RankProgram)
        outputs = [program(X) for _ in range(3)]
        mesh = program.session.table.device_mesh("cpu")
        spread = distribute_tensor(X, mesh, [Shard(0)])
        from_dtensor = program(spread)
        held = program.state_dict()
        kinds = {n: (type(t), tuple(t.placements)) for n, t in held.items()}  # type: ignore[attr-defined]
        whole = {n: t.full_tensor() for n, t in held.items()}  # type: ignore[attr-defined]
        boxes = {n: box for n, (_, box) in program.local_state_dict().items()}
        read = program.weight_bytes.read
        program.close()
        assert not dist.is_initialized()
        return {
            "equal": all(torch.equal(o, expected()) for o in (*outputs, from_dtensor)),
            "kinds": kinds, "boxes": boxes, "read": read,
            "whole": all(torch.equal(whole[n], w) for n, w in mlp_weights().items()),
        }  # fmt: skip

    found = run_ranks(ranks, body)
    assert all(f["equal"] and f["whole"] for f in found)
    assert found[0]["kinds"] == {
        "up.weight": (DTensor, (Shard(1),)),
        "down.weight": (DTensor, (Shard(0),)),
        "scale": (DTensor, (Replicate(),)),
    }
    step = 5 if ranks == 2 else 4
    assert found[1]["boxes"]["up.weight"] == ((0, 8), (step, step))
    assert sum(f["read"] for f in found) == 4 * (80 + 60 + ranks)


def test_a_handwritten_program_on_gloo_equals_sim() -> None:
    shape, tall, wide = (ValueType(s, "f32") for s in ((2, 3), (4, 3), (2, 6)))
    groups: Any = [[0, 1]]
    steps: list[tuple[str, int, dict[str, Any], ValueType]] = [
        ("all_reduce", 1, {"kind": "sum", "groups": groups}, shape),
        ("all_gather", 1, {"dim": 0, "groups": groups}, tall),
        ("reduce_scatter", 3, {"dim": 0, "kind": "max", "groups": groups}, shape),
        ("permute", 4, {"pairs": [[0, 1]]}, shape),
        ("all_to_all", 3, {"split_dim": 0, "concat_dim": 1, "groups": groups}, wide),
    ]
    calls = [Call("aten.add.Tensor", (Ref(0), Ref(0)), {}, (1,), (shape,))]
    calls += [
        Call(f"collective.{name}", (Ref(source),), kwargs, (out,), (type_,))
        for out, (name, source, kwargs, type_) in enumerate(steps, start=2)
    ]
    program = Program((shape,), tuple(calls), (2, 3, 4, 5, 6))
    inputs = [torch.arange(6.0).reshape(2, 3) * (r + 1) - 4 for r in range(2)]
    inputs[1][0, 0] = float("nan")

    def body(rank: int) -> list[list[list[float]]]:
        table = join(rank, [("tensor", 2)])
        module = executor.build(program, rank=rank, collectives=TorchCollectives(table))
        with torch.no_grad():
            return [x.tolist() for x in executor.run(module, program, [inputs[rank]])]

    found, wanted = run_ranks(2, body), sim.run(program, [[x] for x in inputs])
    for rank in range(2):
        for got, want in zip(found[rank], wanted[rank], strict=True):
            torch.testing.assert_close(torch.tensor(got), want, rtol=0, atol=0, equal_nan=True)


def test_collectives_are_traced_whole_by_torch_compile(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    opened = artifacts.read(tmp_path / "out.distc")
    program, records = opened.program(), opened.manifest.entry("main").arguments
    whole = {"x": X, **mlp_weights()}

    def body(rank: int) -> list[list[float]]:
        table = join(rank, [("tensor", 2)])
        module = executor.build(program, rank=rank, collectives=TorchCollectives(table))
        compiled = torch.compile(module, backend="aot_eager", fullgraph=True, dynamic=False)
        with torch.no_grad():
            (found,) = compiled(*(local_piece(whole[r.name], r.layout, rank) for r in records))
        return found.tolist()  # type: ignore[no-any-return]

    assert run_ranks(2, body, 120.0) == [expected().tolist()] * 2


def test_ranks_with_different_artifacts_are_refused(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2, name="a.distc", loc="model.py:1:1")
    write_mlp(tmp_path, 2, name="b.distc", loc="model.py:2:2")

    def body(rank: int) -> str:
        try:
            load(tmp_path / ("a.distc" if rank == 0 else "b.distc"), peer_timeout=0)
        except DistcError as error:
            return str(error)
        return "loaded"

    digests = [artifacts.read(tmp_path / n).manifest_sha256 for n in ("a.distc", "b.distc")]
    for text in run_ranks(2, body):
        assert text.startswith("error[E-DESYNC]: ranks disagree on artifact digest")
        assert all(d in text for d in digests)


def identity_artifact(folder: Path, record: TensorRecord, mesh: list[tuple[str, int]]) -> Path:
    """Write a program that returns its input, both laid out as `record` says."""
    entry = EntryPoint("main", (record,), (TensorRecord("y", "output", "f32", record.layout),))
    type_ = ValueType(record.layout.local_shape, "f32")
    manifest = Manifest(tuple((n, s, "device") for n, s in mesh), (entry,), weights=Weights())
    members: dict[str, artifacts.Content] = {"program.json": to_json(Program((type_,), (), (0,)))}
    artifacts.write(folder / "id.distc", members, manifest)
    return folder / "id.distc"


def test_sharded_outputs_are_gathered_at_the_edge(tmp_path: Path) -> None:
    mesh = [("a", 2), ("b", 2)]
    splits = (AxisSplit("b", 2, 1), AxisSplit("a", 2, 2))
    cut = layout((10, 6), {0: splits})
    path = identity_artifact(tmp_path, TensorRecord("x", "input", "f32", cut), mesh)
    whole = torch.arange(60.0).reshape(10, 6)

    def body(rank: int) -> tuple[bool, bool]:
        program = load(path)
        gathered, local = program(whole), program(whole, gather=False)  # type: ignore[call-arg]
        (offset, length), _ = cut.box(rank)
        program.close()
        return torch.equal(gathered, whole), torch.equal(local, whole[offset : offset + length])

    assert run_ranks(4, body) == [(True, True)] * 4


def test_layouts_that_dtensor_cannot_say_go_to_the_nearest() -> None:
    mesh = (AxisSplit("a", 2, 2), AxisSplit("b", 2, 1))
    attention = layout((8, 24), {2: (mesh[1],)}, view=(8, 3, 4, 2))
    assert state.nearest_shards(attention, ["a", "b"]) == [None, 1]
    blocks = layout((18, 4), {0: (mesh[0],)}, block=6)
    assert state.nearest_shards(blocks, ["a", "b"]) == [0, None]
    merged = layout((2, 3, 4), {0: (mesh[0],)}, view=(6, 4))
    assert state.nearest_shards(merged, ["a", "b"]) == [0, None]
    plain = state.plain_layout((10, 6), mesh, [0, 0])
    assert [plain.dims[0].extent(r) for r in range(4)] == [(0, 3), (3, 2), (5, 3), (8, 2)]


def test_state_dicts_of_views_and_blocks(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    from distc.runtime.artifact import StoredAt

    weights = {
        "fused": torch.arange(4.0 * 24).reshape(4, 24),
        "heads": torch.arange(36.0).reshape(18, 2),
    }
    save_file(weights, tmp_path / "w.safetensors")
    records = (
        TensorRecord("fused", "parameter", "f32", layout((4, 24), {2: axis(2)}, view=(4, 3, 4, 2))),
        TensorRecord("heads", "parameter", "f32", layout((18, 2), {0: axis(2)}, block=6)),
    )
    types = tuple(ValueType(r.layout.local_shape, "f32") for r in records)
    entry = EntryPoint("main", records, ())
    manifest = Manifest(
        (("tensor", 2, "device"),), (entry,),
        weights=Weights(stored={n: StoredAt("weights.safetensors", n) for n in weights}),
    )  # fmt: skip
    members: dict[str, artifacts.Content] = {
        "program.json": to_json(Program(types, (), ())),
        "weights.safetensors": tmp_path / "w.safetensors",
    }
    artifacts.write(tmp_path / "out.zip", members, manifest)

    def body(rank: int) -> tuple[bool, list[list[int]]]:
        program = load(tmp_path / "out.zip")
        assert isinstance(program, RankProgram)
        held = program.state_dict()
        same = all(torch.equal(t.full_tensor(), weights[n]) for n, t in held.items())  # type: ignore[attr-defined]
        raw = [list(t.shape) for t, _ in program.local_state_dict().values()]
        program.close()
        return same, raw

    assert run_ranks(2, body) == [
        (True, [[4, 3, 2, 2], [12, 2]]),
        (True, [[4, 3, 2, 2], [6, 2]]),
    ]


def test_loading_and_running_never_unpickles(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)

    def body(rank: int) -> list[str]:
        found: list[str] = []

        def note(event: str, _: tuple[Any, ...]) -> None:
            if event.startswith("pickle."):
                found.append(event)

        sys.addaudithook(note)
        program = load(tmp_path / "out.distc")
        program(X)
        program.close()
        return found

    assert run_ranks(2, body) == [[], []]
