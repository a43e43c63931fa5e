"""Artifacts: round trip, identical bytes, atomic writes, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import mlp_entry, write_mlp

from distc.runtime import artifact as artifacts
from distc.runtime import manifest as manifest_schema
from distc.runtime.artifact import Manifest, program_member
from distc.runtime.errors import ArtifactError, MissingFile, UsageError


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    for name in ("out.distc", "out.zip"):
        written = write_mlp(tmp_path, 2, name=name)
        opened = artifacts.read(tmp_path / name)
        assert opened == written
        assert opened.is_zip == (name == "out.zip")
        assert opened.manifest.entry("main") == mlp_entry(2)
        assert opened.manifest.mesh_text == "tensor=2"
        assert opened.read_text("source.mlir") == "module {}\n"
        assert len(opened.program().calls) == 5
        assert len(opened.program("source").calls) == 4
        opened.verify("buffers.safetensors")
        with opened.open("source.mlir") as stream:
            assert stream.read(6) == b"module"


def test_equal_contents_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.distc", "b.distc"):
        write_mlp(tmp_path, 2, name=name)
    assert files(tmp_path / "a.distc") == files(tmp_path / "b.distc")
    for name in ("a.zip", "b.zip"):
        write_mlp(tmp_path, 2, name=name)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    manifest = Manifest(mesh=(("x", 1, "device"),), entries=())
    lost = {"program.json": "{}", "weights.safetensors": tmp_path / "not-there"}
    for name in ("out.distc", "out.zip"):
        with pytest.raises(FileNotFoundError):
            artifacts.write(tmp_path / name, lost, manifest)
    assert list(tmp_path.iterdir()) == []


def test_an_old_artifact_stays_where_writing_the_new_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mlp(tmp_path, 2)
    before = files(tmp_path / "out.distc")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="No space"):
        write_mlp(tmp_path, 3)
    assert files(tmp_path / "out.distc") == before
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_an_artifact_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    write_mlp(tmp_path, 3)
    assert artifacts.read(tmp_path / "out.distc").manifest.ranks == 3
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    (tmp_path / "notes.zip").write_text("not a zip")
    for name in ("thesis", "notes.zip"):
        with pytest.raises(UsageError, match="is no artifact"):
            artifacts.write(tmp_path / name, {}, Manifest((("x", 1, "device"),), ()))
    assert (tmp_path / "thesis" / "chapter.txt").exists()


def test_missing_paths_and_names(tmp_path: Path) -> None:
    with pytest.raises(MissingFile) as missing:
        artifacts.read(tmp_path / "nowhere")
    assert missing.value.exit_code == 66
    opened = write_mlp(tmp_path, 2)
    with pytest.raises(ArtifactError, match=r"holds no report\.html"):
        opened.read_text("report.html")
    with pytest.raises(ArtifactError, match="no entry point 'decode'"):
        opened.manifest.entry("decode")
    assert program_member("main") == "program.json"
    assert program_member("decode") == "program.decode.json"


Change = Callable[[Path], None]


def edit_manifest(change: Callable[[dict[str, Any]], object]) -> Change:
    """Return a change of the parsed manifest."""

    def apply(folder: Path) -> None:
        path = folder / "manifest.json"
        body = json.loads(path.read_text())
        change(body)
        path.write_text(json.dumps(body))

    return apply


def edit_record(change: Callable[[dict[str, Any]], object], index: int = 1) -> Change:
    return edit_manifest(lambda m: change(m["entries"][0]["arguments"][index]))


def put(name: str, content: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(content) and None


def link(name: str, target: str) -> Change:
    def apply(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.symlink(target, folder / name)

    return apply


def flip(name: str, at: int) -> Change:
    def apply(folder: Path) -> None:
        raw = bytearray((folder / name).read_bytes())
        raw[at] ^= 1
        (folder / name).write_bytes(bytes(raw))

    return apply


def double_key(folder: Path) -> None:
    text = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(text.replace("{", '{"schema": 1,', 1))


DEEP = b"[" * 100_000 + b"]" * 100_000
HOSTILE: dict[str, tuple[Change, str]] = {
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "has no manifest.json"),
    "empty manifest": (put("manifest.json", b""), "is not plain JSON"),
    "binary manifest": (put("manifest.json", bytes(range(256))), "is not UTF-8"),
    "deep manifest": (put("manifest.json", DEEP), "is not plain JSON"),
    "list manifest": (put("manifest.json", b"[]"), "schema None"),
    "NaN in the manifest": (put("manifest.json", b'{"schema": NaN}'), "is not plain JSON"),
    "doubled key": (double_key, "key 'schema' appears twice"),
    "newer schema": (edit_manifest(lambda m: m.update(schema=99)), "has schema 99"),
    "no entries": (edit_manifest(lambda m: m.pop("entries")), "has no 'entries'"),
    "mesh of nothing": (edit_manifest(lambda m: m.update(mesh=[])), "has no axis"),
    "mesh too big": (
        edit_manifest(lambda m: m.update(mesh=[["x", 1 << 30, "n"], ["y", 1 << 30, "n"]])),
        "too many ranks",
    ),
    "negative mesh": (edit_manifest(lambda m: m["mesh"][0].__setitem__(1, -2)), "size -2"),
    "unknown dtype": (edit_record(lambda r: r.update(dtype="f8")), "dtype 'f8'"),
    "unknown kind": (edit_record(lambda r: r.update(kind="code")), "kind 'code'"),
    "rank 17": (
        edit_record(lambda r: r.update(shape=[1] * 17, dims=[])),
        "over the limits",
    ),
    "overflowing shape": (
        edit_record(lambda r: r.update(shape=[1 << 40, 1 << 40])),
        "over the limits",
    ),
    "dimension over 2^40": (edit_record(lambda r: r["shape"].append(1 << 41)), "is not in"),
    "negative dimension": (edit_record(lambda r: r.update(shape=[-8, -10])), "size -8"),
    "boolean dimension": (edit_record(lambda r: r.update(shape=[True, 80])), "integer"),
    "view of another size": (edit_record(lambda r: r.update(shape=[8, 11])), "does not hold"),
    "block does not divide": (edit_record(lambda r: r["dims"][1].update(block=7)), "block 7"),
    "block of nothing": (edit_record(lambda r: r["dims"][1].update(block=0)), "size 0"),
    "split over the mesh": (
        edit_record(lambda r: r["dims"][1].update(splits=[["tensor", 64, 1]])),
        "over the 2 ranks",
    ),
    "cut twice": (
        edit_record(lambda r: r["dims"][0].update(splits=[["tensor", 2, 1]])),
        "more pieces than there are ranks",
    ),
    "empty bound": (edit_record(lambda r: r.update(bound=[5, 5]), 0), "bound"),
    "traversal": (
        edit_manifest(lambda m: m["members"].update({"../evil.json": [1, "0" * 64]})),
        "no name for a member",
    ),
    "absolute name": (
        edit_manifest(lambda m: m["members"].update({"/etc/passwd": [1, "0" * 64]})),
        "no name for a member",
    ),
    "code member": (
        edit_manifest(lambda m: m["members"].update({"run.py": [1, "0" * 64]})),
        "no name for a member",
    ),
    "bad digest": (
        edit_manifest(lambda m: m["members"]["source.mlir"].__setitem__(1, "xyz")),
        "not a sha256",
    ),
    "undeclared member": (put("extra.json", b"{}"), "'extra.json' is not in the manifest"),
    "pickle beside": (put("weights.pt", b"\x80\x04."), "is not in the manifest"),
    "lost member": (lambda f: (f / "source.mlir").unlink(), "'source.mlir' is missing"),
    "longer member": (put("source.mlir", b"module {}\n\n"), "has 11 bytes"),
    "truncated member": (put("program.json", b"{"), "has 1 bytes"),
    "linked member": (link("source.mlir", "/etc/passwd"), "is not a plain file"),
    "linked manifest": (link("manifest.json", "/etc/passwd"), "is not a plain file"),
    "folder inside": (lambda f: (f / "more").mkdir(), "is not a plain file"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_folder_is_refused(tmp_path: Path, case: str) -> None:
    write_mlp(tmp_path, 2)
    change, words = HOSTILE[case]
    change(tmp_path / "out.distc")
    with pytest.raises(ArtifactError) as refused:
        artifacts.read(tmp_path / "out.distc")
    assert words in refused.value.message
    assert refused.value.exit_code == 65 and refused.value.help


def test_a_newer_schema_has_its_own_code(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    edit_manifest(lambda m: m.update(schema=99))(tmp_path / "out.distc")
    with pytest.raises(ArtifactError) as refused:
        artifacts.read(tmp_path / "out.distc")
    assert refused.value.code == "E-ARTIFACT-VERSION"


@pytest.mark.parametrize("member", ["program.json", "buffers.safetensors", "source.mlir"])
def test_a_flipped_bit_is_found(tmp_path: Path, member: str) -> None:
    write_mlp(tmp_path, 2)
    flip(member, 5)(tmp_path / "out.distc")
    opened = artifacts.read(tmp_path / "out.distc")
    with pytest.raises(ArtifactError) as refused:
        opened.verify(member)
    assert refused.value.code == "E-ARTIFACT-DIGEST"
    with pytest.raises(ArtifactError, match="has sha256"):
        opened.read_bytes(member)


def test_a_program_must_fit_its_records(tmp_path: Path) -> None:
    def smaller(m: dict[str, Any]) -> None:
        m["entries"][0]["arguments"][0].update(shape=[2, 8])
        m["entries"][0]["arguments"][0]["dims"][0].update(size=2)

    write_mlp(tmp_path, 2)
    edit_manifest(smaller)(tmp_path / "out.distc")
    with pytest.raises(ArtifactError, match="the first that differs is number 0"):
        artifacts.read(tmp_path / "out.distc").program()


def rebuilt(source: Path, target: Path, **options: Any) -> None:
    """Copy a zip, with other options for its members."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", **options) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))


