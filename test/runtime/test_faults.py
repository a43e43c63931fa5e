"""A rank that dies, raises or hangs: the others leave in time, the error names it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import faulty
import pytest
import torch
from samples import write_mlp

from distc.runtime.child import as_rank
from distc.runtime.spawn import Ranks

SCRIPT = str(Path(__file__).with_name("faulty.py"))
SOURCE = str(Path(__file__).parents[2] / "src")
SECONDS_AFTER_DEATH = 2.0
PEER_TIMEOUT = 2.0


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", SOURCE)


def launch(folder: Path, mode: str, culprit: int) -> tuple[int, float]:
    """Return the exit code and the seconds from the fault to the end."""
    write_mlp(folder, 3)
    run = folder / "run"
    run.mkdir()
    command = [sys.executable, SCRIPT, str(folder / "out.distc"), mode, str(culprit)]
    code = Ranks(command, 3, folder=run).wait()
    return code, time.time()


def survivors(folder: Path) -> list[str]:
    """Return the command lines of processes that still run in the name of this test."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in line:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("mode", "culprit", "seconds", "words"),
    [
        ("kill", 1, SECONDS_AFTER_DEATH, r"rank 1 was killed by signal 9 \(SIGKILL\)"),
        ("stop", 1, PEER_TIMEOUT + 2.0, r"rank 1 did not answer for [\d.]+ s"),
        ("stop", 0, PEER_TIMEOUT + 3.0, r"rank 0 did not answer for [\d.]+ s"),
    ],
)
def test_the_lost_rank_is_named(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    mode: str,
    culprit: int,
    seconds: float,
    words: str,
) -> None:
    code, end = launch(tmp_path, mode, culprit)
    out, err = capfd.readouterr()
    match = re.search(r"FAULT ([\d.]+)", out)
    assert match is not None, out + err
    assert code == 75, err
    assert re.search(rf"error\[E-PEER\]: {words}", err), err
    assert re.search(r"step (19|20)", err), err
    assert "help:" in err and "Traceback" not in err
    assert end - float(match.group(1)) < seconds
    assert survivors(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("os.kill(os.getpid(), 11)", 75, "rank 2 was killed by signal 11 (SIGSEGV) at starting"),
        ("os._exit(3)", 75, "rank 2 left with exit code 3 and without a word at starting"),
        ("as_rank(lambda: 1 // 0)", 70, "rank 2 raised ZeroDivisionError: integer division"),
        ("as_rank(lambda: load('nowhere'))", 66, "there is no artifact at 'nowhere'"),
    ],
)
def test_every_ending_has_its_words(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], body: str, code: int, words: str
) -> None:
    imports = (
        "import os, sys, time; from distc.runtime.child import as_rank;"
        "from distc.runtime.artifact import read as load;"
    )
    others = "time.sleep(100) if os.environ['RANK'] != '2' else "
    command = [sys.executable, "-c", imports + others + body]
    start = time.monotonic()
    assert Ranks(command, 3, folder=tmp_path).wait() == code
    assert time.monotonic() - start < 5.0
    err = capfd.readouterr().err
    assert words in err and err.count("error[") == 1 and "Traceback" not in err


SLEEPERS = (
    "import sys; from pathlib import Path; from distc.runtime.spawn import Ranks;"
    "body = 'from distc.runtime.child import die_with_launcher as d; d();"
    'import time; print("up", flush=True); time.sleep(1000); \' + sys.argv[1];'
    "sys.exit(Ranks([sys.executable, '-c', body, sys.argv[2]], 3, folder=Path('.')).wait())"
)


@pytest.fixture
def sleepers(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A launcher whose three ranks are up and sleep."""
    command = [sys.executable, "-c", SLEEPERS, "0", str(tmp_path)]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert launcher.stdout is not None
        lines = sorted(launcher.stdout.readline() for _ in range(3))
        assert lines == [f"[rank {r}] up\n" for r in range(3)]
        assert len(survivors(tmp_path)) == 4
        yield launcher
    finally:
        launcher.kill()
        launcher.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_all_ranks(
    tmp_path: Path, sleepers: subprocess.Popen[str], number: int
) -> None:
    start = time.monotonic()
    sleepers.send_signal(number)
    _, err = sleepers.communicate(timeout=10)
    assert sleepers.returncode == 130
    assert "interrupted" in err and "Traceback" not in err
    assert time.monotonic() - start < 2.0
    assert survivors(tmp_path) == []


def test_ranks_die_with_a_launcher_that_is_killed(
    tmp_path: Path, sleepers: subprocess.Popen[str]
) -> None:
    sleepers.kill()
    sleepers.wait()
    deadline = time.monotonic() + 2.0
    while survivors(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert survivors(tmp_path) == []


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
    children = [fork_rank(r, port, tmp_path, mode) for r in range(3)]
    try:
        ends = {r: wait_for(children[r], 30.0) for r in (0, 2)}
    finally:
        os.kill(children[1], signal.SIGKILL)
        os.waitpid(children[1], 0)
    since = float((tmp_path / "out.1").read_text().split()[1])
    for rank, (code, at) in ends.items():
        err = (tmp_path / f"err.{rank}").read_text()
        assert code == 75 and at - since < seconds, err
        assert re.search(rf"error\[E-PEER\]: {words}", err), err
        assert err.count("error[") == 1


def fork_rank(rank: int, port: int, folder: Path, mode: str) -> int:
    """Start a rank that has torch already, its output in files."""
    child = os.fork()
    if child:
        return child
    for stream, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / f"{name}.{rank}", os.O_CREAT | os.O_WRONLY), stream)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    os.environ.update(
        RANK=str(rank), WORLD_SIZE="3", LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE="3",
        MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
    )  # fmt: skip
    torch.set_num_threads(1)
    os._exit(as_rank(lambda: faulty.steps(str(folder / "out.distc"), mode, 1)))


def wait_for(child: int, seconds: float) -> tuple[int, float]:
    """Return the exit code of a child and when it ended."""
    deadline = time.time() + seconds
    while time.time() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), time.time()
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError(f"a survivor was still there after {seconds} s")
