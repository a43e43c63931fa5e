"""Partitioned models equal the unpartitioned ones: interpreter, simulator, real processes.

Reduced sizes here; `full_size.py` beside this file is the full matrix (`make e2e`).
"""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from e2e import zoo
from oracle import interpreter
from oracle.compare import assert_same

from distc.runtime import sim

INTEGER = [name for name in zoo.REDUCED if name.startswith("integer")]
# The interpreter sums one product after another: its difference to PyTorch grows with the depth.
TORCH_TOLERANCE = 1e-5


@pytest.mark.parametrize("name", zoo.REDUCED)
def test_export_in_the_interpreter_equals_torch(name: str) -> None:
    source = zoo.exported(name, "reduced")
    records = zoo.compiled(name, "reduced", "one=1", None).manifest.entry("main").arguments
    arguments = [x.numpy() for x in zoo.whole_arguments(source, records)]
    assert_same(
        interpreter.evaluate(source.text.read_text(), arguments), source.expected, TORCH_TOLERANCE
    )


@pytest.mark.parametrize("preset", zoo.PRESETS)
@pytest.mark.parametrize("name", zoo.REDUCED)
def test_two_ranks_in_the_interpreter_equal_one(name: str, preset: str) -> None:
    source = zoo.exported(name, "reduced")
    artifact = zoo.compiled(name, "reduced", "tensor=2", preset)
    whole = zoo.whole_arguments(source, artifact.manifest.entry("main").arguments)
    expected = interpreter.evaluate(source.text.read_text(), [x.numpy() for x in whole])
    found = interpreter.evaluate_parallel(
        artifact.read_text("partitioned.mlir"),
        [[x.numpy() for x in rank] for rank in zoo.local_arguments(source, artifact)],
    )
    outputs = [[torch.from_numpy(x) for x in rank] for rank in found]
    assert_same(zoo.assembled(artifact, outputs), expected)


@pytest.mark.parametrize("preset", zoo.PRESETS)
@pytest.mark.parametrize("name", zoo.REDUCED)
def test_every_mesh_in_the_simulator_equals_one(name: str, preset: str) -> None:
    source = zoo.exported(name, "reduced")
    for mesh in zoo.MESHES:
        artifact = zoo.compiled(name, "reduced", mesh, preset)
        outputs = sim.run(artifact.program(), zoo.local_arguments(source, artifact))
        found = zoo.assembled(artifact, outputs)
        assert_same(found, zoo.unpartitioned(source, artifact))
        assert_same(found, source.expected, TORCH_TOLERANCE)


@pytest.mark.parametrize(
    ("name", "preset", "mesh"),
    [
        ("gpt2", "megatron", "tensor=3"),
        ("resnet18", "fsdp", "tensor=2"),
        ("llama", "megatron", "data=2,tensor=2"),
        ("llama", "megatron-sp", "tensor=3"),
    ],
)
def test_processes_equal_one(name: str, preset: str, mesh: str) -> None:
    artifact = zoo.compiled(name, "reduced", mesh, preset)
    ranks = artifact.manifest.ranks
    command = ["run", str(artifact.path), "-n", str(ranks), "--random", "0", "--check"]
    done = subprocess.run(
        [sys.executable, "-m", "distc", *command, "--backend", "gloo"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DIFFERENT" not in done.stdout and "equal" in done.stdout
