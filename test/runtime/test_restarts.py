"""Runs that are killed, anywhere, go on from a whole checkpoint with the curve of one that is not.

Three kills in `make test`; `make faults` sets DISTC_FAULT_TRIALS for as many of each kind.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from stateful import batch, write

from distc.runtime.checkpoint import folder
from distc.runtime.train_launch import TrainOptions, train

SOURCE = str(Path(__file__).parents[2] / "src")
TRIALS = int(os.environ.get("DISTC_FAULT_TRIALS", "0"))
STEPS = 240
SECONDS = 120


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    for name in ("RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an artifact for two ranks and its data."""
    root = tmp_path_factory.mktemp("job")
    write(root, 2, "zero1")
    rows = [batch(i) for i in range(6)]
    data = {name: torch.cat([r[name] for r in rows]) for name in ("x", "t")}
    save_file(data, root / "data.safetensors")
    return root


def options(job: Path, **changes: Any) -> TrainOptions:
    base: dict[str, Any] = {
        "artifact": str(job / "train.distc"), "data": str(job / "data.safetensors"),
        "steps": STEPS, "lr": 0.01, "seed": 3, "backend": "gloo",
    }  # fmt: skip
    return TrainOptions(**{**base, **changes})


@pytest.fixture(scope="module")
def curve(job: Path) -> dict[int, float]:
    """The losses of a run that nothing interrupts."""
    seen = Losses()
    assert train(options(job, backend="sim"), seen) == 0
    return seen.one_curve()


class Losses:
    """Collects the losses by step, those of steps that are taken again too."""

    def __init__(self) -> None:
        self.found: dict[int, set[float]] = {}
        self.events: list[Mapping[str, Any]] = []
        self.stepping = threading.Event()

    def __call__(self, event: Mapping[str, Any]) -> None:
        self.events.append(event)
        if event["event"] == "step":
            self.found.setdefault(event["step"], set()).add(event["loss"])
            self.stepping.set()

    def one_curve(self) -> dict[int, float]:
        assert all(len(losses) == 1 for losses in self.found.values())
        return {step: min(losses) for step, losses in sorted(self.found.items())}


def ranks_of(parent: int, job: Path) -> list[int]:
    """Return the processes below `parent` that train this job, in the order of their ids."""
    parents: dict[int, int] = {}
    mine: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        parents[int(entry.name)] = int(stat[1])
        if str(job / "train.distc") in line and "distributed.run" not in line:
            mine.append(int(entry.name))
    return sorted(p for p in mine if _below(p, parent, parents))


def _below(process: int, ancestor: int, parents: dict[int, int]) -> bool:
    at = parents.get(process, 0)
    while at and at != ancestor:
        at = parents.get(at, 0)
    return at == ancestor


def kill_during_step(draw: random.Random, root: Path) -> None:
    time.sleep(draw.uniform(0.0, 0.6))


def kill_during_save(draw: random.Random, root: Path) -> None:
    deadline = time.monotonic() + 20
    time.sleep(draw.uniform(0.0, 0.4))
    while not list(root.glob(".saving-*")) and time.monotonic() < deadline:
        time.sleep(0.0002)


Wait = Callable[[random.Random, Path], None]
KINDS: list[tuple[Wait, int]] = [
    (wait, seed)
    for wait, count in ((kill_during_step, TRIALS or 1), (kill_during_save, TRIALS or 2))
    for seed in range(count)
]


@pytest.mark.parametrize(("wait", "seed"), KINDS)
def test_a_killed_run_goes_on_with_the_same_curve(
    tmp_path: Path,
    job: Path,
    curve: dict[int, float],
    capfd: pytest.CaptureFixture[str],
    wait: Wait,
    seed: int,
) -> None:
    draw, seen, root = random.Random(seed), Losses(), tmp_path / "kept"
    before: list[str | None] = []

    def kill() -> None:
        assert seen.stepping.wait(SECONDS)
        wait(draw, root)
        victims = ranks_of(os.getpid(), job)
        os.kill(draw.choice(victims), signal.SIGKILL)
        found = folder.newest(root)
        before.append(None if found is None else found.name)

    killer = threading.Thread(target=kill)
    killer.start()
    asked = options(job, checkpoint=str(root), save_every=3, max_restarts=1)
    code = train(asked, seen)
    killer.join()
    err = capfd.readouterr().err
    assert code == 0, err
    assert "was killed by signal 9 (SIGKILL)" in err and "restart 1 of 1" in err
    starts = [e for e in seen.events if e["event"] == "start"]
    assert len(starts) == 2 and (starts[1]["resumed"] is None) == (starts[1]["step"] == 0)
    assert seen.one_curve() == curve
    names = sorted(p.name for p in root.iterdir())
    assert names[0] == "latest" and len(names) == 3 and not any(n.startswith(".") for n in names)


