"""Weights are found by name or alias, and everything wrong with them is said at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from distc.compiler.frontend.exported import WeightInfo
from distc.compiler.weights import WeightSource, match_weights
from distc.runtime.errors import InputError, MissingFile

WEIGHTS = (
    WeightInfo("up.weight", (), (4, 2), "f32", "parameter"),
    WeightInfo("emb.weight", ("head.weight",), (3, 4), "f32", "parameter"),
)


def _file(path: Path, **tensors: np.ndarray) -> Path:
    save_file({k.replace("__", "."): v for k, v in tensors.items()}, path)
    return path


def test_by_name_and_by_alias(tmp_path: Path) -> None:
    file = _file(
        tmp_path / "w.safetensors",
        up__weight=np.zeros((4, 2), np.float32),
        head__weight=np.zeros((3, 4), np.float32),
    )
    found = match_weights(WEIGHTS, file)
    assert found == {file: {"up.weight": "up.weight", "emb.weight": "head.weight"}}
    record = WeightSource(found, {"values.safetensors": ("inv_freq",)}).record(tmp_path / "out")
    assert record.external[0].path == "../w.safetensors"
    assert record.external[0].bytes_ == file.stat().st_size
    assert record.stored["emb.weight"].key == "head.weight"
    assert record.stored["inv_freq"].file == "values.safetensors"


def test_all_missing_weights_are_named_with_the_nearest(tmp_path: Path) -> None:
    file = _file(tmp_path / "w.safetensors", up__weights=np.zeros((4, 2), np.float32))
    with pytest.raises(InputError, match=r"up\.weight, emb\.weight") as caught:
        match_weights(WEIGHTS, file)
    assert "'up.weights'" in caught.value.help
    assert caught.value.where == str(file)


def test_all_wrong_shapes_and_dtypes_are_named(tmp_path: Path) -> None:
    file = _file(
        tmp_path / "w.safetensors",
        up__weight=np.zeros((2, 4), np.float32),
        emb__weight=np.zeros((3, 4), np.float16),
    )
    with pytest.raises(InputError) as caught:
        match_weights(WEIGHTS, file)
    assert "up.weight has shape [2, 4], the model wants [4, 2]" in caught.value.message
    assert "emb.weight has dtype f16, the model wants f32" in caught.value.message


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        match_weights(WEIGHTS, tmp_path / "none.safetensors")
