"""Mistakes when running an artifact: ranks, launchers, inputs, backends, ports."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

Case = Any
Refused = Any

SIM = ["run", "out.distc", "--backend", "sim"]


def _inputs(model: str) -> dict[str, np.ndarray]:
    shapes = {"mlp": (4, 8), "words": (4, 5), "image": (4, 3, 8, 8)}
    kind = np.int64 if model == "words" else np.float32
    return {"x": np.zeros(shapes[model], kind)}


def test_other_number_of_ranks(case: Case, refused: Refused, artifact: Path) -> None:
    number = case.rng.choice([1, 3, 4, 64])
    backend = case.rng.choice(["sim", "gloo", "auto"])
    argv = ["run", "out.distc", "-n", str(number), "--backend", backend, "--random", "0"]
    refused(argv, 2, "2 ranks", f"-n is {number}")


def test_ranks_below_one(case: Case, refused: Refused, artifact: Path) -> None:
    refused(["run", "out.distc", "-n", case.rng.choice(["0", "-2"]), "--random", "0"], 2)


def test_world_of_another_size(
    case: Case, refused: Refused, artifact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = case.rng.choice([1, 3, 8])
    for name, value in {"RANK": 0, "WORLD_SIZE": world, "LOCAL_RANK": 0,
                        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 1}.items():  # fmt: skip
        monkeypatch.setenv(name, str(value))
    refused(["run", "out.distc", "--backend", "gloo", "--random", "0"], 2, str(world), "2")


def test_both_input_and_seed(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", "0", "--input", "x.safetensors"], 2, "--input")


def test_no_such_input_file(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--input", "y.safetensors"], 66, "y.safetensors")


def test_missing_input(case: Case, refused: Refused, artifact: Path) -> None:
    name = case.rng.choice(["X", "x0", "input_ids"])
    save_file({name: _inputs(case.model)["x"]}, case.folder / "in.safetensors")
    refused([*SIM, "--input", "in.safetensors"], 65, "'x'", name)


def test_input_of_another_shape(case: Case, refused: Refused, artifact: Path) -> None:
    value = _inputs(case.model)["x"][: case.rng.randint(0, 3)]
    save_file({"x": value}, case.folder / "in.safetensors")
    refused([*SIM, "--input", "in.safetensors"], 65, "'x'", str(value.shape[0]))


def test_input_of_another_dtype(case: Case, refused: Refused, artifact: Path) -> None:
    kind = case.rng.choice([np.float64, np.int32, np.float16])
    save_file({"x": _inputs(case.model)["x"].astype(kind)}, case.folder / "in.safetensors")
    refused(
        [*SIM, "--input", "in.safetensors"], 65, "'x'", "i64" if case.model == "words" else "f32"
    )


def test_input_that_is_garbage(case: Case, refused: Refused, artifact: Path) -> None:
    (case.folder / "in.safetensors").write_bytes(case.rng.randbytes(64))
    refused([*SIM, "--input", "in.safetensors"], 65, "in.safetensors")


def test_output_in_a_folder_that_is_not_there(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", "0", "--output", "no/such/y.safetensors"], 66, "no/such")


def test_output_over_something_else(case: Case, refused: Refused, artifact: Path) -> None:
    os.mkfifo(case.folder / "pipe")
    name = case.rng.choice(["pipe", "out.distc"])
    refused([*SIM, "--random", "0", "--output", name], 2, name, "not overwritten")


def test_unknown_backend(case: Case, refused: Refused, artifact: Path) -> None:
    name = case.rng.choice(["mpi", "NCCL", "tpu", ""])
    refused(["run", "out.distc", "--random", "0", "--backend", name], 2, "--backend")


def test_unknown_executor(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", "0", "--executor", "jit"], 2, "--executor")


def test_seed_that_is_no_number(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", case.rng.choice(["x", "1.5", ""])], 2, "--random")


def test_tolerance_that_is_no_number(case: Case, refused: Refused, artifact: Path) -> None:
    value = case.rng.choice(["nan", "-1", "inf", "x"])
    refused([*SIM, "--random", "0", "--check", "--tolerance", value], 2, "--tolerance")


def test_timeout_that_is_no_number(case: Case, refused: Refused, artifact: Path) -> None:
    option = case.rng.choice(["--peer-timeout", "--join-timeout"])
    value = case.rng.choice(["nan", "0", "-3", "inf"])
    refused([*SIM, "--random", "0", option, value], 2, option)


def test_repeat_below_one(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", "0", "--repeat", "0"], 2, "--repeat")


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_nccl_without_a_gpu(case: Case, refused: Refused, artifact: Path) -> None:
    argv = ["run", "out.distc", "-n", "2", "--random", "0", "--backend", "nccl"]
    refused(argv, 69, "nccl")


def test_port_that_is_none(case: Case, refused: Refused, artifact: Path) -> None:
    port = case.rng.choice(["0", "70000", "http"])
    refused(["run", "out.distc", "--random", "0", "--port", port], 2, "--port")


def test_port_that_is_taken(case: Case, refused: Refused, artifact: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        refused(["run", "out.distc", "-n", "2", "--random", "0", "--port", port], 69, port)


def test_weights_that_are_gone(case: Case, refused: Refused, artifact: Path) -> None:
    refused([*SIM, "--random", "0", "--weights", "gone.safetensors"], 66, "gone.safetensors")


def test_weights_of_another_model(case: Case, refused: Refused, artifact: Path) -> None:
    save_file({"up.weight": np.zeros((3, 3), np.float32)}, case.folder / "w.safetensors")
    refused([*SIM, "--random", "0", "--weights", "w.safetensors"], 65, "up.weight", "[3, 3]")
