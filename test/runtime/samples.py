"""Artifacts written by hand: what the compiler would make of small programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from distc.runtime import artifact as artifacts
from distc.runtime.artifact import (
    Artifact,
    EntryPoint,
    ExternalFile,
    Manifest,
    StoredAt,
    TensorRecord,
    Weights,
)
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout
from distc.runtime.program import Call, Program, Ref, ValueType, to_json


def layout(
    shape: tuple[int, ...],
    cut: dict[int, tuple[AxisSplit, ...]] | None = None,
    view: tuple[int, ...] | None = None,
    block: int = 1,
) -> TensorLayout:
    """Return a layout that cuts some dimensions of the view."""
    cut = cut or {}
    dims = tuple(
        DimLayout(n, cut.get(i, ()), block if i in cut else 1)
        for i, n in enumerate(shape if view is None else view)
    )
    return TensorLayout(shape, dims)


def axis(ranks: int) -> tuple[AxisSplit, ...]:
    """Return the only axis of a mesh tensor=ranks."""
    return (AxisSplit("tensor", ranks, 1),)


def mlp_weights(hidden: int = 10) -> dict[str, Tensor]:
    """Return small integers as floats: sums are exact in any order."""
    generator = torch.Generator().manual_seed(3)
    return {
        "up.weight": torch.randint(-3, 4, (8, hidden), generator=generator).float(),
        "down.weight": torch.randint(-3, 4, (hidden, 6), generator=generator).float(),
        "scale": torch.full((), 2.0),
    }


def mlp_reference(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Return what the program computes."""
    return torch.relu(x @ weights["up.weight"]) @ weights["down.weight"] * weights["scale"]


def mlp_program(entry: EntryPoint, groups: list[list[int]], loc: str = "model.py:7:3") -> Program:
    """Return relu(x @ up) @ down, reduced over the groups, times scale."""
    types = [ValueType(a.layout.local_shape, a.dtype) for a in entry.arguments]
    hidden = ValueType((types[0].shape[0], types[1].shape[1]), "f32")
    out = ValueType((types[0].shape[0], types[2].shape[1]), "f32")
    calls = [
        Call("aten.mm.default", (Ref(0), Ref(1)), {}, (4,), (hidden,), loc),
        Call("aten.clamp_min.default", (Ref(4), 0), {}, (5,), (hidden,), loc),
        Call("aten.mm.default", (Ref(5), Ref(2)), {}, (6,), (out,), loc),
    ]
    last = 6
    if len(groups) < len(groups[0]) or len(groups[0]) > 1:
        kwargs: dict[str, Any] = {"kind": "sum", "groups": groups}
        calls.append(Call("collective.all_reduce", (Ref(6),), kwargs, (7,), (out,), loc))
        last = 7
    calls.append(Call("aten.mul.Tensor", (Ref(last), Ref(3)), {}, (last + 1,), (out,), loc))
    return Program(tuple(types), tuple(calls), (last + 1,))


def mlp_entry(ranks: int, hidden: int = 10) -> EntryPoint:
    """Return the records: hidden dimension cut over the ranks, unevenly where it must be."""
    splits = axis(ranks) if ranks > 1 else ()
    arguments = (
        TensorRecord("x", "input", "f32", layout((4, 8)), "[R, R]"),
        TensorRecord(
            "up.weight", "parameter", "f32", layout((8, hidden), {1: splits}), "[R, S(tensor)]"
        ),
        TensorRecord(
            "down.weight", "parameter", "f32", layout((hidden, 6), {0: splits}), "[S(tensor), R]"
        ),
        TensorRecord("scale", "buffer", "f32", layout(()), "[]"),
    )
    return EntryPoint("main", arguments, (TensorRecord("y", "output", "f32", layout((4, 6))),))


def write_mlp(folder: Path, ranks: int, *, name: str = "out.distc", loc: str = "") -> Artifact:
    """Write the MLP for `ranks` ranks, its weights beside it."""
    weights = mlp_weights()
    scale, kept = {"scale": weights["scale"]}, dict(weights)
    del kept["scale"]
    file = folder / "model.safetensors"
    save_file(kept, file)
    save_file(scale, folder / "scale.safetensors")
    entry = mlp_entry(ranks)
    manifest = Manifest(
        mesh=(("tensor", ranks, "device"),),
        entries=(entry,),
        versions={"distc": "0.1.0", "torch": "2.13.0"},
        weights=Weights(
            external=(ExternalFile(file.name, file.stat().st_size),),
            stored={
                **{n: StoredAt(file.name, n) for n in kept},
                "scale": StoredAt("buffers.safetensors", "scale"),
            },
            aliases={"tied.weight": "down.weight"},
        ),
    )
    members: dict[str, artifacts.Content] = {
        "program.json": to_json(mlp_program(entry, [list(range(ranks))], loc or "model.py:7:3")),
        "program.source.json": to_json(mlp_program(mlp_entry(1), [[0]])),
        "buffers.safetensors": folder / "scale.safetensors",
        "source.mlir": "module {}\n",
    }
    return artifacts.write(folder / name, members, manifest)
