"""A rank that dies, raises or hangs: the others leave in time, the error names it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from samples import write_mlp

from distc.runtime.spawn import Ranks

SCRIPT = str(Path(__file__).with_name("faulty.py"))
SOURCE = str(Path(__file__).parents[2] / "src")
SECONDS_AFTER_DEATH = 2.0
PEER_TIMEOUT = 2.0


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", SOURCE)


def launch(folder: Path, mode: str, culprit: int, where: str) -> tuple[int, float]:
    """Return the exit code and the seconds from the fault to the end."""
    write_mlp(folder, 3)
    run = folder / "run"
    run.mkdir()
    command = [sys.executable, SCRIPT, str(folder / "out.distc"), mode, str(culprit), where]
    code = Ranks(command, 3, folder=run).wait()
    return code, time.time()


def survivors() -> list[str]:
    """Return the command lines of processes that still run the script."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if SCRIPT in line:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("mode", "culprit", "where", "seconds", "words"),
    [
        ("kill", 1, "step", SECONDS_AFTER_DEATH, r"rank 1 was killed by signal 9 \(SIGKILL\)"),
        ("kill", 0, "step", SECONDS_AFTER_DEATH, r"rank 0 was killed by signal 9 \(SIGKILL\)"),
        ("segfault", 2, "step", SECONDS_AFTER_DEATH, r"rank 2 was killed by signal 11"),
        ("exit", 1, "step", SECONDS_AFTER_DEATH, r"rank 1 left with exit code 3"),
        ("kill", 1, "start", SECONDS_AFTER_DEATH, r"rank 1 was killed by signal 9 .* at starting"),
        ("stop", 1, "step", PEER_TIMEOUT + 2.0, r"rank 1 did not answer for [\d.]+ s"),
        ("stop", 0, "step", PEER_TIMEOUT + 3.0, r"rank 0 did not answer for [\d.]+ s"),
    ],
)
def test_the_lost_rank_is_named(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    mode: str,
    culprit: int,
    where: str,
    seconds: float,
    words: str,
) -> None:
    code, end = launch(tmp_path, mode, culprit, where)
    out, err = capfd.readouterr()
    match = re.search(r"FAULT ([\d.]+)", out)
    assert match is not None, out + err
    assert code == 75, err
    assert re.search(rf"error\[E-PEER\]: {words}", err), err
    if where == "step":
        assert re.search(r"step (19|20)", err), err
    assert "help:" in err and "Traceback" not in err
    assert end - float(match.group(1)) < seconds
    assert survivors() == []


def test_an_exception_is_shown_with_its_rank(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, end = launch(tmp_path, "exception", 1, "step")
    out, err = capfd.readouterr()
    match = re.search(r"FAULT ([\d.]+)", out)
    assert match is not None
    assert (code, end - float(match.group(1)) < SECONDS_AFTER_DEATH) == (70, True), err
    assert "rank 1 raised ValueError: boom" in err and "Traceback" not in err


def test_an_interrupt_stops_all_ranks(tmp_path: Path) -> None:
    write_mlp(tmp_path, 3)
    (tmp_path / "run").mkdir()
    body = (
        "import sys; from pathlib import Path; from distc.runtime.spawn import Ranks;"
        f"sys.exit(Ranks([sys.executable, {SCRIPT!r}, {str(tmp_path / 'out.distc')!r}, 'none', '9',"
        f" 'step'], 3, folder=Path({str(tmp_path / 'run')!r})).wait())"
    )
    launcher = subprocess.Popen([sys.executable, "-c", body], stderr=subprocess.PIPE, text=True)
    wait_for_steps(tmp_path / "run")
    launcher.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, err = launcher.communicate(timeout=10)
    assert launcher.returncode == 130
    assert "interrupted" in err and "Traceback" not in err
    assert time.monotonic() - start < 2.0
    assert survivors() == []


def test_ranks_die_with_a_launcher_that_is_killed(tmp_path: Path) -> None:
    write_mlp(tmp_path, 3)
    (tmp_path / "run").mkdir()
    body = (
        "import sys; from pathlib import Path; from distc.runtime.spawn import Ranks;"
        f"sys.exit(Ranks([sys.executable, {SCRIPT!r}, {str(tmp_path / 'out.distc')!r}, 'none', '9',"
        f" 'step'], 3, folder=Path({str(tmp_path / 'run')!r})).wait())"
    )
    launcher = subprocess.Popen([sys.executable, "-c", body], stderr=subprocess.DEVNULL)
    wait_for_steps(tmp_path / "run")
    launcher.kill()
    launcher.wait()
    deadline = time.monotonic() + 2.0
    while survivors() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert survivors() == []


def wait_for_steps(run: Path, seconds: float = 60.0) -> None:
    """Wait until every rank is in its steps."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        texts = [(run / f"progress.{r}") for r in range(3)]
        if all(p.exists() and b"step" in p.read_bytes() for p in texts):
            return
        time.sleep(0.05)
    raise AssertionError("the ranks never ran a step")


@pytest.mark.parametrize(
    ("mode", "seconds", "words"),
    [
        ("kill", SECONDS_AFTER_DEATH, "rank 1 died, last seen at .*step"),
        ("stop", PEER_TIMEOUT + 2.0, "rank 1 did not answer for"),
    ],
)
def test_without_our_launcher_each_survivor_names_the_lost_rank(
    tmp_path: Path, mode: str, seconds: float, words: str
) -> None:
    write_mlp(tmp_path, 3)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, SCRIPT, str(tmp_path / "out.distc"), mode, "1", "step"]
    children = [
        subprocess.Popen(
            command,
            env={**os.environ, "RANK": str(r), "WORLD_SIZE": "3", "LOCAL_WORLD_SIZE": "3",
                 "LOCAL_RANK": str(r), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for r in range(3)
    ]  # fmt: skip
    try:
        line = children[1].stdout.readline() if children[1].stdout else ""
        since = float(line.split()[1])
        for rank in (0, 2):
            _, err = children[rank].communicate(timeout=20)
            assert time.time() - since < seconds, err
            assert children[rank].returncode == 75, err
            assert re.search(rf"error\[E-PEER\]: {words}", err), err
    finally:
        for child in children:
            child.kill()
            child.communicate()
