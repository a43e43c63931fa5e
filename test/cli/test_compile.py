"""`distc compile`: what it writes and prints; it is deterministic and can be broken off."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from distc.compiler import certificate
from distc.compiler.cli import main
from distc.runtime import artifact as artifacts
from distc.runtime.errors import ExitCode

MODELS = Path(__file__).resolve().parents[1] / "models"
SPEC = f"{MODELS / 'mlp.py'}:reduced"
MEMBERS = {
    "source.mlir",
    "plan.mlir",
    "partitioned.mlir",
    "program.json",
    "program.source.json",
    "certificate.json",
    "constraints.toml",
    "weights.safetensors",
}
PASSES = ["propagate", "insert-reshards", "reshard-to-collectives", "partition"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _compile(*extra: str) -> int:
    return main(["compile", SPEC, "--mesh", "tensor=2", "--preset", "megatron", *extra])


def test_artifact_and_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile("--timing", "--dump-ir", "ir") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "0 ops replicated for lack of a rule" in captured.out
    assert "this plan is checked, not proved" in captured.out
    assert "1 all_reduce" in captured.out
    assert "wrote out.distc" in captured.out
    rows = [line.split()[0] for line in captured.out.splitlines() if line.strip()]
    for stage in ["export", *PASSES, "verify-partitioned", "lower", "package", "total"]:
        assert stage in rows
    names = sorted(p.name for p in (folder / "ir").iterdir())
    assert names[0] == "00-source.mlir"
    assert [n[:2] for n in names] == [f"{i:02d}" for i in range(len(names))]
    assert [n[3:-5] for n in names if n[3:-5] in PASSES] == PASSES
    opened = artifacts.read(folder / "out.distc")
    assert set(opened.manifest.members) == MEMBERS
    assert {p.name for p in folder.iterdir()} == {"out.distc", "ir"}


def test_certificate(folder: Path) -> None:
    assert _compile() == 0
    opened = artifacts.read(folder / "out.distc")
    body = json.loads(opened.read_text("certificate.json"))
    assert body["proved"] is False
    assert body["verify-partitioned"] == "passed"
    for member in ("source.mlir", "plan.mlir", "partitioned.mlir", "program.json"):
        assert body["digests"][member] == certificate.digest(opened.read_text(member))


def test_without_verification_it_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile("--verify", "off") == 0
    assert "this plan is not checked" in capsys.readouterr().out
    body = json.loads(artifacts.read(folder / "out.distc").read_text("certificate.json"))
    assert body["verify-partitioned"] == "not run"


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _compile("--json", "-o", "out.zip") == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["artifact"], body["mesh"], body["ranks"]) == ("out.zip", "tensor=2", 2)
    assert body["proved"] is False
    assert body["replicated"] == []
    assert body["entries"][0]["collectives"]["all_reduce"] == 1
    assert {"export", "propagate", "package"} <= {s["stage"] for s in body["timing"]}
    assert artifacts.read(folder / "out.zip").is_zip


def test_constraints_win_over_the_preset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plan.toml").write_text('[[pin]]\nparameter = "*"\nsharding = "[R, R]"\n')
    (folder / "plan.toml").write_text('[[pin]]\nmodule = "up"\nsharding = "[R, R]"\n')
    assert _compile("--constraints", "plan.toml") == 0
    records = {a.name: a for a in artifacts.read("out.distc").manifest.entry("main").arguments}
    assert records["up.weight"].sharding == "[R, R]"
    assert records["middle.weight"].sharding != "[R, R]"
    kept = artifacts.read("out.distc").read_text("constraints.toml")
    assert kept.endswith('module = "up"\nsharding = "[R, R]"\n')


def test_one_rank_is_the_unmodified_program(folder: Path) -> None:
    assert main(["compile", SPEC, "--mesh", "x=1", "--preset", "data-parallel"]) == 0
    opened = artifacts.read("out.distc")
    program, source = opened.program("main"), opened.program("source")
    assert [c.op for c in program.calls] == [c.op for c in source.calls]
    assert not any(c.op.startswith("collective.") for c in program.calls)


def test_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    contents = []
    code = (
        "import sys; from distc.compiler.cli import main\n"
        "for name in sys.argv[1:]:\n"
        "    out = name.rpartition('/')[2].partition('.')[0] + '.zip'\n"
        "    argv = ['compile', name, '--mesh', 'data=2,tensor=2', '--preset', 'megatron']\n"
        "    assert main([*argv, '-o', out]) == 0\n"
    )
    specs = [str(MODELS / "mlp.py:reduced"), str(MODELS / "gpt2.py:reduced")]
    for seed in ("0", "4242"):
        home = tmp_path / seed
        home.mkdir()
        subprocess.run(
            [sys.executable, "-c", code, *specs],
            cwd=home,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            timeout=150,
            capture_output=True,
        )
        contents.append([(home / name).read_bytes() for name in ("mlp.zip", "gpt2.zip")])
    assert contents[0] == contents[1]


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import time\ndef build():\n    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "distc", "compile", "slow.py:build", "--mesh", "x=2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What runs in the background of a shell inherits an ignored interrupt.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert {p.name for p in tmp_path.iterdir()} - {"__pycache__"} == {"slow.py"}


def test_a_search_says_what_it_found_and_how_good_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", SPEC, "--mesh", "x=2", "--solver", "exact", "--hardware", "cpu"]) == 0
    out = capsys.readouterr().out
    memory = r"\S+ \wi?B of 3.7 GiB on a rank"
    found = rf"plan of main: \S+ s by the cost model on cpu, {memory}, no plan is cheaper"
    assert re.search(found, out)
    assert _compile("--solver", "exact", "--json") == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    assert plan["status"] == "optimal"
    assert plan["seconds"] == plan["lower_bound_seconds"] > 0


def test_a_plan_fits_in_the_memory_that_is_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _compile("--solver", "exact", "--memory", "1MiB", "--json") == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    assert 0 < plan["peak_bytes"] <= plan["limit_bytes"] == 1 << 20
    assert _compile("--solver", "exact", "--memory", "100B") == ExitCode.INFEASIBLE
    err = capsys.readouterr().err
    assert "the limit is 100 B" in err
    assert "fits with --memory " in err
    assert _compile("--memory", "1MiB") == ExitCode.USAGE
    assert "add --solver exact" in capsys.readouterr().err
    assert _compile("--solver", "exact", "--memory", "much") == ExitCode.USAGE
    assert "write --memory 60GiB" in capsys.readouterr().err


@pytest.mark.parametrize("solver", ["z3", "ilp", "beam"])
def test_other_solvers_are_not_cheaper_and_claim_what_they_prove(
    solver: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if solver == "ilp":
        pytest.importorskip("highspy", reason="the extra distc[ilp] is not installed")
    plans = {}
    for name in ("exact", solver):
        assert main(["compile", SPEC, "--mesh", "x=2", "--solver", name, "--json"]) == 0
        (plans[name],) = json.loads(capsys.readouterr().out)["plans"]
    exact, other = plans["exact"], plans[solver]
    assert other["solver"] == solver
    assert other["lower_bound_seconds"] <= exact["seconds"] <= other["seconds"]
    assert (other["status"] == "optimal") == (other["gap"] == 0)
    assert solver == "beam" or other["seconds"] == exact["seconds"]


def test_a_budget_ends_the_search(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compile", SPEC, "--mesh", "x=2"]
    assert main([*arguments, "--solver", "exact", "--budget", "2m"]) == 0
    assert "no plan is cheaper" in capsys.readouterr().out
    assert main([*arguments, "--solver", "exact", "--budget", "0s", "-o", "no"]) == ExitCode.BUDGET
    err = capsys.readouterr().err
    assert "error[E-BUDGET]" in err and "within 0 s" in err and "larger --budget" in err
    assert not (folder / "no").exists()
    for wrong in ("7", "-1s", "1e9s", "7 s", "s", "nans", "7d"):
        assert main([*arguments, "--solver", "exact", f"--budget={wrong}"]) == ExitCode.USAGE
        assert f"--budget {wrong}" in capsys.readouterr().err
    assert main([*arguments, "--budget", "7s"]) == ExitCode.USAGE
    assert "add --solver exact" in capsys.readouterr().err


def test_hardware_and_solvers_that_do_not_exist_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compile", SPEC, "--mesh", "x=2"]
    assert main([*arguments, "--solver", "best"]) == ExitCode.USAGE
    assert "unknown solver 'best', there is exact" in capsys.readouterr().err
    assert main([*arguments, "--hardware", "cpu"]) == ExitCode.USAGE
    assert "add --solver exact" in capsys.readouterr().err
    assert main([*arguments, "--solver", "exact", "--hardware", "abacus"]) == ExitCode.NO_FILE
    assert "h100-8x" in capsys.readouterr().err


def test_an_existing_artifact_is_replaced_whole(folder: Path) -> None:
    assert _compile() == 0
    first = (folder / "out.distc" / "manifest.json").read_bytes()
    assert main(["compile", SPEC, "--mesh", "tensor=4", "--preset", "megatron"]) == 0
    assert artifacts.read("out.distc").manifest.ranks == 4
    assert (folder / "out.distc" / "manifest.json").read_bytes() != first
    assert {p.name for p in folder.iterdir()} == {"out.distc"}


def test_weights_by_file(folder: Path) -> None:
    assert _compile() == 0
    own = folder / "out.distc" / "weights.safetensors"
    (folder / "w.safetensors").write_bytes(own.read_bytes())
    assert _compile("--weights", "w.safetensors", "-o", "by_file.distc") == 0
    opened = artifacts.read("by_file.distc")
    assert not opened.has("weights.safetensors")
    assert [f.path for f in opened.manifest.weights.external] == ["w.safetensors"]


def test_a_module_with_two_entry_points(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "two.mlir").write_text(
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @double(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = stablehlo.add %x, %x : tensor<6xf32>
  return %0 : tensor<6xf32>
}
"""
    )
    assert main(["compile", "two.mlir", "--mesh", "x=2"]) == 0
    assert [e.name for e in artifacts.read("out.distc").manifest.entries] == ["main", "double"]
    assert main(["inspect", "out.distc"]) == 0
    out = capsys.readouterr().out
    assert "entry main" in out
    assert "entry double" in out
