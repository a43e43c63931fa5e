"""The models of test/models as programs on disk: exported once, compiled many times.

An exported program is StableHLO text and a safetensors file, compiled from there for every mesh
and preset; so the front end runs once per model and process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from models import bert, gpt2, integer_mlp, llama, mlp, resnet18
from safetensors.torch import load, load_file, save_file

import distc
from distc.runtime import artifact as artifacts
from distc.runtime import shards, sim
from distc.runtime.artifact import Artifact, TensorRecord

Example = tuple[torch.nn.Module, tuple[torch.Tensor, ...]]

REDUCED: dict[str, Callable[[], Example]] = {
    "mlp": mlp.reduced,
    "resnet18": resnet18.reduced,
    "gpt2": gpt2.reduced,
    "llama": llama.reduced,
    "bert": bert.reduced,
    "integer-mlp-i32": integer_mlp.reduced,
    "integer-mlp-i64": integer_mlp.reduced_int64,
    "integer-bag": integer_mlp.bag_reduced,
}
FULL: dict[str, Callable[[], Example]] = {
    "mlp": mlp.full,
    "resnet18": resnet18.full,
    "gpt2": gpt2.full,
    "llama": llama.full,
    "bert": bert.full,
    "integer-mlp-i32": integer_mlp.full,
    "integer-bag": integer_mlp.bag_full,
}
PRESETS = ("data-parallel", "megatron", "fsdp")
MESHES = ("tensor=2", "tensor=3", "tensor=4", "data=2,tensor=2")

_scratch = tempfile.TemporaryDirectory(prefix="distc-e2e-")


@dataclass(frozen=True)
class Exported:
    """A model before planning.

    Attributes:
        text: its StableHLO, as the front end wrote it.
        weights: everything that is no input, by name.
        inputs: example inputs.
        expected: what PyTorch computes from them.
    """

    text: Path
    weights: Path
    inputs: tuple[torch.Tensor, ...]
    expected: tuple[torch.Tensor, ...]


@cache
def exported(name: str, size: str) -> Exported:
    """Export a model of `REDUCED` or `FULL`."""
    model, inputs = (REDUCED if size == "reduced" else FULL)[name]()
    with torch.no_grad():
        result = model(*inputs)
    home = Path(_scratch.name) / f"{size}-{name}"
    home.mkdir()
    compiled = distc.compile(model, inputs, mesh=distc.Mesh.of(one=1))
    members = compiled.members
    weights: dict[str, torch.Tensor] = {}
    for member, content in members.items():
        if member.endswith(".safetensors"):
            assert isinstance(content, bytes)
            weights |= load(content)
    save_file(weights, home / "weights.safetensors")
    text = members["source.mlir"]
    assert isinstance(text, str)
    (home / "source.mlir").write_text(text)
    expected = result if isinstance(result, tuple) else (result,)
    return Exported(home / "source.mlir", home / "weights.safetensors", inputs, expected)


def compiled(name: str, size: str, mesh: str, preset: str | None) -> Artifact:
    """Compile an exported model for a mesh; the artifact is written once per process."""
    source = exported(name, size)
    home = source.text.parent / f"{preset}-{mesh.replace(',', '-')}.distc"
    if not home.exists():
        distc.compile(
            source.text, mesh=distc.Mesh.parse(mesh), preset=preset, weights=source.weights
        ).save(home)
    return artifacts.read(home)


def whole_arguments(source: Exported, records: tuple[TensorRecord, ...]) -> list[torch.Tensor]:
    """Return the global arguments in the order of `records`, in the shapes users see."""
    weights = load_file(source.weights)
    inputs = iter(source.inputs)
    return [next(inputs) if r.kind == "input" else weights[r.name] for r in records]


def local_arguments(source: Exported, artifact: Artifact) -> list[list[torch.Tensor]]:
    """Return what each rank of an artifact is given, padding zero."""
    records = artifact.manifest.entry("main").arguments
    whole = whole_arguments(source, records)
    return [
        [shards.local_piece(x, r.layout, rank) for x, r in zip(whole, records, strict=True)]
        for rank in range(artifact.manifest.ranks)
    ]


def assembled(artifact: Artifact, outputs: list[list[torch.Tensor]]) -> list[torch.Tensor]:
    """Put the ranks' results together, in the shapes users see."""
    records = artifact.manifest.entry("main").results
    return [
        shards.assemble({rank: row[i] for rank, row in enumerate(outputs)}, record.layout)
        for i, record in enumerate(records)
    ]


def unpartitioned(source: Exported, artifact: Artifact) -> list[torch.Tensor]:
    """Run the program as it was before planning, on one rank."""
    entry = artifact.manifest.entry("main")
    program = artifact.program("source")
    whole = whole_arguments(source, entry.arguments)
    pairs = zip(whole, program.inputs, strict=True)
    results = sim.run_single(program, [x.reshape(t.shape) for x, t in pairs])
    return [x.reshape(r.shape) for x, r in zip(results, entry.results, strict=True)]
