"""`distc explain`, `distc diff` and `distc report`: what they say is what the plan costs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from planned import CUT_BY_ALL, PINS, PROGRAM, compiled

from distc.compiler.cli import main
from distc.compiler.explain.alternatives import Explainer, shares
from distc.compiler.problem import read_problem
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode
from distc.solver.problem import Problem
from distc.solver.search.memory import solve_within


@dataclass(frozen=True)
class Plans:
    """Three artifacts of one program."""

    searched: Path
    pinned: Path
    """Searched as well, `up.weight` is pinned whole."""
    preset: Path
    """Pinned so, not searched."""

    @property
    def problem(self) -> Problem:
        """The search of the first."""
        found = read_problem(artifacts.read(self.searched), "main")
        assert found is not None
        return found


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Plans:
    """Compile once for all tests here."""
    folder = tmp_path_factory.mktemp("plans")
    made = Plans(*(folder / f"{name}.distc" for name in ("searched", "pinned", "preset")))
    compiled(folder).save(made.searched)
    compiled(folder, pins=PINS).save(made.pinned)
    compiled(folder, solver=None, pins=PINS).save(made.preset)
    return made


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command prints; it must succeed."""
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """The JSON document that a command prints."""
    return json.loads(printed(capsys, *arguments, "--json"))


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Exit code and message of a command that must fail."""
    code = main([str(a) for a in arguments])
    return code, capsys.readouterr().err


def test_a_summary_adds_up(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    body = document(capsys, "explain", plans.searched)
    costs = sum(c["work_seconds"] + c["conversion_seconds"] for c in body["costs"])
    assert costs == pytest.approx(body["plan"]["seconds"], rel=1e-12)
    assert int(shares(plans.problem).sum()) == plans.problem.solution.cost
    assert body["plan"]["status"] == "optimal" and body["hardware"] == "h100-8x"


def test_a_collective_is_traced_to_its_line(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    (sent,) = document(capsys, "explain", plans.searched)["collectives"]
    assert (sent["kind"], sent["axes"], sent["bytes"]) == ("all_reduce", "tensor", 8 * 2048 * 4)
    assert sent["made"] == {"source": "model.py:5:9", "module": "mlp.down"}
    assert sent["wanted"] == {"source": "model.py:6:9", "module": "mlp"}
    # The one conversion of the plan is that collective, and has its price.
    (conversion,) = [
        c for v in document(capsys, "explain", plans.searched, "mlp.down:dot_general")
        for c in v["conversions"]
    ]  # fmt: skip
    assert conversion["seconds"] == pytest.approx(sent["seconds"], rel=1e-9)
    text = printed(capsys, "explain", plans.searched)
    assert "model.py:5:9 in mlp.down" in text and "no plan is cheaper" in text


def test_what_is_priced_is_what_is_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On this machine two all-reduces, one per axis, are faster than one over both."""
    compiled(tmp_path, mesh="data=2,tensor=4", pins=CUT_BY_ALL).save(tmp_path / "all.distc")
    body = document(capsys, "explain", tmp_path / "all.distc")
    assert [c["axes"] for c in body["collectives"]] == ["data", "tensor"]
    sent = sum(c["seconds"] for c in body["collectives"])
    priced = sum(c["conversion_seconds"] for c in body["costs"])
    assert sent == pytest.approx(priced, rel=1e-9)


def test_alternatives_are_priced_as_the_network_prices_them(plans: Plans) -> None:
    problem, seen = plans.problem, 0
    explainer = Explainer(problem)
    for number in range(len(problem.variables)):
        explained = explainer.explain(number)
        for found in explained.alternatives:
            labels = list(problem.solution.labels)
            labels[number] = found.label
            assert found.difference == problem.network.cost(labels) - problem.solution.cost
            assert found.verdict == ("dearer" if found.difference else "same cost")
            seen += 1
        best = explainer.next_best(number)
        cheapest = explained.alternatives[0] if explained.alternatives else None
        assert best == (None if cheapest is None else (cheapest.label, cheapest.difference))
    assert seen == sum(len(v.labels) - 1 for v in problem.variables)


