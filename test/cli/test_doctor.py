"""`distc doctor` says what there is, and fails only on what every run needs."""

from __future__ import annotations

import json

import pytest

from distc.compiler.cli import doctor_command, main
from distc.compiler.cli.doctor_command import Check


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    state = {c["name"]: c for c in body["checks"]}
    for name in ("packages", "compiler", "torch", "gloo", "localhost"):
        assert state[name]["ok"], state[name]
    assert body["versions"]["torch-mlir"]
    for check in body["checks"]:
        assert check["ok"] or check["help"]
        assert not check["needed"] or check["ok"]


@pytest.mark.parametrize(("needed", "code"), [(True, 69), (False, 0)])
def test_something_missing(
    needed: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = Check("warp drive", False, "not found", "buy one", needed)
    monkeypatch.setattr(doctor_command, "CHECKS", (lambda: missing,))
    assert main(["doctor"]) == code
    out = capsys.readouterr().out
    assert "warp drive" in out
    assert "—" in out
    assert "buy one" in out


def test_a_check_that_raises_is_a_line_not_a_crash() -> None:
    def broken() -> str:
        raise RuntimeError("first line\nsecond line")

    check = doctor_command._attempt("x", broken, "mend it")
    assert check == Check("x", False, "first line", "mend it")
