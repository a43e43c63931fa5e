"""`distc inspect` counts what the artifact says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stateful import write

from distc.compiler.cli import main


def test_json(hand_made_artifact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(hand_made_artifact), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["mesh"], body["ranks"], body["proved"]) == ("tensor=2", 2, False)
    (entry,) = body["entries"]
    assert entry["collectives"] == {"all_reduce": 1}
    assert entry["collective_bytes"] == {"all_reduce": 8 * 4 * 4}
    # Five rows on two ranks: three and two, padding not counted.
    assert entry["weight_bytes_per_rank"] == [3 * 4 * 4, 2 * 4 * 4]
    assert entry["weight_bytes"] == 5 * 4 * 4
    assert entry["largest_rank_share"] == 0.6
    assert [t["local_shape"] for t in entry["arguments"]] == [[3, 4], [8, 3]]


def test_text(hand_made_artifact: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(hand_made_artifact)]) == 0
    out = capsys.readouterr().out
    assert "mesh tensor=2: 2 ranks" in out
    assert "not proved" in out
    assert "[S(tensor), R]" in out
    assert "all_reduce" in out
    assert "60.0 %" in out
    assert "\x1b" not in out


def test_state_is_counted_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, 2, "zero1")
    assert main(["inspect", str(path), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["state"] == {
        "parameter": {"bytes": 240, "bytes_per_rank": [240, 240]},
        "optimizer": {"bytes": 240, "bytes_per_rank": [120, 120]},
    }
    step = next(e for e in body["entries"] if e["name"] == "step")
    assert [r.get("updates") for r in step["results"]] == [None, "w", "w@momentum_buffer"]
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "state of all entry points" in out and "optimizer" in out
