"""docs/regimes.md is what the cost model says today, and says of each claim whether it is met."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import regimes
from claims import faces, paro
from claims.claim import close, gain, span

from distc.solver.collective_cost import StepKind
from distc.solver.hardware import load_hardware
from distc.solver.states.links import Algorithm, Scope, TableLinks

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_fresh() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "regimes.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stale_page_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "regimes.md"
    monkeypatch.setattr(regimes, "PAGE", page)
    monkeypatch.setattr(regimes, "ROOT", tmp_path)
    page.write_text("old")
    assert regimes.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().out
    assert regimes.main(["--write"]) == 0
    assert regimes.main(["--check"]) == 0


def test_missed_rows_stay() -> None:
    page = (ROOT / "docs" / "regimes.md").read_text(encoding="utf-8")
    claims = [*paro.claims(), *faces.claims()]
    assert len(claims) == len(paro.CLAIMS) + 2 * len(faces.REPORTED) + 1
    assert all(c.what in page for c in claims)
    verdicts = {p.is_within for c in claims for p in c.predicted}
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    ("reported", "predicted", "is_close"),
    [(0.487, 0.25, True), (0.487, 0.24, False), (0.487, 0.97, True), (0.487, -0.4, False)],
)
def test_the_rule(reported: float, predicted: float, is_close: bool) -> None:
    assert close(reported, predicted) is is_close
    assert gain(reported, [9.0, predicted]).is_within is is_close


def test_spans_have_no_negative_zero() -> None:
    assert span([-1e-9, 1e-9]) == "+0.0%"
    assert span([-0.02, 0.01]) == "-2.0% … +1.0%"


def test_the_table_of_the_reports_has_one_port() -> None:
    """The third pricing is the file's own bandwidths in PaRO's formulas."""
    a100, pricing = load_hardware("a100-8x"), paro.pricings()[2]
    links = pricing.links(32, 8)
    assert isinstance(links, TableLinks)
    seconds = links.seconds(StepKind.ALL_GATHER, Scope.GLOBAL, 32e9)
    assert seconds == pytest.approx(31e9 / a100.node.bytes_per_second)
    assert links.intra_bytes_per_second == a100.device.bytes_per_second


def test_regimes_that_hold_on_every_pricing() -> None:
    """With more micro-steps IIG leads ZeRO-3 at 65B, by more; two levels beat HCS everywhere."""
    for pricing in paro.pricings():
        gains = [
            paro.ahead(paro.states(pricing, paro.B65, (1, 1), s, 2048), "IIG", "GGG")
            for s in paro.STEPS
        ]
        assert gains == sorted(gains) and gains[1] > 0
        overlapped = paro.gather(pricing, Algorithm.PARO_CC)
        assert overlapped < paro.gather(pricing, Algorithm.HCS)


def test_classes_lead_data_and_more_so_with_more_classes() -> None:
    v100 = load_hardware("v100-8x")
    for ranks in faces.RANKS:
        gains = [faces.heads(v100, ranks, classes).gain for classes in faces.CLASSES]
        assert gains == sorted(gains) and gains[0] > 0


def test_the_time_that_classes_save_is_the_measured_one() -> None:
    """Per iteration on eight V100: both measured pairs, within a factor of two."""
    for _, classes, by_data, by_classes in faces.REPORTED:
        priced = faces.heads(load_hardware("v100-8x"), 8, classes)
        measured = 8 * faces.BATCH * (1 / by_data - 1 / by_classes)
        assert close(measured, priced.by_data - priced.by_classes)
