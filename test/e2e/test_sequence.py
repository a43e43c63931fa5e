"""`megatron-sp` computes what `megatron` does; every sum is a reduce-scatter and an all-gather."""

from __future__ import annotations

import pytest
from e2e import zoo
from oracle.compare import assert_same

from distc.compiler.inspection import collective_bytes, collective_counts
from distc.dialect.mesh import Mesh
from distc.runtime import sim
from distc.runtime.errors import ConfigError

TORCH_TOLERANCE = 1e-5
MODELS = {"gpt2": 24, "llama": 36, "bert": 20}
"""Models in reduced size, and how wide they are between blocks."""


@pytest.mark.parametrize("mesh", zoo.MESHES)
@pytest.mark.parametrize("name", MODELS)
def test_every_mesh_computes_the_same(name: str, mesh: str) -> None:
    source = zoo.exported(name, "reduced")
    artifact = zoo.compiled(name, "reduced", mesh, "megatron-sp")
    outputs = sim.run(artifact.program(), zoo.local_arguments(source, artifact))
    found = zoo.assembled(artifact, outputs)
    assert_same(found, zoo.unpartitioned(source, artifact))
    assert_same(found, source.expected, TORCH_TOLERANCE)


@pytest.mark.parametrize("mesh", ["tensor=2", "tensor=4", "data=2,tensor=2"])
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_as_much_is_moved(name: str, mesh: str) -> None:
    """A ring moves 2 B (n - 1) / n for an all-reduce, half of that for either of its parts."""
    ranks = Mesh.parse(mesh).axis_size("tensor")
    plain = zoo.compiled(name, "reduced", mesh, "megatron").program()
    cut = zoo.compiled(name, "reduced", mesh, "megatron-sp").program()
    before, after = collective_counts(plain), collective_counts(cut)
    # The embedding and two in each of two layers; logits are gathered to be returned.
    assert after["reduce_scatter"] == 5
    assert after["all_gather"] == before["all_gather"] + 5
    assert before["all_reduce"] == 5 + after.get("all_reduce", 0)
    bytes_before, bytes_after = collective_bytes(plain), collective_bytes(cut)
    gathered = bytes_after["all_gather"] - bytes_before["all_gather"]
    assert gathered == ranks * bytes_after["reduce_scatter"]
    assert bytes_before["all_reduce"] == gathered + bytes_after.get("all_reduce", 0)


def test_a_pooled_encoder_gathers_less() -> None:
    after = collective_counts(zoo.compiled("bert", "reduced", "tensor=2", "megatron-sp").program())
    assert after == {"all_gather": 4, "all_reduce": 1, "reduce_scatter": 5}


@pytest.mark.parametrize("name", MODELS)
def test_residuals_are_computed_once(name: str) -> None:
    """No rank adds activations of all positions: tokens are [2, 8]."""
    shapes = {
        preset: {
            kind.shape
            for call in zoo.compiled(name, "reduced", "tensor=2", preset).program().calls
            if call.op.startswith("aten.add.")
            for kind in call.types
            if len(kind.shape) == 3 and kind.shape[2] == MODELS[name]
        }
        for preset in ("megatron", "megatron-sp")
    }
    positions = {preset: {shape[1] for shape in found} for preset, found in shapes.items()}
    assert len(positions["megatron"]) == len(positions["megatron-sp"]) == 1
    assert positions["megatron"] == {2 * n for n in positions["megatron-sp"]}, shapes


def test_a_model_without_a_sequence_is_refused() -> None:
    with pytest.raises(ConfigError, match="no sum over axis 'tensor' has a sequence") as caught:
        zoo.compiled("resnet18", "reduced", "tensor=2", "megatron-sp")
    assert caught.value.help


def test_one_rank_is_the_program_itself() -> None:
    program = zoo.compiled("llama", "reduced", "tensor=1", "megatron-sp").program()
    assert not collective_counts(program)