def test_hostile_zips_are_refused(tmp_path: Path) -> None:
    good = write_mlp(tmp_path, 2, name="good.zip").path
    rebuilt(good, tmp_path / "packed.zip", compression=zipfile.ZIP_DEFLATED)
    rebuilt(good, tmp_path / "extra.zip")
    with zipfile.ZipFile(tmp_path / "extra.zip", "a") as archive:
        archive.writestr("../../evil.json", "{}")
    rebuilt(good, tmp_path / "linked.zip")
    with zipfile.ZipFile(tmp_path / "linked.zip", "a") as archive:
        info = zipfile.ZipInfo("report.html")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    rebuilt(good, tmp_path / "doubled.zip")
    with zipfile.ZipFile(tmp_path / "doubled.zip", "a") as archive, pytest.warns(UserWarning):
        archive.writestr("source.mlir", "module {}\n")
    (tmp_path / "cut.zip").write_bytes(good.read_bytes()[:-40])
    (tmp_path / "text.zip").write_text("PK, not really")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    words = {
        "packed": "is compressed", "extra": "is not in the manifest", "linked": "is a link",
        "doubled": "twice", "cut": "is not an artifact", "text": "is not an artifact",
        "empty": "no manifest.json",
    }  # fmt: skip
    for name, expected in words.items():
        with pytest.raises(ArtifactError) as refused:
            artifacts.read(tmp_path / f"{name}.zip")
        assert expected in refused.value.message, name


def test_overlapping_zip_members_are_refused(tmp_path: Path) -> None:
    path = write_mlp(tmp_path, 2, name="good.zip").path
    raw = bytearray(path.read_bytes())
    first = raw.index(b"PK\x01\x02")
    second = raw.index(b"PK\x01\x02", first + 4)
    raw[second + 42 : second + 46] = raw[first + 42 : first + 46]
    path.write_bytes(bytes(raw))
    with pytest.raises(ArtifactError, match="overlap"):
        artifacts.read(path)


def test_the_manifest_text_is_canonical(tmp_path: Path) -> None:
    manifest = write_mlp(tmp_path, 3).manifest
    text = manifest_schema.to_json(manifest)
    assert manifest_schema.from_json(text) == manifest
    assert manifest_schema.to_json(manifest_schema.from_json(text)) == text
    assert text == (tmp_path / "out.distc" / "manifest.json").read_text()