def test_no_restart_without_leave(job: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seen = Losses()

    def kill() -> None:
        assert seen.stepping.wait(SECONDS)
        os.kill(ranks_of(os.getpid(), job)[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    assert train(options(job, steps=100_000), seen) == 75
    killer.join()
    assert "restart" not in capfd.readouterr().err


def start(job: Path, command: list[str], *flags: str) -> subprocess.Popen[str]:
    data = str(job / "data.safetensors")
    line = [*command, "train", str(job / "train.distc"), "--data", data, "--seed", "3"]
    line += ["--lr", "0.01", "--backend", "gloo", "--json", *flags]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rest(process: subprocess.Popen[str]) -> str:
    """Close the pipes of a process that has ended; return what its stderr still held."""
    assert process.stdout is not None and process.stderr is not None
    with process.stdout, process.stderr:
        return process.stderr.read()


def events(seen: Losses, stream: Any) -> None:
    for line in stream:
        if line.startswith("{"):
            seen(json.loads(line))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_polite_signal_saves_and_ends(
    tmp_path: Path, job: Path, curve: dict[int, float], number: int, code: int
) -> None:
    seen = Losses()
    flags = ["--steps", "100000", "--checkpoint", str(tmp_path)]
    process = start(job, [sys.executable, "-m", "distc"], *flags)
    reader = threading.Thread(target=events, args=(seen, process.stdout))
    reader.start()
    try:
        assert seen.stepping.wait(SECONDS)
        process.send_signal(number)
        assert process.wait(30) == code
    finally:
        process.kill()
    reader.join()
    assert "error" not in rest(process)
    stopped = seen.events[-1]
    assert stopped["event"] == "stopped"
    found = folder.newest(tmp_path)
    assert found is not None and found.name == f"step-{stopped['step']:08d}"
    again, target = Losses(), stopped["step"] + 5
    resumed = options(job, checkpoint=str(tmp_path), steps=target, backend="sim")
    assert train(resumed, again) == 0
    assert again.events[0]["step"] == stopped["step"]
    joined = {**seen.one_curve(), **again.one_curve()}
    assert all(joined[s] == curve[s] for s in curve if s <= target)


def test_torchrun_starts_killed_ranks_again(
    tmp_path: Path, job: Path, curve: dict[int, float]
) -> None:
    seen, draw = Losses(), random.Random(1)
    launcher = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2",
        "--max-restarts", "1", "--master-port", "0", "--monitor-interval", "0.1",
        "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0", "-m", "distc",
    ]  # fmt: skip
    flags = ["--steps", str(STEPS), "--checkpoint", str(tmp_path), "--save-every", "3"]
    process = start(job, launcher, *flags)
    reader = threading.Thread(target=events, args=(seen, process.stdout))
    reader.start()
    noise: list[str] = []
    drain = threading.Thread(target=lambda: noise.extend(process.stderr or ()))
    drain.start()
    try:
        assert seen.stepping.wait(SECONDS)
        time.sleep(draw.uniform(0.1, 0.4))
        victims = [p for p in ranks_of(process.pid, job) if p != process.pid]
        os.kill(draw.choice(victims), signal.SIGKILL)
        assert process.wait(SECONDS) == 0, "".join(noise)
    finally:
        process.kill()
    reader.join()
    drain.join()
    rest(process)
    starts = [e for e in seen.events if e["event"] == "start"]
    assert len(starts) == 2 and starts[1]["step"] > 0, "".join(noise)
    assert seen.one_curve() == curve
