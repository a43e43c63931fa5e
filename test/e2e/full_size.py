"""The full matrix: every model in its full size, every preset and mesh, in the simulator; and in
real processes, each preset on another mesh. Not collected by name: `make e2e` runs it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from e2e import zoo
from oracle.compare import assert_same

from distc.runtime import sim

# Eager PyTorch sums in another order than the program; deep networks in f32 lose a digit to that.
TORCH_TOLERANCE = 1e-4
PAIRS = [(name, preset) for name in zoo.FULL for preset in zoo.PRESETS]
PROCESSES = [(*pair, zoo.MESHES[i % len(zoo.MESHES)]) for i, pair in enumerate(PAIRS)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "preset"), PAIRS)
def test_every_mesh_in_the_simulator_equals_one(name: str, preset: str) -> None:
    source = zoo.exported(name, "full")
    for mesh in zoo.MESHES:
        artifact = zoo.compiled(name, "full", mesh, preset)
        outputs = sim.run(artifact.program(), zoo.local_arguments(source, artifact))
        found = zoo.assembled(artifact, outputs)
        assert_same(found, zoo.unpartitioned(source, artifact))
        assert_same(found, source.expected, TORCH_TOLERANCE)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "preset", "mesh"), PROCESSES)
def test_processes_equal_one(name: str, preset: str, mesh: str) -> None:
    artifact = zoo.compiled(name, "full", mesh, preset)
    command = ["run", str(artifact.path), "-n", str(artifact.manifest.ranks)]
    done = subprocess.run(
        [sys.executable, "-m", "distc", *command, "--random", "0", "--check", "--backend", "gloo"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DIFFERENT" not in done.stdout and "equal" in done.stdout
