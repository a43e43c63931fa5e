"""Damaged and foreign artifacts, met by `inspect` and `run`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

Case = Any
Refused = Any

COMMANDS = (["inspect"], ["run", "--backend", "sim", "--random", "0"])


@pytest.fixture(params=COMMANDS, ids=lambda c: c[0])
def command(request: pytest.FixtureRequest) -> list[str]:
    """A command that reads an artifact."""
    words: list[str] = request.param
    return words


def _call(command: list[str], path: str) -> list[str]:
    return [*command, path]


def _member(case: Case, artifact: Path) -> Path:
    return artifact / str(case.rng.choice(["program.json", "certificate.json"]))


def test_nothing_there(case: Case, refused: Refused, command: list[str]) -> None:
    refused(_call(command, "out.distk"), 66, "out.distk")


def test_not_an_artifact(case: Case, refused: Refused, command: list[str]) -> None:
    (case.folder / "file").write_bytes(case.rng.randbytes(100))
    refused(_call(command, "file"), 65, "not an artifact")
    (case.folder / "folder").mkdir()
    refused(_call(command, "folder"), 65, "manifest.json")


def test_truncated_member(case: Case, refused: Refused, artifact: Path, command: list[str]) -> None:
    member = _member(case, artifact)
    content = member.read_bytes()
    member.write_bytes(content[: case.rng.randint(0, len(content) - 1)])
    refused(_call(command, "out.distc"), 65, member.name)


def test_changed_byte(case: Case, refused: Refused, artifact: Path, command: list[str]) -> None:
    member = artifact / "program.json"
    content = bytearray(member.read_bytes())
    content[case.rng.randrange(len(content))] ^= 1
    member.write_bytes(content)
    refused(_call(command, "out.distc"), 65, "E-ARTIFACT-DIGEST", "program.json")


def test_missing_member(case: Case, refused: Refused, artifact: Path, command: list[str]) -> None:
    member = _member(case, artifact)
    member.unlink()
    refused(_call(command, "out.distc"), 65, member.name)


def test_member_too_many(case: Case, refused: Refused, artifact: Path, command: list[str]) -> None:
    (artifact / "extra.json").write_text("{}")
    refused(_call(command, "out.distc"), 65, "extra.json")


def test_unknown_schema(case: Case, refused: Refused, artifact: Path, command: list[str]) -> None:
    schema = case.rng.choice([0, 1, 99, "2", None])
    _edit(artifact, lambda body: body.update(schema=schema))
    refused(_call(command, "out.distc"), 65, "E-ARTIFACT-VERSION", repr(schema))


def test_manifest_that_is_not_json(
    case: Case, refused: Refused, artifact: Path, command: list[str]
) -> None:
    path = artifact / "manifest.json"
    content = path.read_text()
    path.write_text(content[: case.rng.randint(0, len(content) - 3)])
    refused(_call(command, "out.distc"), 65, "manifest.json")


def test_manifest_field_of_another_type(
    case: Case, refused: Refused, artifact: Path, command: list[str]
) -> None:
    field = case.rng.choice(["mesh", "entries", "members", "weights"])
    _edit(artifact, lambda body: body.update({field: case.rng.choice([3, "x", [1]])}))
    refused(_call(command, "out.distc"), 65, "manifest.json")


def test_program_that_uses_a_value_too_early(
    case: Case, refused: Refused, artifact: Path, command: list[str]
) -> None:
    _forge(artifact, lambda body: body["outputs"].append(10**6))
    refused(_call(command, "out.distc"), 65, "program.json")


def test_program_with_an_operator_that_is_not_allowed(
    case: Case, refused: Refused, artifact: Path
) -> None:
    op = case.rng.choice(["os.system", "aten.set_.source_Storage", "builtins.eval", "distc.nope"])
    _forge(artifact, lambda body: body["calls"][0].update(op=op))
    refused(["run", "--backend", "sim", "--random", "0", "out.distc"], 65, op)


def test_entry_that_is_not_there(case: Case, refused: Refused, artifact: Path) -> None:
    refused(["run", "out.distc", "--entry", "train", "--random", "0"], 65, "'train'", "main")


def _edit(artifact: Path, change: Any) -> None:
    path = artifact / "manifest.json"
    body = json.loads(path.read_text())
    change(body)
    path.write_text(json.dumps(body))


def _forge(artifact: Path, change: Any) -> None:
    """Change program.json and put its digest right."""
    path = artifact / "program.json"
    body = json.loads(path.read_text())
    change(body)
    text = json.dumps(body)
    path.write_text(text)
    member = [len(text), hashlib.sha256(text.encode()).hexdigest()]
    _edit(artifact, lambda manifest: manifest["members"].update({"program.json": member}))
