"""What a manifest says of state is checked before anything is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stateful import ACCUMULATE, write

from distc.runtime import artifact as artifacts
from distc.runtime import manifest as manifest_schema
from distc.runtime.errors import ArtifactError
from distc.runtime.manifest import Manifest

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    path = write(tmp_path_factory.mktemp("state"), 2, "partial", ACCUMULATE)
    return artifacts.read(path).manifest


def test_records_repeat_what_the_module_says(manifest: Manifest) -> None:
    assert [(e.name, e.count) for e in manifest.entries] == [
        ("accumulate", 2), ("update", 1), ("evaluate", 1)
    ]  # fmt: skip
    update = manifest.entry("update")
    gradient = manifest.state["w@grad"]
    assert (gradient.kind, gradient.parameter, gradient.slot) == ("gradient", "w", "grad")
    assert gradient.initial == "zeros"
    (partial,) = gradient.partial
    assert (partial.split.name, partial.split.size, partial.kind) == ("data", 2, "sum")
    assert [r.updates for r in update.results] == ["w", "w@momentum_buffer", "w@grad"]
    assert update.results[2].partial == gradient.partial and update.outputs == ()
    assert update.donated == {0: 1, 1: 2, 2: 3}
    assert [r.name for r in update.inputs] == ["lr"]
    assert [r.name for r in update.weights] == ["w"]
    assert set(manifest.state) == manifest.updated == {"w", "w@grad", "w@momentum_buffer"}


def test_a_manifest_survives_its_text(manifest: Manifest) -> None:
    text = manifest_schema.to_json(manifest)
    assert manifest_schema.from_json(text) == manifest
    assert manifest_schema.to_json(manifest_schema.from_json(text)) == text


def argument(body: dict[str, Any], entry: str, name: str) -> dict[str, Any]:
    found = next(e for e in body["entries"] if e["name"] == entry)
    record: dict[str, Any] = next(r for r in found["arguments"] if r["name"] == name)
    return record


def result(body: dict[str, Any], entry: str, index: int) -> dict[str, Any]:
    found = next(e for e in body["entries"] if e["name"] == entry)
    record: dict[str, Any] = found["results"][index]
    return record


def both(name: str, **fields: Any) -> Change:
    """Change a state in every entry point that takes it."""

    def change(body: dict[str, Any]) -> None:
        for entry in body["entries"]:
            for record in entry["arguments"]:
                if record["name"] == name:
                    record.update(fields)

    return change


CASES: dict[str, tuple[Change, str]] = {
    "two layouts": (
        lambda b: argument(b, "update", "w")["dims"][0].update(splits=[["data", 2, 1]]),
        "state w differs between entry points",
    ),
    "two dtypes": (
        lambda b: argument(b, "evaluate", "w").update(dtype="f64"),
        "state w differs between entry points",
    ),
    "two first values": (
        lambda b: argument(b, "update", "w@grad").update(initial="", partial=[]),
        "state w@grad differs between entry points",
    ),
    "an update of nothing": (
        lambda b: result(b, "update", 0).update(updates="v"),
        "updates 'v', no state that it takes",
    ),
    "an update of an input": (
        lambda b: result(b, "accumulate", 0).update(updates="x"),
        "updates 'x', no state that it takes",
    ),
    "two updates": (
        lambda b: result(b, "update", 1).update(updates="w"),
        "a state that another result does",
    ),
    "an update that lies differently": (
        lambda b: result(b, "update", 0)["dims"][1].update(splits=[["data", 2, 1]]),
        "result w.new of update is",
    ),
    "an update that is not partial": (
        lambda b: result(b, "update", 2).update(partial=[]),
        "result g.new of update is",
    ),
    "no owner": (both("w@momentum_buffer", parameter=""), "names no parameter or slot"),
    "no slot": (both("w@momentum_buffer", slot=""), "names no parameter or slot"),
    "a copy of nothing": (
        both("w@momentum_buffer", initial="parameter", parameter="v"),
        "copy of no parameter",
    ),
    "an unknown first value": (both("w@grad", initial="ones"), "initial of w@grad is 'ones'"),
    "a file type that is none": (both("w", stored="f31"), "stored of w is 'f31'"),
    "a moment from a file": (both("w@momentum_buffer", stored="f32"), "no parameter of the weight"),
    "a partial parameter": (
        both("w", partial=[["data", 2, 1, "sum"]]),
        "does not start as a sum of zeros",
    ),
    "a partial maximum": (
        both("w@grad", partial=[["data", 2, 1, "max"]]),
        "does not start as a sum of zeros",
    ),
    "an unknown reduction": (both("w@grad", partial=[["data", 2, 1, "avg"]]), "reduction is 'avg'"),
    "partial over no axis": (
        both("w@grad", partial=[["data", 8, 1, "sum"]]),
        "over the 2 ranks of the mesh",
    ),
    "no count": (lambda b: b["entries"][0].pop("count"), "has no 'count'"),
    "count of nothing": (lambda b: b["entries"][0].update(count=0), "size 0"),
    "a huge count": (lambda b: b["entries"][0].update(count=1 << 30), "times a step"),
    "an unknown field": (
        lambda b: argument(b, "update", "w").update(secret=1),
        "unknown field 'secret'",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_together_is_refused(manifest: Manifest, case: str) -> None:
    change, words = CASES[case]
    body = json.loads(manifest_schema.to_json(manifest))
    change(body)
    with pytest.raises(ArtifactError) as error:
        manifest_schema.from_json(json.dumps(body))
    assert words in error.value.message, error.value.message


def test_an_artifact_of_an_older_schema_says_what_to_do(tmp_path: Path, manifest: Manifest) -> None:
    body = json.loads(manifest_schema.to_json(manifest))
    body["schema"] = 1
    with pytest.raises(ArtifactError, match="schema 1, this version reads 2") as error:
        manifest_schema.from_json(json.dumps(body))
    assert error.value.code == "E-ARTIFACT-VERSION"
