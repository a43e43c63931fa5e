"""Mistakes in weight files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

Case = Any
Refused = Any


@pytest.fixture
def weights(artifact: Path, case: Case) -> dict[str, np.ndarray]:
    """The right weights of the model, by name."""
    return load_file(artifact / "weights.safetensors")


def _compile(case: Case, weights: dict[str, np.ndarray]) -> list[str]:
    save_file(weights, case.folder / "w.safetensors")
    spec = str(case.module())
    return ["compile", spec, "--mesh", "tensor=2", "--weights", "w.safetensors", "-o", "new.distc"]


def test_no_such_file(case: Case, refused: Refused) -> None:
    refused(case.compile("--weights", "w.safetensor"), 66, "w.safetensor")


def test_folder_without_weights(case: Case, refused: Refused) -> None:
    refused(case.compile("--weights", "."), 65, "safetensors")


def test_missing(case: Case, refused: Refused, weights: dict[str, np.ndarray]) -> None:
    name = case.rng.choice(sorted(weights))
    weights[name + "s"] = weights.pop(name)
    refused(_compile(case, weights), 65, name, f"{name}s", "w.safetensors")


def test_all_missing(case: Case, refused: Refused, weights: dict[str, np.ndarray]) -> None:
    refused(_compile(case, {"x": np.zeros(3, np.float32)}), 65, *sorted(weights))


def test_wrong_shape(case: Case, refused: Refused, weights: dict[str, np.ndarray]) -> None:
    name = case.rng.choice(sorted(weights))
    weights[name] = weights[name][1:]
    refused(_compile(case, weights), 65, name, str(list(weights[name].shape)))


def test_wrong_dtype(case: Case, refused: Refused, weights: dict[str, np.ndarray]) -> None:
    name = case.rng.choice(sorted(weights))
    kind = case.rng.choice([np.float16, np.float64, np.int32])
    weights[name] = weights[name].astype(kind)
    refused(_compile(case, weights), 65, name, "f32")


def test_garbage(case: Case, refused: Refused) -> None:
    (case.folder / "w.safetensors").write_bytes(case.rng.randbytes(200))
    refused(case.compile("--weights", "w.safetensors"), 65, "w.safetensors")


def test_truncated(case: Case, refused: Refused, weights: dict[str, np.ndarray]) -> None:
    argv = _compile(case, weights)
    path = case.folder / "w.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: case.rng.randint(0, len(content) - 1)])
    refused(argv, 65, "w.safetensors")


def test_index_of_a_file_that_is_not_there(case: Case, refused: Refused) -> None:
    text = json.dumps({"weight_map": {"down.weight": "model-00001.safetensors"}})
    case.write("model.safetensors.index.json", text)
    refused(case.compile("--weights", "."), 66, "model-00001.safetensors")
