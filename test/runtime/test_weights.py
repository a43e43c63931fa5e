"""Weights: slices only, views, and errors that name what is wrong."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from samples import layout, mlp_weights, write_mlp
from torch import Tensor

from distc.runtime import stored
from distc.runtime.artifact import TensorRecord
from distc.runtime.dtypes import dtype_name
from distc.runtime.errors import DistcError, InputError, MissingFile
from distc.runtime.kernels.dtypes import BOUNDARY
from distc.runtime.layout import AxisSplit
from distc.runtime.weights import WeightStore, read_box, read_local

CPU = torch.device("cpu")
HALVES = (AxisSplit("tensor", 2, 1),)


def store_of(folder: Path, tensors: dict[str, Tensor]) -> dict[str, stored.StoredTensor]:
    save_file(tensors, folder / "w.safetensors")
    return stored.index(folder / "w.safetensors")


def test_each_rank_reads_its_slices(tmp_path: Path) -> None:
    for name in ("out.distc", "out.zip"):
        artifact = write_mlp(tmp_path, 3, name=name)
        store, records = WeightStore(artifact), artifact.manifest.entry("main").weights
        read = [read_local(store, records, r, CPU) for r in range(3)]
        up = mlp_weights()["up.weight"]
        assert torch.equal(read[0].tensors[0], up[:, :4])
        assert torch.equal(read[2].tensors[0][:, :2], up[:, 8:])
        assert read[2].tensors[0][:, 2:].abs().sum() == 0
        assert [r.bytes_read for r in read] == [
            4 * (4 * 14) + 4,
            4 * (4 * 14) + 4,
            4 * (2 * 14) + 4,
        ]
        assert read[0].bytes_total == 4 * (80 + 60 + 1)


@pytest.mark.parametrize("name", [d for d in BOUNDARY if d != "c128"])
def test_every_dtype_is_read_bit_for_bit(tmp_path: Path, name: str) -> None:
    raw = torch.arange(2 * 6 * BOUNDARY[name].itemsize, dtype=torch.uint8)
    raw = raw % 2 if name == "i1" else raw
    values = raw.view(BOUNDARY[name]).view(2, 6)
    # A one-byte tensor in front leaves the next one unaligned in files that do not sort.
    found = store_of(tmp_path, {"w": values, "a": torch.zeros(1, dtype=torch.uint8)})
    record = TensorRecord("w", "parameter", name, layout((2, 6), {1: HALVES}))
    piece = read_box(found["w"], record, 1)
    assert dtype_name(piece.dtype) == name
    assert torch.equal(piece.view(torch.uint8), values[:, 3:].contiguous().view(torch.uint8))


def test_an_unaligned_tensor_is_read(tmp_path: Path) -> None:
    header = {
        "a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "w": {"dtype": "F32", "shape": [4], "data_offsets": [1, 17]},
    }
    text = json.dumps(header).encode()
    values = struct.pack("<4f", 1.0, 2.0, 3.0, 4.0)
    (tmp_path / "w.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"\0" + values)
    found = stored.index(tmp_path / "w.safetensors")
    record = TensorRecord("w", "parameter", "f32", layout((4,), {0: HALVES}))
    assert read_box(found["w"], record, 1).tolist() == [3.0, 4.0]


def test_a_view_reads_the_bytes_of_its_box(tmp_path: Path) -> None:
    fused = torch.arange(4.0 * 24).reshape(4, 24)
    found = store_of(tmp_path, {"c_attn.weight": fused})
    cut = layout((4, 24), {2: HALVES}, view=(4, 3, 4, 2))
    record = TensorRecord("c_attn.weight", "parameter", "f32", cut)
    piece = read_box(found["c_attn.weight"], record, 1)
    assert torch.equal(piece, fused.view(4, 3, 4, 2)[:, :, 2:])


def test_empty_pieces_are_zeros(tmp_path: Path) -> None:
    found = store_of(tmp_path, {"w": torch.ones(1, 3)})
    record = TensorRecord("w", "parameter", "f32", layout((1, 3), {0: HALVES}))
    assert read_box(found["w"], record, 1).tolist() == [[0.0, 0.0, 0.0]]


def test_given_weights_win_and_tied_names_count(tmp_path: Path) -> None:
    artifact = write_mlp(tmp_path, 2)
    other = {n: w + 1 for n, w in mlp_weights().items()}
    other["tied.weight"] = other.pop("down.weight")
    save_file(other, tmp_path / "other.safetensors")
    store = WeightStore(artifact, tmp_path / "other.safetensors")
    read = read_local(store, artifact.manifest.entry("main").weights, 0, CPU)
    assert torch.equal(read.tensors[1], mlp_weights()["down.weight"][:5] + 1)
    assert read.tensors[2].item() == 3.0


def broken(folder: Path, change: Any) -> InputError:
    """Return the error of reading weights after a change of the given file."""
    artifact = write_mlp(folder, 2)
    tensors = mlp_weights()
    change(tensors)
    save_file(tensors, folder / "other.safetensors")
    store = WeightStore(artifact, folder / "other.safetensors")
    store.artifact.manifest.weights.stored.clear()  # type: ignore[attr-defined]
    with pytest.raises(InputError) as raised:
        read_local(store, artifact.manifest.entry("main").weights, 0, CPU)
    assert raised.value.where and "other.safetensors" in raised.value.where
    return raised.value


def test_a_missing_weight_is_named_with_the_nearest(tmp_path: Path) -> None:
    def rename(tensors: dict[str, Tensor]) -> None:
        tensors["model.up.weight"] = tensors.pop("up.weight")

    error = broken(tmp_path, rename)
    assert error.code == "E-WEIGHT-MISSING" and "'up.weight'" in error.message
    assert "'model.up.weight'" in error.help


def test_a_wrong_shape_or_dtype_has_both_values(tmp_path: Path) -> None:
    error = broken(tmp_path, lambda t: t.update({"up.weight": torch.zeros(8, 11)}))
    assert error.code == "E-WEIGHT-SHAPE"
    assert "[8, 11]" in error.message and "[8, 10]" in error.message
    error = broken(tmp_path, lambda t: t.update({"up.weight": torch.zeros(8, 10).half()}))
    assert error.code == "E-WEIGHT-DTYPE" and "f16" in error.message and "f32" in error.message


def test_an_external_file_must_be_the_one_compiled_with(tmp_path: Path) -> None:
    artifact = write_mlp(tmp_path, 2)
    record = artifact.manifest.entry("main").weights[0]
    save_file({"up.weight": torch.zeros(8, 10)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match="the artifact was compiled with"):
        WeightStore(artifact).find(record)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(MissingFile):
        WeightStore(artifact).find(record)


def test_hugging_face_folders(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "one.safetensors")
    save_file({"b": torch.ones(3)}, tmp_path / "two.safetensors")
    index = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    (tmp_path / stored.INDEX_FILE).write_text(json.dumps(index))
    found = stored.index(tmp_path)
    assert {n: (t.file.name, t.shape) for n, t in found.items()} == {
        "a": ("one.safetensors", (2,)),
        "b": ("two.safetensors", (3,)),
    }
    for changed, words in [
        ({"weight_map": {"a": "../one.safetensors"}}, "outside its folder"),
        ({"weight_map": {"z": "one.safetensors"}}, "does not hold 'z'"),
        ({"weights": {}}, "no weight_map"),
    ]:
        (tmp_path / stored.INDEX_FILE).write_text(json.dumps(changed))
        with pytest.raises(InputError, match=words):
            stored.index(tmp_path)


def crafted(folder: Path, header: object, data: bytes, *, length: int | None = None) -> Path:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = folder / "bad.safetensors"
    path.write_bytes(struct.pack("<Q", len(raw) if length is None else length) + raw + data)
    return path


def entry(shape: list[int], begin: int, end: int, dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.mark.parametrize(
    ("header", "data", "length", "words"),
    [
        ({"a": entry([2], 0, 8)}, bytes(8), 1 << 40, "a header of"),
        ({"a": entry([2], 0, 8)}, bytes(4), None, "tensors end at"),
        ({"a": entry([2], 0, 8)}, bytes(9), None, "tensors end at"),
        ({"a": entry([2], 4, 12)}, bytes(12), None, "expected"),
        ({"a": entry([2], 0, 8), "b": entry([2], 4, 12)}, bytes(12), None, "starts at"),
        ({"a": entry([3], 0, 8)}, bytes(8), None, "has 8 bytes"),
        ({"a": entry([-2], 8, 0)}, bytes(8), None, "of shape"),
        ({"a": entry([1 << 40, 1 << 40], 0, 8)}, bytes(8), None, "of shape"),
        ({"a": entry([2], 0, 8, "F4")}, bytes(8), None, "unknown dtype"),
        ({"a": {"dtype": "F32"}}, b"", None, "shape"),
        ([], b"", None, "expected an object"),
        (b'{"a": 1, "a": 1}', b"", None, "appears twice"),
        (b"\xff\xfe", b"", None, "decode"),
        (b"[" * 5000, b"", None, "not plain JSON"),
    ],
)
def test_malformed_safetensors_are_refused(
    tmp_path: Path, header: object, data: bytes, length: int | None, words: str
) -> None:
    path = crafted(tmp_path, header, data, length=length)
    with pytest.raises(InputError) as refused:
        stored.read_header(path)
    assert words in refused.value.message and refused.value.code == "E-WEIGHTS-FILE"


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        stored.index(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no safetensors"):
        stored.index(tmp_path)
    with pytest.raises(DistcError, match="not a plain file"):
        stored.read_header(Path("/dev/null"))
    (tmp_path / "short.safetensors").write_bytes(b"abc")
    with pytest.raises(InputError, match="a header of"):
        stored.index(tmp_path / "short.safetensors")


def test_closest_names() -> None:
    names = ["model.layers.0.up.weight", "model.norm.weight", "lm_head.weight"]
    assert stored.closest("layers.0.up.weight", names) == "model.layers.0.up.weight"
    assert stored.closest("model.norm.weights", names) == "model.norm.weight"
    assert stored.closest("zzz", names) is None
