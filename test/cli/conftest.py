"""Artifacts and a way to call the command line in this process."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from distc.compiler.certificate import MEMBER, certificate
from distc.runtime import artifact as artifacts
from distc.runtime.layout import AxisSplit, DimLayout, TensorLayout
from distc.runtime.manifest import EntryPoint, Manifest, TensorRecord, Weights
from distc.runtime.program import Call, Program, Ref, ValueType, to_json

# The small programs with state are the runtime's.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "runtime"))


def record(name: str, kind: str, shape: tuple[int, ...], cut: int | None) -> TensorRecord:
    """Return the record of an f32 tensor cut on dimension `cut` over tensor=2."""
    splits = (AxisSplit("tensor", 2, 1),)
    dims = tuple(DimLayout(n, splits if i == cut else ()) for i, n in enumerate(shape))
    text = "[" + ", ".join("S(tensor)" if i == cut else "R" for i in range(len(shape))) + "]"
    return TensorRecord(name, kind, "f32", TensorLayout(shape, dims), text)


@pytest.fixture
def hand_made_artifact(tmp_path: Path) -> Path:
    """A matrix product cut along the contraction, completed by one all-reduce."""
    entry = EntryPoint(
        "main",
        (record("w", "parameter", (5, 4), 0), record("x", "input", (8, 5), 1)),
        (record("y", "output", (8, 4), None),),
    )
    local = ValueType((8, 4), "f32")
    product = Call("aten.mm.default", (Ref(1), Ref(0)), {}, (2,), (local,))
    total = Call(
        "collective.all_reduce", (Ref(2), "sum", [[0, 1]]), {}, (3,), (local,), loc="model.py:1:1"
    )
    program = to_json(
        Program((ValueType((3, 4), "f32"), ValueType((8, 3), "f32")), (product, total), (3,))
    )
    members = {"program.json": program, MEMBER: certificate({"program.json": program}, True)}
    manifest = Manifest((("tensor", 2, "device"),), (entry,), {"distc": "0"}, Weights())
    path = tmp_path / "hand.distc"
    artifacts.write(path, members, manifest)
    assert json.loads((path / "manifest.json").read_text())["mesh"]
    return path
