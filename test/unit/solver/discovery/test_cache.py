"""Records on disk: found again, never believed when damaged, safe with several writers."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest
from unit.solver.discovery import samples

from distc.solver.discovery import RuleCache, cache, key_of
from distc.solver.discovery.discover import discover
from distc.solver.discovery.record import Discovered

NEGATE = samples.elementwise("negate")
KEY = key_of(NEGATE)


@pytest.fixture(scope="module")
def found() -> Discovered:
    return discover(NEGATE)


def record(folder: Path) -> Path:
    """The one record in a folder."""
    (path,) = folder.rglob("*.json")
    return path


def test_a_record_is_found_again_and_counted(tmp_path: Path, found: Discovered) -> None:
    rules = RuleCache(tmp_path)
    assert rules.get(KEY) is None
    rules.put(KEY, found)
    again = rules.get(KEY)
    assert again is not None and (again.rule, again.bases) == (found.rule, found.bases)
    assert (rules.hits, rules.misses, rules.notices) == (1, 1, [])
    assert "1 of 2 found (50 %)" in rules.report()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text.replace("pass", "open"), "its digest is another"),
        (lambda text: text[: len(text) // 2], "it is no record"),
        (lambda _: "[]", "it is no record"),
        (lambda _: "", "it is no record"),
    ],
)
def test_a_damaged_record_is_ignored_with_a_notice(
    tmp_path: Path, found: Discovered, damage, why: str
) -> None:
    rules = RuleCache(tmp_path)
    rules.put(KEY, found)
    path = record(tmp_path)
    path.write_text(damage(path.read_text()))
    assert rules.get(KEY) is None
    (notice,) = rules.notices
    assert path.name in notice and why in notice


def test_a_record_of_another_schema_is_ignored_with_a_notice(
    tmp_path: Path, found: Discovered
) -> None:
    import hashlib

    rules = RuleCache(tmp_path)
    rules.put(KEY, found)
    body = json.loads(record(tmp_path).read_text())
    rule = json.dumps({**json.loads(body["rule"]), "schema": 1})
    digest = hashlib.sha256(rule.encode()).hexdigest()
    record(tmp_path).write_text(json.dumps({"digest": digest, "rule": rule}))
    assert rules.get(KEY) is None and len(rules.notices) == 1


def _write_often(folder: Path, found: Discovered) -> None:
    for _ in range(200):
        RuleCache(folder).put(KEY, found)


def test_writers_and_readers_at_once_see_whole_records(tmp_path: Path, found: Discovered) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_often, args=(tmp_path, found)) for _ in range(3)]
    rules = RuleCache(tmp_path)
    rules.put(KEY, found)
    for writer in writers:
        writer.start()
    while any(w.is_alive() for w in writers):
        assert rules.get(KEY) is not None
    assert [w.exitcode for w in writers] == [0, 0, 0]
    assert rules.notices == [] and not list(tmp_path.rglob("*.tmp"))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, found: Discovered) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    RuleCache(blocked).put(KEY, found)
    assert blocked.read_text() == ""


def test_names_and_layout_do_not_matter() -> None:
    renamed = samples.BMM.replace("%a", "%left").replace("\n  ", "\n      ")
    assert key_of(samples.BMM) == key_of(renamed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dot_general", "dot"),  # op
        ("batching_dims = [0] x [0]", "batching_dims = [1] x [1]"),  # attribute
        ("3x4x6x", "3x4x6x1x"),  # rank
        ("3x4x6", "3x4x7"),  # size
        ("f32", "bf16"),  # element type
    ],
)
def test_everything_that_decides_about_a_rule_is_in_the_key(old: str, new: str) -> None:
    assert old in samples.BMM
    assert key_of(samples.BMM) != key_of(samples.BMM.replace(old, new))


def test_the_source_of_a_custom_op_is_in_the_key() -> None:
    assert key_of(NEGATE, "one") != key_of(NEGATE, "another")


def test_versions_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_versions", lambda: "torch 0")
    assert key_of(NEGATE) != KEY
