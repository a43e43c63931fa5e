"""`distc run` underneath: sim, spawned ranks, torchrun, inputs, comparison, mistakes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from samples import layout, mlp_entry, mlp_program, mlp_reference, mlp_weights, write_mlp

from distc.runtime import artifact as artifacts
from distc.runtime import launch, rank, spawn
from distc.runtime.artifact import TensorRecord
from distc.runtime.errors import DistcError, InputError, MissingFile, Unavailable, UsageError
from distc.runtime.launch import RunOptions
from distc.runtime.program import to_json
from distc.runtime.progress import Progress, last_noted

SOURCE = str(Path(__file__).parents[2] / "src")
X = torch.arange(32.0).reshape(4, 8) - 16


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    for name in ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)


def run(folder: Path, **options: Any) -> int:
    return launch.run(RunOptions(artifact=str(folder / "out.distc"), **options))


def test_sim_runs_writes_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_mlp(tmp_path, 3)
    save_file({"x": X}, tmp_path / "in.safetensors")
    code = run(
        tmp_path,
        backend="sim",
        input=str(tmp_path / "in.safetensors"),
        output=str(tmp_path / "more" / "y.safetensors"),
        check=True,
        ranks=3,
    )
    out = capsys.readouterr().out
    assert code == 0 and "check y: equal" in out and "mesh tensor=3" in out
    written = load_file(tmp_path / "more" / "y.safetensors")
    assert torch.equal(written["y"], mlp_reference(X, mlp_weights()))
    assert [p.name for p in (tmp_path / "more").iterdir()] == ["y.safetensors"]


def test_output_replaces_neither_folders_nor_devices(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(UsageError, match="is not a plain file"):
            run(tmp_path, backend="sim", random=0, output=str(tmp_path / name))
    assert (tmp_path / "pipe").is_fifo()


def test_spawned_ranks_equal_the_source_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_mlp(tmp_path, 2)
    code = run(tmp_path, ranks=2, random=7, check=True, json=True, repeat=2, backend="gloo")
    body = json.loads(capsys.readouterr().out)
    assert code == 0
    assert body["check"][0]["equal"] and len(body["seconds"]) == 2
    assert body["weight_bytes"] == {"read": 284, "total": 564, "per_rank": [284, 284]}
    assert body["outputs"] == {"y": ["f32", 4, 6]}


def test_a_wrong_program_fails_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = write_mlp(tmp_path, 2)
    entry = mlp_entry(2)
    unsummed = mlp_program(entry, [[0], [1]])
    members = {n: opened.read_bytes(n) for n in opened.manifest.members}
    artifacts.write(opened.path, {**members, "program.json": to_json(unsummed)}, opened.manifest)
    code = run(tmp_path, check=True, backend="sim", json=True)
    row = json.loads(capsys.readouterr().out)["check"][0]
    assert code == 1
    assert not row["equal"] and row["absolute"] > 1.0
    assert run(tmp_path, check=True, ranks=2) == 1
    assert "DIFFERENT" in capsys.readouterr().out


def test_torchrun(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    script = tmp_path / "ranks.py"
    script.write_text(
        "import sys\n"
        "from distc.runtime.launch import RunOptions, run\n"
        "sys.exit(run(RunOptions(artifact=sys.argv[1], random=1, check=True)))\n"
    )
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
        str(script), str(tmp_path / "out.distc"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("check y: equal") == 1


def test_torchrun_restarts_after_a_kill(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    script = tmp_path / "ranks.py"
    script.write_text(
        "import os, sys, torch\n"
        "from distc.runtime.load import load\n"
        "program = load(sys.argv[1])\n"
        "program(torch.ones(4, 8))\n"
        "attempt = os.environ['TORCHELASTIC_RESTART_COUNT']\n"
        "if attempt == '0' and program.rank == 1:\n"
        "    os.kill(os.getpid(), 9)\n"
        "program(torch.ones(4, 8))\n"
        # One write: lines of two ranks must not mix.
        "os.write(1, f'attempt {attempt} rank {program.rank} done\\n'.encode())\n"
    )
    command = [
        sys.executable, "-m", "torch.distributed.run", "--max-restarts", "1",
        "--nproc-per-node", "2", "--master-port", str(free_port()),
        str(script), str(tmp_path / "out.distc"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"attempt 1 rank {r} done" for r in range(2)]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def test_an_error_of_all_ranks_is_shown_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_mlp(tmp_path, 2)
    save_file({"up.weight": torch.zeros(8, 10)}, tmp_path / "model.safetensors")
    code = run(tmp_path, ranks=2)
    err = capfd.readouterr().err
    assert code == 65
    assert err.count("error[E-WEIGHTS-FILE]") == 1 and "help:" in err and "Traceback" not in err


def test_mistakes_are_found_before_anything_starts(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    cases: list[tuple[dict[str, Any], type[DistcError], str]] = [
        ({"ranks": 3}, UsageError, "2 ranks (mesh tensor=2), -n is 3"),
        ({"ranks": 4, "backend": "sim"}, UsageError, "-n is 4"),
        ({"backend": "mpi"}, UsageError, "unknown backend 'mpi'"),
        ({"executor": "xla"}, UsageError, "unknown executor 'xla'"),
        ({"repeat": 0}, UsageError, "--repeat is 0"),
        ({"input": "a", "random": 1}, UsageError, "both an input file and a seed"),
        ({"entry": "decode"}, DistcError, "no entry point 'decode'"),
    ]
    for options, kind, words in cases:
        with pytest.raises(kind) as error:
            run(tmp_path, **options)
        assert words in error.value.message
    with pytest.raises(MissingFile):
        run(tmp_path / "nowhere")


def test_a_taken_port_is_an_error_and_a_free_one_is_found(tmp_path: Path) -> None:
    write_mlp(tmp_path, 2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable) as error:
            run(tmp_path, port=port)
    assert error.value.exit_code == 69 and str(port) in error.value.message
    body = "import os; assert os.environ['MASTER_PORT'] != '0'; print(os.environ['RANK'])"
    assert spawn.Ranks([sys.executable, "-c", body], 2, folder=tmp_path).wait() == 0


def test_output_is_prefixed_with_the_rank(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "import sys; print('hello\\nworld'); print('oops', file=sys.stderr)"
    assert spawn.Ranks([sys.executable, "-c", body], 2, folder=tmp_path).wait() == 0
    out, err = capsys.readouterr()
    lines = sorted(out.splitlines())
    assert lines == ["[rank 0] hello", "[rank 0] world", "[rank 1] hello", "[rank 1] world"]
    assert sorted(err.splitlines()) == ["[rank 0] oops", "[rank 1] oops"]


def test_inputs_come_from_the_file(tmp_path: Path) -> None:
    entry = mlp_entry(2)
    with pytest.raises(MissingFile):
        rank.make_inputs(entry, RunOptions("a", input=str(tmp_path / "nowhere")))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(InputError, match="is not a safetensors file"):
        rank.make_inputs(entry, RunOptions("a", input=str(tmp_path / "text")))
    save_file({"xx": X}, tmp_path / "in.safetensors")
    with pytest.raises(InputError) as error:
        rank.make_inputs(entry, RunOptions("a", input=str(tmp_path / "in.safetensors")))
    assert "input 'x' is not in" in error.value.message


def test_random_inputs_follow_name_seed_and_bound() -> None:
    def record(name: str, dtype: str, bound: tuple[int, int] | None = None) -> TensorRecord:
        return TensorRecord(name, "input", dtype, layout((50, 4)), bound=bound)

    a = rank.random_input(record("ids", "i64"), 1)
    assert torch.equal(a, rank.random_input(record("ids", "i64"), 1))
    assert not torch.equal(a, rank.random_input(record("ids", "i64"), 2))
    assert not torch.equal(a, rank.random_input(record("other", "i64"), 1))
    assert a.min() >= 2 and a.max() < 100
    bounded = rank.random_input(record("ids", "i32", (0, 3)), 1)
    assert set(bounded.unique().tolist()) == {0, 1, 2} and bounded.dtype is torch.int32
    assert rank.random_input(record("m", "i1"), 1).dtype is torch.bool
    assert rank.random_input(record("h", "bf16"), 1).dtype is torch.bfloat16
    assert rank.random_input(record("z", "c64"), 1).is_complex()


def test_differences() -> None:
    nan, inf = float("nan"), float("inf")
    a, b = torch.tensor([1.0, nan, inf]), torch.tensor([1.5, nan, inf])
    row = rank.difference("y", a, b, 1e-5)
    assert (row["absolute"], row["equal"]) == (0.5, False)
    assert rank.difference("y", b, b, 0.0)["equal"]
    assert not rank.difference("y", torch.tensor([nan]), torch.tensor([1.0]), 1e-5)["equal"]
    assert not rank.difference("y", torch.tensor([1.0]), torch.tensor([nan]), 1e-5)["equal"]
    assert not rank.difference("y", torch.tensor([inf]), torch.tensor([-inf]), 1e-5)["equal"]
    assert rank.difference("y", torch.zeros(0), torch.zeros(0), 0.0)["equal"]
    assert rank.difference("y", torch.tensor([100.0]), torch.tensor([100.0005]), 1e-5)["equal"]


def test_progress_can_be_read_by_another_process(tmp_path: Path) -> None:
    progress = Progress(3, str(tmp_path))
    assert last_noted(tmp_path, 3) == "starting"
    progress.note("step 2, all_reduce 1 of 9 at model.py:7:3")
    progress.note("step 3")
    assert last_noted(tmp_path, 3) == "step 3"
    progress.note("é" * 1000)
    assert last_noted(tmp_path, 3).startswith("éé")
    assert last_noted(tmp_path, 4) == "starting"


def test_the_launcher_needs_no_torch() -> None:
    body = (
        "import sys; from distc.runtime import launch, spawn, artifact, stored, child;"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )
    env = {**os.environ, "PYTHONPATH": SOURCE}
    subprocess.run([sys.executable, "-c", body], env=env, check=True, timeout=60)