def test_searched_again_is_never_dearer_than_others_held(plans: Plans) -> None:
    problem = plans.problem
    explainer, number = Explainer(problem), 1
    for found in explainer.explain(number).alternatives:
        again = explainer.resolved(number, found.label)
        given = problem.restricted({number: frozenset({found.label})})
        expected = solve_within(given, 1 << 62).cost - problem.solution.cost
        assert (again.least, again.most) == (expected, expected)
        assert 0 <= expected <= found.difference


def test_a_variable_in_words(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "explain", plans.searched, "up.weight", "--resolve", "--top", 3)
    assert "up.weight: input f32[2048,8192]" in text
    assert "3 of 10 alternatives" in text and "searched again" in text
    assert "conversion to mlp.up:dot_general: [R, R] -> [R, S(tensor)]" in text
    small = printed(capsys, "explain", plans.searched, "x")
    assert "small and not updated, so it lies whole" in small
    pinned = printed(capsys, "explain", plans.pinned, "up.weight")
    assert "it is pinned" in pinned


def test_a_pattern_matches_names_modules_and_ops(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    def names(pattern: str) -> list[str]:
        return [v["name"] for v in document(capsys, "explain", plans.searched, pattern)]

    assert names("*.weight") == ["up.weight", "down.weight"]
    assert names("mlp.down") == ["mlp.down:dot_general"]
    assert names("dot_*") == ["mlp.up:dot_general", "mlp.down:dot_general"]


def test_what_if_is_what_a_compile_with_that_pin_finds(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    body = document(capsys, "explain", plans.searched, "--what-if", "up.weight=[R,R]")
    compiled_so = document(capsys, "explain", plans.pinned)["plan"]
    assert body["after"]["seconds"] == compiled_so["seconds"] > body["before"]["seconds"]
    assert body["after"]["status"] == "optimal"
    changed = {c["name"]: c for c in body["changes"]}
    assert changed["up.weight"]["after"] == "[R, R]"
    text = printed(capsys, "explain", plans.searched, "--what-if", "up.weight=[R,R]")
    assert "with up.weight = [R, R]" in text and "changed: 2 tensors, 3 ops" in text


def test_what_if_keeps_several_pins_and_pins_of_ops(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    body = document(
        capsys, "explain", plans.searched,
        "--what-if", "*.weight=[S(data), R]", "--what-if", "mlp:tanh=[R,S(tensor)]",
    )  # fmt: skip
    assert set(body["pinned"]) == {"up.weight", "down.weight", "mlp:tanh"}
    chosen = {v["name"]: v["chosen"] for v in document(capsys, "explain", plans.searched, "*")} | {
        c["name"]: c["after"] for c in body["changes"]
    }
    assert chosen["up.weight"] == chosen["down.weight"] == "[S(data), R]"
    assert chosen["mlp:tanh"] == "[R, S(tensor)] -> [R, S(tensor)]"


def test_what_if_nothing_changes(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    body = document(capsys, "explain", plans.searched, "--what-if", "up.weight=[R,S(tensor)]")
    assert body["before"] == body["after"] and body["changes"] == []


@pytest.mark.parametrize(
    ("what_if", "code", "words"),
    [
        ("up.wieght=[R,R]", ExitCode.USAGE, ("'up.wieght'", "near it: up.weight")),
        ("up.weight=[S(data)]", ExitCode.USAGE, ("cannot be [S(data)]", "one of: [R, R]; ")),
        ("x=[S(data), R]", ExitCode.USAGE, ("(it is small)", "one of: [R, R]")),
        ("up.weight=[S(gpu), R]", ExitCode.CONFIG, ("gpu",)),
        ("up.weight=S(data)", ExitCode.BAD_INPUT, ("column 1",)),
        ("up.weight", ExitCode.USAGE, ("not NAME=SHARDING",)),
        ("mlp:tanh=[R, R] -> [S(data), R]", ExitCode.USAGE, ("[R, R] -> [R, R]; ",)),
    ],
)
def test_what_if_refuses(
    what_if: str, code: int, words: tuple[str, ...],
    plans: Plans, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    found, message = refused(capsys, "explain", plans.searched, "--what-if", what_if)
    assert found == code, message
    assert all(word in message for word in words), message


def test_two_pins_of_one_name_are_refused(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--what-if", "up.weight=[R,R]", "--what-if", "up.weight=[S(data),R]")
    code, message = refused(capsys, "explain", plans.searched, *given)
    assert code == ExitCode.USAGE and "two different shardings" in message


def test_a_plan_that_was_not_searched_still_tells_its_collectives(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "explain", plans.preset, "--hardware", "a100-8x")
    assert "follows pins alone" in text
    code, message = refused(capsys, "explain", plans.preset, "up.weight")
    assert code == ExitCode.USAGE and "--solver exact" in message


def test_a_damaged_problem_is_refused(
    plans: Plans, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.distc"
    copy.mkdir()
    for member in plans.searched.iterdir():
        (copy / member.name).write_bytes(member.read_bytes())
    text = (copy / "problem.json").read_bytes()
    (copy / "problem.json").write_bytes(text.replace(b"optimal", b"0ptimal"))
    code, message = refused(capsys, "explain", copy)
    assert code == ExitCode.BAD_INPUT and "E-ARTIFACT-DIGEST" in message


def test_diff_of_two_searched_plans(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    (entry,) = document(capsys, "diff", plans.searched, plans.pinned)["entries"]
    assert not entry["equal"] and entry["seconds"][0] < entry["seconds"][1]
    tensors = {d["name"]: (d["before"], d["after"]) for d in entry["tensors"]}
    assert tensors["up.weight"] == ("[R, S(tensor)]", "[R, R]")
    assert "mlp.up:dot_general" in {d["name"] for d in entry["ops"]}
    sent = entry["collectives"]["all_reduce"]
    assert sent["before"]["count"] == 1 and sent["after"]["count"] == 0
    assert sent["before"]["wire_bytes"] == 2 * 8 * 2048 * 4 * (2 - 1) / 2
    text = printed(capsys, "diff", plans.searched, plans.pinned)
    assert "tensors that lie differently" in text and "cost 51.6 µs -> 56.5 µs" in text


def test_diff_with_a_plan_that_was_not_searched(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry,) = document(capsys, "diff", plans.searched, plans.preset)["entries"]
    assert entry["ops"] is None and entry["seconds"] is None
    assert "second plan was not searched" in entry["why_no_seconds"]
    assert "ops not compared" in printed(capsys, "diff", plans.searched, plans.preset)


def test_diff_of_equal_plans(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    (entry,) = document(capsys, "diff", plans.searched, plans.searched)["entries"]
    assert entry["equal"]
    assert "no difference" in printed(capsys, "diff", plans.searched, plans.searched)


def test_a_report_is_written(
    plans: Plans, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for plan in (plans.searched, plans.preset):
        assert "wrote" in printed(capsys, "report", plan, "-o", tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>") and "up.weight" in page
        assert len(page.encode()) < 2_000_000
    code, message = refused(capsys, "report", plans.searched, "-o", tmp_path)
    assert code == ExitCode.USAGE and "not a plain file" in message


def test_compile_writes_the_same_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.mlir").write_text(PROGRAM, encoding="utf-8")
    out, page = tmp_path / "out.distc", tmp_path / "page.html"
    given = ("--mesh", "data=2,tensor=2", "--solver", "exact", "-o", out, "--report", page)
    printed(capsys, "compile", tmp_path / "program.mlir", *given)
    printed(capsys, "report", out, "-o", tmp_path / "again.html")
    assert page.read_text() == (tmp_path / "again.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "{searched}"),
        ("explain", "{searched}", "up.weight", "--resolve"),
        ("explain", "{searched}", "--what-if", "up.weight=[R,R]"),
        ("diff", "{searched}", "{preset}"),
        ("report", "{searched}", "-o", "{folder}/page.html"),
    ],
)
def test_nothing_of_this_needs_the_model_or_torch(
    arguments: tuple[str, ...], plans: Plans, tmp_path: Path
) -> None:
    paths = {"searched": plans.searched, "preset": plans.preset, "folder": tmp_path}
    given = [a.format(**paths) for a in arguments]
    code = (
        "import sys\nfrom distc.compiler.cli import main\n"
        f"assert main({given!r}) == 0\n"
        "print({'torch', 'torch_mlir', 'z3'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.strip() == "set()"
