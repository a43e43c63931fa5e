"""Data sets: text, token ids, rows; the same sample at the same position, always."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from samples import layout

from distc.runtime.artifact import TensorRecord
from distc.runtime.data import Data, Order, Rows, Tokens, open_data
from distc.runtime.errors import InputError, MissingFile


def record(name: str, dtype: str = "i64", shape: tuple[int, ...] = (2, 4), **more: Any) -> Any:
    return TensorRecord(name, "input", dtype, layout(shape), **more)


IDS, LABELS, NEXT = record("input_ids", bound=(0, 256)), record("labels"), record("targets", "i32")


def test_text_is_bytes_without_a_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello, wörld, again")
    data = open_data(tmp_path / "a.txt", (IDS, LABELS, NEXT), None)
    raw = list("hello, wörld, again".encode())
    assert (data.samples, data.unit, data.per_sample) == (4, "tokens", 4)
    found = data.batch([1, 0])
    assert found["input_ids"].tolist() == [raw[4:8], raw[:4]]
    assert torch.equal(found["labels"], found["input_ids"])
    assert found["targets"].tolist() == [raw[5:9], raw[1:5]]
    assert found["targets"].dtype is torch.int32


def test_masks_and_positions_are_made(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello, world")
    data = open_data(
        tmp_path / "a.txt", (IDS, record("attention_mask"), record("position_ids")), None
    )
    found = data.batch([0, 1])
    assert found["attention_mask"].tolist() == [[1] * 4] * 2
    assert found["position_ids"].tolist() == [[0, 1, 2, 3]] * 2


def test_a_folder_is_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("bbbbb")
    (tmp_path / "a.txt").write_text("aaaa")
    assert open_data(tmp_path, (IDS,), None).batch([0, 1])["input_ids"].tolist() == [
        [97] * 4, [98] * 4
    ]  # fmt: skip


def test_a_tokenizer_of_a_model_folder(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    words = tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?")
    made = tokenizers.Tokenizer(words)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "a.txt").write_text("a b b c a b a a b")
    data = open_data(tmp_path / "a.txt", (IDS,), tmp_path)
    assert data.batch([0, 1])["input_ids"].tolist() == [[0, 1, 1, 2], [0, 1, 0, 0]]
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="is no tokenizer"):
        open_data(tmp_path / "a.txt", (IDS,), tmp_path)
    with pytest.raises(MissingFile, match="there is no tokenizer"):
        open_data(tmp_path / "a.txt", (IDS,), tmp_path / "nowhere")


@pytest.mark.parametrize("kind", ["npy", "safetensors"])
def test_token_ids_of_a_file(tmp_path: Path, kind: str) -> None:
    path, ids = tmp_path / f"ids.{kind}", np.arange(17, dtype=np.int32)
    if kind == "npy":
        np.save(path, ids)
    else:
        save_file({"tokens": torch.from_numpy(ids)}, path)
    data = open_data(path, (IDS,), None)
    assert isinstance(data, Tokens) and data.samples == 4
    assert data.batch([3])["input_ids"].tolist() == [[12, 13, 14, 15]]


def test_rows_by_name(tmp_path: Path) -> None:
    rows = {"x": torch.randn(5, 3), "t": torch.arange(5)}
    save_file(rows, tmp_path / "d.safetensors")
    inputs = (record("x", "f32", (2, 3)), record("t", "i64", (2,)))
    data = open_data(tmp_path / "d.safetensors", inputs, None)
    assert isinstance(data, Rows) and (data.samples, data.unit) == (5, "samples")
    found = data.batch([4, 0])
    assert torch.equal(found["x"], rows["x"][[4, 0]]) and found["t"].tolist() == [4, 0]


def test_order_is_the_same_in_every_run() -> None:
    plain = Order(5, None)
    assert plain.numbers(3, 4) == [3, 4, 0, 1]
    first, again = Order(5, 7), Order(5, 7)
    one = first.numbers(0, 10)
    assert sorted(one[:5]) == sorted(one[5:]) == list(range(5)) and one[:5] != one[5:]
    assert again.numbers(4, 3) == one[4:7] and Order(5, 8).numbers(0, 10) != one


TEXT = "twelve bytes"


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ((record("x", "f32"),), r"input 'x' is f32\[2, 4\], text gives tokens"),
        ((record("x", "i64", (2,)),), r"input 'x' is i64\[2\], text gives tokens"),
        ((record("x", shape=(2, 12)),), "12 tokens make no sample of .12. tokens"),
        ((IDS, record("y", shape=(2, 3))), "make no sample"),
        ((record("x", bound=(0, 100)),), "holds the token 121, the model knows 100"),
    ],
)
def test_text_that_does_not_fit(tmp_path: Path, inputs: Any, words: str) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(InputError, match=words):
        open_data(tmp_path / "a.txt", inputs, None)


def bad_rows(path: Path, **tensors: torch.Tensor) -> Data:
    save_file(tensors, path)
    return open_data(path, (record("x", "f32", (2, 3)), record("t", "i64", (2,))), None)


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "d.safetensors"
    x, t = torch.zeros(5, 3), torch.arange(5)
    with pytest.raises(InputError, match=r"rows of 'x' are f64\[3\] in the file"):
        bad_rows(path, x=x.double(), t=t)
    with pytest.raises(InputError, match="other numbers of rows"):
        bad_rows(path, x=x, t=t[:2].clone())
    with pytest.raises(InputError, match="holds a, b; the program takes x, t"):
        bad_rows(path, a=x, b=t)
    with pytest.raises(MissingFile, match="there is no data"):
        open_data(tmp_path / "nothing", (IDS,), None)
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY nonsense")
    with pytest.raises(InputError, match="is not an array of numbers"):
        open_data(tmp_path / "bad.npy", (IDS,), None)
    np.save(tmp_path / "float.npy", np.zeros(9))
    with pytest.raises(InputError, match="not token ids"):
        open_data(tmp_path / "float.npy", (IDS,), None)
    (tmp_path / "latin.txt").write_bytes("wörld".encode("latin-1"))
    with pytest.raises(InputError, match="is not UTF-8"):
        open_data(tmp_path / "latin.txt", (IDS,), None)
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(InputError, match="the data is empty"):
        open_data(tmp_path / "empty.txt", (IDS,), None)
